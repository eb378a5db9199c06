import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { buildSync } from 'esbuild'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { takeClaim } from '../../../src/store/claim/claim.ts'
import { type Holder, thisProcess, whereabouts } from '../../../src/store/claim/process.ts'
import { type Disk, systemDisk } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { chanceOf } from '../../faults/chance.ts'
import { memoryDisk, place } from '../memory-disk.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-claim-'))
const program = join(root, 'child.mjs')
buildSync({
  entryPoints: [join(import.meta.dirname, 'claim-child.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
})
afterAll(() => rmSync(root, { recursive: true }))

interface Child {
  readonly process: ChildProcess
  say(word: string): Promise<unknown>
}

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(folder: string): Child {
  const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const lines: Interface = createInterface({ input: child.stdout })
  return {
    process: child,
    say: word =>
      new Promise(resolve => {
        lines.once('line', line => resolve(line === 'undefined' ? undefined : JSON.parse(line)))
        child.stdin.write(`${word}\n`)
      }),
  }
}

async function killed(child: Child): Promise<void> {
  const gone = new Promise(resolve => child.process.once('exit', resolve))
  child.process.kill('SIGKILL')
  await gone
}

test('of ten processes one gets the claim, the others are told which; when it is killed, one of them gets it', async () => {
  const folder = join(root, 'ten')
  const ten = Array.from({ length: 10 }, () => start(folder))
  // Awake first, so that they come at the same time.
  await Promise.all(ten.map(child => child.say('mine')))
  const first = await Promise.all(ten.map(child => child.say('take')))
  const winner = ten[first.findIndex(said => got(said) === 'claim')]
  if (!winner) expect.unreachable('nobody got it')
  expect(first.filter(said => got(said) === 'claim')).toHaveLength(1)
  const holder = { is: 'alive', host: hostname(), pid: winner.process.pid }
  const losers = first.filter(said => got(said) !== 'claim')
  for (const said of losers) expect(said).toMatchObject({ got: 'busy', holder })
  expect(await winner.say('mine')).toBe(true)

  await killed(winner)
  const rest = ten.filter(child => child !== winner)
  const second = await Promise.all(rest.map(child => child.say('take')))
  expect(second.filter(said => got(said) === 'claim')).toHaveLength(1)
  const mine = await Promise.all(rest.map(child => child.say('mine')))
  expect(mine.filter(Boolean)).toHaveLength(1)
})

test('a paused holder that lost its claim knows when it wakes, also when the new one has finished', async () => {
  const folder = join(root, 'paused')
  const [paused, other] = [start(folder), start(folder)]
  expect(await paused.say('take')).toEqual({ got: 'claim' })
  paused.process.kill('SIGSTOP')
  expect(got(await other.say('take'))).toBe('busy')
  expect(await other.say('force')).toEqual({ got: 'claim' })
  expect(await other.say('mine')).toBe(true)
  paused.process.kill('SIGCONT')
  expect(await paused.say('mine')).toBe(false)
  await other.say('release')
  expect(await paused.say('mine')).toBe(false)
  // What it gives back is nobody's.
  await paused.say('release')
  expect(await paused.say('take')).toEqual({ got: 'claim' })
  expect(await other.say('mine')).toBe(false)
})

/** Ten that take the claim, give it back, are killed and are paused, as chance has it. */
test('through random kills and pauses at most one of ten holds the claim, and nobody takes it from one that lives', async () => {
  const folder = join(root, 'rough')
  const chance = chanceOf(5)
  const counts = { killed: 0, paused: 0, forced: 0, taken: 0, busy: 0 }
  const ten = Array.from({ length: 10 }, () => ({ ...start(folder), isPaused: false, hasLetGo: false }))
  const awake = () => ten.filter(child => !child.isPaused)
  const holders = async () => {
    const said = await Promise.all(
      awake().map(async child => ((await child.say('mine')) ? child : undefined)),
    )
    return said.filter(child => child !== undefined)
  }
  await holders()
  for (let round = 0; round < 60; round++) {
    const before = await holders()
    expect(before.length, `round ${round}`).toBeLessThan(2)
    const [holder] = before
    // A few at a time, so that they come at the same moment.
    const some = awake().filter(child => child !== holder && chance.hits(0.5))
    const words = some.map(() => (chance.hits(0.1) ? 'force' : 'take'))
    const said = await Promise.all(some.map((child, nth) => child.say(words[nth] ?? 'take')))
    counts.forced += words.filter(word => word === 'force').length
    counts.taken += said.filter(each => got(each) === 'claim').length
    counts.busy += said.filter(each => got(each) === 'busy').length
    if (holder && !holder.hasLetGo && !words.includes('force'))
      expect(
        said.filter(each => got(each) === 'claim'),
        `round ${round}`,
      ).toEqual([])
    const [now] = await holders()
    if (now) now.hasLetGo &&= now === holder && !some.includes(now)
    if (now && chance.hits(0.3)) {
      await now.say('release')
      now.hasLetGo = true
    }
    for (const [nth, child] of ten.entries()) {
      if (child.isPaused && chance.hits(0.3)) {
        child.process.kill('SIGCONT')
        child.isPaused = false
      } else if (chance.hits(child === now ? 0.3 : 0.03)) {
        counts.killed++
        await killed(child)
        ten[nth] = { ...start(folder), isPaused: false, hasLetGo: false }
      } else if (!child.isPaused && chance.hits(child === now ? 0.3 : 0.05)) {
        counts.paused++
        child.process.kill('SIGSTOP')
        child.isPaused = true
      }
    }
  }
  for (const child of ten) {
    child.process.kill('SIGCONT')
    child.isPaused = false
  }
  expect((await holders()).length).toBeLessThan(2)
  console.log(`60 rounds of ten processes: ${JSON.stringify(counts)}; two holders at a time: 0`)
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(5)
})

function got(said: unknown): unknown {
  return typeof said === 'object' && said !== null && 'got' in said ? said.got : undefined
}

// This very process, on a machine that has an id.
const here = { ...thisProcess(), machine: 'm-1' }
const start0 = { ...here, pid: here.pid, since: 5, token: 't', released: false }

function claimed(name: string, said: object | string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  writeFileSync(join(folder, '3'), typeof said === 'string' ? said : JSON.stringify(said))
  return folder
}

test.each<[string, Partial<Holder> & { released?: boolean }, object]>([
  [
    'on another machine',
    { host: 'studio-2' },
    { got: 'busy', holder: { is: 'elsewhere', host: 'studio-2', since: 5 } },
  ],
  [
    'on another machine of the same name',
    { machine: 'm-2', boot: 'another' },
    { got: 'busy', holder: { is: 'elsewhere' } },
  ],
  [
    'in another container of this machine',
    { space: 'pid:[1]' },
    { got: 'busy', holder: { is: 'elsewhere' } },
  ],
  ['running here', {}, { got: 'busy', holder: { is: 'alive', pid: here.pid } }],
  ['with a number that another process has now', { start: '1' }, { got: 'claim' }],
  ['from before this machine was started anew', { boot: 'another' }, { got: 'claim' }],
  ['with a number that no process has', { pid: 2 ** 22 + 1 }, { got: 'claim' }],
  ['that gave its claim back', { released: true }, { got: 'claim' }],
])('a holder %s', async (name, changed, wanted) => {
  expect(await takeClaim(claimed(name, { ...start0, ...changed }), { self: here })).toMatchObject(wanted)
})

test('where machines have no ids, one of the same name that was started at another time may be another', () => {
  const nameless = { ...here, machine: '' }
  expect(whereabouts({ ...nameless, boot: 'another' }, nameless)).toBe('elsewhere')
  expect(whereabouts(nameless, nameless)).toBe('alive')
})

test('a process that runs, and does not show when it started, is alive', () => {
  expect(whereabouts({ ...here, start: '' }, here)).toBe('alive')
})

test('a claim that cannot be read is somebody’s, and is taken over on demand', async () => {
  const folder = claimed('unreadable', '{"host":')
  expect(await takeClaim(folder)).toEqual({ got: 'busy', holder: { is: 'unknown', path: join(folder, '3') } })
  expect(await takeClaim(folder, { force: true })).toMatchObject({ got: 'claim' })
})

test('a number that no run comes to is no claim, and one with none above it is refused, for whoever takes it over as well', async () => {
  const folder = claimed('large', { ...start0, released: true })
  writeFileSync(join(folder, '9007199254740993'), '{}')
  for (const number of [4, 5]) {
    const taken = await takeClaim(folder)
    if (taken.got === 'busy') expect.unreachable('nobody has it')
    expect(taken.claim).toMatchObject({ number })
    expect(taken.claim.isMine()).toBe(true)
    await taken.claim.release()
  }
  const last = join(folder, '999999999999999')
  writeFileSync(last, JSON.stringify({ ...start0, released: true }))
  const refused = { got: 'busy', holder: { is: 'unknown', path: last } }
  expect(await takeClaim(folder)).toEqual(refused)
  expect(await takeClaim(folder, { force: true })).toEqual(refused)
})

test('claims do not pile up, and leave nothing but the last', async () => {
  const folder = join(root, 'many')
  for (let run = 0; run < 5; run++) {
    const taken = await takeClaim(folder)
    if (taken.got === 'busy') expect.unreachable('it was given back')
    expect(taken.claim.isMine()).toBe(true)
    await taken.claim.release()
    expect(taken.claim.isMine()).toBe(true)
  }
  expect(readdirSync(folder)).toEqual(['5'])
})

test('a claim whose folder was wiped away is lost, even when another has its number now', async () => {
  const folder = join(root, 'wiped')
  const first = await takeClaim(folder)
  rmSync(folder, { recursive: true })
  if (first.got === 'busy') expect.unreachable('nobody was there')
  expect(first.claim.isMine()).toBe(false)
  const second = await takeClaim(folder)
  if (second.got === 'busy') expect.unreachable('the folder is empty')
  expect(first.claim.isMine()).toBe(false)
  await first.claim.release()
  expect(second.claim.isMine()).toBe(true)
})

test('a claim that looks as it did is not read again, once a disk would give another file another date', async () => {
  const folder = join(root, 'looked-at')
  let wall = Date.now()
  let reads = 0
  const disk: Disk = {
    ...systemDisk,
    readAll(path, within) {
      reads++
      return systemDisk.readAll(path, within)
    },
  }
  const taken = await takeClaim(folder, { disk, clock: { ...systemClock, wall: () => wall } })
  if (taken.got === 'busy') expect.unreachable('nobody was there')
  const readsOf = (looks: number) => {
    const before = reads
    for (let nth = 0; nth < looks; nth++) expect(taken.claim.isMine()).toBe(true)
    return reads - before
  }
  expect(readsOf(3)).toBe(3)
  wall += 3000
  expect(readsOf(9)).toBe(1)
  const path = join(folder, '1')
  const others = readFileSync(path, 'utf8').replace(/"token":"[0-9a-f]+"/, `"token":"${'0'.repeat(32)}"`)
  writeFileSync(path, others)
  expect(taken.claim.isMine()).toBe(false)
})

describe('a folder that looks as it did', () => {
  /** A holder on a disk that dates its folders, to so many milliseconds; how often it is listed, and what time it is. */
  async function holding(folder: string, { isDating = true, coarseMs = 1 } = {}) {
    const at = { wall: Date.now(), lists: 0 }
    const coarse = (date = 0) => Math.floor(date / coarseMs) * coarseMs
    const disk: Disk = {
      ...systemDisk,
      datesNames: () => isDating,
      list(path) {
        at.lists++
        return systemDisk.list(path)
      },
      look(path) {
        const seen = systemDisk.look(path)
        return seen && { ...seen, changed: coarse(seen.changed), touched: coarse(seen.touched) }
      },
    }
    const taken = await takeClaim(folder, { disk, clock: { ...systemClock, wall: () => at.wall } })
    if (taken.got === 'busy') expect.unreachable('nobody was there')
    const { claim } = taken
    return {
      at,
      claim,
      listsOf(looks: number) {
        const before = at.lists
        for (let nth = 0; nth < looks; nth++) expect(claim.isMine()).toBe(true)
        return at.lists - before
      },
    }
  }

  test('is not listed again, once a disk would give it another date; a higher number is seen at once', async () => {
    const folder = join(root, 'dated')
    const { at, claim, listsOf } = await holding(folder)
    expect(listsOf(3)).toBe(3)
    at.wall += 3000
    expect(listsOf(9)).toBe(1)
    writeFileSync(join(folder, '2'), '')
    expect(claim.isMine()).toBe(false)
    rmSync(join(folder, '2'))
    expect(claim.isMine()).toBe(true)
  })

  test('is listed all the same where a name that came since may have the same date', async () => {
    const folder = join(root, 'coarsely-dated')
    const { claim, listsOf } = await holding(folder, { coarseMs: 2000 })
    expect(claim.isMine()).toBe(true)
    writeFileSync(join(folder, '2'), '')
    expect(claim.isMine()).toBe(false)
    rmSync(join(folder, '2'))
    expect(listsOf(2)).toBe(2)
  })

  test('is listed each time on a disk whose dates do not tell of names', async () => {
    const folder = join(root, 'undated')
    const { at, listsOf } = await holding(folder, { isDating: false })
    at.wall += 3000
    expect(listsOf(5)).toBe(5)
  })
})

test('a higher number takes the claim away, whoever made it and whatever else lies there', async () => {
  const folder = join(root, 'higher')
  const taken = await takeClaim(folder)
  if (taken.got === 'busy') expect.unreachable('nobody was there')
  writeFileSync(join(folder, 'notes.txt'), '')
  expect(taken.claim.isMine()).toBe(true)
  writeFileSync(join(folder, '2'), '')
  expect(taken.claim.isMine()).toBe(false)
})

test('a number that was free because others came and went in the meantime is no claim', async () => {
  const disk = memoryDisk()
  await place(disk, '/c/3', JSON.stringify({ ...start0, released: true }))
  await place(disk, '/draft', JSON.stringify(start0))
  let isFirst = true
  const slow = {
    ...disk,
    link(from: string, to: string) {
      // Between the look and the link, one took number 4 and gave it back, and the next took 5.
      if (isFirst) disk.link('/draft', '/c/5')
      isFirst = false
      disk.link(from, to)
    },
  }
  expect(await takeClaim('/c', { disk: slow, self: here })).toMatchObject({
    got: 'busy',
    holder: { is: 'alive', pid: here.pid },
  })
})

describe('on a disk without hard links', () => {
  test('one of several that come at the same time gets the claim', async () => {
    const disk = memoryDisk()
    disk.without('links')
    const all = await Promise.all([1, 2, 3].map(() => takeClaim('/c', { disk })))
    const claims = all.flatMap(each => (each.got === 'claim' ? [each.claim] : []))
    expect(claims.map(claim => claim.isMine())).toEqual([true])
    expect(Object.keys(disk.files())).toEqual(['/c/1'])
  })

  test('one that was faster by nothing is not replaced', async () => {
    const disk = memoryDisk()
    disk.without('links')
    let isFirst = true
    const other = (path: string) => {
      if (path !== '/c/1' || !isFirst) return
      isFirst = false
      const file = disk.open(path, 'create')
      disk.write(file, Buffer.from(JSON.stringify({ ...start0, token: 'other' })))
    }
    const racing: Disk = {
      ...disk,
      open(path, how) {
        other(path)
        return disk.open(path, how)
      },
      rename(from, to) {
        other(to)
        disk.rename(from, to)
      },
    }
    expect(await takeClaim('/c', { disk: racing, self: here })).toMatchObject({
      got: 'busy',
      holder: { is: 'alive' },
    })
    expect(disk.files()['/c/1']).toContain('"token":"other"')
  })

  test('a claim is given back, taken over and followed by the next number', async () => {
    const disk = memoryDisk()
    disk.without('links')
    const first = await takeClaim('/c', { disk })
    if (first.got === 'busy') expect.unreachable('nobody was there')
    expect(await takeClaim('/c', { disk })).toMatchObject({ got: 'busy', holder: { is: 'alive' } })
    const second = await takeClaim('/c', { disk, force: true })
    expect([first.claim.isMine(), second.got === 'claim' && second.claim.isMine()]).toEqual([false, true])
    if (second.got === 'claim') await second.claim.release()
    expect(await takeClaim('/c', { disk })).toMatchObject({ got: 'claim', claim: { number: 3 } })
  })

  test('whichever call fails, it leaves no claim that nobody can read', async () => {
    for (let step = 1; ; step++) {
      const disk = memoryDisk()
      disk.without('links')
      disk.failAt(step)
      const taken = await takeClaim('/c', { disk }).catch(error => error)
      if (taken.got === 'claim') return expect(step).toBeGreaterThan(7)
      expect(taken).toBeInstanceOf(StorageError)
      for (const text of Object.values(disk.files()))
        expect(JSON.parse(text)).toMatchObject({ pid: here.pid })
    }
  })
})

test.runIf(process.platform === 'linux')(
  'a process that ended and was not fetched by its parent is gone',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 20 & echo $!; exec sleep 20'])
    children.push(parent)
    const pid = Number(await new Promise(resolve => parent.stdout.once('data', resolve)))
    const fields = (of = pid) => readFileSync(`/proc/${of}/stat`, 'utf8').split(/[()] ?/)
    // The shell fetches its children; what it turns into does not.
    while (fields(parent.pid)[1] !== 'sleep') await new Promise(setImmediate)
    process.kill(pid, 'SIGKILL')
    while (!fields()[2]?.startsWith('Z')) await new Promise(setImmediate)
    const start = (of?: number) => fields(of)[2]?.split(' ')[19] ?? ''
    expect(whereabouts({ ...here, pid, start: start() }, here)).toBe('gone')
    const { pid: alive = 0 } = parent
    expect(whereabouts({ ...here, pid: alive, start: start(alive) }, here)).toBe('alive')
  },
)
