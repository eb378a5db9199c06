import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { takeClaim } from '../../../src/store/claim/claim.ts'
import { resolveOrders } from '../../../src/verbs/resolve.ts'
import { type Bench, manifestName, openBenchWith, paidAt, toldSteps } from '../../verbs/bench.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  rain: { model: famc-t2a, prompt: Rain }
  clip: { model: famc-v3, prompt: Steam, duration: 3 }
`

const bought = ['buy hero: not made yet', 'buy rain: not made yet', 'buy clip: not made yet']
const takenUp = [
  'resume hero: paid for, not finished',
  'doubt rain: nobody knows whether it was paid for: other side closed',
  'resume clip: paid for, not finished',
]

/** A result, an order in doubt and a run, in the folder of a worker that is gone: as a run of its own left them. */
async function openLeft(): Promise<{ readonly bench: Bench; readonly paid: () => number }> {
  const { bench, gateway } = await openBenchWith(manifest, { faults: 'lose first=1 model=famc-t2a' })
  const stop = new AbortController()
  const over = new Set<string>()
  await bench.run({
    stop: stop.signal,
    emit(event) {
      if (event.event === 'settled' || event.event === 'accepted') over.add(event.address)
      if (over.size === 3) stop.abort()
    },
  })
  const worker = join(bench.folder, '.genrun/.workers/m-1')
  mkdirSync(join(worker, '..'), { recursive: true })
  renameSync(join(bench.folder, '.genrun/m'), worker)
  renameSync(join(bench.folder, 'm.lock.json'), join(worker, 'worker.lock.json'))
  renameSync(join(bench.folder, 'out/m'), join(worker, 'out'))
  return { bench, paid: () => paidAt(gateway) }
}

test('what a worker that is gone has paid for is taken up from its folder, and a doubt holds its job', async () => {
  const { bench, paid } = await openLeft()
  expect(paid()).toBe(3)
  expect(toldSteps(bench.plan())).toEqual(takenUp)
  expect(await bench.run()).toMatchObject({ got: 'report', report: { exit: 3, paid: 0 } })
  expect(['out/m/hero.png', 'out/m/clip.mp4'].filter(bench.has)).toHaveLength(2)
  rmSync(join(bench.folder, '.genrun/.workers/m-1/out'), { recursive: true })
  expect(await bench.run()).toMatchObject({ got: 'report', report: { exit: 3, paid: 0 } })
  expect(paid()).toBe(3)
  // What a person says of it counts, whatever still lies there.
  const where = { manifest: manifestName, cwd: bench.folder }
  await resolveOrders({ ...where, words: ['rain'], resolution: { is: 'resubmit' } })
  expect(await bench.run()).toMatchObject({ got: 'report', report: { exit: 0, paid: 1 } })
  expect(await bench.run()).toMatchObject({ got: 'report', report: { exit: 0, paid: 0 } })
})

test('as long as something is open in a store, that is the store’s to tell', async () => {
  const { bench } = await openLeft()
  bench.write('.genrun/m/fleet.json', '{"batch":"b","checkout":"c","open":true}\n')
  expect(toldSteps(bench.plan())).toEqual(bought)
  bench.write('.genrun/m/fleet.json', '{"batch":"b","checkout":"c","open":false}\n')
  expect(toldSteps(bench.plan())).toEqual(takenUp)
})

test('a worker that was started there again since has nothing of it in its hands', async () => {
  const { bench } = await openLeft()
  const claim = join(bench.folder, '.genrun/.workers/m-1/claim')
  const { got } = await takeClaim(claim, { clock: systemClock, random: systemRandom })
  expect(got).toBe('claim')
  expect(toldSteps(bench.plan())).toEqual(takenUp)
})

test('a journal of a worker that cannot be read may tell of anything: nothing is bought', async () => {
  const { bench, paid } = await openLeft()
  bench.write('.genrun/.workers/m-1/journal/000009.jnl', 'x\ny\n')
  expect(await bench.run()).toMatchObject({
    got: 'damaged',
    message: expect.stringContaining('m-1') as string,
  })
  expect(paid()).toBe(3)
})

test('the folders of another manifest’s workers are no matter of this one', async () => {
  const { bench } = await openLeft()
  const workers = join(bench.folder, '.genrun/.workers')
  renameSync(join(workers, 'm-1'), join(workers, 'm-1-1'))
  expect(toldSteps(bench.plan())).toEqual(bought)
})
