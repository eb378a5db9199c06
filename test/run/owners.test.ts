import { expect, test } from 'vitest'
import { adoptAll } from '../../src/run/results/adopt.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import type { Disk } from '../../src/store/files/disk.ts'
import { openParts } from '../../src/store/files/parts.ts'
import { stateFolder } from '../../src/store/files/state-folder.ts'
import { mergeLocks } from '../../src/store/lock/lock-merge.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { pruneManifest } from '../../src/verbs/prune.ts'
import { recoverManifest } from '../../src/verbs/recover.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import { withOneOwner } from '../../src/workspace/records/known.ts'
import { done, job } from '../plan/world.ts'
import { memoryDisk, place } from '../store/memory-disk.ts'
import { named } from '../store/records.ts'
import { type Bench, manifestName, toldSteps } from '../verbs/bench.ts'
import { endings, locked, openSeller, pictures, shade, unfinished } from '../verbs/seller.ts'
import { stillLedger } from '../verbs/still-ledger.ts'

test('a moved result takes no file along that is another one, though they are equal', async () => {
  const { bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  bench.edit(manifestName, 'tea', 'mud')
  await bench.run()
  bench.write(manifestName, pictures({ hero: 'mud', poster: 'tea' }))
  await bench.run()
  expect(['hero', 'poster'].filter(name => bench.has(`out/m/${name}.png`))).toEqual(['hero', 'poster'])
})

test.each([
  ['a rename', (bench: Bench) => bench.edit(manifestName, 'hero', 'poster')],
  [
    'another `output`',
    (bench: Bench) => bench.edit(manifestName, 'prompt: tea', 'prompt: tea, output: poster'),
  ],
])(
  'a lock of before %s finds the file under its new name, also where no run can be asked',
  async (_, edit) => {
    const { seller, bench } = await openSeller()
    bench.write(manifestName, pictures({ hero: 'tea' }))
    await bench.run()
    const before = bench.read('m.lock.json').replaceAll(/,"run":\{[^}]*\}/g, '')
    edit(bench)
    await bench.run()
    bench.remove('.genrun')
    bench.write('m.lock.json', before)
    expect(endings(await bench.run())).toEqual([expect.stringMatching(/: moved$/)])
    await expect(bench.run()).resolves.toMatchObject({ report: { jobs: [{ ending: 'kept' }] } })
    expect([seller.orders, bench.has('out/m/poster.png')]).toEqual([['tea'], true])
  },
)

test('prune --aside leaves the one file of two equal results that the manifest asks for again', async () => {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(run === 'r3' ? 7 : 1)
  for (const prompt of ['tea', 'mud', 'ink']) {
    bench.write(manifestName, pictures({ hero: prompt }))
    await bench.run()
  }
  bench.edit(manifestName, 'ink', 'tea')
  const request = { manifest: manifestName, cwd: bench.folder, isConfirmed: true, aside: true }
  expect(await pruneManifest(request)).toMatchObject({ entries: [{ files: [{ is: 'shared' }] }] })
  expect(toldSteps(bench.plan())).toEqual([
    'adopt hero: paid for before, and put aside since: it gets its name back',
  ])
})

test('prune --aside says of what this checkout never had that the service may still have it', async () => {
  const { seller, bench } = await openSeller()
  for (const prompt of ['tea', 'mud']) {
    bench.write(manifestName, pictures({ hero: prompt }))
    await bench.run()
  }
  bench.remove('.genrun')
  const request = { manifest: manifestName, cwd: bench.folder, isConfirmed: false, aside: true }
  expect(await pruneManifest(request)).toMatchObject({
    entries: [{ aside: true, files: [{ is: 'missing' }], mayBeFetched: true }],
  })
  expect(seller.orders).toEqual(['tea', 'mud'])
})

test.each([
  ['with nothing to do', []],
  ['that buys', ['four']],
])('what a run keeps stands in the lock, also of another checkout: one %s', async (_, more) => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ a: 'one' }))
  await bench.run()
  const theirs = seller.clone()
  theirs.write('m.lock.json', bench.read('m.lock.json'))
  theirs.write(manifestName, pictures({ a: 'one', c: 'three' }))
  await theirs.run()
  bench.write(manifestName, pictures({ a: 'one', b: 'two' }))
  await bench.run()
  for (const file of ['out/m/c.png', 'm.lock.json']) bench.write(file, theirs.bytes(file))
  const jobs = { a: 'one', b: 'two', c: 'three', ...Object.fromEntries(more.map(each => ['d', each])) }
  bench.write(manifestName, pictures(jobs))
  await bench.run()
  expect(locked(bench).map(line => line.split(' ')[0])).toEqual(Object.keys(jobs))
})

/** A disk that does not tell the case of letters. */
function caseBlind(disk: Disk): Disk {
  const low = (path: string) => path.toLowerCase()
  return {
    ...disk,
    open: (path, how, mode) => disk.open(low(path), how, mode),
    readAll: path => disk.readAll(low(path)),
    readPieces: path => disk.readPieces(low(path)),
    readPiecesNow: path => disk.readPiecesNow(low(path)),
    syncFolder: path => disk.syncFolder(low(path)),
    rename: (from, to) => disk.rename(low(from), low(to)),
    link: (from, to) => disk.link(low(from), low(to)),
    remove: path => disk.remove(low(path)),
    makeFolder: (path, mode) => disk.makeFolder(low(path), mode),
    list: path => disk.list(low(path)),
    look: path => disk.look(low(path)),
    realPath: path => disk.realPath(low(path)),
  }
}

test.each<[string, (disk: Disk) => Disk, string]>([
  ['the one file that there is', caseBlind, '/out/hero.png'],
  ['its file under the new name, where that is another', disk => disk, '/out/Hero.png'],
])('a name that changes in the case of its letters only keeps %s', async (_, seen, before) => {
  const inMemory = memoryDisk()
  const disk = seen(inMemory)
  for (const folder of ['/state', '/out/.genrun']) await place(inMemory, `${folder}/x`, '')
  await place(inMemory, before, 'picture')
  const file = { path: 'Hero.png', digest: digestBytes('picture'), bytes: 7, type: 'image/png' }
  const entry = done(job('Hero'), { files: [file] })
  const layout = { output: '/out', lock: '/l', state: '/state', rehearsal: false }
  const ledger = stillLedger([entry])
  const parts = openParts({ folder: '/out/.genrun', owner: 'x', token: 'abcdef', disk })
  const movers = { layout, folders: stateFolder('/state'), ledger, parts, disk }
  await adoptAll([{ do: 'adopt', job: job('hero'), entry, from: entry.address }], movers)
  const there = Object.entries(inMemory.files()).filter(([path]) => path.endsWith('.png'))
  expect(there).toEqual([['/out/hero.png', 'picture']])
})

test('of two results with one name the lock says whose it is, where the bytes say nothing', () => {
  const [mine, theirs] = ['hero.png', 'Hero.png'].map((path, nth) =>
    done(job('hero'), { id: named(`k${nth}`), files: [{ ...file, path }] }),
  ) as [ReturnType<typeof done>, ReturnType<typeof done>] // two names
  const asides = withOneOwner(
    [mine, theirs],
    id => id === mine.id,
    () => false,
  )
  expect(asides).toEqual([mine, { ...theirs, aside: true }])
})

const file = { path: 'hero.png', digest: digestBytes('tea'), bytes: 3, type: 'image/png' }

/** One picture that both made into two by `redo`, each for itself. */
async function redoneOnTwoMachines() {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(Number(run.slice(1)))
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const base = bench.read('m.lock.json')
  const theirs = seller.clone()
  theirs.write(manifestName, pictures({ hero: 'tea' }))
  theirs.write('m.lock.json', base)
  theirs.write('out/m/hero.png', bench.bytes('out/m/hero.png'))
  for (const each of [bench, theirs]) await each.run({ redo: true, select: { words: ['hero'] } })
  /** Both after a run with the merged lock. */
  async function* mergeAndRun() {
    const merged = mergeLocks({ base, ours: bench.read('m.lock.json'), theirs: theirs.read('m.lock.json') })
    if (merged.got !== 'merged') throw new Error(merged.why)
    for (const each of [bench, theirs]) {
      each.write('m.lock.json', merged.text)
      await each.run()
      yield each
    }
  }
  return { seller, bench, theirs, mergeAndRun }
}

test('of two machines that redo the same job both have the pick of the one that merged, for nothing', async () => {
  const { seller, mergeAndRun } = await redoneOnTwoMachines()
  for await (const each of mergeAndRun()) {
    expect([...each.bytes('out/m/hero.png')]).toEqual([...shade(2)])
  }
  expect(seller.orders).toEqual(['tea', 'tea', 'tea'])
})

test('of two machines that redo the same job, one of which picks the first take again, both agree after the merge', async () => {
  const { seller, theirs, mergeAndRun } = await redoneOnTwoMachines()
  await pickTake({ manifest: manifestName, cwd: theirs.folder, address: 'hero#1' })
  for await (const each of mergeAndRun()) {
    expect(await verifyManifest({ manifest: manifestName, cwd: each.folder })).toMatchObject({ problems: [] })
    expect([...each.bytes('out/m/takes/hero.take3.png')]).toEqual([...shade(3)])
  }
  expect(seller.orders).toEqual(['tea', 'tea', 'tea'])
})

test.each([
  ['the lines of both sides', (text: string) => text.replaceAll(/^(<{7}|={7}|>{7}).*\n/gm, '')],
  ['what `recover` makes of the conflict', undefined],
])('whoever keeps %s has both takes that were ordered apart under one number', async (_, byHand) => {
  const { seller, bench, theirs } = await redoneOnTwoMachines()
  const there = new Set(theirs.read('m.lock.json').split('\n'))
  const here = bench.read('m.lock.json').split('\n')
  const [both, mine] = [here.filter(line => there.has(line)), here.filter(line => !there.has(line))]
  const others = [...there].filter(line => !here.includes(line))
  const conflict = [
    both[0],
    '<<<<<<< ours',
    ...mine,
    '=======',
    ...others,
    '>>>>>>> theirs',
    ...both.slice(1),
  ].join('\n')
  bench.write('m.lock.json', byHand ? byHand(conflict) : conflict)
  if (!byHand) {
    const asked = { manifest: manifestName, cwd: bench.folder, isConfirmed: true }
    expect(await recoverManifest(asked)).toMatchObject({ got: 'recovered' })
  }
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
  bench.write(manifestName, pictures({ hero: 'tea' }).replace('prompt: tea', 'prompt: tea, takes: 3'))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(locked(bench).map(line => line.replace(/ r\d$/, ''))).toEqual([
    'hero done',
    'hero#2 done',
    'hero#3 done',
  ])
  expect(seller.orders).toEqual(['tea', 'tea', 'tea'])
})

test('what a checkout has put aside, and lies here under the name of another branch, is put aside, and the lock left alone', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ side: 'tea' }))
  await bench.run()
  bench.write(manifestName, pictures({ side: 'mud' }))
  await bench.run()
  const main = bench.read('m.lock.json')
  bench.write(manifestName, pictures({ side: 'mud', hero: 'tea' }))
  expect(endings(await bench.run())).toEqual(['side: kept', 'hero: moved'])
  const branch = bench.read('m.lock.json')
  bench.write(manifestName, pictures({ side: 'mud' }))
  bench.write('m.lock.json', main)
  expect(endings(await bench.run())).toEqual(['side: kept'])
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
  expect(bench.read('m.lock.json')).toBe(main)
  bench.write(manifestName, pictures({ side: 'mud', hero: 'tea' }))
  bench.write('m.lock.json', branch)
  expect(endings(await bench.run())).toEqual(['side: kept', 'hero: moved'])
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
  expect(bench.read('m.lock.json')).toBe(branch)
  expect(seller.orders).toEqual(['tea', 'mud'])
})

test('a take of this machine that the lock and the files of another know nothing of is not missed in the place of theirs', async () => {
  const { bench, theirs } = await redoneOnTwoMachines()
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'hero#1' })
  bench.remove('out/m/takes/hero.take2.png')
  for (const path of ['m.lock.json', 'out/m/hero.png', 'out/m/takes/hero.take1.png'])
    bench.write(path, theirs.bytes(path))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
})

test('what another checkout has replaced under another name is put aside where its file still lies', async () => {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(run === 'r1' ? 1 : 2)
  const theirs = seller.clone()
  bench.write(manifestName, pictures({ hero: 'tea, output: old' }))
  await bench.run()
  for (const name of [manifestName, 'm.lock.json']) theirs.write(name, bench.read(name))
  await theirs.run()
  theirs.write(manifestName, pictures({ hero: 'mud, output: new' }))
  await theirs.run()
  for (const name of [manifestName, 'm.lock.json']) bench.write(name, theirs.read(name))
  await bench.run()
  expect(['old', 'new'].map(name => bench.has(`out/m/${name}.png`))).toEqual([false, true])
  expect(await verifyManifest({ manifest: manifestName, cwd: bench.folder })).toMatchObject({ problems: [] })
  expect(bench.read('m.lock.json')).toBe(theirs.read('m.lock.json'))
  bench.write(manifestName, pictures({ hero: 'tea, output: old' }))
  await bench.run()
  expect([...bench.bytes('out/m/old.png')]).toEqual([...shade(1)])
  expect(seller.orders).toEqual(['tea', 'mud'])
})

test('a run that fails is not ordered again by `retries` while another of the same is there for nobody', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ old: 'tea' }))
  await bench.run()
  bench.write(manifestName, pictures({ old: 'tea', hero: 'tea' }))
  const stop = new AbortController()
  seller.answer = unfinished
  await bench.run({ stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
  seller.answer = (run, response) => response.end(JSON.stringify({ id: run, status: 'failed', error: 'no' }))
  bench.write(manifestName, pictures({ hero: 'tea' }).replace('prompt: tea', 'prompt: tea, retries: 2'))
  expect(endings(await bench.run())).toEqual(['hero: failed'])
  expect(endings(await bench.run())).toEqual(['hero: moved'])
  expect(seller.orders).toEqual(['tea', 'tea'])
})

test.each([
  ['a source', 'src/index.js', 'image/png'],
  ['a text that is as long', 'env.txt', 'text/plain'],
])(
  'a lock that a checkout brings along moves nothing that genrun did not make: %s',
  async (_, path, type) => {
    const { bench } = await openSeller()
    bench.write(manifestName, pictures({ hero: 'tea' }))
    await bench.run()
    const [file] = JSON.parse(bench.read('m.lock.json')).jobs[0].files
    const claimed = { ...file, path, type, digest: `sha256:${'0'.repeat(64)}` }
    bench.edit('m.lock.json', JSON.stringify(file), JSON.stringify(claimed))
    bench.remove('.genrun')
    bench.remove('out')
    bench.write(`out/m/${path}`, 'x'.repeat(file.bytes))
    await bench.run()
    expect([bench.has(`out/m/${path}`), bench.read(`out/m/${path}`)]).toEqual([true, 'x'.repeat(file.bytes)])
  },
)

/** Two checkouts that bought the same, each its own, and their locks: each merge as the one that is named first does it. */
async function boughtTwice(of: string) {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(Number(run.slice(1)))
  bench.write(manifestName, pictures({ poster: 'ink' }))
  await bench.run()
  const base = bench.read('m.lock.json')
  const theirs = seller.clone()
  theirs.write('m.lock.json', base)
  for (const each of [bench, theirs]) {
    each.write(manifestName, `${pictures({ poster: 'ink' })}${of}`)
    await each.run()
  }
  const merged = (ours: Bench, other: Bench) => {
    const both = mergeLocks({ base, ours: ours.read('m.lock.json'), theirs: other.read('m.lock.json') })
    if (both.got !== 'merged') throw new Error(both.why)
    return both.text
  }
  return { seller, bench, theirs, merged }
}

test('a clone fetches what a merged lock calls done, whichever was bought first, and leaves the lock as it is', async () => {
  const hero = '  hero: { model: fama-imagine-image, mode: submit, prompt: tea }\n'
  const { seller, bench, theirs, merged } = await boughtTwice(hero)
  for (const [ours, other] of [
    [bench, theirs],
    [theirs, bench],
  ] as const) {
    const text = merged(ours, other)
    const clone = seller.clone()
    clone.write(manifestName, ours.read(manifestName))
    clone.write('m.lock.json', text)
    await clone.run()
    expect([clone.bytes('out/m/hero.png'), clone.read('m.lock.json')]).toEqual([
      ours.bytes('out/m/hero.png'),
      text,
    ])
  }
  expect(seller.orders).toEqual(['ink', 'tea', 'tea'])
})

test('a pick comes along with a lock into a checkout that had takes of its own, and nothing is bought', async () => {
  const takes = '  hero: { model: fama-imagine-image, mode: submit, prompt: tea, takes: 2 }\n'
  const { seller, bench, theirs, merged } = await boughtTwice(takes)
  bench.write('m.lock.json', merged(bench, theirs))
  await bench.run()
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'hero#2' })
  await bench.run()
  theirs.write('m.lock.json', bench.read('m.lock.json'))
  for (const _ of [1, 2]) await theirs.run()
  const kept = (each: Bench) => ['hero.png', 'takes/hero.take1.png'].map(name => each.bytes(`out/m/${name}`))
  expect(kept(theirs)).toEqual(kept(bench))
  expect(locked(theirs)).toEqual(locked(bench))
  expect(seller.orders).toHaveLength(5)
})
