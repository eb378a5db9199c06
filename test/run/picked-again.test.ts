import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, toldSteps } from '../verbs/bench.ts'

const asked = (prompt: string) => `jobs:
  hero: { model: fama-imagine-image, prompt: ${prompt} }
  clip: { model: famc-v3-turbo, prompt: Push in, startFrame: "\${{ jobs.hero.output }}", duration: 3 }
`

let gateway: Gateway
let bench: Bench

beforeEach(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  bench = openBench(gateway)
  bench.write(manifestName, asked('A teapot'))
  await bench.run({ select: { words: ['hero'] } })
  // The second take is picked, and the clip made from it.
  await bench.run({ redo: true, select: { words: ['hero'] } })
  await bench.run()
})

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

test('an edit that is taken back brings the pick back, and what was made from it', async () => {
  const [hero, clip] = [bench.bytes('out/m/hero.png'), bench.bytes('out/m/clip.mp4')]
  bench.write(manifestName, asked('A cup'))
  await bench.run()
  const paid = paidAt(gateway)
  bench.write(manifestName, asked('A teapot'))
  await bench.run()
  expect([bench.bytes('out/m/hero.png'), bench.bytes('out/m/clip.mp4')]).toEqual([hero, clip])
  expect(toldSteps(bench.plan())).toEqual([])
  expect(paidAt(gateway)).toBe(paid)
})

test('a take that was picked before the edit stays picked, and no other comes back with it', async () => {
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'hero#1' })
  const hero = bench.bytes('out/m/hero.png')
  bench.write(manifestName, asked('A cup'))
  await bench.run()
  bench.write(manifestName, asked('A teapot'))
  await bench.run()
  expect(bench.bytes('out/m/hero.png')).toEqual(hero)
})

test('`redo` that ended between its pick and the moves is gone on with by the same words, and pays for no third take', async () => {
  const words = { redo: true, select: { words: ['hero'] } }
  const inTheWay = 'out/m/takes/hero.take2.png'
  await bench.run({ ...words, emit: told => told.event === 'planned' && bench.write(inTheWay, 'a file') })
  bench.remove(inTheWay)
  const paid = paidAt(gateway)
  await bench.run(words)
  expect(paidAt(gateway)).toBe(paid)
  expect(bench.has('out/m/takes/hero.take3.png')).toBe(false)
  // Now it is at its end: the next one is another.
  await bench.run(words)
  expect(paidAt(gateway)).toBe(paid + 1)
})

test('a run between the two makes the moves, and the next `redo` orders another take', async () => {
  const words = { redo: true, select: { words: ['hero'] } }
  const inTheWay = 'out/m/takes/hero.take2.png'
  await bench.run({ ...words, emit: told => told.event === 'planned' && bench.write(inTheWay, 'a file') })
  bench.remove(inTheWay)
  await bench.run({ select: { words: ['hero'] } })
  const paid = paidAt(gateway)
  await bench.run(words)
  expect(paidAt(gateway)).toBe(paid + 1)
})

test('a picked take whose files are gone is fetched by --rebuy, and stays picked, by whom it was', async () => {
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'hero#2' })
  const hero = bench.bytes('out/m/hero.png')
  for (const path of ['out/m/hero.png', 'out/m/takes/hero.take1.png', '.genrun']) bench.remove(path)
  const paid = paidAt(gateway)
  const result = await bench.run({ choices: { rebuy: true } })
  expect(paidAt(gateway)).toBe(paid)
  expect(bench.bytes('out/m/hero.png')).toEqual(hero)
  expect(toldSteps(bench.plan())).toEqual([])
  expect(bench.read('m.lock.json')).toContain('"picked":true,"byHand":true')
  expect(result).toMatchObject({ report: { exit: 0 } })
  const files = result.got === 'report' ? result.report.jobs.flatMap(job => job.files) : []
  expect(files.map(({ path }) => path)).toContain('takes/hero.take1.png')
})
