import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { galleryOf } from '../../src/verbs/gallery.ts'
import { graphManifest } from '../../src/verbs/graph.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { pruneManifest } from '../../src/verbs/prune.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import { whyJob } from '../../src/verbs/why.ts'
import { type Bench, manifestName, paidAt, pixel, toldSteps } from './bench.ts'
import { madeOnce, shopManifest } from './made.ts'
import { openSeller, pictures } from './seller.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })
const bench = () => shop.copy()

const of = (it: Bench) => ({ manifest: manifestName, cwd: it.folder })

describe('selection', () => {
  test.each<[string, object, string[]]>([
    ['an id with what it needs', { words: ['edit'] }, ['hero', 'edit']],
    ['a take', { words: ['hero#2'] }, ['hero#2']],
    ['an id means all takes', { words: ['hero'] }, ['hero', 'hero#2']],
    ['a tag', { tags: ['shop'] }, ['hero', 'hero#2']],
    ['a model', { models: ['famb-*'] }, ['hero', 'edit', 'photo']],
    ['all but one', { words: ['!photo'] }, ['hero', 'hero#2', 'edit']],
  ])('by %s', async (_, select, addresses) => {
    const it = bench()
    it.remove('m.lock.json')
    it.remove('.genrun')
    it.remove('out')
    const plan = it.plan({ select })
    expect(plan.steps.map(step => `${step.do} ${step.address}`)).toEqual(
      addresses.map(address => `buy ${address}`),
    )
    const before = paidAt(shop.gateway)
    expect(await it.run({ select })).toMatchObject({ report: { paid: addresses.length, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(addresses.length)
  })

  test('a need that is left out is not bought, and what needs it is held', () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    it.edit(manifestName, 'in blue', 'in grey')
    expect(toldSteps(it.plan({ select: { words: ['edit', '!hero'] } }))).toEqual(['hold edit: it needs hero'])
  })

  test('only what changed', () => {
    const it = bench()
    it.edit(manifestName, 'in blue', 'in grey')
    it.edit(manifestName, '  photo:\n', '  fresh: { model: fama-imagine-image, prompt: Fresh }\n  photo:\n')
    const plan = it.plan({ select: { changed: true } })
    expect(plan.steps.map(step => `${step.do} ${step.address}`)).toEqual(['keep hero', 'buy edit'])
  })

  test('a word that fits nothing stops everything, and names the nearest', async () => {
    expect(await bench().run({ select: { words: ['hera'] } })).toMatchObject({
      got: 'refused',
      problems: [{ message: 'no job is called hera', hint: 'did you mean hero' }],
    })
  })
})

describe('before anything is bought', () => {
  test('a file that lies where a renamed job would move its own is told', async () => {
    const it = bench()
    it.edit(manifestName, '  photo:\n', '  print:\n')
    it.edit(manifestName, 'in blue', 'in grey')
    it.write('out/shop/print.png', 'mine')
    const before = paidAt(shop.gateway)
    expect(await it.run()).toMatchObject({
      got: 'refused',
      problems: [{ message: 'print.png is there already, and genrun did not make it' }],
    })
    expect(paidAt(shop.gateway)).toBe(before)
    it.remove('out/shop/print.png')
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
  })

  test('so is the result of a job that is not selected, and keeps its place', async () => {
    const it = bench()
    const [photo, edit] = ['photo.png', 'edit.png'].map(name => it.bytes(`out/shop/${name}`))
    it.edit(manifestName, '  edit:\n', '  edit:\n    output: photo\n')
    it.edit(manifestName, '  photo:\n', '  photo:\n    output: edit\n')
    it.edit(manifestName, 'in blue', 'in grey')
    const before = paidAt(shop.gateway)
    expect(await it.run({ select: { words: ['edit'] } })).toMatchObject({
      got: 'refused',
      problems: [{ message: 'photo.png is the result of photo' }],
    })
    expect(paidAt(shop.gateway)).toBe(before)
    // Both together change places.
    it.edit(manifestName, 'in grey', 'in blue')
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(it.bytes('out/shop/edit.png').equals(photo as Buffer)).toBe(true)
    expect(it.bytes('out/shop/photo.png').equals(edit as Buffer)).toBe(true)
    expect(toldSteps(it.plan())).toEqual([])
  })
})

test('redo buys again and keeps the old file aside', async () => {
  const it = bench()
  const before = paidAt(shop.gateway)
  expect(await it.run({ redo: true, select: { words: ['photo'] } })).toMatchObject({
    report: { paid: 1, exit: 0 },
  })
  expect(paidAt(shop.gateway) - before).toBe(1)
  expect(toldSteps(it.plan())).toEqual([])
})

describe('accept', () => {
  test('keeps a file under its changed recipe, and what is made from it too', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A  red teapot.')
    expect(it.plan().paid).toBe(3)
    const before = paidAt(shop.gateway)
    expect(await acceptJobs({ ...of(it), select: { words: ['hero'] } })).toMatchObject({
      got: 'accepted',
      record: { accepted: [{ address: 'hero' }, { address: 'hero#2' }], left: [] },
    })
    expect(toldSteps(it.plan())).toEqual([])
    expect(await it.run()).toMatchObject({ report: { paid: 0, requests: 0, exit: 0 } })
    // The journal knows it as well.
    it.remove('m.lock.json')
    expect(toldSteps(it.plan())).toEqual([])
    expect(paidAt(shop.gateway)).toBe(before)
  })

  test('says beside it what the file was really made from: why, verify and the gallery do', async () => {
    const it = bench()
    it.edit(manifestName, 'of the photo', 'of that photo')
    await acceptJobs({ ...of(it), select: { words: ['photo'] } })
    const because = [expect.stringMatching(/^prompt .*of the photo.* → .*of that photo.* \(m\.yaml:\d+\)$/)]
    expect(it.read('m.lock.json')).toContain('of the photo')
    expect(await verifyManifest(of(it))).toMatchObject({
      problems: [],
      accepted: [{ address: 'photo', because }],
    })
    expect(whyJob({ ...of(it), address: 'photo' })).toMatchObject({
      why: { accepted: because, made: { params: { prompt: expect.stringContaining('of the photo') } } },
    })
    const gallery = galleryOf(of(it))
    const exhibits = gallery.got === 'gallery' ? gallery.exhibits : []
    expect(exhibits.filter(({ accepted }) => accepted)).toMatchObject([
      { address: 'photo', prompt: expect.stringContaining('of the photo'), accepted: because },
    ])
    // The edit taken back, it is what was asked for all along.
    it.edit(manifestName, 'of that photo', 'of the photo')
    expect(await verifyManifest(of(it))).toMatchObject({ problems: [], accepted: [] })
  })

  test('says why nothing was accepted', async () => {
    const it = bench()
    it.edit(manifestName, '  photo:\n', '  next: { model: fama-imagine-image, prompt: New }\n  photo:\n')
    expect(await acceptJobs({ ...of(it), select: { words: ['next', 'photo'] } })).toMatchObject({
      record: {
        accepted: [],
        left: [],
        nothing: [
          { address: 'next', why: 'not made yet', fits: false },
          { address: 'photo', why: 'made from what the manifest asks for', fits: true },
        ],
      },
    })
  })

  test('leaves what has no whole file', async () => {
    const it = bench()
    it.edit(manifestName, 'of the photo', 'of that photo')
    it.remove('out/shop/photo.png')
    expect(await acceptJobs({ ...of(it), select: { words: ['photo'] } })).toMatchObject({
      record: { accepted: [], left: [{ address: 'photo', why: 'photo.png is gone or altered' }] },
    })
    expect(it.plan().paid).toBe(1)
  })
})

describe('pick', () => {
  test('gives a take the bare name, and what is made from it follows', async () => {
    const it = bench()
    const [first, second] = [it.bytes('out/shop/hero.png'), it.bytes('out/shop/takes/hero.take2.png')]
    expect(first.equals(second)).toBe(false)
    expect(await pickTake({ ...of(it), address: 'hero#2' })).toMatchObject({
      got: 'picked',
      files: ['hero.png'],
      stale: ['edit'],
    })
    expect(it.bytes('out/shop/hero.png').equals(second)).toBe(true)
    expect(it.bytes('out/shop/takes/hero.take1.png').equals(first)).toBe(true)
    expect(it.has('out/shop/takes/hero.take2.png')).toBe(false)
    expect(it.read('m.lock.json')).toContain('"picked":true')
    expect(toldSteps(it.plan())).toEqual(['buy edit: imageUrls: the file changed (m.yaml:13)'])
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(toldSteps(it.plan())).toEqual([])

    // Back to the first, which was bought once and for all.
    expect(await pickTake({ ...of(it), address: 'hero' })).toMatchObject({ got: 'picked' })
    expect(it.bytes('out/shop/hero.png').equals(first)).toBe(true)
  })

  test('stays when there are more takes: only those are bought', async () => {
    const it = bench()
    await pickTake({ ...of(it), address: 'hero#2' })
    await it.run()
    it.edit(manifestName, 'takes: 2', 'takes: 4')
    expect(toldSteps(it.plan())).toEqual(['buy hero#3: not made yet', 'buy hero#4: not made yet'])
    expect(await it.run()).toMatchObject({ report: { paid: 2, exit: 0 } })
    expect(it.read('m.lock.json')).toContain('"picked":true')
  })

  test('is dropped when the takes are made anew', async () => {
    const it = bench()
    await pickTake({ ...of(it), address: 'hero#2' })
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    expect(it.plan().paid).toBe(3)
    expect(await it.run()).toMatchObject({ report: { paid: 3, exit: 0 } })
    // It waits with what was put aside, for the edit to be taken back.
    const picked = it.read('m.lock.json').match(/.*"picked":true.*/g)
    expect(picked).toEqual([expect.stringContaining('"address":"hero#2","state":"aside"')])
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('survives the loss of the files: the picked one is fetched to the bare name', async () => {
    const it = bench()
    await pickTake({ ...of(it), address: 'hero#2' })
    const second = it.bytes('out/shop/hero.png')
    await it.run()
    it.remove('out/shop/hero.png')
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(it.bytes('out/shop/hero.png').equals(second)).toBe(true)
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('is waited for by whoever asks for the pick', async () => {
    const it = bench()
    it.edit(manifestName, 'jobs.hero.output', 'jobs.hero.pick')
    it.edit(manifestName, 'in blue', 'in grey')
    expect(toldSteps(it.plan())).toEqual(['hold edit: it waits until a take of hero is picked'])
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 4, counts: { held: 1, kept: 3 } } })
    // The first take can be the chosen one too.
    expect(await pickTake({ ...of(it), address: 'hero#1' })).toMatchObject({ got: 'picked', address: 'hero' })
    expect(toldSteps(it.plan())).toEqual([
      'buy edit: prompt The same teapot in blue → The same teapot in grey (m.yaml:12)',
    ])
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('is of what was made, and never of what lies in its place by now', async () => {
    const it = bench()
    const path = 'out/shop/takes/hero.take2.png'
    const second = it.bytes(path)
    it.write(path, Buffer.concat([second.subarray(0, -20), second.subarray(-20).map(each => each ^ 1)]))
    const before = it.read('m.lock.json')
    expect(await pickTake({ ...of(it), address: 'hero#2' })).toMatchObject({
      got: 'refused',
      problems: [
        {
          code: 'altered',
          message: 'hero#2 was altered since it was made: takes/hero.take2.png',
          hint: expect.stringContaining('put back the file that was made, or move this one away'),
        },
      ],
    })
    expect(it.read('m.lock.json')).toBe(before)
    // Moved away, it comes again for nothing.
    it.remove(path)
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(await pickTake({ ...of(it), address: 'hero#2' })).toMatchObject({ got: 'picked' })
    expect(it.bytes('out/shop/hero.png').equals(second)).toBe(true)
  })

  test('takes lists and globs, all or none', async () => {
    const it = bench()
    const pick = (address: string, ...others: string[]) => pickTake({ ...of(it), address, others })
    expect(await pick('he*#2', 'edit')).toMatchObject({
      got: 'picked',
      addresses: ['hero#2', 'edit'],
      files: ['hero.png', 'edit.png'],
    })
    expect(await pick('hero', 'nobody')).toMatchObject({
      got: 'refused',
      problems: [{ message: 'there is no job nobody' }],
    })
    expect(it.read('m.lock.json').match(/"picked":true/g)).toHaveLength(2)
    expect(await pick('hero', 'hero#2')).toMatchObject({
      got: 'refused',
      problems: [{ message: 'one take of a job is picked, not hero and hero#2' }],
    })
  })

  test('tells of all files that it gives names, by whichever orders they came', async () => {
    const it = bench()
    it.edit(manifestName, 'takes: 2', 'takes: 2\n    count: 2')
    it.edit(manifestName, 'jobs.hero.output', 'jobs.hero.outputs[0]')
    expect(await it.run()).toMatchObject({ report: { exit: 0 } })
    const files = ['hero-1.png', 'hero-2.png']
    expect(await pickTake({ ...of(it), address: 'hero#2' })).toMatchObject({ got: 'picked', files })
    expect(files.every(file => it.has(`out/shop/${file}`))).toBe(true)
  })

  test('of what is not there is refused', async () => {
    const it = bench()
    expect(await pickTake({ ...of(it), address: 'hero#3' })).toMatchObject({
      got: 'refused',
      problems: [{ message: 'hero has no take 3', hint: 'there are hero and hero#2' }],
    })
  })
})

describe('prune', () => {
  const shortened = () => {
    const it = bench()
    const text = it.read(manifestName)
    it.write(manifestName, text.slice(0, text.indexOf('  photo:')))
    return it
  }

  test('only says what it would do', async () => {
    const it = shortened()
    const before = it.snapshot()
    expect(await pruneManifest({ ...of(it), isConfirmed: false })).toMatchObject({
      isDone: false,
      entries: [{ address: 'photo', files: [{ path: 'photo.png', is: 'same' }] }],
    })
    expect(it.snapshot()).toEqual(before)
  })

  test('removes file and entry, and the journal forgets it', async () => {
    const it = shortened()
    await pruneManifest({ ...of(it), isConfirmed: true })
    expect(it.has('out/shop/photo.png')).toBe(false)
    expect(it.read('m.lock.json')).not.toContain('"photo"')
    expect(toldSteps(it.plan())).toEqual([])
    expect(it.has('photo.png')).toBe(true)
  })

  test('gates’ answers about files that nothing has any more go as well, and nothing else there', async () => {
    const it = shortened()
    const digestOf = (name: string) => createHash('sha256').update(it.bytes(name)).digest('hex')
    const question = '0'.repeat(64)
    const gone = `${digestOf('out/shop/photo.png')}-${question}`
    const [first = ''] = it
      .snapshot()
      .flatMap(line => /^out\/shop\/(?!photo)[^ ]+\.png/.exec(line)?.[0] ?? [])
    const [older, staying] = [`${question}-${question}`, `${digestOf(first)}-${question}`]
    for (const name of [gone, older, staying, 'notes.txt']) it.write(`.genrun/m/gates/${name}`, 'text')
    const seen = await pruneManifest({ ...of(it), isConfirmed: false })
    expect(seen).toMatchObject({ isDone: false, answers: 2 })
    expect(readdirSync(join(it.folder, '.genrun/m/gates'))).toHaveLength(4)
    expect(await pruneManifest({ ...of(it), isConfirmed: true })).toMatchObject({ isDone: true, answers: 2 })
    expect(readdirSync(join(it.folder, '.genrun/m/gates')).toSorted()).toEqual([staying, 'notes.txt'])
    expect(await pruneManifest({ ...of(it), isConfirmed: true })).toMatchObject({ entries: [], answers: 0 })
  })

  test('leaves a file that was altered since', async () => {
    const it = shortened()
    it.write('out/shop/photo.png', 'mine now')
    expect(await pruneManifest({ ...of(it), isConfirmed: true })).toMatchObject({
      entries: [{ files: [{ is: 'altered' }] }],
    })
    expect(it.read('out/shop/photo.png')).toBe('mine now')
  })
})

describe('what was put aside', () => {
  const kept = (it: Bench) => it.snapshot().filter(line => /^\.genrun\/m\/kept\/.*\.png/.test(line))
  const edited = async (it: Bench, from: string, to: string) => {
    it.edit(manifestName, from, to)
    expect(await it.run()).toMatchObject({ report: { exit: 0 } })
  }

  test('is told by where it lies, whatever has its name and is as long', async () => {
    const it = bench()
    const photo = it.bytes('out/shop/photo.png')
    await edited(it, 'of the photo', 'of a photo')
    it.write('out/shop/photo.png', Buffer.alloc(photo.length))
    const told = statusOf(of(it))
    expect(told).toMatchObject({
      status: { aside: [{ address: 'photo', files: [expect.stringMatching(/\/kept\/photo\./)] }] },
    })
  })

  test('is pruned whole, with the copies that a way there and back left', async () => {
    const it = bench()
    await edited(it, 'of the photo', 'of a photo')
    await edited(it, '  photo:', '  picture:')
    await edited(it, 'of a photo', 'of the photo')
    await edited(it, 'of the photo', 'of a photo')
    const before = it.snapshot()
    expect(kept(it)).toHaveLength(3)
    const entries = [
      { address: 'picture', files: [{ is: 'same' }, { is: 'same' }] },
      { address: 'picture', files: [{ is: 'same' }], copies: true },
    ]
    expect(await pruneManifest({ ...of(it), aside: true, isConfirmed: false })).toMatchObject({ entries })
    expect(it.snapshot()).toEqual(before)
    await pruneManifest({ ...of(it), aside: true, isConfirmed: true })
    expect(kept(it)).toEqual([])
    expect(await verifyManifest(of(it))).toMatchObject({ got: 'verdict', problems: [] })
    expect(toldSteps(it.plan())).toEqual([])
  })
})

describe('verify', () => {
  const verdict = async (it: Bench, allow: ('missing' | 'untracked')[] = []) => {
    const result = await verifyManifest({ ...of(it), allow })
    if (result.got !== 'verdict') throw new Error(result.got)
    return result.problems.map(({ code, message }) => `${code}: ${message}`)
  }

  test('finds nothing after a run, reads everything and writes nothing', async () => {
    const it = bench()
    const before = it.snapshot()
    const requests = JSON.stringify(shop.gateway.requests())
    expect(await verdict(it)).toEqual([])
    expect(it.snapshot()).toEqual(before)
    expect(JSON.stringify(shop.gateway.requests())).toBe(requests)
  })

  test('tells every kind of drift apart', async () => {
    const it = bench()
    it.edit(manifestName, 'in blue', 'in grey')
    it.remove('out/shop/hero.png')
    // The same size: only the bytes tell.
    const photo = it.bytes('out/shop/photo.png')
    photo[photo.length - 20] = (photo[photo.length - 20] ?? 0) ^ 1
    it.write('out/shop/photo.png', photo)
    it.write('out/shop/mine.png', pixel)
    expect(await verdict(it)).toEqual(
      [
        'stale: edit is not what the manifest asks for: prompt The same teapot in blue → The same teapot in grey (m.yaml:12)',
        'altered: photo.png of photo was altered since it was made',
        'missing: hero.png of hero is gone',
        'untracked: mine.png is in the output folder and not in the lock',
      ].toSorted((a, b) => kinds.indexOf(a.split(':')[0] ?? '') - kinds.indexOf(b.split(':')[0] ?? '')),
    )
    expect((await verdict(it, ['missing', 'untracked'])).map(text => text.split(':')[0])).toEqual([
      'stale',
      'altered',
    ])
  })

  test('what another manifest has in the same folder is known, as long as that is there', async () => {
    const { bench: it } = await openSeller()
    const shared = { 'm.yaml': 'hero', 'n.yaml': 'mug' }
    for (const [manifest, job] of Object.entries(shared)) {
      it.write(manifest, `output: out/shared\n${pictures({ [job]: job })}`)
      await it.run({ manifest })
    }
    for (const manifest of Object.keys(shared))
      expect(await verifyManifest({ manifest, cwd: it.folder })).toMatchObject({ problems: [] })
    it.write('out/shared/mine.png', pixel)
    expect(await verdict(it)).toEqual(['untracked: mine.png is in the output folder and not in the lock'])
    it.remove('n.yaml')
    expect(await verdict(it, ['missing'])).toHaveLength(2)
  })

  test('tells what was never made; what is no longer wanted is no disagreement', async () => {
    const it = bench()
    it.edit(manifestName, '  photo:\n', '  picture:\n')
    it.edit(manifestName, 'of the photo', 'of a photo')
    expect(await verdict(it)).toEqual(['stale: picture is not what the manifest asks for: not made yet'])
    const text = it.read(manifestName)
    it.write(manifestName, text.slice(0, text.indexOf('  picture:')))
    expect(await verifyManifest(of(it))).toMatchObject({ got: 'verdict', problems: [], unasked: ['photo'] })
    await pruneManifest({ ...of(it), isConfirmed: true })
    expect(await verifyManifest(of(it))).toMatchObject({ got: 'verdict', problems: [], unasked: [] })
  })
})

const kinds = ['stale', 'missing', 'altered', 'untracked']

test('why shows every value with its origin', () => {
  const result = whyJob({ ...of(bench()), address: 'edit' })
  if (result.got !== 'why') throw new Error(result.got)
  const { model, values, inputs, step } = result.why
  expect(step.do).toBe('keep')
  expect(model).toEqual({ value: 'famb-character', origin: 'job', at: 'm.yaml:11' })
  expect(values.map(({ param, value, origin, at }) => [param, value, origin, at])).toEqual([
    ['prompt', 'The same teapot in blue', 'job', 'm.yaml:12'],
    ['resolution', '1024x1024', 'built-in', undefined],
    ['renderingSpeed', 'DEFAULT', 'built-in', undefined],
    ['style', 'AUTO', 'built-in', undefined],
    ['count', 1, 'built-in', undefined],
  ])
  expect(inputs).toMatchObject([{ param: 'imageUrls', from: 'hero', origin: 'job', at: 'm.yaml:13' }])
  const photo = whyJob({ ...of(bench()), address: 'photo' })
  expect(photo).toMatchObject({
    why: {
      values: expect.arrayContaining([
        { param: 'aspectRatio', value: '1:1', origin: 'defaults', at: 'm.yaml:3' },
      ]),
    },
  })
})

test('a graph has every job and what flows', () => {
  const it = bench()
  it.edit(manifestName, 'in blue', 'in "grey"')
  expect(graphManifest({ ...of(it), form: 'mermaid' })).toMatchObject({
    text: expect.stringContaining('j1["hero<br>fama-imagine-image<br>keep"]:::keep'),
  })
  const dot = graphManifest({ ...of(it), form: 'dot' })
  expect(dot).toMatchObject({ text: expect.stringContaining('j1 -> j3') })
})

describe('many results bought anew because of one edit', () => {
  test('need a word', async () => {
    const it = shop.empty()
    const jobs = Array.from({ length: 21 }, (_, nth) => `  j${nth}: { model: famc-t2a, prompt: Rain ${nth} }`)
    it.write(manifestName, `defaults: { duration: 3 }\njobs:\n${jobs.join('\n')}\n`)
    expect(await it.run()).toMatchObject({ report: { paid: 21, exit: 0 } })
    it.edit(manifestName, 'duration: 3', 'duration: 4')
    expect(it.plan()).toMatchObject({ paid: 21, again: 21 })
    const before = paidAt(shop.gateway)
    expect(await it.run()).toMatchObject({ got: 'refused', problems: [{ code: 'many-again' }] })
    expect(paidAt(shop.gateway)).toBe(before)
    expect(await it.run({ yes: true })).toMatchObject({ report: { paid: 21 } })
  }, 30_000)
})

test('verify counts what it is told to let pass', async () => {
  const it = bench()
  rmSync(join(it.folder, 'out/shop/hero.png'))
  expect(await verifyManifest({ ...of(it), allow: ['missing'] })).toMatchObject({
    problems: [],
    counts: { missing: 0 },
    allowed: { missing: 1, stale: 0 },
  })
})
