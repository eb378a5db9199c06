import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { DonePurchase } from '../../../src/base/purchase.ts'
import type { SavedFile } from '../../../src/base/state.ts'
import { startGateway } from '../../../src/gateway/server.ts'
import { adoptAll } from '../../../src/run/results/adopt.ts'
import { makeRoom, putAside, replacedFiles } from '../../../src/run/results/aside.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { openParts } from '../../../src/store/files/parts.ts'
import { stateFolder } from '../../../src/store/files/state-folder.ts'
import { loadLock } from '../../../src/store/lock/lock.ts'
import { job } from '../../plan/world.ts'
import { type MemoryDisk, memoryDisk } from '../../store/memory-disk.ts'
import { fox, named, recipe, teapot } from '../../store/records.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, toldSteps } from '../../verbs/bench.ts'
import { stillLedger } from '../../verbs/still-ledger.ts'

const [hero, other] = [jobAddress('hero'), jobAddress('other')]

function fileAt(path: string, contents: string): SavedFile {
  return { path, digest: digestBytes(contents), bytes: contents.length, type: 'image/png' }
}

function done(id = teapot, path = 'hero.png', contents = 'tea'): DonePurchase {
  return { id, address: hero, is: 'done', recipe, files: [fileAt(path, contents)] }
}

/** A ledger with these purchases, over a disk on which their files lie. */
function deskWith(...purchases: DonePurchase[]) {
  const disk = memoryDisk()
  for (const folder of ['/out', '/.genrun', '/.genrun/t']) disk.makeFolder(folder)
  const ledger = stillLedger(purchases)
  const layout = { output: '/out', lock: '/t.lock.json', state: '/.genrun/t', rehearsal: false }
  return { disk, ledger, means: { layout, folders: stateFolder(layout.state), ledger, disk } }
}

function write(disk: MemoryDisk, path: string, contents: string): void {
  const file = disk.open(path, 'create')
  disk.write(file, Buffer.from(contents))
  disk.close(file)
}

test('a result is put aside whole, and remembers that it was picked', async () => {
  const tea = { ...done(), picked: true as const }
  const { disk, ledger, means } = deskWith(tea)
  write(disk, '/out/hero.png', 'tea')
  await putAside(tea, means)
  expect(ledger.purchases.get(teapot)).toEqual({ ...done(), aside: true, picked: true })
  expect(Object.keys(disk.files())).toEqual([expect.stringMatching(/^\/\.genrun\/t\/kept\/hero\.\w+\.png$/)])
})

test("what is fetched meanwhile for another job is that job's, and is not put aside", async () => {
  // The other job asks for it by now. Its file is gone, and is fetched under a new name, while the old one is cleared.
  const options = { ...done(), address: other }
  const { disk, ledger, means } = deskWith(options)
  const clearing = makeRoom(['hero.png'], { ...means, moving: new Set([fox]) })
  write(disk, '/out/other.png', 'tea')
  const files = [fileAt('other.png', 'tea')]
  await ledger.append({ kind: 'DONE', purchase: teapot, files })
  await clearing
  expect(ledger.purchases.get(teapot)).toEqual({ ...options, files })
  expect(ledger.made(other)).toEqual({ ...options, files })
  expect(Object.keys(disk.files())).toEqual(['/out/other.png'])
})

test('of two results with one name one is put aside, also where the file of the other lies under it already', async () => {
  // A move was killed when the file had its place, and before anything was written down.
  const [tea, coffee] = [{ ...done(), aside: true as const }, done(fox, 'hero.png', 'coffee')]
  const { disk, ledger, means } = deskWith(tea, coffee)
  write(disk, '/out/hero.png', 'tea')
  const { aside: _, ...placed } = tea
  const parts = openParts({ folder: '/out', owner: 't', token: '1', disk })
  const adoption = { do: 'adopt', job: job('hero'), entry: tea, from: hero } as const
  await adoptAll([adoption], { ...means, parts })
  expect(ledger.purchases.get(teapot)).toEqual(placed)
  expect(ledger.purchases.get(fox)).toEqual({ ...coffee, aside: true })
})

test('of two results of one job the one that it has by now stays, in whatever order they were bought', () => {
  const [older, younger] = [done(), done(named('k3'), 'takes/hero.png', 'coffee')]
  for (const [kept, replaced] of [
    [younger, older],
    [older, younger],
  ] as const) {
    const { ledger } = deskWith(older, younger)
    ledger.give(hero, kept.id)
    expect(replacedFiles(ledger, new Set([hero]))).toEqual([replaced])
    // Of a job that this run did not make, nothing is known to be replaced.
    expect(replacedFiles(ledger, new Set([other]))).toEqual([])
  }
})

test('what lies aside already was replaced before', () => {
  const { ledger } = deskWith({ ...done(), aside: true }, done(fox, 'hero.png', 'coffee'))
  expect(replacedFiles(ledger, new Set([hero]))).toEqual([])
})

/** What `hero` had before lies under a name that nothing takes over: the job's files are called otherwise by now. */
async function expectReplaced(bench: Bench, before: Buffer): Promise<void> {
  const known = loadLock(join(bench.folder, 'm.lock.json'), manifestName)
  if (known.got !== 'lock') throw new Error(known.got)
  const told = known.lock.jobs.map(each =>
    each.is === 'done' ? [each.address, each.files[0]?.path, each.aside] : [each.address, each.is],
  )
  expect(told).toContainEqual(['hero', 'hero.wav', true])
  expect(told.filter(([address, , aside]) => address === 'hero' && !aside)).toEqual([
    ['hero', 'new.wav', undefined],
  ])
  expect(bench.has('out/m/hero.wav')).toBe(false)
  expect(bench.snapshot().some(line => /kept\/hero\.\w+\.wav /.test(line))).toBe(true)
  // It is what it was, for the day that somebody asks for it again.
  bench.write(manifestName, sounds({ hero: ['Rain', 'hero'] }))
  expect(toldSteps(bench.plan()).filter(step => step.startsWith('buy'))).toEqual([])
  await bench.run()
  expect(bench.bytes('out/m/hero.wav').equals(before)).toBe(true)
}

function sounds(jobs: { readonly [name: string]: readonly [prompt: string, output: string] }): string {
  const lines = Object.entries(jobs).map(
    ([name, [prompt, output]]) =>
      `  ${name}: { model: famc-t2a, duration: 3, prompt: ${prompt}, output: ${output} }\n`,
  )
  return `jobs:\n${lines.join('')}`
}

async function shopBench() {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  return { gateway, bench }
}

test('a job that gets the result of another loses its own to what is kept, though no name changes hands', async () => {
  const { gateway, bench } = await shopBench()
  bench.write(manifestName, sounds({ hero: ['Rain', 'hero'], other: ['Wind', 'other'] }))
  await bench.run()
  const before = bench.bytes('out/m/hero.wav')
  bench.write(manifestName, sounds({ hero: ['Wind', 'new'] }))
  expect(await bench.run()).toMatchObject({ report: { paid: 0, jobs: [{ ending: 'moved' }] } })
  await expectReplaced(bench, before)
  expect(paidAt(gateway)).toBe(2)
})

test('a job that gets a result from the cache loses its own to what is kept, though no name changes hands', async () => {
  const { gateway, bench } = await shopBench()
  const cache = { folder: join(bench.folder, 'cache') }
  // Somebody else's, of whom only the cache is left.
  bench.write(manifestName, sounds({ other: ['Wind', 'other'] }))
  await bench.run({ cache })
  for (const name of ['m.lock.json', '.genrun', 'out']) bench.remove(name)
  bench.write(manifestName, sounds({ hero: ['Rain', 'hero'] }))
  await bench.run()
  const before = bench.bytes('out/m/hero.wav')
  bench.write(manifestName, sounds({ hero: ['Wind', 'new'] }))
  expect(await bench.run({ cache })).toMatchObject({ report: { paid: 0, jobs: [{ ending: 'fetched' }] } })
  await expectReplaced(bench, before)
  expect(paidAt(gateway)).toBe(2)
})
