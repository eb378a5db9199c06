import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { mergeLocks } from '../../src/store/lock/lock-merge.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
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

test('an edit that is taken back brings its pick back in the same run, though another take was picked meanwhile', async () => {
  const stills = (prompt: string) =>
    `jobs:\n  pot: { model: fama-imagine-image, prompt: ${prompt}, takes: 2 }\n`
  const clip =
    '  steam: { model: famc-v3-turbo, prompt: Steam, startFrame: "${{ jobs.pot.output }}", duration: 3 }\n'
  const pick = (address: string) => pickTake({ manifest: manifestName, cwd: bench.folder, address })
  bench.write(manifestName, stills('A jug'))
  await bench.run()
  await pick('pot#2')
  const jug = bench.bytes('out/m/pot.png')
  bench.write(manifestName, stills('A mug'))
  await bench.run()
  await pick('pot#1')
  bench.write(manifestName, stills('A jug') + clip)
  expect(bench.plan().remarks).toContain(
    'the pick pot is no longer asked for: pot#2 is picked again, as before',
  )
  for (const paid of [1, 0]) {
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
    expect(bench.bytes('out/m/pot.png')).toEqual(jug)
  }
})

test('a pick of one branch goes along with its result when another branch swapped the names, and both are merged', async () => {
  const still = (name: string, prompt: string) =>
    `  ${name}: { model: fama-imagine-image, prompt: ${prompt}, takes: 2 }\n`
  const clip =
    '  steam: { model: famc-v3-turbo, prompt: Steam, startFrame: "${{ jobs.b.output }}", duration: 3 }\n'
  const plain = `jobs:\n${still('a', 'A jug')}${still('b', 'A mug')}`
  const swapped = `jobs:\n${still('b', 'A jug')}${still('a', 'A mug')}${clip}`
  bench.write(manifestName, plain)
  await bench.run()
  const base = bench.read('m.lock.json')
  bench.write(manifestName, swapped)
  await bench.run({ select: { words: ['a', 'b'] } })
  const theirs = bench.read('m.lock.json')
  bench.write(manifestName, plain)
  bench.write('m.lock.json', base)
  await bench.run()
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'a#2' })
  const jug = bench.bytes('out/m/a.png')
  const merged = mergeLocks({ base, ours: bench.read('m.lock.json'), theirs })
  if (merged.got !== 'merged') throw new Error(merged.got)
  bench.write(manifestName, swapped)
  bench.write('m.lock.json', merged.text)
  for (const paid of [1, 0]) {
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
    expect(bench.bytes('out/m/b.png')).toEqual(jug)
  }
})

test.each([
  ['after', (still: string, clip: string) => still + clip],
  ['before', (still: string, clip: string) => clip + still],
])(
  'a clip of `.pick` that stands %s its job waits after an edit of that, in every run, until a person has picked',
  async (_, inOrder) => {
    const of = { manifest: manifestName, cwd: bench.folder }
    const clip =
      '  steam: { model: famc-v3-turbo, prompt: Steam, startFrame: "${{ jobs.pot.pick }}", duration: 3 }\n'
    const write = (prompt: string) =>
      bench.write(
        manifestName,
        `${asked('A teapot')}${inOrder(`  pot: { model: fama-imagine-image, prompt: ${prompt}, takes: 2 }\n`, clip)}`,
      )
    write('A jug')
    await bench.run()
    await pickTake({ ...of, address: 'pot#2' })
    await bench.run()
    const made = bench.bytes('out/m/steam.mp4')
    write('A mug')
    const waits = 'it waits until a take of pot is picked'
    for (const paid of [2, 0, 0]) {
      expect(await bench.run()).toMatchObject({ report: { exit: 4, paid } })
      expect(toldSteps(bench.plan())).toEqual([`hold steam: ${waits}`])
      expect(JSON.stringify(await verifyManifest(of))).toContain(waits)
    }
    expect(bench.bytes('out/m/steam.mp4')).toEqual(made)
    // Taken back, the pick comes back, and the clip is of it.
    write('A jug')
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(toldSteps(bench.plan())).toEqual([])
    write('A mug')
    expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
    await pickTake({ ...of, address: 'pot#1' })
    for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
    expect(await verifyManifest(of)).toMatchObject({ problems: [] })
  },
)

test.each([
  [
    'picked by a person',
    2,
    async () => void (await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'pot#2' })),
  ],
  [
    'ordered by `redo`',
    1,
    async () => void (await bench.run({ ...cached(), redo: true, select: { words: ['pot'] } })),
  ],
])('a pick goes along with a new name where the files come from the cache: %s', async (_, takes, choose) => {
  const still = (name: string) =>
    `jobs:\n  ${name}: { model: fama-imagine-image, prompt: A jug, takes: ${takes} }\n`
  const clip =
    '  steam: { model: famc-v3-turbo, prompt: Steam, startFrame: "${{ jobs.jar.output }}", duration: 3 }\n'
  bench.write(manifestName, still('pot'))
  await bench.run(cached())
  await choose()
  await bench.run(cached())
  const jug = bench.bytes('out/m/pot.png')
  bench.remove('out')
  bench.write(manifestName, still('jar') + clip)
  for (const paid of [1, 0]) {
    expect(await bench.run(cached())).toMatchObject({ report: { exit: 0, paid } })
    expect(bench.bytes('out/m/jar.png')).toEqual(jug)
  }
})

/** Everybody's results by recipe, in a folder beside. */
const cached = () => ({ cache: { folder: join(bench.folder, 'cache') } })

test('takes that one branch picks among and another puts aside move from where they lie here, and leave no copy', async () => {
  const still = (prompt: string) =>
    `jobs:\n  cup: { model: fama-imagine-image, prompt: ${prompt}, takes: 2 }\n`
  bench.write(manifestName, still('A jug'))
  await bench.run()
  const base = bench.read('m.lock.json')
  const [one, two] = ['out/m/cup.png', 'out/m/takes/cup.take2.png'].map(name => bench.bytes(name))
  const clone = () => openBench(gateway, bench)
  const theirs = clone()
  theirs.write(manifestName, still('A mug'))
  await theirs.run()
  const ours = clone()
  await pickTake({ manifest: manifestName, cwd: ours.folder, address: 'cup#2' })
  const merged = mergeLocks({ base, ours: ours.read('m.lock.json'), theirs: theirs.read('m.lock.json') })
  if (merged.got !== 'merged') throw new Error(merged.got)
  // Pulled by somebody who had neither picked nor edited, and the edit is undone.
  bench.write('m.lock.json', merged.text)
  for (const _ of ['first', 'second'])
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect([bench.bytes('out/m/cup.png'), bench.bytes('out/m/takes/cup.take1.png')]).toEqual([two, one])
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
  for (const each of [theirs, ours]) closeBench(each)
})
