import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, toldSteps } from '../verbs/bench.ts'

const asked = (one: string, other: string) => `jobs:
  one: { model: fama-imagine-image, prompt: ${one} }
  other: { model: fama-imagine-image, prompt: ${other} }
`

let gateway: Gateway
let bench: Bench

beforeEach(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  bench = openBench(gateway)
  bench.write(manifestName, asked('A teapot', 'A cup'))
  await bench.run()
})

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

async function endings(): Promise<Record<string, string>> {
  const result = await bench.run()
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  return Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))
}

async function driftOf() {
  const verdict = await verifyManifest({ manifest: manifestName, cwd: bench.folder })
  return verdict.got === 'verdict' ? verdict.problems.map(({ message }) => message) : verdict
}

test('a result whose name another one has by now, and whose copy was deleted, is fetched, and never stands for it', async () => {
  const [teapot, cup] = [bench.bytes('out/m/one.png'), bench.bytes('out/m/other.png')]
  bench.write(manifestName, asked('A cup', 'A teapot'))
  // A crash in the middle of the swap: one name has changed hands, and what was put aside went with the state.
  bench.write('out/m/one.png', cup)
  bench.remove('.genrun')
  const first = await endings()
  expect(first.one).toBe('moved')
  expect(first.other).not.toBe('made')
  await endings()
  expect(bench.bytes('out/m/one.png')).toEqual(cup)
  expect(bench.bytes('out/m/other.png')).toEqual(teapot)
  expect(await driftOf()).toEqual([])
  expect(paidAt(gateway)).toBe(2)
})

test('what a person altered moves with its job as it is', async () => {
  bench.write('out/m/one.png', 'retouched by hand')
  bench.write(manifestName, asked('A teapot', 'A cup').replace('one:', 'hero:'))
  expect(await endings()).toEqual({ hero: 'moved', other: 'kept' })
  expect(bench.read('out/m/hero.png')).toBe('retouched by hand')
})

test('a lock of an older commit finds the files of the newer one: what it asks for is fetched, and nobody altered anything', async () => {
  const [lock, teapot] = [bench.read('m.lock.json'), bench.bytes('out/m/one.png')]
  bench.write(manifestName, asked('A bowl', 'A cup'))
  await bench.run()
  const bowl = bench.bytes('out/m/one.png')
  bench.write(manifestName, asked('A teapot', 'A cup'))
  bench.write('m.lock.json', lock)
  bench.remove('.genrun')
  expect(await endings()).toEqual({ one: 'fetched', other: 'kept' })
  expect(bench.bytes('out/m/one.png')).toEqual(teapot)
  expect(await driftOf()).toEqual([])
  bench.write(manifestName, asked('A bowl', 'A cup'))
  expect(await endings()).toEqual({ one: 'moved', other: 'kept' })
  expect(bench.bytes('out/m/one.png')).toEqual(bowl)
  expect(paidAt(gateway)).toBe(3)
})

/** The lock as it was when the order of the bowl was on its way: the teapot is there, and this order beside it. */
function whileUnderWay(before: string, after: string): string {
  const lineOf = (lock: string, prompt: string) => lock.split('\n').find(line => line.includes(prompt)) ?? ''
  const bowl = JSON.parse(lineOf(after, 'A bowl').replace(/,$/, ''))
  const running = JSON.stringify({ ...bowl, state: 'running', files: [] })
  const teapot = lineOf(before, 'A teapot')
  return before.replace(teapot, `${teapot}\n${running},`)
}

test.each<[string, (before: string, after: string) => string]>([
  ['does not know the newer files', before => before],
  ['knows of the newer order only', whileUnderWay],
])('so does a lock that %s, beside a state folder that was copied back', async (_, lockOf) => {
  const before = openBench(gateway, bench)
  bench.write(manifestName, asked('A bowl', 'A cup'))
  await bench.run()
  const teapot = before.bytes('out/m/one.png')
  bench.write(manifestName, asked('A teapot', 'A cup'))
  bench.write('m.lock.json', lockOf(before.read('m.lock.json'), bench.read('m.lock.json')))
  bench.remove('.genrun')
  cpSync(join(before.folder, '.genrun'), join(bench.folder, '.genrun'), { recursive: true })
  closeBench(before)
  expect(await endings()).toEqual({ one: 'fetched', other: 'kept' })
  expect(bench.bytes('out/m/one.png')).toEqual(teapot)
  bench.write(manifestName, asked('A bowl', 'A cup'))
  expect(await endings()).toEqual({ one: 'moved', other: 'kept' })
  expect(paidAt(gateway)).toBe(3)
})

test('results that changed names since the lock was committed get those of the lock again', async () => {
  const lock = bench.read('m.lock.json')
  const [teapot, cup] = [bench.bytes('out/m/one.png'), bench.bytes('out/m/other.png')]
  bench.write(manifestName, asked('A cup', 'A teapot'))
  expect(await endings()).toEqual({ one: 'moved', other: 'moved' })
  bench.write(manifestName, asked('A teapot', 'A cup'))
  bench.write('m.lock.json', lock)
  bench.remove('.genrun')
  expect(await endings()).toEqual({ one: 'fetched', other: 'fetched' })
  expect([bench.bytes('out/m/one.png'), bench.bytes('out/m/other.png')]).toEqual([teapot, cup])
  expect(await driftOf()).toEqual([])
  expect(paidAt(gateway)).toBe(2)
})

test('verify does not agree where the name of a result that is asked for again holds another', async () => {
  bench.write(manifestName, asked('A bowl', 'A cup'))
  await bench.run()
  bench.write(manifestName, asked('A teapot', 'A cup'))
  bench.remove('.genrun')
  expect(await driftOf()).toEqual(['one is paid for, and its files are not here; a run fetches them'])
  expect(await endings()).toEqual({ one: 'fetched', other: 'kept' })
  expect(await driftOf()).toEqual([])
})

test('what a hand altered is left as it is, also where a copy of what it was is kept', async () => {
  bench.write(manifestName, asked('A bowl', 'A cup'))
  await bench.run()
  bench.write(manifestName, asked('A teapot', 'A cup'))
  await bench.run()
  const retouched = bench.bytes('out/m/one.png')
  retouched.writeUInt8(retouched.readUInt8(3000) ^ 1, 3000)
  bench.write('out/m/one.png', retouched)
  expect(await endings()).toEqual({ one: 'kept', other: 'kept' })
  expect(bench.bytes('out/m/one.png')).toEqual(retouched)
  expect(await driftOf()).toEqual(['one.png of one was altered since it was made'])
})

test('a take that nobody asks for any more is no drift where its file never came', async () => {
  bench.write(manifestName, asked('A teapot, takes: 2', 'A cup'))
  await bench.run()
  bench.write(manifestName, asked('A bowl', 'A cup'))
  await bench.run()
  bench.remove('.genrun')
  bench.remove('out')
  expect(await endings()).toEqual({ one: 'fetched', other: 'fetched' })
  expect(await driftOf()).toEqual([])
})

describe('another recipe that a hand wrote into the lock', () => {
  /** The lock by hand, with other words wherever these stand. */
  const rewrite = (from: string, to: string) =>
    bench.write('m.lock.json', bench.read('m.lock.json').replaceAll(from, to))

  test('is not what was ordered: nothing is bought, and the lock says again what was', async () => {
    const before = bench.read('m.lock.json')
    rewrite('A teapot', 'A kettle')
    expect(toldSteps(bench.plan())).toEqual([])
    expect(await endings()).toEqual({ one: 'kept', other: 'kept' })
    expect(bench.read('m.lock.json')).toBe(before)
    expect(paidAt(gateway)).toBe(2)
  })

  test('buys what the manifest asks for in the same words, and an undo of that alone brings back what was there', async () => {
    const teapot = bench.bytes('out/m/one.png')
    rewrite('A teapot', 'A kettle')
    bench.write(manifestName, asked('A kettle', 'A cup'))
    expect(await endings()).toEqual({ one: 'made', other: 'kept' })
    bench.write(manifestName, asked('A teapot', 'A cup'))
    expect(await endings()).toEqual({ one: 'moved', other: 'kept' })
    expect(bench.bytes('out/m/one.png')).toEqual(teapot)
    expect(paidAt(gateway)).toBe(3)
    expect(await driftOf()).toEqual([])
  })

  test('is taken for what was ordered where no journal knows better', async () => {
    rewrite('A teapot', 'A kettle')
    bench.remove('.genrun')
    bench.write(manifestName, asked('A kettle', 'A cup'))
    expect(await endings()).toEqual({ one: 'kept', other: 'kept' })
  })
})
