import { afterEach, expect, test } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import type { RunResult } from '../../src/verbs/run.ts'
import { statusOf } from '../../src/verbs/status.ts'
import {
  type Bench,
  closeBench,
  journalOf,
  manifestName,
  openBench,
  paidAt,
  toldSteps,
} from '../verbs/bench.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  edit:
    model: fama-imagine-image
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
`

let gateway: Gateway
const benches: Bench[] = []

async function begin(options: Partial<GatewayOptions> = {}, text = manifest): Promise<Bench> {
  gateway = await startGateway({ outputs: 'memory', ...options })
  const bench = openBench(gateway)
  benches.push(bench)
  bench.write(manifestName, text)
  return bench
}

afterEach(async () => {
  for (const bench of benches.splice(0)) closeBench(bench)
  await gateway.close()
})

function endings(result: RunResult): Record<string, string> {
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  return Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))
}

/** What is on disk when the last adopted file is there, and a crash comes before anything else is done. */
async function crashedAfterDone(): Promise<Bench> {
  const bench = await begin()
  const ids = new Map<string, string>()
  await bench.run({
    emit: told => {
      if (told.event === 'accepted') ids.set(told.address, told.run.id)
    },
  })
  for (const name of ['.genrun', 'm.lock.json']) bench.remove(name)
  for (const [address, run] of ids)
    await adoptRun({ manifest: manifestName, cwd: bench.folder, address, run })
  let left = ids.size
  await bench.run({
    emit: told => {
      if (told.event === 'settled' && --left === 0) benches.push(openBench(gateway, bench))
    },
  })
  const copy = benches.at(-1) as Bench // pushed when the last had settled
  const journal = copy.read(`.genrun/m/journal/${journalOf(copy)}`)
  expect(journal.match(/"kind":"DONE"/g)).toHaveLength(2)
  expect(copy.read('m.lock.json')).toContain('"unmade"')
  // The process that held it is gone.
  copy.remove('.genrun/m/claim')
  return copy
}

test('a crash before an adopted recipe was completed is made good by the next run, which asks for nothing', async () => {
  const bench = await crashedAfterDone()
  const paid = paidAt(gateway)
  expect(endings(await bench.run())).toEqual({ hero: 'kept', edit: 'kept' })
  expect(paidAt(gateway)).toBe(paid)
  expect(bench.read('m.lock.json')).not.toContain('unmade')
  // The journal alone knows it as well.
  bench.remove('m.lock.json')
  expect(bench.plan().paid).toBe(0)
  bench.edit(manifestName, 'A teapot', 'A kettle')
  expect(bench.plan().paid).toBe(2)
})

test('what it was made from is put in before that is made anew', async () => {
  const bench = await crashedAfterDone()
  bench.edit(manifestName, 'A teapot', 'A kettle')
  expect(endings(await bench.run({ select: { words: ['hero'] } }))).toMatchObject({ hero: 'made' })
  expect(toldSteps(bench.plan())).toEqual(['buy edit: imageUrls: the file changed (m.yaml:6)'])
})

test('what was accepted last counts, by the journal alone as well', async () => {
  const bench = await begin()
  await bench.run()
  for (const [was, is] of [
    ['A teapot', 'One teapot'],
    ['One teapot', 'A tea pot'],
  ] as const) {
    bench.edit(manifestName, was, is)
    await acceptJobs({ manifest: manifestName, cwd: bench.folder })
  }
  expect(bench.plan().paid).toBe(0)
  bench.remove('m.lock.json')
  expect(bench.plan().paid).toBe(0)
})

/** A result that is to be replaced by an order of which the answer is lost, or that is never fetched. */
async function replaced(options: Partial<GatewayOptions>, stopAt?: 'accepted'): Promise<Bench> {
  const bench = await begin(options, 'jobs:\n  clip: { model: fama-imagine-image, prompt: Steam }\n')
  expect(endings(await bench.run())).toEqual({ clip: 'made' })
  bench.edit(manifestName, 'fama-imagine-image', 'fama-imagine-image-2.0')
  bench.edit(manifestName, 'prompt: Steam', 'prompt: Smoke, mode: submit')
  const stop = new AbortController()
  await bench.run({ stop: stop.signal, emit: told => told.event === stopAt && stop.abort() })
  return bench
}

const lost = { faults: { rules: [{ fault: { does: 'lose' }, model: '*2.0', first: 1 }] } } as const

test.each<[string, () => Promise<Bench>]>([
  [
    'a doubt of which only the lock is left',
    async () => {
      const bench = await replaced(lost)
      bench.remove('.genrun')
      return bench
    },
  ],
  ['a run under way that is given up for another', () => replaced({}, 'accepted')],
])('%s is ordered again, and the older file stays ours until then', async (_, open) => {
  const bench = await open()
  const paid = paidAt(gateway)
  const resolved = await resolveOrders({
    manifest: manifestName,
    cwd: bench.folder,
    words: ['clip'],
    resolution: { is: 'resubmit' },
  })
  expect(resolved).toMatchObject({
    got: 'resolved',
    record: { resolved: [{ address: 'clip', next: 'orders it anew' }] },
  })
  expect(statusOf({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ status: { open: [] } })
  expect(toldSteps(bench.plan())).toEqual([
    'buy clip: model fama-imagine-image → fama-imagine-image-2.0 (m.yaml:2)',
  ])
  expect(endings(await bench.run())).toEqual({ clip: 'made' })
  expect(paidAt(gateway)).toBe(paid + 1)
  expect(endings(await bench.run())).toEqual({ clip: 'kept' })
})
