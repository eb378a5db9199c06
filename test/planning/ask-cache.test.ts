import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bucketCache } from '../../src/bucket/bucket-cache.ts'
import { render as builtIn } from '../../src/gateway/render/render.ts'
import type { Render } from '../../src/gateway/runs/work.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { withCacheAsked } from '../../src/planning/ask-cache.ts'
import { type Disk, systemDisk } from '../../src/store/files/disk.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { planBesideFleet } from '../../src/verbs/plan-beside-fleet.ts'
import { type Door, openDoor } from '../bucket/store.ts'
import { start } from '../gateway/start.ts'
import { type Bench, closeBench, openBench, paidAt } from '../verbs/bench.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: Tea }
  near: { model: famb-character, prompt: Near, imageUrls: "\${{ jobs.hero.output }}" }
`

/** Two checkouts of one manifest, a service, and a bucket. */
async function twoMachines() {
  const door = await openDoor()
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const open = (): Bench => {
    const bench = openBench(gateway)
    bench.write('m.yaml', manifest)
    return bench
  }
  const [one, other] = [open(), open()]
  const close = () => [one, other].forEach(closeBench)
  return { door, gateway, one, other, close }
}

function shared(door: Door) {
  return bucketCache(
    { bucket: 'results', prefix: '' },
    { access: door.access, readOnly: false, way: {}, waitMs: 1 },
  )
}

const codesOf = (result: Awaited<ReturnType<Bench['run']>>) =>
  'problems' in result ? result.problems.map(({ code }) => code) : result.got

test('a run that finds a damaged copy buys that alone, and puts the right one in its place', async () => {
  const { door, gateway, one, other, close } = await twoMachines()
  expect(await one.run({ cache: shared(door) })).toMatchObject({ report: { exit: 0, paid: 2 } })
  const lock = JSON.parse(one.read('m.lock.json')) as {
    jobs: { address: string; files: { digest: string }[] }[]
  }
  const digest = lock.jobs.find(({ address }) => address === 'near')?.files[0]?.digest.slice(7)
  const bytes = await door.client.getContentLength(`files/${digest}`)
  await door.client.putObject(`files/${digest}`, Buffer.alloc(bytes))
  const run = await other.run({ cache: shared(door) })
  expect(run).toMatchObject({ report: { exit: 0, paid: 1, counts: { fetched: 1, made: 1 } } })
  expect(paidAt(gateway)).toBe(3)
  expect(existsSync(join(other.folder, '.genrun/m/fetched'))).toBe(false)
  close()
})

test.each([
  ['soon', [1000, 3000], []],
  ['late', [4000, 4000, 9000], ['still asking s3://b what is there: nothing is bought before it answers']],
])('a bucket that answers %s', async (_, waits, expected) => {
  let at = 0
  const waiting: (() => void)[] = []
  const until = (date: number, signal?: AbortSignal) =>
    new Promise<void>(resolve => waiting.push(() => (at >= date || signal?.aborted) && resolve()))
  const left = [...waits]
  const ask = async () => {
    at += left.shift() ?? 0
    for (const look of waiting) look()
    return left.length > 0 ? ('more' as const) : ('nothing-new' as const)
  }
  const open = (): never => {
    throw new Error('nobody looks')
  }
  const cache = { place: 's3://b', open, ask, rest: async () => undefined }
  const told: string[] = []
  const clock = { now: () => at, wall: () => at, until }
  const hearer = { clock, tell: (message: string) => void told.push(message) }
  expect(await withCacheAsked({ cache }, () => 'seen', hearer)).toBe('seen')
  expect(told).toEqual(expected)
})

test.each<['half' | 'a page', number]>([
  ['a page', 0],
  ['half', 4],
])('%s in the place of what is read buys nothing', async (fault, nth) => {
  const { door, gateway, one, other, close } = await twoMachines()
  await one.run({ cache: shared(door) })
  door.fault(fault, nth, 1000)
  expect(codesOf(await other.run({ cache: shared(door) }))).toEqual(['cache-unreachable'])
  door.fault(undefined)
  expect(await other.run({ cache: shared(door) })).toMatchObject({
    report: { exit: 0, counts: { fetched: 2 } },
  })
  expect(paidAt(gateway)).toBe(2)
  close()
})

/** A service that never makes the same picture twice, and checkouts of one manifest of one job. */
async function openTakes() {
  let nth = 0
  const render: Render = request => builtIn({ ...request, prompt: `${request.prompt} ${nth++}` })
  const gateway = await start({ render })
  const open = (): Bench => {
    const bench = openBench(gateway)
    onTestFinished(() => closeBench(bench))
    bench.write('m.yaml', 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n')
    return bench
  }
  return { gateway, open }
}

test('of a file that was altered and kept its size one machine buys another, and the rest takes that', async () => {
  const door = await openDoor()
  const { gateway, open } = await openTakes()
  await open().run({ cache: shared(door) })
  const [file = ''] = [...(await door.look()).keys()].filter(name => name.startsWith('files/'))
  await door.client.putObject(file, Buffer.alloc(await door.client.getContentLength(file)))
  const paid: number[] = []
  for (let nth = 0; nth < 3; nth++) {
    const run = await open().run({ cache: shared(door) })
    if (run.got === 'report') paid.push(run.report.paid)
  }
  expect([paid, paidAt(gateway)]).toEqual([[1, 0, 0], 2])
})

test('a bucket that cannot be asked ends a run before it pays, and is not waited for when there is nothing to do', async () => {
  const { door, gateway, one, other, close } = await twoMachines()
  await one.run({ cache: shared(door) })
  door.fault('503', 0, 100)
  const refused = await other.run({ cache: shared(door) })
  expect([refused.got, codesOf(refused)]).toEqual(['refused', ['cache-unreachable']])
  expect(await one.run({ cache: shared(door) })).toMatchObject({ report: { exit: 0, paid: 0 }, problems: [] })
  expect(paidAt(gateway)).toBe(2)
  close()
})

test('what could not be put in is told, and sent by the next run, which has nothing else to do', async () => {
  const { door, gateway, one, other, close } = await twoMachines()
  // The questions of two rounds of planning are answered.
  door.fault('503', 1, 100)
  const first = await one.run({ cache: shared(door) })
  expect([codesOf(first), first]).toMatchObject([['unshared'], { report: { exit: 0, paid: 2 } }])
  expect((await door.look()).size).toBe(0)
  door.fault(undefined)
  expect(await one.run({ cache: shared(door), tool: 't' })).toMatchObject({
    report: { paid: 0 },
    problems: [],
  })
  expect((await door.look()).size).toBe(4)
  expect(await other.run({ cache: shared(door) })).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(2)
  close()
})

const refusing: Disk = {
  ...systemDisk,
  readAll(path) {
    throw new StorageError(path, 'read', 'permission denied', 'EACCES')
  },
}

test.each(['cache', 'cache/results'])(
  'a cache of which %s is not there, and that nothing is put in, ends a run before it pays',
  async name => {
    const { gateway, open } = await openTakes()
    const one = open()
    const folder = join(one.folder, 'cache')
    await one.run({ cache: { folder } })
    const other = open()
    const cache = { folder, readOnly: true }
    one.remove(name)
    const told = {
      code: 'cache-unreachable',
      message: `could not look at ${folder}: no cache is there`,
      hint: 'mount it, or fill it by a run without `--cache-read-only`',
    }
    expect(await planBesideFleet(other.request({ cache }))).toMatchObject({ got: 'plan', obstacles: [told] })
    expect(await other.run({ cache })).toMatchObject({ got: 'refused', problems: [told] })
    // Nobody needs it who has nothing to buy, and a rehearsal has another one.
    expect(await one.run({ cache })).toMatchObject({ report: { exit: 0, paid: 0 } })
    const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: true }
    expect(await other.run({ cache, service })).toMatchObject({ report: { exit: 0 } })
    expect(await other.run({ cache: { folder } })).toMatchObject({ report: { exit: 0, paid: 1 } })
  },
)

test('a folder that may not be read ends a run before it pays, and a plan says so', async () => {
  const { gateway, open } = await openTakes()
  const folder = join(open().folder, 'cache')
  const one = open()
  await one.run({ cache: { folder } })
  const other = open()
  const cache = { folder, disk: refusing }
  const told = {
    code: 'cache-unreachable',
    message: expect.stringMatching(/^could not read .*\/cache\/results\/\w{64}\.json: permission denied$/),
    hint: 'make it readable for this user, or leave `--cache` out',
  }
  expect(await planBesideFleet(other.request({ cache }))).toMatchObject({ got: 'plan', obstacles: [told] })
  expect(await other.run({ cache })).toMatchObject({ got: 'refused', problems: [told] })
  // Whoever has nothing to buy does not need it.
  expect(await one.run({ cache })).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(1)
  expect(await other.run({ cache: { folder } })).toMatchObject({ report: { exit: 0, paid: 0 } })
})
