import { expect, test } from 'vitest'
import { manifestName, openBenchAt, toldSteps } from '../verbs/bench.ts'

const manifest = 'jobs:\n  hero: { model: fama-imagine-image, mode: submit, prompt: Tea }\n'

test('an order that no answer came to after a stop stands in the lock, and is not ordered again by it', async () => {
  let paid = 0
  const stop = new AbortController()
  const bench = await openBenchAt(request => {
    request.resume().on('end', () => {
      paid++
      stop.abort()
    })
  })
  bench.write(manifestName, manifest)
  expect(await bench.run({ stop: stop.signal })).toMatchObject({
    report: { exit: 3, jobs: [{ ending: 'doubt' }] },
  })
  expect(bench.read('m.lock.json')).toContain('"state":"doubt"')
  bench.remove('.genrun')
  expect(toldSteps(bench.plan())).toEqual([expect.stringMatching(/^doubt hero/)])
  await bench.run()
  expect(paid).toBe(1)
}, 20_000)
