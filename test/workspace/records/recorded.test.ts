import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/gateway/server.ts'
import type { JournalEntry } from '../../../src/store/journal/journal-text.ts'
import { mergeLocks } from '../../../src/store/lock/lock-merge.ts'
import { acceptJobs } from '../../../src/verbs/accept.ts'
import { pickTake } from '../../../src/verbs/pick.ts'
import { type Bench, closeBench, manifestName, openBench } from '../../verbs/bench.ts'
import { keepRecords } from '../../verbs/kept-records.ts'
import { madeOnce } from '../../verbs/made.ts'

const made = madeOnce(
  'name: shop\ndefaults: { model: famb-v3 }\njobs:\n  hero: { prompt: a teapot on wet slate, takes: 2 }\n',
  2,
)

/** The state says so, of a lock that is not the one beside it; the pick was killed before it gave any file a name. */
function pickInJournal(entry: JournalEntry): JournalEntry {
  if (entry.kind !== 'STANDS' || entry.record.address !== 'hero#2' || entry.record.is !== 'done') return entry
  return { ...entry, record: { ...entry.record, picked: true } }
}

test('a lock without a pick, put back beside a state with one: what its run decided, the next one believes', async () => {
  const bench = made.copy()
  bench.remove('.genrun')
  await bench.run()
  const isRecord = (entry: JournalEntry) => !['LOCK', 'CLOSE'].includes(entry.kind)
  keepRecords(bench, isRecord, entry => {
    const { lock: _, ...rest } = entry as JournalEntry & { lock?: unknown }
    return pickInJournal(rest as JournalEntry) // as it was, without one field that may be absent
  })
  const lock = bench.read('m.lock.json')
  bench.remove('out/shop/takes')

  for (const ending of ['fetched', 'kept']) {
    const result = await bench.run()
    const jobs = result.got === 'report' ? result.report.jobs : []
    expect(jobs.map(job => [job.address, job.ending])).toEqual([
      ['hero', 'kept'],
      ['hero#2', ending],
    ])
    expect(bench.read('m.lock.json')).toBe(lock)
  }
})

test('what a person took a result for outlives state from before that was put back, and the lock after that', async () => {
  const bench = made.copy()
  cpSync(join(bench.folder, '.genrun'), join(bench.folder, 'before'), { recursive: true })
  bench.write(manifestName, bench.read(manifestName).replace('a teapot on wet slate', 'a teapot by day'))
  expect(await acceptJobs({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ got: 'accepted' })
  bench.remove('.genrun')
  cpSync(join(bench.folder, 'before'), join(bench.folder, '.genrun'), { recursive: true })
  expect(await bench.run()).toMatchObject({ report: { counts: { kept: 2 } } })
  bench.remove('m.lock.json')
  expect(await bench.run()).toMatchObject({ report: { counts: { kept: 2 } } })
})

test('a lock from before a pick that is checked out after it says which take is picked', async () => {
  const bench = made.copy()
  const before = bench.read('m.lock.json')
  const of = { manifest: manifestName, cwd: bench.folder }
  expect(await pickTake({ ...of, address: 'hero#2' })).toMatchObject({ got: 'picked' })
  expect(bench.read('m.lock.json')).not.toBe(before)
  bench.write('m.lock.json', before)
  for (const counts of [{ moved: 2 }, { kept: 2 }]) {
    expect(await bench.run()).toMatchObject({ report: { counts } })
    expect(bench.read('m.lock.json')).toBe(before)
  }
})

test('two checkouts bought the same: where their locks are merged, both have the one from which others are made', async () => {
  const [one, two] = [made.copy(), made.copy()]
  const base = one.read('m.lock.json')
  const more = `${one.read(manifestName)}  cup: { prompt: a cup }\n`
  for (const bench of [one, two]) {
    bench.write(manifestName, more)
    expect(await bench.run()).toMatchObject({ report: { counts: { made: 1 } } })
  }
  const merged = mergeLocks({ base, ours: one.read('m.lock.json'), theirs: two.read('m.lock.json') })
  one.write('m.lock.json', merged.got === 'merged' ? merged.text : '')
  const clip = "  clip: { prompt: the same by night, imageUrls: '${{ jobs.cup.output }}' }\n" // filled in by genrun
  one.write(manifestName, more + clip)
  expect(await one.run()).toMatchObject({ report: { counts: { made: 1, kept: 3 } } })
  const lock = one.read('m.lock.json')
  for (const file of [manifestName, 'm.lock.json']) two.write(file, one.read(file))
  // What a run that fetches nothing has seen, the next one still believes.
  const stop = new AbortController()
  await two.run({ emit: () => stop.abort(), stop: stop.signal })
  for (const counts of [{ fetched: 2, kept: 2 }, { kept: 4 }]) {
    expect(await two.run()).toMatchObject({ report: { counts } })
    expect(two.read('m.lock.json')).toBe(lock)
  }
  expect(await one.run()).toMatchObject({ report: { counts: { kept: 4 } } })
})

test('a lock that knows more than the journal is believed by the next run as well, when the journal has heard of it', async () => {
  const gateway = await startGateway({
    outputs: 'memory',
    faults: { rules: [{ fault: { does: 'fail' }, first: 1 }] },
  })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  const hero = 'jobs:\n  hero: { model: fama-imagine-image, prompt: A teapot }\n'
  bench.write(manifestName, hero)
  expect(await bench.run()).toMatchObject({ report: { counts: { failed: 1 } } })
  // A power cut took the end of the journal, which is synced later than the lock.
  keepRecords(bench, ({ kind }) => ['OPEN', 'INTENT', 'SENDING'].includes(kind))
  bench.write(manifestName, `${hero}  other: { model: fama-imagine-image, prompt: A cup }\n`)
  for (const counts of [
    { held: 1, made: 1 },
    { held: 1, kept: 1 },
  ])
    expect(await bench.run()).toMatchObject({ report: { counts } })
})

test('an order that was cut off hard stands in the index alone, which is read in the usual folder as well', async () => {
  const bench = made.copy()
  const [head, ...lines] = bench.read(indexOf(bench)).trimEnd().split('\n')
  const cut = lines
    .map(line => JSON.parse(line))
    .filter(({ address }) => address === 'hero#2')
    .map(line => ({ ...line, state: 'doubt', run: undefined, files: [], flaw: stopped }))
  bench.write(indexOf(bench), [head, ...cut.map(line => JSON.stringify(line)), ''].join('\n'))
  bench.write('m.lock.json', bench.read('m.lock.json').replace(/\n\{"address":"hero#2".*/, ''))
  bench.remove('.genrun')
  const output = join(bench.folder, 'elsewhere')
  expect(bench.plan()).toMatchObject({
    paid: 0,
    steps: [{ address: 'hero' }, { do: 'doubt', address: 'hero#2' }],
  })
  for (let nth = 0; nth < 2; nth++)
    expect(await bench.run({ output })).toMatchObject({ report: { exit: 3, paid: 0, counts: { doubt: 1 } } })
  expect(bench.read('m.lock.json')).toMatch(/"address":"hero#2","state":"doubt"/)
})

const stopped = { why: 'in-doubt', message: 'genrun stopped before an answer came' }

function indexOf(bench: Bench): string {
  const folder = 'out/shop/.genrun'
  return `${folder}/${readdirSync(join(bench.folder, folder)).find(name => name.endsWith('.jsonl'))}`
}
