import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { problemRecord } from '../../src/base/diagnostic.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { takeClaim } from '../../src/store/claim/claim.ts'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import type { OrderLeftOpen } from '../../src/verbs/orders/open-orders.ts'
import { type Resolution, type ResolveRequest, resolveOrders } from '../../src/verbs/resolve.ts'
import type { RunResult } from '../../src/verbs/run.ts'
import { type StatusRecord, statusOf } from '../../src/verbs/status.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt } from '../verbs/bench.ts'

const manifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A teapot
  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
  clip:
    model: famc-v3
    prompt: Steam rising
    duration: 3
`

let gateway: Gateway
let bench: Bench

async function begin(options: Partial<GatewayOptions> = {}, text = manifest): Promise<void> {
  gateway = await startGateway({ outputs: 'memory', ...options })
  bench = openBench(gateway)
  bench.write(manifestName, text)
}

const losing = (model: string, first = 1) =>
  ({ faults: { rules: [{ fault: { does: 'lose' }, model, first }] } }) as const

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

function status(): StatusRecord {
  const result = statusOf({ manifest: manifestName, cwd: bench.folder })
  if (result.got === 'status') return result.status
  throw new Error(JSON.stringify(result.got === 'refused' ? result.problems.map(problemRecord) : result))
}

function open(): Record<string, Partial<OrderLeftOpen>> {
  return Object.fromEntries(status().open.map(({ address, ...order }) => [address, order] as const))
}

async function resolveNow(words: string[], resolution: Resolution, more: Partial<ResolveRequest> = {}) {
  const result = await resolveOrders({
    manifest: manifestName,
    cwd: bench.folder,
    words,
    resolution,
    ...more,
  })
  if (result.got === 'resolved') return result.record.resolved
  return result.got === 'refused' ? result.problems.map(problem => problem.message) : [result.message]
}

async function adoptNow(address: string, run: string) {
  const result = await adoptRun({ manifest: manifestName, cwd: bench.folder, address, run })
  if (result.got === 'resolved') return result.record.resolved
  return result.got === 'refused' ? result.problems.map(problem => problem.message) : [result.message]
}

function endings(result: RunResult): Record<string, string> {
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  return Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))
}

describe('an order in doubt', () => {
  beforeEach(() => begin(losing('famc-v3')))

  test('is told with its remedy, and nothing is written by looking', async () => {
    expect(endings(await bench.run())).toEqual({ hero: 'made', edit: 'made', clip: 'doubt' })
    const before = bench.snapshot()
    expect(status()).toMatchObject({ jobs: 3, done: 2, toBuy: 0 })
    expect(open()).toEqual({
      clip: {
        is: 'doubt',
        purchase: expect.stringMatching(/^[0-9a-f]{32}$/),
        detail: 'other side closed',
        since: expect.any(Number),
        workflow: 'famc-v3',
        ids: [],
        next: 'leaves it alone',
        remedy: 'genrun resolve m.yaml clip --adopt ID, or --resubmit, or --abandon',
      },
    })
    expect(status().open[0]?.since).toBeGreaterThan(1_700_000_000_000)
    expect(bench.snapshot()).toEqual(before)
  })

  test('stays until somebody decides, run after run', async () => {
    await bench.run()
    const paid = paidAt(gateway)
    expect(endings(await bench.run())).toEqual({ hero: 'kept', edit: 'kept', clip: 'doubt' })
    expect(paidAt(gateway)).toBe(paid)
  })

  test('is ordered again when the user says so', async () => {
    await bench.run()
    const paid = paidAt(gateway)
    expect(await resolveNow(['clip'], { is: 'resubmit' })).toEqual([{ address: 'clip', next: 'orders it' }])
    expect(status().open).toEqual([])
    expect(endings(await bench.run())).toEqual({ hero: 'kept', edit: 'kept', clip: 'made' })
    expect(paidAt(gateway)).toBe(paid + 1)
  })

  test('is given up when the user says so, and ordered by --failed only', async () => {
    await bench.run()
    const paid = paidAt(gateway)
    expect(await resolveNow(['cl*'], { is: 'abandon' })).toEqual([
      { address: 'clip', next: 'leaves it alone' },
    ])
    expect(open().clip).toMatchObject({
      is: 'failed',
      remedy: 'genrun run m.yaml clip --failed orders it again',
    })
    expect(endings(await bench.run())).toMatchObject({ clip: 'held' })
    expect(paidAt(gateway)).toBe(paid)
    // The lock alone knows it too.
    bench.remove('.genrun')
    expect(endings(await bench.run())).toMatchObject({ clip: 'held' })
    expect(endings(await bench.run({ choices: { failed: true } }))).toMatchObject({ clip: 'made' })
  })

  test('is decided for in bulk, by time or all of them', async () => {
    await bench.run()
    const since = status().open[0]?.since ?? 0
    expect(await resolveNow([], { is: 'resubmit' }, { before: since })).toEqual(['no job in doubt is meant'])
    expect(await resolveNow([], { is: 'resubmit' }, { after: since })).toEqual(['no job in doubt is meant'])
    expect(await resolveNow(['clop'], { is: 'resubmit' })).toEqual(['no job in doubt is called clop'])
    expect(await resolveNow(['hero'], { is: 'resubmit' })).toEqual(['hero is not in doubt'])
    expect(status().open).toHaveLength(1)
    expect(await resolveNow([], { is: 'abandon' }, { before: since + 1 })).toHaveLength(1)
  })

  test('of which only the lock is left is resolved as well', async () => {
    await bench.run()
    bench.remove('.genrun')
    expect(open().clip).toMatchObject({ is: 'doubt' })
    expect(await resolveNow([], { is: 'abandon' }, { allDoubts: true })).toHaveLength(1)
    expect(open().clip).toMatchObject({ is: 'failed' })
    bench.remove('.genrun')
    expect(await resolveNow(['clip'], { is: 'resubmit' })).toEqual([{ address: 'clip', next: 'orders it' }])
  })
})

test('an order in doubt waits for a decision, though its job left the manifest', async () => {
  await begin(losing('famc-v3'))
  expect(endings(await bench.run())).toMatchObject({ clip: 'doubt' })
  bench.write(manifestName, manifest.slice(0, manifest.indexOf('  clip:')))
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({
    problems: [{ code: 'stale', message: 'clip is in doubt, and no longer what the manifest asks for' }],
    unasked: [],
  })
})

test('orders in doubt are settled by the name of an axis, and only those are ordered again', async () => {
  const matrix = `jobs:
  still:
    model: fama-imagine-image
    matrix: { product: [cup, jug], view: [front, back] }
    prompt: \${{ matrix.product }} \${{ matrix.view }}
`
  await begin(losing('fama-imagine-image', 4), matrix)
  await bench.run()
  expect(Object.keys(open())).toHaveLength(4)
  expect(await resolveNow(['still[view=back]'], { is: 'resubmit' })).toEqual([
    { address: 'still[cup,back]', next: 'orders it' },
    { address: 'still[jug,back]', next: 'orders it' },
  ])
  const paid = paidAt(gateway)
  expect(endings(await bench.run())).toEqual({
    'still[cup,front]': 'doubt',
    'still[cup,back]': 'made',
    'still[jug,front]': 'doubt',
    'still[jug,back]': 'made',
  })
  expect(paidAt(gateway)).toBe(paid + 2)
})

test('an order that is given up although it is under way names the run, which nothing else will', async () => {
  await begin({ faults: { rules: [{ fault: { does: 'stall' }, model: 'famc-v3' }] } })
  const stop = new AbortController()
  const told: RunEvent[] = []
  await bench.run({
    stop: stop.signal,
    emit(event) {
      told.push(event)
      if (event.event === 'accepted' && event.address === 'clip') stop.abort()
    },
  })
  const run = acceptedIn(told).get('clip')
  expect(open().clip).toMatchObject({ is: 'under-way', run })
  expect(await resolveNow(['clip'], { is: 'abandon' })).toEqual([
    { address: 'clip', next: 'leaves it alone', gaveUp: run },
  ])
  expect(open().clip).toMatchObject({ is: 'failed' })
})

test('an order that was refused is told as refused: nothing of it was billed', async () => {
  await begin({ faults: { rules: [{ fault: { does: 'refuse', status: 422 }, model: 'famc-v3', first: 1 }] } })
  expect(endings(await bench.run())).toMatchObject({ clip: 'failed' })
  expect(status()).toMatchObject({ toBuy: 1, open: [{ address: 'clip', is: 'refused', next: 'orders it' }] })
  expect(endings(await bench.run())).toMatchObject({ clip: 'made' })
})

test('a run that the service does not know any more is not said to have cost nothing', async () => {
  await begin({}, 'jobs:\n  clip: { model: famc-v3, prompt: Steam rising, duration: 3, timeout: 1s }\n')
  await adoptNow('clip', 'r_81')
  const result = await bench.run()
  expect(result).toMatchObject({
    report: {
      exit: 4,
      jobs: [
        {
          ending: 'detached',
          hint: 'if the service knows the run by another id, or not at all, `genrun resolve m.yaml` settles it',
        },
      ],
    },
  })
  expect(paidAt(gateway)).toBe(0)
}, 60_000)

test('a doubt about a replacement leaves the older result ours', async () => {
  await begin({ faults: { rules: [{ fault: { does: 'lose' }, model: 'famb-*' }] } })
  bench.edit(manifestName, 'model: famb-character', 'model: fama-imagine-image-2.0')
  expect(endings(await bench.run())).toMatchObject({ edit: 'made' })
  bench.edit(manifestName, 'model: fama-imagine-image-2.0', 'model: famb-character')
  expect(endings(await bench.run())).toMatchObject({ edit: 'doubt' })
  expect(await resolveNow(['edit'], { is: 'resubmit' })).toEqual([
    { address: 'edit', next: 'orders it anew' },
  ])
  expect(endings(await bench.run())).toMatchObject({ edit: 'doubt' })
  await resolveNow(['edit'], { is: 'resubmit' })
  bench.edit(manifestName, 'model: famb-character', 'model: fama-imagine-image-2.0')
  expect(endings(await bench.run())).toMatchObject({ edit: 'kept' })
})

test('an id that the service tells is taken for the order, and fetched without paying', async () => {
  await begin({ faults: { rules: [{ fault: { does: 'stall' }, model: 'nothing' }] } })
  const told: RunEvent[] = []
  await bench.run({ emit: event => told.push(event) })
  const id = acceptedIn(told).get('clip') ?? ''
  // As if the answer had been lost: only a doubt is known of the order.
  bench.remove('.genrun')
  const lock = bench.read('m.lock.json').split('\n')
  const line = lock.findIndex(each => each.includes('"address":"clip"'))
  lock[line] = (lock[line] ?? '')
    .replace('"state":"done"', '"state":"doubt"')
    .replace(/,"run":\{[^}]*\}/, '')
    .replace(/"files":\[.*?\]/, '"files":[]')
  bench.write('m.lock.json', lock.join('\n'))
  const hero = acceptedIn(told).get('hero') ?? ''
  expect(await resolveNow(['clip'], { is: 'adopt', id: hero })).toEqual(['this run is the one of hero'])
  expect(await resolveNow(['clip'], { is: 'adopt', id: '..' })).toEqual(['this cannot be the id of a run'])
  bench.remove(`out/m/${clipFile()}`)
  const paid = paidAt(gateway)
  expect(await resolveNow(['clip'], { is: 'adopt', id })).toEqual([
    { address: 'clip', next: 'fetches it, nothing is paid' },
  ])
  expect(open().clip).toMatchObject({ is: 'under-way', run: id, workflow: 'famc-v3' })
  expect(endings(await bench.run())).toMatchObject({ clip: 'made' })
  expect(paidAt(gateway)).toBe(paid)
  expect(bench.plan().paid).toBe(0)
})

function clipFile(): string {
  return bench.snapshot().flatMap(line => /^out\/m\/(clip\.\w+) /.exec(line)?.[1] ?? [])[0] ?? ''
}

function acceptedIn(told: readonly RunEvent[]): Map<string, string> {
  return new Map(
    told.flatMap(event =>
      event.event === 'accepted' ? [[event.address as string, event.run.id as string] as const] : [],
    ),
  )
}

describe('a fresh clone', () => {
  // Stopped after so many events, then without state and lock: what was accepted is rebuilt from the events.
  test.each([2, 4, 5, 6, 8, 10, 12, 99])(
    'after %i events is rebuilt from the log, and nothing is paid twice',
    async stopAt => {
      await begin()
      const told: RunEvent[] = []
      const stop = new AbortController()
      await bench.run({
        stop: stop.signal,
        emit(event) {
          told.push(event)
          if (told.length === stopAt) stop.abort()
        },
      })
      const accepted = acceptedIn(told)
      const billed = () => gateway.ledger().billed.execute + gateway.ledger().billed.submit
      expect(billed()).toBe(accepted.size)
      if (bench.has('.genrun')) bench.remove('.genrun')
      if (bench.has('m.lock.json')) bench.remove('m.lock.json')
      for (const [address, run] of accepted) {
        expect(await adoptNow(address, run)).toEqual([{ address, next: 'fetches it, nothing is paid' }])
      }
      expect(Object.values(endings(await bench.run())).toSorted()).toEqual(['made', 'made', 'made'])
      expect(billed()).toBe(3)
      expect(endings(await bench.run())).toEqual({ hero: 'kept', edit: 'kept', clip: 'kept' })
      expect(bench.plan().paid).toBe(0)
      expect(bench.read('m.lock.json')).not.toContain('unmade')
      // What it is made from still counts: without the lock as with it.
      bench.edit(manifestName, 'A teapot', 'A kettle')
      expect(bench.plan().paid).toBe(2)
    },
  )
})

test('another genrun at work is named, and what is recorded is told all the same', async () => {
  await begin(losing('famc-v3'))
  await bench.run()
  const claimed = await takeClaim(join(bench.folder, '.genrun', 'm', 'claim'))
  onTestFinished(() => (claimed.got === 'claim' ? claimed.claim.release() : undefined))
  expect(status()).toMatchObject({ holder: { is: 'alive', pid: process.pid }, open: [{ address: 'clip' }] })
  expect(await resolveNow(['clip'], { is: 'resubmit' })).toEqual([
    expect.stringContaining(`another genrun is at work on this manifest: process ${process.pid} on `),
  ])
  expect(readFileSync(join(bench.folder, 'm.lock.json'), 'utf8')).toContain('"state":"doubt"')
  expect((await bench.run()).got).toBe('busy')
  const told: RunEvent[] = []
  const taking = { takeClaim: true, emit: (each: RunEvent) => void told.push(each) }
  expect((await bench.run(taking)).got).toBe('report')
  const who = new RegExp(`^taken over from the genrun .* \\(process ${process.pid} on .*it is still there`)
  expect(told[0]).toMatchObject({ event: 'warned', message: expect.stringMatching(who) })
  told.length = 0
  await bench.run(taking)
  expect(told.filter(({ event }) => event === 'warned')).toEqual([])
})

describe('keys', () => {
  const clip = 'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam rising\n    duration: 3\n'
  const profile = (keys: string) => `idempotency: { header: Idempotency-Key, ${keys} }\n`
  const lost = { faults: { rules: [{ fault: { does: 'lose' }, first: 1 }] }, honoursKeys: true } as const

  test('that the service honours let an order in doubt be sent again, and it is one order', async () => {
    await begin(lost, clip)
    bench.write('p.yaml', profile('honoured: true, ttl: 24h'))
    const first = await bench.run({ profile: 'p.yaml' })
    expect(endings(first)).toEqual({ clip: 'doubt' })
    const seen = statusOf({ manifest: manifestName, cwd: bench.folder, profile: 'p.yaml' })
    expect(seen).toMatchObject({
      status: { open: [{ next: 'sends it again under its key, which is the same order' }] },
    })
    expect(endings(await bench.run({ profile: 'p.yaml' }))).toEqual({ clip: 'made' })
    const { requests, billed, byKey } = gateway.ledger()
    expect({ requests: requests.submit, billed: billed.submit }).toEqual({ requests: 2, billed: 1 })
    expect(Object.values(byKey)).toEqual([{ requests: 2, billed: 1 }])
    expect(endings(await bench.run({ profile: 'p.yaml' }))).toEqual({ clip: 'kept' })
    expect(gateway.ledger().requests.submit).toBe(2)
  })

  test.each([
    ['that are not honoured', 'honoured: false, ttl: 24h'],
    ['of which nobody says how long they are known', 'honoured: true'],
    ['that are too old', 'honoured: true, ttl: 0s'],
  ])('%s never send anything again', async (_, keys) => {
    await begin(lost, clip)
    bench.write('p.yaml', profile(keys))
    await bench.run({ profile: 'p.yaml' })
    expect(endings(await bench.run({ profile: 'p.yaml' }))).toEqual({ clip: 'doubt' })
    expect(gateway.ledger().requests.submit).toBe(1)
  })

  test('are not used for what the manifest asks for now instead', async () => {
    await begin(lost, clip)
    bench.write('p.yaml', profile('honoured: true, ttl: 24h'))
    await bench.run({ profile: 'p.yaml' })
    bench.edit(manifestName, 'Steam rising', 'Steam falling')
    expect(endings(await bench.run({ profile: 'p.yaml' }))).toEqual({ clip: 'doubt' })
    expect(gateway.ledger().requests.submit).toBe(1)
  })
})
