import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 15_000 })

import { systemClock } from '../../../src/base/clock.ts'
import { takeClaim } from '../../../src/store/claim/claim.ts'
import { mergeShards } from '../../../src/verbs/shards/merge.ts'
import { verifyManifest } from '../../../src/verbs/verify.ts'
import { type Bench, manifestName } from '../bench.ts'
import { madeOnce } from '../made.ts'
import { duplicates, merged, openShop, plainLock, rowsOf, runShard, runShards } from './shop.ts'

const rows = ['a', 'b', 'c', 'd']
const all = 2 * rows.length

/** Nothing is left to do, and nothing of the shards is there. */
async function expectWhole(bench: Bench, paid: readonly string[]): Promise<void> {
  const before = paid.length
  expect(await bench.run()).toMatchObject({ got: 'report', report: { exit: 0, paid: 0, requests: 0 } })
  expect(paid).toHaveLength(before)
  expect(readdirSync(bench.folder).filter(name => name.includes('-of-'))).toEqual([])
  expect(readdirSync(join(bench.folder, '.genrun')).toSorted()).toEqual(['.gitignore', 'm'])
  expect(
    readdirSync(join(bench.folder, 'out/m/.genrun')).filter(name => name.startsWith('results')),
  ).toHaveLength(1)
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
}

test('shards come to what one run comes to, byte for byte', async () => {
  const one = await openShop(rowsOf(rows))
  expect(await one.bench.run()).toMatchObject({ report: { exit: 0, paid: all } })
  const { bench, sold } = await openShop(rowsOf(rows))
  // Runs, and what is made from their files, have one address: the services differ in their ports only.
  const here = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')
  expect(await runShards(bench, 4)).toEqual([0, 0, 0, 0])
  expect(sold).toHaveLength(all)
  expect(bench.has('m.lock.json')).toBe(false)
  const { merged: shards, news, twice, open } = await merged(bench)
  expect({ news, twice, open }).toEqual({ news: all, twice: [], open: 0 })
  expect(shards.reduce((sum, { purchases }) => sum + purchases, 0)).toBe(all)
  expect(here(plainLock(bench))).toBe(here(plainLock(one.bench)))
  await expectWhole(bench, sold)
  const before = bench.snapshot()
  expect(await merged(bench)).toEqual({ merged: [], news: 0, twice: [], left: [], takenOver: [], open: 0 })
  expect(bench.snapshot().filter(line => !line.includes('claim'))).toEqual(
    before.filter(line => !line.includes('claim')),
  )
  expect(await runShards(bench, 4)).toEqual([0, 0, 0, 0])
  expect(sold).toHaveLength(all)
})

describe('after a `redo` shards leave what one run leaves', () => {
  const manifestOf = (jobs: Record<string, string>) =>
    `jobs:\n${Object.entries(jobs)
      .map(([name, prompt]) => `  ${name}: { model: fama-imagine-image, mode: submit, prompt: ${prompt} }\n`)
      .join('')}`
  const before = manifestOf({ a: 'cup', b: 'pot', c: 'jar' })
  const made = madeOnce(before, 3)

  test.each<[string, Record<string, string>]>([
    ['names go round', { c: 'cup', a: 'pot', b: 'jar' }],
    ['a job is edited', { a: 'mug', b: 'pot', c: 'jar' }],
  ])('%s', async (_, jobs) => {
    const [one, parted] = [made.copy(), made.copy()]
    for (const each of [one, parted]) {
      await each.run({ redo: true, select: { words: ['a'] } })
      each.write(manifestName, manifestOf(jobs))
    }
    expect(await one.run()).toMatchObject({ report: { exit: 0 } })
    expect(await runShards(parted, 3)).toEqual([0, 0, 0])
    await merged(parted)
    expect(await parted.run()).toMatchObject({ report: { exit: 0, paid: 0, requests: 0 } })
    expect(await verifyManifest({ manifest: manifestName, cwd: parted.folder })).toMatchObject({
      problems: [],
    })
    expect(standings(parted)).toEqual(standings(one))
  })
})

/** What is where, and what is picked; a picture that each machine has bought has other bytes. */
function standings(bench: Bench): string[] {
  const lines = bench
    .read('m.lock.json')
    .split('\n')
    .filter(line => line.startsWith('{"address"'))
  const parts = /"address":"([^"]*)","state":"(\w+)".*"prompt":"(\w+)".*"path":"([^"]*)"(.*"picked":true)?/
  return lines
    .map(line => {
      const [, address, state, prompt, path, picked] = parts.exec(line) ?? []
      return [address, state, prompt, path, picked && 'picked', path && bench.has(`out/m/${path}`)].join(' ')
    })
    .toSorted()
}

test('what was paid for by a shard whose records are lost is not called still to be made', async () => {
  const { bench } = await openShop(rowsOf(rows))
  await runShards(bench, 2)
  for (const name of ['m.2-of-2.lock.json', '.genrun/m.2-of-2']) bench.remove(name)
  const {
    merged: [first],
    open,
    owed,
  } = await merged(bench)
  expect(first?.purchases).toBeLessThan(all)
  expect({ open, owed }).toEqual({ open: 0, owed: all - (first?.purchases ?? 0) })
})

test('a link among what a shard keeps is left behind: it may lead anywhere', async () => {
  const { bench } = await openShop(rowsOf(rows))
  await runShards(bench, 2)
  bench.write('private.png', 'private')
  const kept = join(bench.folder, '.genrun/m.1-of-2/kept')
  mkdirSync(kept, { recursive: true })
  symlinkSync(join(bench.folder, 'private.png'), join(kept, 'x.png'))
  bench.write('.genrun/m.1-of-2/kept/y.png', 'kept')
  await merged(bench)
  const whole = join(bench.folder, '.genrun/m/kept')
  expect([existsSync(join(whole, 'x.png')), existsSync(join(whole, 'y.png'))]).toEqual([false, true])
})

test('shards at work side by side buy nothing twice', async () => {
  const { bench, sold } = await openShop(rowsOf(rows))
  const exits = await Promise.all([1, 2, 3, 4].map(nth => runShard(bench, nth, 4)))
  expect(exits).toMatchObject([1, 2, 3, 4].map(() => ({ got: 'report', report: { exit: 0 } })))
  expect(duplicates(sold)).toEqual([])
  await merged(bench)
  expect(sold).toHaveLength(all)
  await expectWhole(bench, sold)
})

test('while shards are not merged, nothing is said or bought of the whole', async () => {
  const { bench, sold } = await openShop(rowsOf(rows))
  await runShard(bench, 1, 2)
  const before = sold.length
  const refused = { got: 'refused', problems: [{ code: 'unmerged-shards' }] }
  expect(await bench.run()).toMatchObject(refused)
  expect(await bench.run({ continues: 'none' })).toMatchObject(refused)
  expect(await bench.run({ redo: true, yes: true, select: { words: ['*'] } })).toMatchObject(refused)
  expect(() => bench.plan()).toThrow('unmerged-shards')
  // Its lock alone, brought from elsewhere, and its state alone, are enough to know.
  const { bench: other } = await openShop(rowsOf(rows))
  cpSync(join(bench.folder, 'm.1-of-2.lock.json'), join(other.folder, 'm.1-of-2.lock.json'))
  expect(await other.run()).toMatchObject(refused)
  bench.remove('m.1-of-2.lock.json')
  expect(await bench.run()).toMatchObject(refused)
  expect(sold).toHaveLength(before)
  await merged(bench)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: all - before } })
  await expectWhole(bench, sold)
})

test.each([
  [8, 4],
  [2, 3],
])('another number of shards buys nothing again (%d, then %d)', async (first, then) => {
  const { bench, sold } = await openShop(rowsOf(rows))
  // Some were run, one was stopped in the middle.
  for (let nth = 1; nth < first; nth++) await runShard(bench, nth, first)
  await runShard(bench, first, first, { caps: { maxPaid: Math.ceil(first / 2) } })
  const exits = await runShards(bench, then)
  expect(exits.every(exit => exit === 0)).toBe(true)
  expect(duplicates(sold)).toEqual([])
  expect(sold).toHaveLength(all)
  await merged(bench)
  await expectWhole(bench, sold)
})

test('an edit between shards buys what is new, and nothing else', async () => {
  const { bench, sold } = await openShop(rowsOf(rows))
  await runShard(bench, 1, 3)
  await runShard(bench, 2, 3)
  const before = sold.length
  bench.write(manifestName, rowsOf(['z', 'y', ...rows, 'x']))
  expect(await runShards(bench, 3)).toEqual([0, 0, 0])
  expect(duplicates(sold)).toEqual([])
  expect(sold.length).toBeGreaterThan(before)
  bench.write(manifestName, rowsOf(rows))
  expect(await runShards(bench, 3)).toEqual([0, 0, 0])
  expect(sold).toHaveLength(all + 6)
  await merged(bench)
  bench.write(manifestName, rowsOf(['z', 'y', ...rows, 'x']))
  await expectWhole(bench, sold)
})

test('whoever would buy the same is told to wait', async () => {
  const shop = await openShop(rowsOf(rows))
  const { bench } = shop
  let answer: (() => void) | undefined
  const isAsked = new Promise<void>(asked => {
    shop.onOrder = () =>
      new Promise(resolve => {
        asked()
        answer = () => resolve(undefined)
      })
  })
  const first = runShard(bench, 1, 3)
  await isAsked
  shop.onOrder = () => undefined
  const sold = shop.sold.length
  const busy = { got: 'busy', message: expect.stringContaining('shard 1/3: another genrun is at work') }
  expect(await runShard(bench, 1, 3)).toMatchObject({ got: 'busy' })
  expect(await bench.run()).toMatchObject({ problems: [{ code: 'unmerged-shards' }] })
  expect(await runShard(bench, 1, 2)).toMatchObject(busy)
  expect(await mergeShards({ manifest: manifestName, cwd: bench.folder })).toMatchObject(busy)
  bench.write(manifestName, rowsOf([...rows, 'x']))
  expect(await runShard(bench, 2, 3)).toMatchObject(busy)
  expect(shop.sold).toHaveLength(sold)
  bench.write(manifestName, rowsOf(rows))
  expect(await runShard(bench, 2, 3)).toMatchObject({ report: { exit: 0 } })
  answer?.()
  expect(await first).toMatchObject({ report: { exit: 0 } })
  expect(duplicates(shop.sold)).toEqual([])
})

test('no shard begins while the whole is at work', async () => {
  const shop = await openShop(rowsOf(rows))
  let answer: (() => void) | undefined
  const isAsked = new Promise<void>(asked => {
    shop.onOrder = () =>
      new Promise(resolve => {
        asked()
        answer = () => resolve(undefined)
      })
  })
  const whole = shop.bench.run()
  await isAsked
  shop.onOrder = () => undefined
  expect(await runShard(shop.bench, 1, 2)).toMatchObject({
    got: 'busy',
    message: expect.stringContaining('the whole manifest: another genrun is at work'),
  })
  answer?.()
  await whole
  expect(duplicates(shop.sold)).toEqual([])
})

/** What a machine of a matrix leaves: its lock, and its files. */
function bring(from: Bench, to: Bench, nth: number, of: number): void {
  for (const name of [`m.${nth}-of-${of}.lock.json`, 'out'])
    if (from.has(name)) cpSync(join(from.folder, name), join(to.folder, name), { recursive: true })
}

test('machines that see nothing of each other come together by their locks and files', async () => {
  const { copy, sold } = await openShop(rowsOf(rows))
  const home = copy()
  const machines = [1, 2, 3].map(nth => ({ nth, machine: copy() }))
  for (const { nth, machine } of machines) await runShard(machine, nth, 3)
  expect(duplicates(sold)).toEqual([])
  expect(sold).toHaveLength(all)
  // Two of them at first; what the third has is bought by nobody, as long as nobody runs the whole.
  for (const { nth, machine } of machines.slice(0, 2)) bring(machine, home, nth, 3)
  expect((await merged(home)).merged).toHaveLength(2)
  for (const { nth, machine } of machines) bring(machine, home, nth, 3)
  await merged(home)
  expect(plainLock(home).trimEnd().split('\n')).toHaveLength(all + 2)
  await expectWhole(home, sold)
})

test('one shard that was started on two machines is told of, and all that was paid for is kept', async () => {
  const { copy, sold } = await openShop(rowsOf(rows))
  const [one, other, home] = [copy(), copy(), copy()]
  await runShard(one, 1, 1)
  await runShard(other, 1, 1)
  expect(sold).toHaveLength(2 * all)
  bring(one, home, 1, 1)
  await merged(home)
  bring(other, home, 1, 1)
  const { twice, news } = await merged(home)
  expect(news).toBe(all)
  expect(twice.map(({ bought }) => bought.map(({ by }) => by))).toEqual(
    Array.from({ length: all }, () => ['the whole manifest', 'shard 1/1']),
  )
  expect(plainLock(home).match(/"state":"(done|aside)"/g)).toHaveLength(2 * all)
  await expectWhole(home, sold)
})

test('a manifest that is renamed before its shards are merged buys nothing under its new name', async () => {
  const { bench, sold } = await openShop(rowsOf(rows))
  await runShards(bench, 2)
  bench.write('n.yaml', rowsOf(rows))
  bench.remove(manifestName)
  const refused = { got: 'refused', problems: [{ code: 'unmerged-shards' }] }
  expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject(refused)
  const continues = 'm.1-of-2.lock.json'
  expect(await bench.run({ manifest: 'n.yaml', continues })).toMatchObject(refused)
  expect(await runShard(bench, 1, 2, { manifest: 'n.yaml' })).toMatchObject(refused)
  expect(sold).toHaveLength(all)
})

test('whose claims were taken over is told: of the whole, and of each shard', async () => {
  const { bench } = await openShop(rowsOf(rows))
  await runShards(bench, 2)
  const self = { host: 'another-host', pid: 7, machine: 'another', boot: 'b', space: '', start: '' }
  const claimOf = (state: string) => join(bench.folder, '.genrun', state, 'claim')
  await takeClaim(claimOf('m'))
  await takeClaim(claimOf('m.1-of-2'), { self, force: true, clock: { ...systemClock, wall: () => 0 } })
  const { takenOver, left } = await merged(bench, { takeClaim: true })
  expect(left).toEqual(['1/2'])
  const told = 'taken over from the genrun that was at work on this manifest (process'
  const then = 'it stops at its next look, before it orders anything more'
  const here = takenOver[0]?.replace(/ on \S+, since [^)]+/, '')
  expect([here, takenOver[1]]).toEqual([
    `${told} ${process.pid}): it is still there, and stops at its next look, before it orders anything more`,
    `shard 1/2: ${told} 7 on another-host, since 1970-01-01T00:00:00.000Z): should it still be at work there, ${then}`,
  ])
})
