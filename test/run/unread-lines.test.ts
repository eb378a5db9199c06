import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JournalEntry } from '../../src/store/journal/journal-text.ts'
import { type RecoverResult, recoverManifest } from '../../src/verbs/recover.ts'
import { type Bench, manifestName, paidAt, pixel } from '../verbs/bench.ts'
import { keepRecords } from '../verbs/kept-records.ts'
import { madeOnce, shopManifest } from '../verbs/made.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })

const recover = (bench: Bench, isConfirmed = true): Promise<RecoverResult> =>
  recoverManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed })

/** Only the lock is left, with the photo's line as given. */
function leaveOnlyLock(bench: Bench, damage: (line: string) => string): void {
  bench.write('m.lock.json', bench.read('m.lock.json').replace(/\{"address":"photo".*/, damage))
  bench.remove('.genrun')
  bench.remove('out')
}

function indexOf(bench: Bench): string {
  const name = readdirSync(`${bench.folder}/out/shop/.genrun`).find(each => each.startsWith('results-'))
  return `out/shop/.genrun/${name ?? 'none'}`
}

test.each([
  ['an unknown state', (line: string) => line.replace('"done"', '"finished"'), 'under-way'],
  ['a wrong digest', (line: string) => line.replace('"digest":"sha256:', '"digest":"sha256:zz'), 'under-way'],
  ['a cut behind the run', (line: string) => line.slice(0, line.indexOf('"files"')), 'under-way'],
  ['a cut in the recipe', (line: string) => line.slice(0, line.indexOf('"params"') + 10), 'doubt'],
  ['a newer recipe', (line: string) => line.replace('"version":1', '"version":7'), 'doubt'],
])('of a line of the lock with %s what can be read is held, and not bought', async (_, damage, is) => {
  const bench = shop.copy()
  leaveOnlyLock(bench, damage)
  const before = paidAt(shop.gateway)
  const result = await recover(bench)
  expect(result).toMatchObject({ record: { unread: ['m.lock.json:5'] } })
  const found = result.got === 'recovered' ? result.record.found : []
  const photo = found.find(({ address }) => address === 'photo')
  expect(photo?.is).toBe(is)
  await bench.run()
  expect(paidAt(shop.gateway)).toBe(before)
})

test('a line of the index that cannot be read is held, and not bought', async () => {
  const bench = shop.copy()
  const name = indexOf(bench)
  bench.write(
    name,
    bench.read(name).replaceAll(/\{"address":"photo".*/g, line => line.replace('"files":', '"files";')),
  )
  for (const each of ['m.lock.json', '.genrun']) bench.remove(each)
  for (const each of ['photo.png', 'edit.png']) bench.remove(`out/shop/${each}`)
  const before = paidAt(shop.gateway)
  const result = await recover(bench)
  expect(result).toMatchObject({
    record: { unread: expect.arrayContaining([expect.stringMatching(/jsonl:\d+$/)]) },
  })
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(paidAt(shop.gateway)).toBe(before)
})

test.each([
  ['damaged', (text: string) => text.replaceAll('{"genrun":2', '{"genrum":2')],
  ['gone', (text: string) => text.replaceAll(/\{"genrun".*\n/g, '')],
  ['of a newer format', (text: string) => text.replaceAll('{"genrun":2', '{"genrun":3')],
])('an index whose first line is %s tells of its purchases all the same', async (what, damage) => {
  const bench = shop.copy()
  const lock = bench.read('m.lock.json')
  const name = indexOf(bench)
  bench.write(name, damage(bench.read(name)))
  for (const each of ['m.lock.json', '.genrun']) bench.remove(each)
  const before = paidAt(shop.gateway)
  const refused = await bench.run()
  expect(refused).toMatchObject({ got: 'refused', problems: [{ code: 'lost-records' }] })
  const result = await recover(bench)
  const newer = what === 'of a newer format' ? [expect.stringMatching(/ \(format 3\)$/)] : []
  expect(result).toMatchObject({ record: { newer, unknown: [] } })
  expect(bench.read('m.lock.json').split('\n').slice(1)).toEqual(lock.split('\n').slice(1))
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(paidAt(shop.gateway)).toBe(before)
})

test('nothing that a newer genrun wrote is written to', async () => {
  const bench = shop.copy()
  const name = indexOf(bench)
  const text = bench.read(name).replaceAll('{"genrun":2', '{"genrun":3')
  bench.write(name, text)
  bench.edit('m.yaml', 'The teapot of the photo', 'The cup of the photo')
  const result = await bench.run()
  expect(result).toMatchObject({ report: { paid: 1 }, problems: [{ code: 'unindexed' }] })
  expect(bench.read(name)).toBe(text)
})

test('a lock of which nothing is left is not replaced by an empty one', async () => {
  const bench = shop.copy()
  bench.write('m.lock.json', '')
  bench.remove('.genrun')
  bench.remove('out')
  for (const isConfirmed of [false, true, true])
    expect(await recover(bench, isConfirmed)).toMatchObject({
      got: 'damaged',
      message: 'm.lock.json: it is empty; no purchase can be read in it, and nothing else knows of one',
    })
  expect(bench.read('m.lock.json')).toBe('')
  expect(bench.has('m.lock.json.damaged-1')).toBe(false)
})

test('what the journal has in doubt and the index as done is done', async () => {
  const bench = shop.copy()
  const lock = bench.read('m.lock.json')
  bench.remove('m.lock.json')
  keepRecords(bench, entry => ['OPEN', 'INTENT', 'SENDING'].includes(entry.kind))
  expect(await bench.run()).toMatchObject({ report: { exit: 3 } })
  const result = await recover(bench)
  const found = result.got === 'recovered' ? result.record.found : []
  expect(found.map(({ is }) => is)).toEqual(['done', 'done', 'done', 'done'])
  const before = paidAt(shop.gateway)
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(paidAt(shop.gateway)).toBe(before)
  expect(bench.read('m.lock.json')).toBe(lock)
})

test('a lock that nests without end is damaged in its line', async () => {
  const bench = shop.copy()
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  bench.write(
    'm.lock.json',
    bench.read('m.lock.json').replace(/("address":"photo".*?"params":\{)/, `$1"x":${deep},`),
  )
  expect(await bench.run()).toMatchObject({
    got: 'damaged',
    message: expect.stringMatching(/nest too deep in the recipe of the job photo \(line 5\)$/),
  })
})

test.each([
  [
    'a recipe that is none',
    (entry: JournalEntry) => (entry.kind === 'INTENT' ? { ...entry, recipe: null } : entry),
  ],
  ['a time that is no date', (entry: JournalEntry) => ({ ...entry, at: 9e15 })],
  ['a kind that every object has', (entry: JournalEntry) => ({ ...entry, kind: 'constructor' })],
])('a journal with %s is damaged, and nothing is bought', async (_, change) => {
  const bench = shop.copy()
  keepRecords(bench, () => true, change as (entry: JournalEntry) => JournalEntry) // what no genrun writes
  expect(await bench.run()).toMatchObject({
    got: 'damaged',
    message: expect.stringMatching(/at byte 0$|at byte \d+$/),
  })
})

test('a file of another manifest in the same folder is called so', async () => {
  const bench = shop.empty()
  const jobs = 'output: shared\njobs:\n  a:\n    model: fama-imagine-image\n    prompt: A cup\n'
  bench.write('s1.yaml', jobs)
  bench.write('s2.yaml', jobs)
  expect(await bench.run({ manifest: 's1.yaml' })).toMatchObject({ report: { paid: 1 } })
  const message = 'a.png is there already, and it is a result of s1.yaml'
  const hint = 'give the job, or the manifest, another `output`'
  expect(await bench.run({ manifest: 's2.yaml' })).toMatchObject({
    got: 'refused',
    problems: [{ message, hint }],
  })
})

test('--failed tells the jobs that wait for a run of another service', async () => {
  const bench = shop.copy()
  bench.write(
    'm.lock.json',
    bench.read('m.lock.json').replaceAll(/"origin":"[^"]*"/g, '"origin":"http://127.0.0.1:9"'),
  )
  bench.remove('.genrun')
  bench.remove('out')
  const held = await bench.run({ select: { failed: true } })
  expect(held).toMatchObject({ report: { paid: 0, exit: 4, counts: { held: expect.any(Number) } } })
})
