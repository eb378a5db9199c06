import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestBytes } from '../../src/store/files/digest.ts'
import { type Bench, manifestName, openBenchWith, paidAt, toldSteps } from '../verbs/bench.ts'

const hero = '  hero: { model: fama-imagine-image, prompt: A teapot }\n'
const clip = (name: string, of = 'hero') =>
  `  ${name}: { model: famc-v3-turbo, prompt: Push in, startFrame: "\${{ jobs.${of}.output }}", duration: 3 }\n`
const asked = (...jobs: readonly string[]) => `jobs:\n${hero}${jobs.join('')}`

const committed = ['m.lock.json', manifestName, 'out']

/** What version control has of it now; calling it puts that back. `without`: but for this. */
function commit({ folder, makeFolder }: Bench, name: string): (without?: string) => void {
  makeFolder(name)
  for (const each of committed) cpSync(join(folder, each), join(folder, name, each), { recursive: true })
  return without => {
    for (const each of committed) {
      if (each === without) continue
      rmSync(join(folder, each), { recursive: true })
      cpSync(join(folder, name, each), join(folder, each), { recursive: true })
    }
  }
}

const redo = { redo: true, select: { words: ['hero'] } }

test('`redo`, and everything is put back to before: what was made from the take of then is kept, and nothing is bought', async () => {
  const { bench, gateway } = await openBenchWith(asked(clip('clip')))
  await bench.run()
  const files = () => ['hero.png', 'clip.mp4'].map(name => digestBytes(bench.bytes(`out/m/${name}`)))
  const before = files()
  const putBack = commit(bench, 'before')
  await bench.run(redo)
  const forward = commit(bench, 'after')
  putBack()
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(files()).toEqual(before)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
  expect(paidAt(gateway)).toBe(3)
  // Forward again the choice is the one of that lock, and the clip was never made from it.
  forward()
  expect(toldSteps(bench.plan())).toEqual(['buy clip: startFrame: the file changed (m.yaml:3)'])
})

test('the same when a clip was made from the other take by then: either is there', async () => {
  const { bench, gateway } = await openBenchWith(asked(clip('clip')))
  await bench.run()
  const clipNow = () => digestBytes(bench.bytes('out/m/clip.mp4'))
  const before = clipNow()
  const putBack = commit(bench, 'before')
  await bench.run(redo)
  await bench.run()
  const after = clipNow()
  const forward = commit(bench, 'after')
  putBack()
  await bench.run()
  expect(clipNow()).toBe(before)
  forward()
  await bench.run()
  expect(clipNow()).toBe(after)
  expect(paidAt(gateway)).toBe(4)
})

test('a clip that was made from the other take alone is not bought again where the lock is put back without the manifest', async () => {
  const { bench, gateway } = await openBenchWith(asked())
  await bench.run()
  const putBack = commit(bench, 'before')
  await bench.run(redo)
  bench.write(manifestName, asked(clip('clip')))
  await bench.run()
  putBack(manifestName)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(3)
})
