// What two branches bought apart from each other: each lock with its own state, whatever is done in between.
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../../src/planning/open-workspace.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { openJournal } from '../../../src/store/journal/open-journal.ts'
import { recoverManifest } from '../../../src/verbs/recover.ts'
import { statusOf } from '../../../src/verbs/status.ts'
import { foreignStates } from '../../../src/workspace/records/lineage.ts'
import { settleLineage } from '../../../src/workspace/records/settle-lineage.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { type Bench, manifestName, toldSteps } from '../../verbs/bench.ts'
import { endings, openSeller, pictures, type Seller } from '../../verbs/seller.ts'

/** A branch of a project: its manifest and its lock. */
interface Branch {
  readonly manifest: string
  readonly lock: string
}

function checkOut(bench: Bench, { manifest, lock }: Branch): void {
  bench.write(manifestName, manifest)
  bench.write('m.lock.json', lock)
}

/**
 * Ours: `a` was made, and `b` was out when the process was killed, so that only the journal knows of it. Theirs: a lock of
 * its own, with `z`, made elsewhere.
 */
async function twoBranches(): Promise<{
  readonly seller: Seller
  readonly bench: Bench
  readonly ours: Branch
  readonly theirs: Branch
}> {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ a: 'one' }))
  await bench.run()
  const lock = bench.read('m.lock.json')
  const manifest = pictures({ a: 'one', b: 'two' })
  bench.write(manifestName, manifest)
  seller.does = 'lose'
  expect(endings(await bench.run())).toEqual(['a: kept', 'b: doubt'])
  seller.does = 'take'
  const index = `out/m/.genrun/results-${JSON.parse(lock).lineage}.jsonl`
  const lines = bench.read(index).split('\n')
  bench.write(index, lines.filter(line => !line.includes('"two"')).join('\n'))
  const other = seller.clone()
  const zed = pictures({ z: 'zed' })
  other.write(manifestName, zed)
  await other.run()
  expect(seller.orders).toEqual(['one', 'two', 'zed'])
  return {
    seller,
    bench,
    ours: { manifest, lock },
    theirs: { manifest: zed, lock: other.read('m.lock.json') },
  }
}

/** Works on their branch, so that our state is set aside. Theirs has a state of its own then. */
async function workOn(bench: Bench, { manifest, lock }: Branch): Promise<void> {
  checkOut(bench, { manifest: manifest + pictures({ y: 'why' }).replace('jobs:\n', ''), lock })
  expect(endings(await bench.run())).toContain('y: made')
}

/** Every state folder with a journal in it. */
function states(bench: Bench): string[] {
  const own = namesIn(bench, '.').filter(name => name !== '.aside')
  const aside = namesIn(bench, '.aside').flatMap(called =>
    namesIn(bench, `.aside/${called}`).map(name => `.aside/${called}/${name}`),
  )
  return [...aside, ...own].filter(name => journals(bench, name).length > 0)
}

function namesIn(bench: Bench, folder: string): string[] {
  const path = join(bench.folder, '.genrun', folder)
  return existsSync(path) ? readdirSync(path).filter(name => name !== '.gitignore') : []
}

function lineageIn({ lock }: Branch): string {
  return JSON.parse(lock).lineage
}

/** As an older genrun set a state aside: beside the states of all manifests, by the first digits of its lineage. */
function asOlder(bench: Bench, state: string, called: string): void {
  renameSync(join(bench.folder, '.genrun', state), join(bench.folder, '.genrun', called))
}

function journals(bench: Bench, state: string): string[] {
  const folder = join(bench.folder, '.genrun', state, 'journal')
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.jnl')) : []
}

function damageJournal(bench: Bench, state: string): string {
  const path = join(bench.folder, '.genrun', state, 'journal', journals(bench, state).at(-1) ?? '')
  const bytes = readFileSync(path)
  bytes[60] = (bytes[60] ?? 0) ^ 1
  writeFileSync(path, bytes)
  return path
}

async function expectDoubt(bench: Bench, seller: Seller): Promise<void> {
  const before = [...seller.orders]
  expect(toldSteps(bench.plan())[0]).toMatch(/^doubt b: /)
  expect(endings(await bench.run())).toContain('b: doubt')
  expect(seller.orders).toEqual(before)
}

test('what is set aside is seen by a plan as a run will find it', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  checkOut(bench, ours)
  const before = bench.snapshot()
  expect(toldSteps(bench.plan())[0]).toMatch(/^doubt b: /)
  expect(statusOf({ manifest: manifestName, cwd: bench.folder })).toMatchObject({
    status: { open: [{ address: 'b' }], foreign: [{ folder: join(bench.folder, '.genrun/m'), owes: [] }] },
  })
  expect(bench.snapshot()).toEqual(before)
  await expectDoubt(bench, seller)
})

test('recover beside the state of another lineage leaves that one what it is', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  checkOut(bench, theirs)
  expect(
    await recoverManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed: true }),
  ).toMatchObject({
    got: 'recovered',
  })
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
})

test('recover of a damaged lock goes by the lineage that can still be read in it', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  checkOut(bench, { ...theirs, lock: theirs.lock.replace('null]}', '') })
  expect(
    await recoverManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed: true }),
  ).toMatchObject({
    got: 'recovered',
    record: { moved: 'm.lock.json.damaged-1' },
  })
  expect(JSON.parse(bench.read('m.lock.json')).lineage).toBe(JSON.parse(theirs.lock).lineage)
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
})

test('recover without a lock finds the state that lies aside', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  checkOut(bench, ours)
  bench.remove('m.lock.json')
  bench.remove('.genrun/m')
  for (const name of readdirSync(join(bench.folder, 'out/m/.genrun')))
    if (name.includes(JSON.parse(theirs.lock).lineage)) bench.remove(`out/m/.genrun/${name}`)
  expect(
    await recoverManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed: true }),
  ).toMatchObject({
    got: 'recovered',
  })
  await expectDoubt(bench, seller)
})

test('a manifest that was renamed takes along what is set aside', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  checkOut(bench, ours)
  renameSync(join(bench.folder, manifestName), join(bench.folder, 'n.yaml'))
  const request = { manifest: 'n.yaml', continues: 'm.lock.json' }
  expect(toldSteps(bench.plan(request))[0]).toMatch(/^doubt b: /)
  const before = [...seller.orders]
  expect(endings(await bench.run(request))).toEqual(['a: kept', 'b: doubt'])
  expect(seller.orders).toEqual(before)
  // The other branch still has its own under the name that it uses.
  expect(states(bench)).toEqual([`.aside/${lineageIn(theirs)}/m`, 'n'])
})

test('the same when nothing lies under the former name but that', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  bench.remove('.genrun/m')
  checkOut(bench, ours)
  renameSync(join(bench.folder, manifestName), join(bench.folder, 'n.yaml'))
  const before = [...seller.orders]
  expect(endings(await bench.run({ manifest: 'n.yaml', continues: 'm.lock.json' }))).toContain('b: doubt')
  expect(seller.orders).toEqual(before)
})

test('a journal that nobody can read is taken for nobody’s: nothing takes its place before it is mended', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  const damaged = damageJournal(bench, 'm')
  checkOut(bench, ours)
  const before = [...seller.orders]
  const told = { got: 'damaged', message: expect.stringContaining(damaged) }
  expect(await bench.run()).toMatchObject(told)
  const aside = states(bench).find(name => name.startsWith('.aside/')) ?? ''
  expect(journals(bench, aside)).toEqual(['000000.jnl'])
  renameSync(join(bench.folder, manifestName), join(bench.folder, 'n.yaml'))
  expect(await bench.run({ manifest: 'n.yaml', continues: 'm.lock.json' })).toMatchObject(told)
  renameSync(join(bench.folder, 'n.yaml'), join(bench.folder, manifestName))
  // As it is said: it is moved away.
  renameSync(damaged, join(bench.folder, 'away.jnl'))
  expect(seller.orders).toEqual(before)
  await expectDoubt(bench, seller)
})

test('a journal that was damaged while it lay aside is told when it is needed', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  damageJournal(bench, states(bench).find(name => name.startsWith('.aside/')) ?? '')
  checkOut(bench, ours)
  const before = [...seller.orders]
  expect(() => bench.plan()).toThrow('damaged')
  expect(await bench.run()).toMatchObject({ got: 'damaged' })
  expect(await bench.run()).toMatchObject({ got: 'damaged' })
  expect(seller.orders).toEqual(before)
})

test('a journal that comes back is the one that the next run finds, whatever the numbers are', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  // Ours gets a high number, as after many runs.
  const [journal = ''] = journals(bench, 'm')
  renameSync(
    join(bench.folder, '.genrun/m/journal', journal),
    join(bench.folder, '.genrun/m/journal/000900.jnl'),
  )
  await workOn(bench, theirs)
  // Their state is thrown away: the numbers begin anew.
  bench.remove('.genrun/m')
  checkOut(bench, { ...ours, manifest: ours.manifest + pictures({ c: 'three' }).replace('jobs:\n', '') })
  expect(endings(await bench.run())).toEqual(['a: kept', 'b: doubt', 'c: made'])
  // Only the journal of that run knows what it bought when the lock is put back.
  bench.write('m.lock.json', ours.lock)
  const before = [...seller.orders]
  expect(endings(await bench.run())).toEqual(['a: kept', 'b: doubt', 'c: kept'])
  expect(seller.orders).toEqual(before)
})

test('a journal in which nothing stands yet does not hide the one that comes back', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  for (const name of journals(bench, 'm')) bench.remove(`.genrun/m/journal/${name}`)
  // A run was killed when it had just begun its journal.
  bench.write('.genrun/m/journal/000999.jnl', '')
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
})

test('of two states of one lineage neither replaces the other', async () => {
  const { bench, ours, theirs } = await twoBranches()
  const { layout } = openWorkspace({ manifest: manifestName, cwd: bench.folder }) as Workspace
  const putAgain = keptJournal(bench)
  checkOut(bench, theirs)
  await settleLineage(layout, systemDisk)
  putAgain()
  await settleLineage(layout, systemDisk)
  const aside = [`.aside/${lineageIn(ours)}/m`, `.aside/${lineageIn(ours)}-1/m`]
  expect(states(bench).filter(name => name !== 'm')).toEqual(aside)
  for (const name of aside) expect(journals(bench, name)).toEqual(['000000.jnl'])
  const owed = foreignStates(layout.state, JSON.parse(theirs.lock).lineage, systemDisk)
  expect(owed.map(({ owes }) => owes.map(({ address }) => address))).toEqual([['b'], ['b']])
})

/** Theirs with a lineage that begins as ours does: the lock is in version control, where everybody reads it. */
function alike({ ours, theirs }: { readonly ours: Branch; readonly theirs: Branch }): Branch {
  const digits = `${lineageIn(ours).slice(0, 12)}${'9'.repeat(20)}`
  return { ...theirs, lock: theirs.lock.replace(lineageIn(theirs), digits) }
}

test('two lineages that begin alike are two', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  const other = alike({ ours, theirs })
  await workOn(bench, other)
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
  checkOut(bench, { ...other, lock: bench.read('m.lock.json').replace(lineageIn(ours), lineageIn(other)) })
  await bench.run()
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
  expect(states(bench)).toEqual([`.aside/${lineageIn(other)}/m`, 'm'])
})

test('what an older genrun set aside is found by its whole lineage, whatever else is called alike', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  const other = alike({ ours, theirs })
  await workOn(bench, other)
  const called = `m.${lineageIn(ours).slice(0, 12)}`
  asOlder(bench, `.aside/${lineageIn(ours)}/m`, `${called}-1`)
  asOlder(bench, 'm', called)
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
  const { layout } = openWorkspace({ manifest: manifestName, cwd: bench.folder }) as Workspace
  expect(foreignStates(layout.state, lineageIn(ours), systemDisk)).toMatchObject([
    { folder: join(bench.folder, '.genrun', called), lineage: lineageIn(other) },
  ])
})

test('a manifest that is called as an older genrun called what it set aside gets nothing of that', async () => {
  const { seller, bench, ours, theirs } = await twoBranches()
  await workOn(bench, theirs)
  const called = `m.${lineageIn(ours).slice(0, 12)}`
  asOlder(bench, `.aside/${lineageIn(ours)}/m`, called)
  bench.write(`${called}.yaml`, pictures({ q: 'queue' }))
  const request = { manifest: `${called}.yaml` }
  expect(toldSteps(bench.plan(request))).toEqual([expect.stringMatching(/^buy q: /)])
  expect(endings(await bench.run(request))).toEqual(['q: made'])
  expect(states(bench)).toEqual([`.aside/${lineageIn(ours)}/m`, 'm', called])
  checkOut(bench, ours)
  await expectDoubt(bench, seller)
})

test('the state of a manifest is not taken for what was set aside of another, however it is called', async () => {
  const { bench, ours, theirs } = await twoBranches()
  const called = `m.${lineageIn(ours).slice(0, 12)}`
  bench.write(`${called}.yaml`, pictures({ q: 'queue' }))
  await bench.run({ manifest: `${called}.yaml` })
  checkOut(bench, theirs)
  const { layout } = openWorkspace({ manifest: manifestName, cwd: bench.folder }) as Workspace
  expect(foreignStates(layout.state, lineageIn(theirs), systemDisk)).toMatchObject([
    { folder: join(bench.folder, '.genrun/m') },
  ])
})

test.each(['.aside', '.ASIDE'])(
  'no manifest can be called as the folder of what is set aside: %s',
  async stem => {
    const { seller, bench, ours, theirs } = await twoBranches()
    await workOn(bench, theirs)
    const before = [...seller.orders]
    bench.write(`${stem}.yaml`, pictures({ q: 'queue' }))
    expect(await bench.run({ manifest: `${stem}.yaml` })).toMatchObject({
      got: 'damaged',
      message: expect.stringContaining('no manifest can be called so'),
    })
    expect(seller.orders).toEqual(before)
    checkOut(bench, ours)
    await expectDoubt(bench, seller)
  },
)

test('nothing is set aside behind a link', async () => {
  const { bench, theirs } = await twoBranches()
  bench.write('elsewhere/mine.txt', 'mine')
  symlinkSync(join(bench.folder, 'elsewhere'), join(bench.folder, '.genrun/.aside'))
  checkOut(bench, theirs)
  expect(await bench.run()).toMatchObject({
    got: 'damaged',
    message: expect.stringContaining('it is a link'),
  })
  expect(readdirSync(join(bench.folder, 'elsewhere'))).toEqual(['mine.txt'])
  expect(journals(bench, 'm')).toHaveLength(1)
})

/** Keeps the journal of `m`; puts it there again when it is called. */
function keptJournal(bench: Bench): () => void {
  const [name = ''] = journals(bench, 'm')
  const bytes = bench.bytes(`.genrun/m/journal/${name}`)
  return () => bench.write(`.genrun/m/journal/${name}`, bytes)
}

test('a journal of another lineage is never opened to be written', async () => {
  const { bench, theirs } = await twoBranches()
  const folder = join(bench.folder, '.genrun/m/journal')
  const before = bench.snapshot()
  const { lineage } = JSON.parse(theirs.lock)
  expect(await openJournal({ folder, lineage, tool: 'genrun' })).toMatchObject({
    got: 'damaged',
    why: 'it goes with another lock than the one that is there now',
  })
  expect(bench.snapshot()).toEqual(before)
})
