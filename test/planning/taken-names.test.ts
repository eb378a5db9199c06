import { expect, test } from 'vitest'
import { jobAddress, type PurchaseId, purchaseId } from '../../src/base/names.ts'
import type { Purchase } from '../../src/base/purchase.ts'
import type { SavedFile } from '../../src/base/state.ts'
import { planRequest } from '../../src/plan/request/planned.ts'
import { factsOf } from '../../src/planning/facts.ts'
import { takenNames } from '../../src/planning/taken-names.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { done, facts, failed, job, running, told } from '../plan/world.ts'
import { type MemoryDisk, memoryDisk } from '../store/memory-disk.ts'

const hero = job('hero')

function diskWith(files: { readonly [path: string]: string }): MemoryDisk {
  const disk = memoryDisk()
  for (const folder of ['/out', '/out/takes']) disk.makeFolder(folder)
  for (const [path, text] of Object.entries(files)) {
    const file = disk.open(`/out/${path}`, 'create')
    disk.write(file, Buffer.from(text))
    disk.close(file)
  }
  return disk
}

/** The names in the way of a job that is ordered again, where `lying` has its name. */
function inTheWay(purchases: readonly Purchase[], lying: string) {
  const disk = diskWith({ 'hero.mp4': lying })
  const planned = planRequest({ jobs: [hero], picked: [], choices: { failed: true } }, facts({ purchases }))
  if (planned.got !== 'planned') throw new Error('nothing is planned')
  return takenNames(planned, { output: '/out', purchases, disk }).map(({ message }) => message)
}

test('what the plan moves away itself is in nobody’s way, with a take ordered beside that is picked later', () => {
  // The last `redo` was killed when its take was picked, and before any file had its new name.
  const second = { ...hero, address: jobAddress('hero#2'), take: 2, output: 'takes/hero.take2' }
  const fileOf = (path: string, text: string): SavedFile => ({
    path,
    digest: digestBytes(text),
    bytes: text.length,
    type: 'video/mp4',
  })
  const purchases = [
    done(hero, { files: [fileOf('hero.mp4', 'first')] }),
    done(second, { files: [fileOf('takes/hero.take2.mp4', 'the second')], picked: true }),
  ]
  const disk = diskWith({ 'hero.mp4': 'first', 'takes/hero.take2.mp4': 'the second' })
  const known = factsOf(
    purchases,
    { digests: new Map(), problems: [] },
    { output: '/out', kept: '/kept', disk },
  )
  const planned = planRequest(
    { jobs: [hero], picked: [second.address], redo: true, select: { words: ['hero'] } },
    known,
  )
  if (planned.got !== 'planned') throw new Error('nothing is planned')
  expect(told(planned.plan.steps)).toEqual([
    'adopt hero from hero',
    'adopt hero#2 from hero#2',
    'buy hero#3: asked for by redo',
  ])
  expect(takenNames(planned, { output: '/out', purchases, disk })).toEqual([])
})

test('a take that was picked before an edit was taken back makes room for the one that `redo` orders now', () => {
  const fileOf = (text: string): SavedFile => ({
    path: 'hero.mp4',
    digest: digestBytes(text),
    bytes: text.length,
    type: 'video/mp4',
  })
  const take = (nth: number) =>
    job(`hero#${nth}`, { prompt: 'mud' }, { take: nth, output: `takes/hero.take${nth}` })
  const purchases = [
    done(hero, { files: [fileOf('first')], aside: true }),
    done(take(2), { files: [fileOf('picked')], picked: true }),
  ]
  const other = job('cup', { prompt: 'cup' }, { output: 'hero' })
  const blocked = (picked: readonly Purchase[], jobs = [hero]) => {
    const request = { jobs, picked: [take(2).address], redo: true, select: { words: ['hero'] } }
    const planned = planRequest(request, facts({ purchases: picked }))
    if (planned.got !== 'planned') throw new Error('nothing is planned')
    expect(told(planned.plan.steps)).toContainEqual(expect.stringMatching(/^buy hero#\d: asked for by redo$/))
    return takenNames(planned, {
      output: '/out',
      purchases: picked,
      disk: diskWith({ 'hero.mp4': 'picked' }),
    })
  }
  expect(blocked(purchases)).toEqual([])
  const kept = [purchases[0] as Purchase, done(other, { files: [fileOf('picked')] })]
  expect(blocked(kept, [hero, other]).map(({ message }) => message)).toContain(
    'hero.mp4 is the result of cup',
  )
})

/** A take that is picked and was put aside comes back to `hero.mp4`, and the first one lies among the takes. */
function comesBack(lying: string, others: readonly Purchase[]) {
  const fileOf = (path: string, text: string): SavedFile => ({
    path,
    digest: digestBytes(text),
    bytes: text.length,
    type: 'video/mp4',
  })
  const second = { ...hero, address: jobAddress('hero#2'), take: 2, output: 'takes/hero.take2' }
  const purchases = [
    done(hero, { files: [fileOf('takes/hero.take1.mp4', 'first')] }),
    done(second, { files: [fileOf('hero.mp4', 'the second')], picked: true, aside: true }),
    ...others,
  ]
  const disk = diskWith({ 'takes/hero.take1.mp4': 'first', 'hero.mp4': lying, 'kept.mp4': 'the second' })
  const known = facts({ purchases, standing: entry => ({ is: entry.aside ? 'elsewhere' : 'whole' }) })
  const planned = planRequest({ jobs: [hero], picked: [second.address] }, known)
  if (planned.got !== 'planned') throw new Error('nothing is planned')
  expect(told(planned.plan.steps)).toContain('adopt hero#2 from hero#2')
  return takenNames(planned, { output: '/out', purchases, disk }).map(({ message }) => message)
}

const edited = job('hero', { prompt: 'at night' })
const another = purchaseId('b'.repeat(32)) as PurchaseId // well formed
const night: SavedFile = { path: 'hero.mp4', digest: digestBytes('night'), bytes: 5, type: 'video/mp4' }

test.each<[string, string, readonly Purchase[], readonly string[]]>([
  [
    'a result of its own job, from before an edit was taken back',
    'night',
    [done(edited, { id: another, files: [night] })],
    [],
  ],
  [
    'one that got its name when genrun was killed, and is not recorded yet',
    'night',
    [running(edited, { id: another, saved: [{ nth: 0, part: 'p', file: night }] })],
    [],
  ],
  ['what a person put there', 'own', [], ['hero.mp4 was altered since genrun made it']],
])('a take that comes back to its name finds %s', (_, lying, others, messages) => {
  expect(comesBack(lying, others)).toEqual(messages)
})

// Its other name is `unusual/…`: a power cut may bring back the one that it was moved from.
const odd = failed(hero, {
  files: [{ path: 'unusual/hero@1.mp4', digest: digestBytes('odd'), bytes: 3, type: 'video/mp4' }],
})

test('a paid file that is no result is in nobody’s way under the name that it had; another is', () => {
  expect(inTheWay([odd], 'odd')).toEqual([])
  expect(inTheWay([odd], 'own')).toEqual(['hero.mp4 is there already, and genrun did not make it'])
})
