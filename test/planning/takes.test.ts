import { describe, expect, test } from 'vitest'
import { readRules, startGateway } from '../../src/gateway/server.ts'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { galleryOf } from '../../src/verbs/gallery.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { pruneManifest } from '../../src/verbs/prune.ts'
import { quoteOf } from '../../src/verbs/quote.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import type { RunRequest } from '../../src/workspace/workspace.ts'
import { type Bench, manifestName, paidAt, toldSteps } from '../verbs/bench.ts'
import { madeOnce } from '../verbs/made.ts'

const manifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
`

const shop = madeOnce(manifest, 2)
const bench = () => shop.copy()

const of = (it: Bench) => ({ manifest: manifestName, cwd: it.folder })
const redo = (it: Bench, ...words: string[]) => it.run({ redo: true, select: { words } })

/** Stopped as soon as its order is accepted. */
function stoppedRedo(it: Bench, word = 'hero') {
  const stop = new AbortController()
  return it.run({
    redo: true,
    select: { words: [word] },
    stop: stop.signal,
    emit: told => told.event === 'accepted' && stop.abort(),
  })
}

/** At a service that is faulty in this way. */
async function faultyRun(it: Bench, faults: string, asked: Partial<RunRequest> = {}) {
  const rules = readRules(faults)
  if ('problem' in rules) throw new Error(rules.problem)
  const faulty = await startGateway({ outputs: 'memory', faults: { seed: 1, rules: rules.rules } })
  const service = { baseUrl: faulty.baseUrl, key: faulty.key, rehearsal: false }
  const result = await it.run({ ...asked, service })
  await faulty.close()
  return result
}

const faultyRedo = (it: Bench, faults: string) =>
  faultyRun(it, faults, { redo: true, select: { words: ['hero'] } })

/** The take that it was made from, as pages of results show it. */
const usesOfEdit = (it: Bench) => {
  const seen = galleryOf(of(it))
  return seen.got === 'gallery' ? seen.exhibits.find(({ address }) => address === 'edit')?.uses : seen
}

/** What a person says of the take of a redo. */
const resolveTake = (it: Bench, is: 'resubmit' | 'abandon') =>
  resolveOrders({ ...of(it), words: ['hero#2'], resolution: { is } })

const openOf = (it: Bench) => {
  const seen = statusOf(of(it))
  return seen.got === 'status' ? seen.status.open.map(each => `${each.address}: ${each.is}`) : []
}

describe('redo', () => {
  test('of many results is refused until somebody says yes, and says what gets stale', async () => {
    const it = bench()
    const before = paidAt(shop.gateway)
    const asked = { redo: true, select: { words: ['hero'] }, rebuyGuard: 0 }
    expect(await it.run(asked)).toMatchObject({
      got: 'refused',
      problems: [
        {
          code: 'many-again',
          message: 'redo would order 1 result once more (hero#2)',
          hint: '1 job is made from them, and stale then; --yes orders them; name fewer jobs to see them',
        },
      ],
    })
    expect(paidAt(shop.gateway)).toBe(before)
    expect(it.plan(asked).remarks).toContain(
      'made from what is ordered anew, so that the run after orders them: edit',
    )
    // What is ordered along with it is left to no other run.
    const all = it.plan({ ...asked, select: { words: ['*'] } })
    expect(toldSteps(all).map(each => each.split(':')[0])).toEqual(['buy hero#2', 'buy edit'])
    expect(all.remarks.join('; ')).not.toContain('so that the run after orders them')
    expect(await it.run({ ...asked, yes: true })).toMatchObject({ report: { paid: 1, exit: 0 } })
  })

  test('adds a take and picks it; the older one stays, and can be picked again without paying', async () => {
    const it = bench()
    const first = it.bytes('out/m/hero.png')
    const before = paidAt(shop.gateway)
    expect(await redo(it, 'hero')).toMatchObject({
      report: {
        paid: 1,
        exit: 0,
        // Where each lies once the new one is picked.
        jobs: [
          { ending: 'kept', files: [{ path: 'takes/hero.take1.png' }] },
          { address: 'hero#2', files: [{ path: 'hero.png' }] },
        ],
      },
    })
    expect(paidAt(shop.gateway) - before).toBe(1)
    const second = it.bytes('out/m/hero.png')
    expect(second.equals(first)).toBe(false)
    expect(it.bytes('out/m/takes/hero.take1.png').equals(first)).toBe(true)
    expect(usesOfEdit(it)).toEqual(['hero'])
    // What is made from it follows the pick, and only that is bought.
    expect(toldSteps(it.plan())).toEqual(['buy edit: imageUrls: the file changed (m.yaml:8)'])
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(toldSteps(it.plan())).toEqual([])
    expect(usesOfEdit(it)).toEqual(['hero#2'])

    expect(await pickTake({ ...of(it), address: 'hero' })).toMatchObject({
      got: 'picked',
      files: ['hero.png'],
    })
    expect(it.bytes('out/m/hero.png').equals(first)).toBe(true)
    expect(it.bytes('out/m/takes/hero.take2.png').equals(second)).toBe(true)
  })

  test('again adds a third; nothing of it is dropped or pruned', async () => {
    const it = bench()
    await redo(it, 'hero')
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.has('out/m/takes/hero.take1.png') && it.has('out/m/takes/hero.take2.png')).toBe(true)
    expect(it.plan().steps.map(({ do: what, address }) => `${what} ${address}`)).toEqual([
      'keep hero',
      'keep hero#2',
      'keep hero#3',
      'buy edit',
    ])
    expect(await pruneManifest({ ...of(it), isConfirmed: true })).toMatchObject({
      entries: [],
      further: ['hero#2'],
    })
    // The manifest asks for as many by now: they are there.
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    takes: 4')
    expect(toldSteps(it.plan({ select: { words: ['hero'] } }))).toEqual(['buy hero#4: not made yet'])
  })

  test('that was stopped is gone on with by the next one, and not paid for twice', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    const before = paidAt(shop.gateway)
    expect(await stoppedRedo(it)).toMatchObject({ report: { paid: 1, counts: { detached: 1 }, exit: 4 } })
    expect(it.plan({ select: { words: ['hero'] } }).steps).toMatchObject([
      { do: 'keep', address: 'hero' },
      { do: 'resume', address: 'hero#2' },
    ])
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(1)
    // Picked, as it was meant to be.
    expect(it.has('out/m/takes/hero.take1.png')).toBe(true)
    expect(it.plan({ select: { words: ['hero'] } }).steps.map(step => `${step.do} ${step.address}`)).toEqual([
      'keep hero',
      'keep hero#2',
    ])
  })

  test('that was stopped is gone on with, and whose order is in doubt holds another, also where one take is named', async () => {
    const [it, stopped] = [bench(), bench()]
    await faultyRedo(it, 'lose')
    stopped.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    await stoppedRedo(stopped)
    expect(openOf(it)).toEqual(['hero#2: doubt'])
    const before = paidAt(shop.gateway)
    await redo(stopped, 'hero#1')
    for (const word of ['hero#1', 'hero']) await redo(it, word)
    expect(paidAt(shop.gateway)).toBe(before)
    expect(openOf(stopped)).toEqual([])
    expect(openOf(it)).toEqual(['hero#2: doubt'])
    const quote = quoteOf({ ...of(it), redo: true, select: { words: ['hero#1'] } })
    expect(quote).toMatchObject({ quote: { buys: [], against: [expect.stringContaining('hero#2: ')] } })
    // What is under way is fetched all the same.
    it.edit(manifestName, 'The same teapot in blue', 'The same teapot in blue\n    mode: submit')
    await stoppedRedo(it, 'edit')
    expect(openOf(it)).toEqual(['hero#2: doubt', expect.stringMatching(/^edit#2: /)])
    expect(quoteOf(of(it))).toMatchObject({ quote: { buys: [], against: [] } })
  })

  test('that was stopped, and finished by a plain run, is picked by that, and is at its end', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    const before = paidAt(shop.gateway)
    await stoppedRedo(it)
    const first = it.bytes('out/m/hero.png')
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(it.bytes('out/m/takes/hero.take1.png').equals(first)).toBe(true)
    expect(paidAt(shop.gateway) - before).toBe(1)
    // The same words mean one more.
    it.edit(manifestName, 'mode: submit', 'mode: execute')
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
  })

  test('that was stopped is over when somebody has picked another take', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    await stoppedRedo(it)
    await it.run()
    expect(await pickTake({ ...of(it), address: 'hero' })).toMatchObject({ got: 'picked' })
    expect(toldSteps(it.plan({ redo: true, select: { words: ['hero'] } }))).toMatchObject([/^buy hero#3/])
  })

  test('goes on after the picked job was made anew: what lay among the takes is kept, not in the way', async () => {
    const it = bench()
    const first = it.bytes('out/m/hero.png')
    await redo(it, 'hero')
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    expect(await it.run({ yes: true })).toMatchObject({ report: { exit: 0 } })
    expect(it.has('out/m/takes/hero.take1.png')).toBe(false)
    expect(it.snapshot().some(line => /kept\/takes\/hero\.take1\.\w+\.png /.test(line))).toBe(true)
    const green = it.bytes('out/m/hero.png')
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.bytes('out/m/takes/hero.take1.png').equals(green)).toBe(true)
    expect(first.equals(green)).toBe(false)
  })

  test.each([
    ['the name of the take that was there', 'takes/hero.take1.png'],
    ['the bare name, whatever the service sends', 'hero.jpg'],
  ])('buys nothing while a file of somebody else has %s', async (_, path) => {
    const it = bench()
    if (path.startsWith('takes/')) it.makeFolder('out/m/takes')
    it.write(`out/m/${path}`, 'mine')
    const before = paidAt(shop.gateway)
    const made = it.bytes('out/m/hero.png')
    expect(await redo(it, 'hero')).toMatchObject({
      got: 'refused',
      problems: [
        { code: 'file-in-the-way', message: `${path} is there already, and genrun did not make it` },
      ],
    })
    expect(paidAt(shop.gateway)).toBe(before)
    it.remove(`out/m/${path}`)
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.bytes('out/m/takes/hero.take1.png').equals(made)).toBe(true)
  })

  test('buys nothing when what has the bare name was altered by hand', async () => {
    const it = bench()
    it.write('out/m/hero.png', 'painted over')
    const before = paidAt(shop.gateway)
    expect(await redo(it, 'hero')).toMatchObject({
      got: 'refused',
      problems: [{ message: 'hero.png was altered since genrun made it' }],
    })
    expect(paidAt(shop.gateway)).toBe(before)
  })

  test('whose job is accepted under a changed recipe stays picked, with the bare name', async () => {
    const it = bench()
    await redo(it, 'hero')
    await it.run()
    const second = it.bytes('out/m/hero.png')
    it.edit(manifestName, 'A red teapot', 'A red tea pot')
    expect(await acceptJobs({ ...of(it), select: { words: ['hero'] } })).toMatchObject({
      record: { accepted: [{ address: 'hero' }, { address: 'hero#2' }], left: [] },
    })
    expect(it.bytes('out/m/hero.png').equals(second)).toBe(true)
    expect(toldSteps(it.plan())).toEqual([])
    expect(it.plan().remarks.filter(each => each.includes('pick'))).toEqual([])
  })

  test('of a job and of what is made from it buys each once', async () => {
    const it = bench()
    const before = paidAt(shop.gateway)
    expect(await redo(it, 'hero', 'edit')).toMatchObject({ report: { paid: 2, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(2)
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('of what changed anyway buys it as it is', async () => {
    const it = bench()
    it.edit(manifestName, 'in blue', 'in grey')
    expect(await redo(it, 'edit')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.plan().steps.map(step => step.address)).toEqual(['hero', 'edit'])
  })

  test('of what is gone for good buys it in its own place', async () => {
    const it = bench()
    it.remove('.genrun')
    it.write('m.lock.json', it.read('m.lock.json').replaceAll(/,"run":\{[^}]*\}/g, ''))
    it.remove('out/m/edit.png')
    expect(await redo(it, 'edit')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.plan().steps.map(step => `${step.do} ${step.address}`)).toEqual(['keep hero', 'keep edit'])
  })

  test('ends with its recipe: a changed prompt buys one result, and the picked take is told', async () => {
    const it = bench()
    await redo(it, 'hero')
    await it.run()
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    const plan = it.plan()
    expect(toldSteps(plan)).toEqual([
      'buy hero: prompt A red teapot → A green teapot (m.yaml:4)',
      'buy edit: imageUrls: hero is made anew',
      'drop hero#2: no longer asked for; it is kept, and comes back when the edit is taken back',
    ])
    // Nor is it what `prune` is about: the edit may be taken back before a run.
    expect(await pruneManifest({ ...of(it), isConfirmed: true })).toMatchObject({ entries: [], aside: 2 })
    it.edit(manifestName, 'A green teapot', 'A red teapot')
    expect(toldSteps(it.plan())).toEqual([])
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    const named = await pruneManifest({ ...of(it), isConfirmed: false, aside: true })
    expect(named).toMatchObject({ aside: 0 })
    expect('entries' in named && named.entries[0]).toEqual({
      address: 'hero#2',
      files: [{ path: 'hero.png', is: 'same' }],
    })
    expect(plan.remarks[0]).toBe(
      'the pick hero#2 is made anew, or no longer asked for: nothing is picked any more',
    )
    expect(await it.run()).toMatchObject({ report: { paid: 2, exit: 0 } })
    // Its name went to the new one: what it was lies aside.
    expect(toldSteps(it.plan())).toEqual([])
    expect(statusOf(of(it))).toMatchObject({
      status: { aside: expect.arrayContaining([expect.objectContaining({ address: 'hero#2' })]) },
    })
  })

  test('orders another take where an edit was taken back, and the take of the edited job is picked', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    await it.run({ select: { words: ['hero'] } })
    await redo(it, 'hero')
    it.edit(manifestName, 'A green teapot', 'A red teapot')
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(toldSteps(it.plan({ select: { words: ['hero'] } }))).toEqual([])
  })

  test('that failed leaves everything as it was, and is ordered again by the next one', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    const first = it.bytes('out/m/hero.png')
    expect(await faultyRedo(it, 'fail on=submit')).toMatchObject({ report: { paid: 1, exit: 1 } })
    expect(it.bytes('out/m/hero.png').equals(first)).toBe(true)
    expect(it.plan().paid).toBe(0)
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.has('out/m/takes/hero.take1.png')).toBe(true)
  })
})

describe('a redo that failed', () => {
  const failedOnce = async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A red teapot\n    mode: submit')
    await faultyRedo(it, 'fail on=submit')
    return it
  }
  const choices = { failed: true }

  test('is ordered again by --failed, under its number, and picked', async () => {
    const it = await failedOnce()
    const before = paidAt(shop.gateway)
    expect(await it.run({ choices, select: { failed: true } })).toMatchObject({
      report: { paid: 1, exit: 0 },
    })
    expect(await it.run({ choices, select: { failed: true } })).toMatchObject({
      report: { paid: 0, exit: 0 },
    })
    expect(paidAt(shop.gateway) - before).toBe(1)
    expect(it.has('out/m/takes/hero.take1.png')).toBe(true)
    expect(it.has('out/m/takes/hero.take3.png')).toBe(false)
  })

  test('and was ordered again since is nobody’s wish, whatever is said of it', async () => {
    const it = await failedOnce()
    await it.run({ choices, select: { failed: true } })
    expect(await resolveTake(it, 'resubmit')).toMatchObject({ got: 'resolved' })
    await pruneManifest({ ...of(it), isConfirmed: true, takes: true })
    expect(it.has('out/m/takes/hero.take2.png')).toBe(false)
    expect(it.plan({ select: { words: ['hero'] } }).paid).toBe(0)
  })

  test('is ordered again by nothing else, nor once another prompt is asked for', async () => {
    const it = await failedOnce()
    expect(it.plan().paid).toBe(0)
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    const bought = it.plan({ choices }).steps.flatMap(step => (step.do === 'buy' ? [step.address] : []))
    expect(bought).toEqual(['hero', 'edit'])
  })
})

describe('of a redo in doubt', () => {
  const inDoubt = async () => {
    const it = bench()
    expect(await faultyRedo(it, 'lose')).toMatchObject({ report: { paid: 1, exit: 3 } })
    expect(openOf(it)).toEqual(['hero#2: doubt'])
    return it
  }

  test('what is ordered anew by name is told until any run has ordered it, once, and picked it', async () => {
    const it = await inDoubt()
    const first = it.bytes('out/m/hero.png')
    expect(await resolveTake(it, 'resubmit')).toMatchObject({
      record: { resolved: [{ address: 'hero#2', next: 'orders it anew' }] },
    })
    expect(openOf(it)).toEqual(['hero#2: anew'])
    expect(toldSteps(it.plan())).toEqual(['buy hero#2: asked for by `resolve --resubmit`'])
    const before = paidAt(shop.gateway)
    // What was refused cost nothing: the person waits for it as before.
    expect(await faultyRun(it, 'refuse=402')).toMatchObject({ report: { exit: 6 } })
    expect(openOf(it)).toEqual(['hero#2: refused'])
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect([openOf(it), toldSteps(it.plan({ select: { words: ['hero'] } }))]).toEqual([[], []])
    expect(it.bytes('out/m/takes/hero.take1.png').equals(first)).toBe(true)
    expect(paidAt(shop.gateway) - before).toBe(1)
  })

  test('the same words order what was ordered anew by name, and no third take', async () => {
    const it = await inDoubt()
    await resolveTake(it, 'resubmit')
    await resolveTake(it, 'resubmit')
    expect(await redo(it, 'hero')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.has('out/m/takes/hero.take1.png')).toBe(true)
    expect(toldSteps(it.plan({ select: { words: ['hero'] } }))).toEqual([])
  })

  test('what was ordered anew may be taken back, and an edit makes it nobody’s wish', async () => {
    const it = await inDoubt()
    await resolveTake(it, 'resubmit')
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    expect(toldSteps(it.plan()).filter(each => each.includes('#'))).toEqual([])
    it.edit(manifestName, 'A green teapot', 'A red teapot')
    expect(await resolveTake(it, 'abandon')).toMatchObject({ got: 'resolved' })
    expect([openOf(it), toldSteps(it.plan())]).toEqual([[], []])
  })

  test('what was ordered anew goes along with a renamed job', async () => {
    const it = await inDoubt()
    await resolveTake(it, 'resubmit')
    it.edit(manifestName, '  hero:', '  poster:')
    it.edit(manifestName, 'jobs.hero', 'jobs.poster')
    expect(it.plan().paid).toBe(1)
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(it.has('out/m/takes/poster.take1.png')).toBe(true)
    expect(toldSteps(it.plan({ select: { words: ['poster'] } }))).toEqual([])
  })

  test('what is given up is nobody’s wish', async () => {
    const it = await inDoubt()
    await resolveTake(it, 'abandon')
    expect(toldSteps(it.plan()).filter(each => each.startsWith('buy'))).toEqual([])
  })
})

test('takes that a manifest asks for no longer stay, until it is said that they may go', async () => {
  const it = bench()
  it.edit(manifestName, 'A red teapot', 'A red teapot\n    takes: 4')
  expect(await it.run()).toMatchObject({ report: { paid: 3, exit: 0 } })
  await pickTake({ ...of(it), address: 'hero#2' })
  await it.run()
  it.edit(manifestName, 'takes: 4', 'takes: 1')
  expect(toldSteps(it.plan())).toEqual([])
  const dry = await pruneManifest({ ...of(it), isConfirmed: false })
  expect(dry).toMatchObject({ got: 'pruned', entries: [], further: ['hero#3', 'hero#4'] })
  const told = await pruneManifest({ ...of(it), isConfirmed: false, takes: true })
  expect(told).toMatchObject({
    isDone: false,
    entries: [
      { address: 'hero#3', files: [{ path: 'takes/hero.take3.png', is: 'same' }] },
      { address: 'hero#4', files: [{ path: 'takes/hero.take4.png', is: 'same' }] },
    ],
  })
  expect(it.has('out/m/takes/hero.take3.png')).toBe(true)

  expect(await pruneManifest({ ...of(it), isConfirmed: true, takes: true })).toMatchObject({ isDone: true })
  expect(it.has('out/m/takes/hero.take3.png')).toBe(false)
  // The pick, and what it took the name of, are as they were.
  expect(it.has('out/m/hero.png') && it.has('out/m/takes/hero.take1.png')).toBe(true)
  expect(toldSteps(it.plan())).toEqual([])
  expect(it.plan()).toMatchObject({ paid: 0 })
})

describe('what was made from a picked take is not bought again', () => {
  const picked = async () => {
    const it = bench()
    await redo(it, 'hero')
    await it.run()
    expect(toldSteps(it.plan())).toEqual([])
    return it
  }

  test('when the lock is lost', async () => {
    const it = await picked()
    it.remove('m.lock.json')
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('when the lock is lost and every take has a name of its own', async () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', "A red teapot\n    takes: 2\n    output: 'tea-${{ take }}'")
    await it.run()
    await pickTake({ ...of(it), address: 'hero#2' })
    expect(await it.run()).toMatchObject({ report: { paid: 1, exit: 0 } })
    it.remove('m.lock.json')
    expect(toldSteps(it.plan())).toEqual([])
    // The run writes the pick down again: the next one has a lock to go by.
    for (let nth = 0; nth < 2; nth++) {
      expect(await it.run()).toMatchObject({ report: { paid: 0, requests: 0, exit: 0 } })
      expect(it.read('m.lock.json')).toContain('"picked":true')
    }
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('when the journal is lost', async () => {
    const it = await picked()
    it.remove('.genrun')
    expect(toldSteps(it.plan())).toEqual([])
  })

  test('when the job gets another name', async () => {
    const it = await picked()
    it.edit(manifestName, '  hero:', '  poster:')
    it.edit(manifestName, 'jobs.hero', 'jobs.poster')
    expect(it.plan().paid).toBe(0)
    const before = paidAt(shop.gateway)
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0, counts: { moved: 2 } } })
    expect(paidAt(shop.gateway)).toBe(before)
    expect(it.has('out/m/poster.png') && it.has('out/m/takes/poster.take1.png')).toBe(true)
    expect(toldSteps(it.plan())).toEqual([])
  })
})

describe('a pick goes along when jobs swap their names', () => {
  const two = `jobs:
  a:
    model: fama-imagine-image
    prompt: A red teapot
  b:
    model: fama-imagine-image
    prompt: A green teapot
`
  const clip = `  c:
    model: famc-v3
    prompt: The teapot boils
    startFrame: \${{ jobs.a.output }}
`
  const swap = (it: Bench) => {
    const swapped = it
      .read(manifestName)
      .replace(/^ {2}([ab]):$/gm, (_, name) => `  ${name === 'a' ? 'b' : 'a'}:`)
      .replace(/jobs\.([ab])\./, (_, name) => `jobs.${name === 'a' ? 'b' : 'a'}.`)
    it.write(manifestName, swapped)
  }
  const started = async (text: string) => {
    const it = shop.empty()
    it.write(manifestName, text)
    await it.run()
    expect(await redo(it, 'a')).toMatchObject({ report: { paid: 1, exit: 0 } })
    return it
  }
  const expectFree = async (it: Bench) => {
    const before = paidAt(shop.gateway)
    expect(it.plan().remarks.filter(each => each.includes('pick'))).toEqual([])
    expect(await it.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway)).toBe(before)
    expect(toldSteps(it.plan())).toEqual([])
  }

  test('and what is made from it is not bought again, there and back', async () => {
    const it = await started(two)
    it.write(manifestName, two + clip)
    await it.run()
    const [redone, other] = [it.bytes('out/m/a.png'), it.bytes('out/m/b.png')]
    const first = it.bytes('out/m/takes/a.take1.png')
    swap(it)
    await expectFree(it)
    expect(it.bytes('out/m/b.png').equals(redone)).toBe(true)
    expect(it.bytes('out/m/takes/b.take1.png').equals(first)).toBe(true)
    expect(it.bytes('out/m/a.png').equals(other)).toBe(true)
    swap(it)
    await expectFree(it)
    expect(it.bytes('out/m/a.png').equals(redone)).toBe(true)
    expect(it.bytes('out/m/b.png').equals(other)).toBe(true)
  })

  test('when both were redone', async () => {
    const it = await started(two)
    await redo(it, 'b')
    const [a, b] = [it.bytes('out/m/a.png'), it.bytes('out/m/b.png')]
    swap(it)
    await expectFree(it)
    expect(it.bytes('out/m/b.png').equals(a) && it.bytes('out/m/a.png').equals(b)).toBe(true)
  })

  test('when one is a picture and the other a sound', async () => {
    const it = await started(two.replace(/fama-imagine-image(?=\n.*green)/, 'fama-tts'))
    const redone = it.bytes('out/m/a.png')
    swap(it)
    await expectFree(it)
    expect(it.bytes('out/m/b.png').equals(redone)).toBe(true)
    expect(it.has('out/m/a.png')).toBe(false)
    expect(await verifyManifest(of(it))).toMatchObject({ problems: [] })
  })
})

test('a pick that ends with its recipe is put aside, whatever kind of file follows, and told once', async () => {
  const it = shop.empty()
  it.write(manifestName, 'jobs:\n  hero:\n    model: fama-imagine-image\n    prompt: A red teapot\n')
  await it.run()
  await redo(it, 'hero')
  it.edit(manifestName, 'fama-imagine-image', 'fama-tts')
  expect(it.plan().remarks[0]).toMatch(/^the pick hero#2 is /)
  expect(await it.run({ yes: true })).toMatchObject({ report: { paid: 1, exit: 0 } })
  expect(it.has('out/m/hero.png')).toBe(false)
  expect(it.plan().remarks.filter(each => each.includes('pick'))).toEqual([])
  expect(toldSteps(it.plan())).toEqual([])
  it.edit(manifestName, 'fama-tts', 'fama-imagine-image')
  expect(await it.run({ yes: true })).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(it.has('out/m/hero.png')).toBe(true)
})
