import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openSharedTurns,
  type SharedTurns,
  type Taken,
  type TurnsSeen,
} from '../../../src/store/claim/shared-turns.ts'

let root: string
let folder: string
let now: number
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'genrun-turns-'))
  folder = join(root, 'own')
  now = 1_767_000_000_000
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const wall = () => now
const open = (token: string, origin = 'https://service.example') =>
  openSharedTurns({ folder, origin, wall, token: token.repeat(12) })

interface Took {
  readonly is?: Taken['is']
  readonly waitMs?: number
  readonly seen: TurnsSeen | undefined
}

function take(turns: SharedTurns, gapMs = 250, alive = 1): Took {
  let seen: TurnsSeen | undefined
  const taken = turns.take(alive, each => {
    seen = each
    return gapMs
  })
  return { ...taken, seen }
}

/** Where the files of the origin lie, once somebody has taken a turn. */
function place(): string {
  const [name = ''] = readdirSync(folder)
  return join(folder, name)
}

const names = () => readdirSync(place()).toSorted()
const put = (name: string) => writeFileSync(join(place(), name), '')

test('the turns of all lie apart, each service on its own', () => {
  const [a, b] = [open('a'), open('b')]
  expect([a, b, a, b].map(each => take(each).waitMs)).toEqual([0, 250, 500, 750])
  expect(take(open('a', 'https://other.example')).waitMs).toBe(0)
  now += 2000
  expect(take(b).waitMs).toBe(0)
})

test('how many runs the others ask after is seen, until they leave or are silent for half a minute', () => {
  const [a, b, c] = [open('a'), open('b'), open('c')]
  take(a, 10, 40)
  take(b, 10, 7)
  expect(take(c, 10, 1).seen).toEqual({ others: 47 })
  expect(take(a, 10, 40).seen).toEqual({ others: 8 })
  b.leave()
  expect(take(c, 10, 1).seen).toEqual({ others: 40 })
  now += 30_001
  expect(take(c, 10, 1).seen).toEqual({ others: 0 })
})

test('what has changed is said within a second or so', () => {
  const [a, b] = [open('a'), open('b')]
  take(a, 10, 1)
  now += 500
  take(a, 10, 90)
  expect(take(b).seen).toEqual({ others: 1 })
  now += 500
  take(a, 10, 90)
  expect(take(b).seen).toEqual({ others: 90 })
})

test('a 429 is seen by all', () => {
  const [a, b] = [open('a'), open('b')]
  a.slow(2)
  now += 4000
  expect(take(b).seen).toEqual({ others: 0, slowed: { perSecond: 2, agoMs: 4000 } })
  a.slow(1)
  expect(take(b).seen).toEqual({ others: 0, slowed: { perSecond: 1, agoMs: 0 } })
  now += 11 * 60_000
  expect(take(b).seen).toEqual({ others: 0 })
})

test('nobody waits for more than five seconds in line: who would is told to come again', () => {
  const [a] = [open('a')]
  const waits = Array.from({ length: 8 }, () => take(a, 1000))
  expect(waits.map(each => each.is)).toEqual([...Array(6).fill('turn'), 'crowded', 'crowded'])
  now += 1000
  expect(take(a, 1000)).toMatchObject({ is: 'turn', waitMs: 5000 })
})

test('what is left behind is swept, and what it cannot read is left alone', () => {
  const a = open('a')
  take(a)
  put('note.txt')
  put('turn-1')
  put(`slow-2000-${now - 20 * 60_000}`)
  put(`runs-gone-4-${now - 2 * 60 * 60_000}`)
  now += 1000
  take(a)
  now += 1000
  take(a)
  expect(names()).toEqual(['note.txt', `runs-aaaaaaaaaaaa-1-${now - 2000}`, `turn-${now}`])
})

describe('does no harm:', () => {
  test.each([
    ['a date in the future', () => put(`turn-${now + 60_000}`)],
    ['a date of another age', () => put('turn-999999999999999')],
    ['a date that is none', () => put('turn-soon')],
    ['names of nothing', () => ['turn-', 'runs---', 'slow-1', '-', 'turn--5', 'runs-x-y-z'].map(put)],
    ['a link', () => symlinkSync('/nowhere', join(place(), `turn-${now - 10}`))],
    ['a folder', () => mkdirSync(join(place(), `turn-${now - 10}`))],
    ['a 429 of tomorrow', () => put(`slow-1-${now + 86_400_000}`)],
    ['runs of tomorrow', () => put(`runs-zzz-500-${now + 86_400_000}`)],
    ['a turn that was taken by a process that died', () => put(`turn-${now + 200}`)],
  ])('%s', (_, spoil) => {
    const [a, b] = [open('a'), open('b')]
    take(a)
    now += 1000
    spoil()
    const taken = [take(a), take(b), take(a)]
    expect(taken.every(each => each.is === 'turn')).toBe(true)
    const waits = taken.map(each => each.waitMs ?? Number.NaN)
    expect(waits[0]).toBeLessThanOrEqual(450)
    expect([(waits[1] ?? 0) - (waits[0] ?? 0), (waits[2] ?? 0) - (waits[1] ?? 0)]).toEqual([250, 250])
    expect(taken[1]?.seen).toEqual({ others: 1 })
  })

  test('a clock that is set back by an hour, or forth', () => {
    const [a, b] = [open('a'), open('b')]
    take(a)
    now -= 3_600_000
    expect([take(b), take(a), take(b)].map(each => each.waitMs)).toEqual([0, 250, 500])
    now += 7_200_000
    expect([take(a), take(b)].map(each => each.waitMs)).toEqual([0, 250])
  })

  test('a folder that is swept away in between', () => {
    const a = open('a')
    take(a)
    rmSync(folder, { recursive: true })
    expect(take(a).is).toBeUndefined()
    expect(take(a)).toMatchObject({ is: 'turn', waitMs: 0 })
  })
})

describe('nothing is shared through', () => {
  test.each([
    ['a link', () => symlinkSync(mkdtempSync(join(root, 'elsewhere-')), folder)],
    ['a file', () => writeFileSync(folder, '')],
    ['a folder that others can write to', () => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ['a folder that the group can write to', () => (mkdirSync(folder), chmodSync(folder, 0o770))],
    ['a folder that is not there and cannot be made', () => (folder = join(root, 'not', 'there'))],
  ])('%s', (_, spoil) => {
    spoil()
    const a = open('a')
    expect(take(a)).toEqual({ seen: undefined })
    a.slow(1)
    a.leave()
    expect(readdirSync(root, { recursive: true }).length).toBeLessThanOrEqual(2)
  })

  test.skipIf(process.getuid?.() !== 0)(
    "somebody else's folder (tried as root only, who can make one)",
    async () => {
      const { chownSync } = await import('node:fs')
      mkdirSync(folder, { mode: 0o700 })
      chownSync(folder, 12_345, 12_345)
      expect(take(open('a'))).toEqual({ seen: undefined })
    },
  )

  test('a link in the place of the origin', () => {
    take(open('a'))
    const there = place()
    rmSync(there, { recursive: true })
    symlinkSync(root, there)
    expect(take(open('b'))).toEqual({ seen: undefined })
    expect(readdirSync(root)).toEqual(['own'])
  })
})
