import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { readAllResults } from '../../src/store/lock/read-results.ts'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import type { RecoverRecord } from '../../src/verbs/recover.ts'
import { recoverManifest } from '../../src/verbs/recover.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, pixel, toldSteps } from './bench.ts'
import { madeOnce, shopManifest } from './made.ts'
import { endings, openSeller, pictures, shade } from './seller.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })

function indexOf(bench: Bench, output = 'out/shop'): string {
  const folder = join(bench.folder, output, '.genrun')
  const name = readdirSync(folder).find(each => each.startsWith('results-')) ?? 'no index'
  return join(folder, name)
}

async function recovered(
  bench: Bench,
  { isConfirmed = true, manifest = manifestName }: { isConfirmed?: boolean; manifest?: string } = {},
): Promise<RecoverRecord> {
  const result = await recoverManifest({ manifest, cwd: bench.folder, isConfirmed })
  if (result.got === 'recovered') return result.record
  throw new Error(JSON.stringify(result))
}

function lose(bench: Bench): void {
  bench.remove('m.lock.json')
  bench.remove('.genrun')
}

/** What a run says that is refused; nothing is sent. */
async function refusal(bench: Bench, more: Parameters<Bench['run']>[0] = {}) {
  const before = paidAt(shop.gateway)
  const result = await bench.run(more)
  expect(paidAt(shop.gateway)).toBe(before)
  if (result.got !== 'refused') throw new Error(JSON.stringify(result))
  const { code, message, hint } = result.problems[0] ?? {}
  return { code, message, hint }
}

test.each([
  ['under another name', 'n.yaml', ''],
  ['with another folder for what it makes', 'm.yaml', 'output: media\n'],
])('without lock and journal a manifest %s is not bought anew in silence', async (_, manifest, more) => {
  const bench = openBench(shop.gateway)
  onTestFinished(() => closeBench(bench))
  const text = 'jobs:\n  a: { model: fama-imagine-image, prompt: Apple }\n'
  bench.write(manifestName, text)
  expect(await bench.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
  lose(bench)
  bench.remove(manifestName)
  bench.write(manifest, more + text)
  expect(await refusal(bench, { manifest })).toMatchObject({
    code: 'lost-records',
    message: expect.stringContaining('out/m knows of 1 purchase of m.yaml'),
    hint: expect.stringContaining(`genrun run ${manifest} --continue none`),
  })
  // What it says is followed.
  if (more) renameSync(join(bench.folder, 'out/m'), join(bench.folder, 'media'))
  else renameSync(join(bench.folder, manifest), join(bench.folder, manifestName))
  await recovered(bench)
  await expectNothingToDo(bench)
  if (!more) renameSync(join(bench.folder, manifestName), join(bench.folder, manifest))
  const continues = more ? {} : { continues: 'm.lock.json' }
  expect(await bench.run({ manifest, ...continues })).toMatchObject({ report: { paid: 0, exit: 0 } })
  bench.write('new.yaml', text)
  expect(await bench.run({ manifest: 'new.yaml' })).toMatchObject({ report: { paid: 1, exit: 0 } })
})

test('a folder in which another manifest has results as well is not to be moved away', async () => {
  const { seller, bench } = await openSeller()
  const output = 'out/shared'
  for (const manifest of [manifestName, 'n.yaml']) {
    bench.write(manifest, pictures({ [manifest[0] ?? '']: manifest }))
    await bench.run({ manifest, output })
  }
  bench.remove('m.lock.json')
  bench.remove('.genrun/m')
  const hint = expect.stringMatching(/^`genrun recover m.yaml -o out\/shared` takes up/)
  expect(await refusal(bench)).toMatchObject({ code: 'lost-records', hint })
  await recoverManifest({ manifest: manifestName, cwd: bench.folder, output, isConfirmed: true })
  for (const manifest of [manifestName, 'n.yaml'])
    expect(endings(await bench.run({ manifest, output }))).toEqual([`${manifest[0]}: kept`])
  expect(seller.orders).toHaveLength(2)
})

async function expectNothingToDo(bench: Bench, manifest = manifestName): Promise<void> {
  const before = paidAt(shop.gateway)
  expect(await bench.run({ manifest })).toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
  expect(paidAt(shop.gateway)).toBe(before)
  expect(toldSteps(bench.plan({ manifest }))).toEqual([])
}

test('the index tells of every purchase as the lock does', () => {
  const [index] = readAllResults(join(shop.made.folder, 'out/shop'), systemDisk)
  const lock = JSON.parse(shop.made.read('m.lock.json'))
  expect(index?.owner).toEqual({ manifest: 'm.yaml', folder: '../..', lineage: lock.lineage })
  expect(new Set(index?.purchases.keys())).toEqual(
    new Set(lock.jobs.slice(0, -1).map((job: { id: string }) => job.id)),
  )
  const lines = readFileSync(indexOf(shop.made), 'utf8').trimEnd().split('\n')
  for (const line of shop.made.read('m.lock.json').split('\n').slice(1, -2))
    expect(lines).toContain(line.replace(/,$/, ''))
})

test('with lock and state lost nothing is bought before the results are taken up', async () => {
  const bench = shop.copy()
  lose(bench)
  const before = bench.snapshot()
  expect(await refusal(bench)).toEqual({
    code: 'lost-records',
    message:
      'the output folder knows of 4 purchases, and neither the lock m.lock.json nor the journal is there',
    hint: '`genrun recover m.yaml` takes up what is bought, and buys nothing',
  })
  expect(bench.snapshot()).toEqual(before)
  expect(() => bench.plan()).toThrow('lost-records')

  const found = await recovered(bench, { isConfirmed: false })
  expect(found.found.map(({ is, address, files }) => [address, is, ...files]).toSorted()).toEqual([
    ['edit', 'done', 'edit.png'],
    ['hero#2', 'done', 'takes/hero.take2.png'],
    ['hero', 'done', 'hero.png'],
    ['photo', 'done', 'photo.png'],
  ])
  expect(bench.snapshot()).toEqual(before)

  await recovered(bench)
  expect(bench.read('m.lock.json')).toBe(shop.made.read('m.lock.json'))
  await expectNothingToDo(bench)
  expect(await recovered(bench)).toMatchObject({ found: [], known: 4, unknown: [] })
})

test('a run that is adopted while the rest is lost lets nothing else be bought, until it is taken up', async () => {
  const bench = shop.copy()
  const { run } = JSON.parse(bench.read('m.lock.json')).jobs.find(
    (job: { address: string } | null) => job?.address === 'photo',
  )
  lose(bench)
  const adopted = await adoptRun({ manifest: manifestName, cwd: bench.folder, address: 'photo', run: run.id })
  expect(adopted).toMatchObject({ got: 'resolved' })
  const expected = {
    code: 'lost-records',
    message: 'the output folder knows of 3 purchases, and m.lock.json was made anew without them',
  }
  expect(await refusal(bench)).toMatchObject(expected)
  expect(() => bench.plan()).toThrow('lost-records')
  expect((await recovered(bench)).found.map(({ address }) => address).toSorted()).toEqual([
    'edit',
    'hero',
    'hero#2',
  ])
  await expect(bench.run()).resolves.toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
  await expectNothingToDo(bench)
})

test('beginning anew by a word ends the guard of what was lost, for this and every later run', async () => {
  const bench = shop.copy()
  const { run } = JSON.parse(bench.read('m.lock.json')).jobs.find(
    (job: { address: string } | null) => job?.address === 'photo',
  )
  lose(bench)
  await adoptRun({ manifest: manifestName, cwd: bench.folder, address: 'photo', run: run.id })
  for (const name of ['hero.png', 'takes/hero.take2.png', 'edit.png']) bench.remove(`out/shop/${name}`)
  const anew = await bench.run({ continues: 'none', caps: { maxPaid: 0 } })
  expect(anew).toMatchObject({ got: 'report', report: { paid: 0 } })
  expect(bench.plan().paid).toBe(3)
})

test('files are found under other names, and strange ones are told', async () => {
  const bench = shop.copy()
  lose(bench)
  mkdirSync(join(bench.folder, 'out/shop/best'))
  renameSync(join(bench.folder, 'out/shop/hero.png'), join(bench.folder, 'out/shop/best/one.png'))
  bench.write('out/shop/stranger.png', pixel)
  const { found, unknown } = await recovered(bench)
  expect(found.find(({ address }) => address === 'hero')).toMatchObject({
    is: 'done',
    files: ['best/one.png'],
  })
  expect(unknown).toEqual(['stranger.png'])
  expect(toldSteps(bench.plan())).toEqual(['adopt hero: its files get other names'])
  await expectNothingToDo(bench)
})

test('what is gone is kept with its run, and fetched without paying', async () => {
  const bench = shop.copy()
  lose(bench)
  bench.remove('out/shop/photo.png')
  const { found } = await recovered(bench)
  expect(found.find(({ address }) => address === 'photo')).toMatchObject({ is: 'gone' })
  const before = paidAt(shop.gateway)
  expect(bench.plan().paid).toBe(0)
  await bench.run()
  expect(paidAt(shop.gateway)).toBe(before)
  expect(bench.has('m.lock.json')).toBe(true)
})

test('what was altered is called so, left alone, and fetched again once it is moved away', async () => {
  const bench = shop.copy()
  lose(bench)
  const original = bench.bytes('out/shop/photo.png')
  const altered = Buffer.from(original).fill(7, 60)
  bench.write('out/shop/photo.png', altered)
  const { found } = await recovered(bench)
  expect(found.find(({ address }) => address === 'photo')).toMatchObject({
    is: 'altered',
    files: ['photo.png'],
  })
  await bench.run()
  expect(bench.bytes('out/shop/photo.png')).toEqual(altered)
  const before = paidAt(shop.gateway)
  bench.remove('out/shop/photo.png')
  await bench.run()
  expect(paidAt(shop.gateway)).toBe(before)
  expect(bench.bytes('out/shop/photo.png')).toEqual(original)
})

test('the line of what was altered says what to do for the original', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  lose(bench)
  bench.write('out/m/hero.png', shade(7))
  expect(await told(bench)).toBe(
    'hero: altered since: hero.png; left as it is; once it is moved away, run r1 can bring what was made again\n',
  )
  expect(seller.orders).toEqual(['tea'])
})

test('a file that another result has taken the name of is gone, and not altered', async () => {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(Number(run.slice(1)))
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const clone = seller.clone()
  for (const name of [manifestName, 'm.lock.json']) clone.write(name, bench.read(name))
  await clone.run()
  await bench.run({ redo: true, select: { words: ['hero'] } })
  clone.write('m.lock.json', bench.read('m.lock.json').replace('\n{', '\n<<<<<<< ours\n{'))
  expect(await told(clone)).toBe('hero#2: its files are gone; run r2 can bring them again\n')
})

test('of two picks of one job, from both sides of a merge, the own one stays', async () => {
  const { seller, bench } = await openSeller()
  const clone = seller.clone()
  for (const each of [bench, clone]) {
    each.write(manifestName, pictures({ hero: 'tea' }).replace('prompt: tea', 'prompt: tea, takes: 2'))
    await each.run()
    await pickTake({ manifest: manifestName, cwd: each.folder, address: 'hero#2' })
    await each.run()
  }
  const picked = (each: Bench) => [...each.read('m.lock.json').matchAll(/"id":"(\w+)"[^\n]*"picked":true/g)]
  const own = picked(bench).map(([, id]) => id)
  expect([own.length, picked(clone).length]).toEqual([1, 1])
  const [ours, theirs] = [bench, clone].map(each =>
    each.read('m.lock.json').split('\n').slice(1, -2).join('\n'),
  )
  const [head = ''] = bench.read('m.lock.json').split('\n')
  const lines = [head, '<<<<<<< ours', ours, '=======', theirs, '>>>>>>> theirs', 'null]}', '']
  bench.write('m.lock.json', lines.join('\n'))
  await recovered(bench)
  expect(picked(bench).map(([, id]) => id)).toEqual(own)
  await bench.run()
  expect(picked(bench).map(([, id]) => id)).toEqual(own)
  expect(seller.orders).toHaveLength(4)
})

async function told(bench: Bench): Promise<string> {
  const around = fakeSurroundings({ cwd: bench.folder })
  await main(['recover', manifestName], around)
  return around.stdout.text()
}

test.each([
  ['cut', (text: string) => text.slice(0, text.length - 200)],
  ['empty', () => ''],
  [
    'in conflict',
    (text: string) => text.replace('\n{', '\n<<<<<<< ours\n{').replace('null]}', '>>>>>>> b\nnull]}'),
  ],
  [
    'in conflict between two names',
    (text: string) => `<<<<<<<< HEAD:n.lock.json\n${text}========\n${text}>>>>>>>> theirs:m.lock.json\n`,
  ],
])('a lock that is %s is replaced, and kept', async (_, damage) => {
  const bench = shop.copy()
  const text = bench.read('m.lock.json')
  bench.write('m.lock.json', damage(text))
  bench.remove('.genrun')
  const result = await bench.run()
  expect(result).toMatchObject({ got: 'damaged', hint: expect.stringContaining('`genrun recover m.yaml`') })
  const damaged = bench.read('m.lock.json')
  expect((await recovered(bench, { isConfirmed: false })).damage).toContain('m.lock.json: ')
  expect(bench.read('m.lock.json')).toBe(damaged)
  expect((await recovered(bench)).moved).toBe('m.lock.json.damaged-1')
  expect(bench.read('m.lock.json.damaged-1')).toBe(damaged)
  expect(bench.read('m.lock.json')).toBe(text)
  await expectNothingToDo(bench)
})

/** Renamed by somebody else, while the journal alone knows of an order in doubt, as after a kill. */
async function renamedInDoubt() {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea', side: 'ice' }))
  await bench.run()
  const [head = '', ...lines] = bench.read('m.lock.json').split('\n')
  bench.edit(manifestName, 'tea', 'mud')
  seller.does = 'lose'
  await bench.run()
  seller.does = 'take'
  bench.remove('m.lock.json')
  renameSync(join(bench.folder, manifestName), join(bench.folder, 'n.yaml'))
  const [ours, theirs] = [head, head.replace('m.yaml', 'n.yaml')]
  const conflict = ['<<<<<<< ours', ours, '=======', theirs, '>>>>>>> theirs', ...lines].join('\n')
  return { seller, bench, conflict, whole: [theirs, ...lines].join('\n') }
}

const continued = { manifest: 'n.yaml', continues: 'm.lock.json' }

test('with the lock in conflict after a rename nothing moves, whatever a run is told to go on with', async () => {
  const { bench, conflict } = await renamedInDoubt()
  bench.write('n.lock.json', conflict)
  expect(await bench.run(continued)).toMatchObject({ got: 'damaged' })
  expect(() => bench.plan(continued)).toThrow('it holds the marks of a merge conflict')
  const lying = ['out/m/side.png', '.genrun/m/journal', 'out/n'].map(name => bench.has(name))
  expect(lying).toEqual([true, true, false])
})

test.each(['conflict', 'whole'] as const)(
  'recover takes along what lies under the former name: %s',
  async lock => {
    const made = await renamedInDoubt()
    const { seller, bench } = made
    bench.write('n.lock.json', made[lock])
    const told = { found: [], known: 3 }
    expect(await recovered(bench, { manifest: 'n.yaml', isConfirmed: false })).toMatchObject(told)
    expect([bench.has('out/m/side.png'), bench.has('out/n')]).toEqual([true, false])
    expect(await recovered(bench, { manifest: 'n.yaml' })).toMatchObject(told)
    const lying = ['.genrun/m', 'out/m', 'out/n/side.png'].map(name => bench.has(name))
    expect(lying).toEqual([false, false, true])
    for (const more of [{ manifest: 'n.yaml' }, continued]) {
      expect(endings(await bench.run(more))).toEqual(['hero: doubt', 'side: kept'])
      const steps = toldSteps(bench.plan({ manifest: 'n.yaml' }))
      expect(steps).toEqual([expect.stringMatching(/^doubt hero/)])
    }
    expect(seller.orders).toEqual(['tea', 'ice', 'mud'])
  },
)

/** What git and a full disk leave of a lock, of one that both sides renamed as well. */
const damages: readonly (readonly [string, (text: string) => string])[] = [
  ['cut', text => text.slice(0, text.indexOf('\n') + 20)],
  ['in conflict', text => `<<<<<<<< HEAD:m.lock.json\n${text}========\n${text}>>>>>>>> theirs:n.lock.json\n`],
]

test.each(damages)(
  'with the lock of the former name %s beside the own one, its state is still asked about',
  async (_, damage) => {
    const { seller, bench, whole } = await renamedInDoubt()
    bench.write('n.lock.json', whole)
    bench.write('m.lock.json', damage(whole))
    const asked = { got: 'refused', problems: [{ code: 'renamed-manifest' }] }
    expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject(asked)
    for (const more of [continued, { manifest: 'n.yaml' }, continued])
      expect(endings(await bench.run(more))).toEqual(['hero: doubt', 'side: kept'])
    expect(bench.read('m.lock.json')).toBe(damage(whole))
    expect(seller.orders).toEqual(['tea', 'ice', 'mud'])
  },
)

test.each(damages)(
  'with both locks damaged, one %s, recover finds the state all the same',
  async (_, damage) => {
    const { seller, bench, conflict, whole } = await renamedInDoubt()
    bench.write('n.lock.json', conflict)
    bench.write('m.lock.json', damage(whole))
    expect(await recovered(bench, { manifest: 'n.yaml' })).toMatchObject({ former: 'm.yaml', known: 3 })
    expect(endings(await bench.run({ manifest: 'n.yaml' }))).toEqual(['hero: doubt', 'side: kept'])
    expect(seller.orders).toEqual(['tea', 'ice', 'mud'])
  },
)

test.each(damages)('the only lock has the former name and is %s: it is mended first', async (_, damage) => {
  const { seller, bench, whole } = await renamedInDoubt()
  const damaged = damage(whole.replace('n.yaml', 'm.yaml'))
  bench.write('m.lock.json', damaged)
  const hint = expect.stringContaining('`genrun recover n.yaml`')
  expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject({ got: 'damaged', hint })
  expect(await bench.run(continued)).toMatchObject({
    got: 'refused',
    problems: [{ code: 'no-such-lock', hint }],
  })
  const seen = await recovered(bench, { manifest: 'n.yaml', isConfirmed: false })
  expect(seen).toMatchObject({ former: 'm.yaml', damage: expect.stringContaining('m.lock.json: ') })
  expect(bench.read('m.lock.json')).toBe(damaged)
  await recovered(bench, { manifest: 'n.yaml' })
  expect(bench.read('n.lock.json.damaged-1')).toBe(damaged)
  expect(bench.has('m.lock.json')).toBe(false)
  expect(endings(await bench.run({ manifest: 'n.yaml' }))).toEqual(['hero: doubt', 'side: kept'])
  expect(seller.orders).toEqual(['tea', 'ice', 'mud'])
})

test('recover says what it takes along, also where nothing else is to be done', async () => {
  const { bench, whole } = await renamedInDoubt()
  bench.write('n.lock.json', whole)
  const around = fakeSurroundings({ cwd: bench.folder })
  expect(await main(['recover', 'n.yaml'], around)).toBe(2)
  expect(bench.has('.genrun/m')).toBe(true)
  expect(await main(['recover', 'n.yaml', '--yes'], around)).toBe(0)
  expect(bench.has('.genrun/m')).toBe(false)
  const told = around.stderr.text()
  expect(told).toContain(
    'it was m.yaml, which is not there any more: journal and files of that name go along',
  )
  expect(told).toContain('taken up: what there was of m.yaml; nothing was bought')
  expect(told).not.toContain('nothing to recover')
})

test('without an index a damaged lock gives what can be read of it', async () => {
  const bench = shop.copy()
  const text = bench.read('m.lock.json')
  bench.remove('out/shop/.genrun')
  bench.remove('.genrun')
  bench.write('m.lock.json', text.replace('null]}\n', ''))
  await recovered(bench)
  expect(bench.read('m.lock.json')).toBe(text)
})

test('a torn last line, and lines of strangers, say nothing', async () => {
  const bench = shop.copy()
  lose(bench)
  appendFileSync(indexOf(bench), '\nhello\n[1]\n{"state":"done"}\n{"address":"x","state":"do')
  await recovered(bench)
  expect(bench.read('m.lock.json')).toBe(shop.made.read('m.lock.json'))
})

test('what was pruned does not come back', async () => {
  const bench = shop.copy()
  bench.edit('m.yaml', shopManifest.slice(shopManifest.indexOf('  photo:')), '')
  await bench.run()
  const { pruneManifest } = await import('../../src/verbs/prune.ts')
  await pruneManifest({ manifest: manifestName, cwd: bench.folder, isConfirmed: true })
  const lock = bench.read('m.lock.json')
  lose(bench)
  await recovered(bench)
  expect(bench.read('m.lock.json')).toBe(lock)
})

test('a manifest that shares the folder is nobody to take over', async () => {
  const bench = shop.empty()
  const one = (name: string, prompt: string) =>
    bench.write(
      name,
      `output: shared\njobs:\n  ${name[0]}:\n    model: fama-imagine-image\n    prompt: ${prompt}\n`,
    )
  one('a.yaml', 'A cup')
  one('b.yaml', 'A cup')
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({ report: { paid: 1 } })
  expect(await bench.run({ manifest: 'b.yaml' })).toMatchObject({ report: { paid: 1 } })
  bench.remove('b.lock.json')
  bench.remove('.genrun/b')
  const { found, unknown } = await recovered(bench, { manifest: 'b.yaml' })
  expect(found).toMatchObject([{ address: 'b', files: ['b.png'] }])
  expect(unknown).toEqual([])
  await expectNothingToDo(bench, 'b.yaml')
  await expectNothingToDo(bench, 'a.yaml')
})

test('renamed with its lock lost it is recognised in the folder that both names share', async () => {
  const bench = shop.empty()
  bench.write('m.yaml', 'output: files\njobs:\n  cup:\n    model: fama-imagine-image\n    prompt: A cup\n')
  await bench.run()
  lose(bench)
  renameSync(join(bench.folder, 'm.yaml'), join(bench.folder, 'n.yaml'))
  const { message } = await refusal(bench, { manifest: 'n.yaml' })
  expect(message).toContain('1 purchase of m.yaml')
  expect((await recovered(bench, { manifest: 'n.yaml' })).names).toEqual(['m.yaml'])
  await expectNothingToDo(bench, 'n.yaml')
})

test('whoever begins anew says so, and is not asked again', async () => {
  const bench = shop.copy()
  lose(bench)
  for (const name of ['edit.png', 'hero.png', 'takes/hero.take2.png', 'photo.png'])
    bench.remove(`out/shop/${name}`)
  expect((await refusal(bench)).code).toBe('lost-records')
  expect(await bench.run({ continues: 'none' })).toMatchObject({ report: { paid: 4, exit: 0 } })
  expect(bench.plan().paid).toBe(0)
})

test('a run under way is known by its index before it is asked for', async () => {
  const gateway = await startGateway({
    outputs: 'memory',
    faults: { rules: [{ fault: { does: 'stall' }, model: 'famc-v3' }] },
  })
  const bench = openBench(gateway)
  try {
    bench.write('m.yaml', 'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam\n    duration: 3\n')
    const stop = new AbortController()
    const running = bench.run({
      stop: stop.signal,
      emit: event => event.event === 'accepted' && stop.abort(),
    })
    await running
    lose(bench)
    const { found } = await recovered(bench)
    expect(found).toMatchObject([{ is: 'under-way', address: 'clip', run: expect.any(String) }])
    const status = statusOf({ manifest: manifestName, cwd: bench.folder })
    expect(status).toMatchObject({ status: { open: [{ is: 'under-way', run: found[0]?.run }] } })
    const paid = paidAt(gateway)
    const again = new AbortController()
    await bench.run({ stop: again.signal, emit: event => event.event === 'resumed' && again.abort() })
    expect(paidAt(gateway)).toBe(paid)
  } finally {
    closeBench(bench)
    await gateway.close()
  }
})

test('an index that cannot be written fails no run, and is told', async () => {
  const bench = shop.empty()
  bench.write('m.yaml', 'jobs:\n  cup:\n    model: fama-imagine-image\n    prompt: A cup\n')
  await bench.run()
  const index = indexOf(bench, 'out/m')
  bench.remove(index.slice(bench.folder.length + 1))
  mkdirSync(index)
  bench.edit('m.yaml', 'A cup', 'A bowl')
  const result = await bench.run()
  expect(result).toMatchObject({ got: 'report', report: { paid: 1, exit: 0 } })
  expect(result.got === 'report' && result.problems.map(({ code, severity }) => [code, severity])).toEqual([
    ['unindexed', 'warning'],
  ])
})

test('a file that only the folder knows is no stranger', async () => {
  const bench = shop.copy()
  const lock = bench.read('m.lock.json')
  bench.remove('.genrun')
  bench.write('m.lock.json', lock.replace(/\n\{"address":"photo".*/, ''))
  expect(await refusal(bench)).toEqual({
    code: 'file-in-the-way',
    message: 'photo.png is there already, and neither lock nor journal knows it',
    hint: '`genrun recover m.yaml` takes up what is bought, and buys nothing',
  })
  await recovered(bench)
  expect(bench.read('m.lock.json')).toBe(lock)
  await expectNothingToDo(bench)
})
