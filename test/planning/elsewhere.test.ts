import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { knownElsewhere } from '../../src/planning/elsewhere.ts'
import { openWorkspace } from '../../src/planning/open-workspace.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import type { JournalEntry } from '../../src/store/journal/journal-text.ts'
import { rescuePlace } from '../../src/store/lock/rescued.ts'
import { planManifest } from '../../src/verbs/plan.ts'
import { recoverManifest } from '../../src/verbs/recover.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { thisMachine } from '../../src/workspace/machine.ts'
import { readRecorded } from '../../src/workspace/records/recorded.ts'
import { type Bench, manifestName, paidAt, pixel } from '../verbs/bench.ts'
import { keepRecords } from '../verbs/kept-records.ts'
import { madeOnce, shopManifest } from '../verbs/made.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })
const other = '12'.repeat(16)

/** As `git pull` brings the lock of another clone, that knows everything but the photo. */
function takeLockOfAnother(bench: Bench, lineage = other): void {
  const lock = bench.read('m.lock.json').replace(/\n\{"address":"photo".*/, '')
  bench.write('m.lock.json', lock.replace(/"lineage":"[0-9a-f]{32}"/, `"lineage":"${lineage}"`))
  bench.remove('out/shop/photo.png')
}

function forgetIndex(bench: Bench): void {
  bench.remove('out/shop/.genrun')
}

/** As a run that could not write the lock left it. Removed after the test. */
function rescueLock(bench: Bench): string {
  const rescued = rescuePlace(thisMachine.refuge ?? '', join(bench.folder, 'm.lock.json'), systemDisk)
  rescued.writeNow(bench.read('m.lock.json'))
  onTestFinished(rescued.remove)
  return rescued.file
}

const isOf =
  (...kinds: readonly JournalEntry['kind'][]) =>
  (entry: JournalEntry) =>
    kinds.includes(entry.kind)

test.each([
  {
    knows: 'a state of another lineage, as done',
    edit: (bench: Bench) => {
      takeLockOfAnother(bench)
      forgetIndex(bench)
    },
    message: /^photo is paid for already \(made by run \S+\), and neither the lock nor its journal knows it$/,
    found: 'gone',
  },
  {
    knows: 'a state of another lineage, as under way',
    edit: (bench: Bench) => {
      takeLockOfAnother(bench)
      forgetIndex(bench)
      keepRecords(bench, isOf('OPEN', 'INTENT', 'SENDING', 'ACCEPTED', 'RESULT'))
    },
    message: /^photo is paid for already \(run \S+ is not fetched yet\)/,
    found: 'under-way',
  },
  {
    knows: 'a state of another lineage, as in doubt',
    edit: (bench: Bench) => {
      takeLockOfAnother(bench)
      forgetIndex(bench)
      keepRecords(bench, isOf('OPEN', 'INTENT', 'SENDING'))
    },
    message: /^photo may be paid for already \(the order photo@[0-9a-f]{6} is in doubt\)/,
    found: 'doubt',
  },
  {
    knows: 'a lock of another lineage that its disk did not take',
    edit: (bench: Bench) => {
      rescueLock(bench)
      takeLockOfAnother(bench)
      forgetIndex(bench)
      bench.remove('.genrun')
    },
    message: /^photo is paid for already \(made by run \S+\)/,
    found: 'gone',
  },
  {
    knows: 'the index of another lineage',
    edit: (bench: Bench) => {
      takeLockOfAnother(bench)
      bench.remove('.genrun')
    },
    message: /^photo is paid for already \(made by run \S+\)/,
    found: 'gone',
  },
  {
    knows: 'the index of an older version of the lock',
    edit: (bench: Bench) => {
      takeLockOfAnother(bench, /"lineage":"([0-9a-f]{32})"/.exec(bench.read('m.lock.json'))?.[1])
      bench.remove('.genrun')
    },
    message: /^photo is paid for already \(made by run \S+\)/,
    found: 'gone',
  },
])('what $knows is not bought again by itself, and is taken up for nothing', async each => {
  const bench = shop.copy()
  each.edit(bench)
  const before = paidAt(shop.gateway)
  const workspace = { manifest: manifestName, cwd: bench.folder }
  const problem = { code: 'owed-elsewhere', message: expect.stringMatching(each.message) }
  expect(planManifest(workspace)).toMatchObject({ got: 'plan', obstacles: [problem] })
  expect(statusOf(workspace)).toMatchObject({ status: { toBuy: 0, owedElsewhere: [{ address: 'photo' }] } })
  // Twice: the first run sets the state of the other lineage aside.
  for (let nth = 0; nth < 2; nth++)
    expect(await bench.run()).toMatchObject({ got: 'refused', problems: [problem] })
  expect(paidAt(shop.gateway)).toBe(before)

  expect(await recoverManifest({ ...workspace, isConfirmed: false })).toMatchObject({
    record: { found: [{ address: 'photo', is: each.found }] },
  })
  await recoverManifest({ ...workspace, isConfirmed: true })
  const exit = each.found === 'doubt' ? 3 : 0
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit } })
  expect(paidAt(shop.gateway)).toBe(before)
})

test.each([
  { left: 'a lock that knows less', lose: (_bench: Bench, _file: string) => undefined },
  { left: 'nothing', lose: (bench: Bench, _file: string) => bench.remove('m.lock.json') },
  {
    left: 'a lock that knows less, in another place',
    lose: (_bench: Bench, file: string) => {
      const moved = file.replace(/[0-9a-f]{12}(?=-m\.lock)/, 'c0ffee123456')
      renameSync(file, moved)
      onTestFinished(() => rmSync(moved))
    },
    stays: true,
  },
])('a lock that its disk did not take is found by the next run, where $left is left', async each => {
  const bench = shop.copy()
  const file = rescueLock(bench)
  takeLockOfAnother(bench, /"lineage":"([0-9a-f]{32})"/.exec(bench.read('m.lock.json'))?.[1])
  forgetIndex(bench)
  bench.remove('.genrun')
  each.lose(bench, file)
  const orders = each.left === 'nothing' ? '4 orders' : '1 order'
  const told = expect.stringContaining(
    `as the lock could not be written: ${orders} that nothing else told of`,
  )
  const workspace = { manifest: manifestName, cwd: bench.folder }
  const places = () =>
    readdirSync(dirname(file)).filter(name => /^c0ffee123456/.test(name) || basename(file) === name)
  expect(statusOf(workspace)).toMatchObject({ status: { toBuy: 0, rescued: [{ isOurs: true }] } })
  expect(bench.plan()).toMatchObject({
    paid: 0,
    remarks: [told, expect.stringMatching('the files of 1 job are gone')],
  })
  expect(places()).toHaveLength(1)
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0, counts: { fetched: 1 } } })
  expect(places()).toHaveLength(each.stays ? 1 : 0)
  expect(bench.plan().remarks).toEqual([])
})

test('what is paid for is known by the index of the usual folder, whatever folder is given', async () => {
  const bench = shop.copy()
  const lock = bench.read('m.lock.json')
  bench.write('m.lock.json', lock.replace(/\n\{"address":"photo".*/, ''))
  bench.remove('out/shop/photo.png')
  bench.remove('.genrun')
  const output = join(bench.folder, 'other')
  const workspace = { manifest: manifestName, cwd: bench.folder, output }
  const problem = {
    code: 'owed-elsewhere',
    hint: `\`genrun recover m.yaml -o ${output}\` takes it up for nothing; --continue none buys anew`,
  }
  const before = paidAt(shop.gateway)
  for (let nth = 0; nth < 2; nth++)
    expect(await bench.run({ output })).toMatchObject({ got: 'refused', problems: [problem] })
  await recoverManifest({ ...workspace, isConfirmed: true })
  expect(await bench.run({ output })).toMatchObject({ report: { paid: 0 } })
  expect(paidAt(shop.gateway)).toBe(before)
})

test('by a word it is bought anew', async () => {
  const bench = shop.copy()
  takeLockOfAnother(bench)
  const before = paidAt(shop.gateway)
  expect(await bench.run({ continues: 'none' })).toMatchObject({ report: { paid: 1, exit: 0 } })
  expect(paidAt(shop.gateway)).toBe(before + 1)
  expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
})

test('what another lineage has of things that nobody asks for now stays there', async () => {
  const bench = shop.copy()
  takeLockOfAnother(bench)
  forgetIndex(bench)
  keepRecords(bench, isOf('OPEN', 'INTENT', 'SENDING'))
  bench.edit('m.yaml', 'The teapot of the photo', 'The cup of the photo')
  const recovered = await recoverManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed: true })
  expect(recovered).toMatchObject({ record: { found: [] } })
  expect(bench.plan().paid).toBe(1)
})

test('what a genrun at work buys between two looks of `status` is not owed elsewhere', () => {
  const bench = shop.copy()
  const workspace = openWorkspace({ manifest: manifestName, cwd: bench.folder })
  if ('got' in workspace) throw new Error('refused')
  const recorded = readRecorded(workspace)
  if ('got' in recorded) throw new Error(recorded.message)
  // As it was read before the photo was bought; by now journal and index have it.
  const before = { ...recorded, purchases: recorded.purchases.filter(({ address }) => address !== 'photo') }
  expect(knownElsewhere(workspace, before)).toEqual([])
  bench.remove('.genrun')
  expect(knownElsewhere(workspace, before)).toMatchObject([{ address: 'photo' }])
})
