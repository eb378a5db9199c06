import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt } from '../verbs/bench.ts'

let gateway: Gateway
let bench: Bench

beforeEach(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  bench = openBench(gateway)
  bench.write(
    manifestName,
    `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  edit: { model: fama-imagine-image, prompt: In blue, imageUrls: "\${{ jobs.hero.output }}" }
  clip: { model: famc-v3-turbo, prompt: Push in, startFrame: "\${{ jobs.edit.output }}", duration: 3 }
`,
  )
  await bench.run()
})

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

test('what is fetched under --rebuy as it was makes nothing anew that is made from it', async () => {
  const clip = bench.bytes('out/m/clip.mp4')
  bench.remove('out/m/hero.png')
  const result = await bench.run({ choices: { rebuy: true } })
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  const endings = Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))
  expect(endings).toEqual({ hero: 'made', edit: 'kept', clip: 'kept' })
  expect(bench.bytes('out/m/clip.mp4')).toEqual(clip)
  expect(paidAt(gateway)).toBe(3)
  const lock = bench.read('m.lock.json')
  await bench.run()
  expect(bench.read('m.lock.json')).toBe(lock)
  expect(paidAt(gateway)).toBe(3)
})
