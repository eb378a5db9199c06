import { describe, expect, test } from 'vitest'
import { jobAddress, type RunId } from '../../../src/base/names.ts'
import type { DonePurchase, RunningPurchase } from '../../../src/base/purchase.ts'
import type { SavedFile } from '../../../src/base/state.ts'
import { type Locked, readLock, writeLock } from '../../../src/store/lock/lock.ts'
import { mergeLocks } from '../../../src/store/lock/lock-merge.ts'
import { named, saved } from '../records.ts'

const lineage = '0123456789abcdef0123456789abcdef'

const order = (address: string, id: string, prompt = 'tea') => {
  const recipe = { version: 1, model: 'm', params: { prompt }, defaults: {}, inputs: {}, take: 1 } as const
  return { id: named(id), address: jobAddress(address), recipe }
}
const run = { workflow: 'w', id: 'r1' as RunId } // short, printable

function done(address: string, id: string, prompt?: string, more: Partial<DonePurchase> = {}): DonePurchase {
  return { ...order(address, id, prompt), is: 'done', files: [], ...more }
}

function running(address: string, id: string, prompt?: string): RunningPurchase {
  return { ...order(address, id, prompt), is: 'under-way', run, saved: [], parts: [] }
}

const lock = (...jobs: Locked[]) => writeLock({ lineage, manifest: 'm.yaml', jobs })

const called = (manifest: string, text: string) => text.replace('m.yaml', manifest)

/** `a#1=tea b#2=mud*`, each purchase with its files; `*` is aside, `!` picked, `?` not there yet, with its run. */
function merged(base: string, ours: string, theirs: string): string {
  const result = mergeLocks({ base, ours, theirs })
  if (result.got === 'damaged') return `${result.side}: ${result.why}`
  const reading = readLock(result.text, 'm.yaml')
  if (reading.got === 'damaged') return reading.why
  return reading.lock.jobs
    .map(each => {
      const its = `${each.address}#${each.id}=${String(each.recipe.params.prompt)}`
      if (each.is !== 'done') return `${its}?${('run' in each && each.run?.id) || ''}`
      return `${its}${each.aside ? '*' : ''}${each.picked ? '!' : ''}`
    })
    .join(' ')
}

test('of what failed on both sides it is past what came after it on one', () => {
  const failed: Locked = {
    ...order('a', '1'),
    is: 'failed',
    flaw: { why: 'remote', message: 'no' },
    billed: 'unknown',
  }
  const past: Locked = { ...failed, isPast: true }
  const sides = [
    [failed, past, failed],
    [failed, failed, past],
    [undefined, past, failed],
    [undefined, failed, past],
  ] as const
  for (const [base, ours, theirs] of sides) {
    const merged = mergeLocks({ base: base ? lock(base) : '', ours: lock(ours), theirs: lock(theirs) })
    expect(merged).toMatchObject({ got: 'merged', text: lock(past) })
  }
})

describe('two locks become one', () => {
  const a = done('a', '1')
  const b = done('b', '2')
  const failed: Locked = {
    ...order('a', '1'),
    is: 'failed',
    flaw: { why: 'remote', message: 'no' },
    billed: 'unknown',
  }
  const doubt: Locked = { ...order('a', '1'), is: 'doubt', detail: 'lost', raws: [] }
  test.each<[string, [string, string, string], string]>([
    ['neighbours are added on both sides', [lock(), lock(a), lock(b)], 'a#1=tea b#2=tea'],
    ['there was none before', ['', lock(a), lock(b)], 'a#1=tea b#2=tea'],
    [
      'neighbours were moved',
      [lock(a, b), lock(done('z', '1'), b), lock(a, done('y', '2'))],
      'y#2=tea z#1=tea',
    ],
    ['one side takes out', [lock(a, b), lock(a), lock(a, b)], 'a#1=tea'],
    ['both sides take out', [lock(a, b), lock(a), lock(a)], 'a#1=tea'],
    ['one side takes out what the other moved', [lock(a), lock(), lock(done('z', '1'))], 'z#1=tea'],
    ['and the other way round', [lock(a), lock(done('z', '1')), lock()], 'z#1=tea'],
    ['both have the same', [lock(), lock(a), lock(a)], 'a#1=tea'],
    ['both bought the same job: two purchases', [lock(), lock(a), lock(done('a', '2'))], 'a#1=tea a#2=tea'],
    ['both made different things', [lock(), lock(a), lock(done('a', '2', 'mud'))], 'a#1=tea a#2=mud'],
    [
      'both bought an edited job anew',
      [
        lock(a),
        lock(done('a', '1', 'tea', { aside: true }), done('a', '2', 'mud')),
        lock(a, done('a', '3', 'ink')),
      ],
      'a#1=tea* a#2=mud a#3=ink',
    ],
    ['theirs finished our run', [lock(), lock(running('a', '1')), lock(a)], 'a#1=tea'],
    ['ours finished their run', [lock(), lock(a), lock(running('a', '1'))], 'a#1=tea'],
    [
      'it is under way there and done elsewhere since',
      [lock(running('a', '1')), lock(a), lock(running('a', '1'))],
      'a#1=tea',
    ],
    ['their doubt is our result', [lock(doubt), lock(a), lock(failed)], 'a#1=tea'],
    ['our doubt is their result', [lock(doubt), lock(failed), lock(a)], 'a#1=tea'],
    [
      'ours gave up what is under way there',
      [lock(doubt), lock(failed), lock(running('a', '1'))],
      'a#1=tea?r1',
    ],
    [
      'theirs gave up what is under way here',
      [lock(doubt), lock(running('a', '1')), lock(failed)],
      'a#1=tea?r1',
    ],
    [
      'ours renamed a doubt that is under way there',
      [lock(doubt), lock({ ...doubt, address: jobAddress('b') }), lock(running('a', '1'))],
      'b#1=tea?r1',
    ],
    [
      'another run of the job is under way elsewhere',
      [lock(), lock(running('a', '1')), lock(done('a', '2', 'mud'))],
      'a#1=tea?r1 a#2=mud',
    ],
    ['one side is no lock', [lock(), lock(a), '{}'], 'theirs: it is not a lock of genrun'],
    ['where they parted there was no lock', ['{}', lock(a), lock(a)], 'base: it is not a lock of genrun'],
    [
      'both sides renamed the manifest',
      [lock(), called('o.yaml', lock(a)), called('n.yaml', lock(b))],
      'theirs: it belongs to the manifest n.yaml, not to o.yaml',
    ],
    [
      'they are of two manifests',
      [lock(), lock(a), called('n.yaml', lock(b)).replace(lineage, lineage.replaceAll('0', '1'))],
      'theirs: it belongs to the manifest n.yaml, not to m.yaml',
    ],
  ])('when %s', (_, [base, ours, theirs], expected) => {
    expect(merged(base, ours, theirs)).toBe(expected)
  })
})

test.each([
  ['theirs', (text: string) => text, (text: string) => called('n.yaml', text)],
  ['ours', (text: string) => called('n.yaml', text), (text: string) => text],
])('a manifest that %s renamed has the new name, and what both sides bought', (_, ours, theirs) => {
  const [one, other] = [done('a', '1', 'tea'), done('b', '2', 'mud')]
  const sides = { base: lock(), ours: ours(lock(one)), theirs: theirs(lock(other)) }
  expect(mergeLocks(sides)).toEqual({ got: 'merged', text: called('n.yaml', lock(one, other)) })
})

test.each([
  ['theirs', done('a', '1'), done('a', '1', 'tea', { run, files: [saved('x.png')] })],
  ['ours', done('a', '1', 'tea', { run }), done('a', '1', 'tea', { files: [saved('x.png')] })],
  ['theirs that is under way', done('a', '1'), running('a', '1')],
])('a run that one side knows of a result is kept: of %s', (_, ours, theirs) => {
  const result = mergeLocks({ base: '', ours: lock(ours), theirs: lock(theirs) })
  const reading = result.got === 'merged' && readLock(result.text)
  expect(reading).toMatchObject({ lock: { jobs: [{ is: 'done', files: ours.files, run }] } })
})

describe('one path has one owner', () => {
  const at = (path: string): { readonly files: readonly SavedFile[] } => ({ files: [saved(path)] })
  const mine = done('a', '1', 'tea', at('a.png'))
  test.each<[string, [Locked[], Locked[], Locked[]], string]>([
    [
      'both gave it to their own: ours has it',
      [[], [mine], [done('a', '2', 'mud', at('a.png'))]],
      'a#1=tea a#2=mud*',
    ],
    [
      'theirs had picked another: what is aside is not picked',
      [[], [mine], [done('a', '2', 'mud', { ...at('a.png'), picked: true })]],
      'a#1=tea a#2=mud*',
    ],
    ['by two jobs', [[], [mine], [done('b', '2', 'mud', at('a.png'))]], 'a#1=tea b#2=mud*'],
    [
      'theirs put ours aside for another, and we did nothing: theirs has it',
      [[mine], [mine], [{ ...mine, aside: true }, done('a', '2', 'mud', at('a.png'))]],
      'a#1=tea* a#2=mud',
    ],
    [
      'theirs is aside: it has no name',
      [[], [mine], [done('a', '2', 'mud', { ...at('a.png'), aside: true })]],
      'a#1=tea a#2=mud*',
    ],
    ['other names are left alone', [[], [mine], [done('b', '2', 'mud', at('b.png'))]], 'a#1=tea b#2=mud'],
  ])('when %s', (_, [base, ours, theirs], expected) => {
    expect(merged(lock(...base), lock(...ours), lock(...theirs))).toBe(expected)
  })
})

test('locks of format 1 merge as well: what both sides know is one purchase', () => {
  const old = (prompt: string) =>
    lock(done('a', 'x', prompt))
      .replace('"genrun":2', '"genrun":1')
      .replace(/"id":"x",/, '')
  const both = mergeLocks({ base: old('tea'), ours: old('tea'), theirs: old('tea') })
  if (both.got !== 'merged') throw new Error(both.why)
  const reading = readLock(both.text)
  expect(reading.got === 'lock' && reading.lock.jobs).toHaveLength(1)
  expect(both.text).toMatch(/^{"genrun":2,/)
})

describe('two takes that were ordered apart under one number', () => {
  const picture = (name: string): SavedFile => ({
    ...saved('takes/a.take2.png'),
    digest: `sha256:${name.repeat(64)}` as SavedFile['digest'],
  })
  const take = (id: string, name = id) => done('a#2', id, 'tea', { files: [picture(name)] })
  const coming = (id: string, its = id, prompt?: string): Locked => ({
    ...running('a#2', id, prompt),
    run: { ...run, id: `r-${its}` as RunId }, // short, printable
  })
  const maybe = (id: string): Locked => ({
    ...order('a#2', id),
    is: 'doubt',
    detail: '',
    raws: [],
    redo: true,
  })
  const picked = (id: string) => done('a#2', id, 'tea', { files: [{ ...picture(id), path: 'a.png' }] })
  test.each<[string, Locked[], Locked[], string]>([
    ['theirs gets the next number', [take('1')], [take('2')], 'a#2#1=tea a#3#2=tea*'],
    [
      'the next that is free on both sides',
      [take('1'), done('a#3', '3', 'ink')],
      [take('2'), done('a#4', '4', 'ink')],
      'a#2#1=tea a#3#3=ink a#4#4=ink a#5#2=tea*',
    ],
    ['the same file twice is one take', [take('1', 'a')], [take('2', 'a')], 'a#2#1=tea a#2#2=tea*'],
    [
      'of something else it stays with its edit',
      [take('1')],
      [{ ...take('2'), recipe: order('a#2', '2', 'ink').recipe }],
      'a#2#1=tea a#2#2=ink*',
    ],
    [
      'also where one side has picked another take since, and no name is shared',
      [done('a', '9'), { ...picked('1'), picked: true }],
      [done('a', '9'), take('2')],
      'a#9=tea a#2#1=tea! a#3#2=tea*',
    ],
    [
      'also where the name of one is that of the first take',
      [{ ...done('a', '9'), files: picked('9').files, picked: true }, take('1')],
      [done('a', '9'), { ...picked('2'), picked: true }],
      'a#9=tea! a#2#1=tea a#3#2=tea*',
    ],
    ['what is made keeps its number: ours', [take('2')], [coming('1')], 'a#2#2=tea a#3#1=tea?r-1'],
    ['what is made keeps its number: theirs', [coming('1')], [take('2')], 'a#2#2=tea a#3#1=tea?r-1'],
    [
      'of two on their way the first id keeps it',
      [coming('2')],
      [coming('1')],
      'a#2#1=tea?r-1 a#3#2=tea?r-2',
    ],
    ['one that was sent twice is one', [coming('1', 'r')], [coming('2', 'r')], 'a#2#1=tea?r-r a#2#2=tea?r-r'],
    [
      'of other words each stays what it is',
      [take('2')],
      [coming('1', '1', 'ink')],
      'a#2#1=ink?r-1 a#2#2=tea',
    ],
    ['a redo in doubt as well', [take('2')], [maybe('1')], 'a#2#2=tea a#3#1=tea?'],
  ])('%s', (_, ours, theirs, wanted) => {
    expect(merged(lock(), lock(...ours), lock(...theirs))).toBe(wanted)
  })

  test('picked by a run on one side and by a person on the other it is a person’s choice', () => {
    const [byRun, byPerson] = [
      { ...picked('1'), picked: true },
      { ...picked('1'), picked: true, byHand: true },
    ] as const
    for (const [ours, theirs] of [
      [byRun, byPerson],
      [byPerson, byRun],
    ] as const)
      expect(mergeLocks({ base: lock(take('1')), ours: lock(ours), theirs: lock(theirs) })).toMatchObject({
        text: expect.stringContaining('"picked":true,"byHand":true'),
      })
  })
})

describe('one side gives names, and the other chooses', () => {
  const at = (address: string, id: string, path: string, more: Partial<DonePurchase> = {}) =>
    done(address, id, 'tea', { files: [saved(path)], ...more })
  const pot = (address: string, id: string, path: string, more: Partial<DonePurchase> = {}) =>
    done(address, id, 'pot', { files: [saved(path)], ...more })
  const picked = { picked: true } as const
  const base = [at('a', '1', 'a.png'), at('a#2', '2', 'a2.png'), pot('b', '3', 'b.png')]
  const renamed = [at('x', '1', 'x.png'), at('x#2', '2', 'x2.png'), pot('b', '3', 'b.png')]
  const exchanged = [at('b', '1', 'b.png'), at('b#2', '2', 'b2.png'), pot('a', '3', 'a.png')]
  const chosen = [at('a', '1', 'a1.png'), at('a#2', '2', 'a.png', picked), pot('b', '3', 'b.png')]
  const redone = [
    at('a', '1', 'a1.png'),
    at('a#2', '2', 'a2.png'),
    at('a#3', '4', 'a.png', picked),
    pot('b', '3', 'b.png'),
  ]
  test.each<[string, Locked[], Locked[], string]>([
    ['the pick is of the job by its new name', renamed, chosen, 'b#3=pot x#1=tea x#2#2=tea!'],
    ['it is where names were exchanged', exchanged, chosen, 'a#3=pot b#1=tea b#2#2=tea!'],
    ['a take that was bought meanwhile goes along', renamed, redone, 'b#3=pot x#1=tea x#2#2=tea x#3#4=tea!'],
    [
      'of exchanged names another has the one that it had: it comes back, and is still picked',
      exchanged,
      redone,
      'a#3=pot b#1=tea b#2#2=tea b#3#4=tea*!',
    ],
    [
      'one that is on its way goes along',
      renamed,
      [...base, running('a#3', '4')],
      'b#3=pot x#1=tea x#2#2=tea x#3#4=tea?r1',
    ],
    [
      'the rest of its files as well',
      renamed,
      [...base, running('a+4', '4')],
      'b#3=pot x#1=tea x#2#2=tea x+4#4=tea?r1',
    ],
    [
      'what was ordered in other words stays under its name',
      renamed,
      [...base, done('a#2', '4', 'mud')],
      'a#2#4=mud b#3=pot x#1=tea x#2#2=tea',
    ],
    [
      'what was edited there is put aside under the new name',
      renamed,
      [at('a', '1', 'a.png', { aside: true }), ...base.slice(1)],
      'b#3=pot x#1=tea* x#2#2=tea',
    ],
    [
      'what was picked, and edited on the other side, is picked when it comes back',
      [base[0] as Locked, at('a#2', '2', 'a2.png', { aside: true }), base[2] as Locked],
      chosen,
      'a#1=tea a#2#2=tea*! b#3=pot',
    ],
  ])('%s, whoever merges', (_, namer, chooser, wanted) => {
    expect(merged(lock(...base), lock(...namer), lock(...chooser))).toBe(wanted)
    expect(merged(lock(...base), lock(...chooser), lock(...namer))).toBe(wanted)
  })

  test('a pick that was taken back stays taken back under a new name', () => {
    const before = chosen.map(each => ({ ...each }))
    const named = [at('x', '1', 'x1.png'), at('x#2', '2', 'x.png', picked), pot('b', '3', 'b.png')]
    for (const [ours, theirs] of [
      [base, named],
      [named, base],
    ] as const)
      expect(merged(lock(...before), lock(...ours), lock(...theirs))).toBe('b#3=pot x#1=tea x#2#2=tea')
  })

  test('where both chose, that of ours stays under the new name, and the other take is there', () => {
    const mine = [at('x', '1', 'x.png', picked), at('x#2', '2', 'x2.png'), pot('b', '3', 'b.png')]
    expect(merged(lock(...base), lock(...mine), lock(...redone))).toBe('b#3=pot x#1=tea! x#2#2=tea x#3#4=tea')
    expect(merged(lock(...base), lock(...redone), lock(...mine))).toBe('b#3=pot x#1=tea x#2#2=tea x#3#4=tea!')
  })

  test('both ordered another take: each has a number under the new name', () => {
    const mine = [...renamed, at('x#3', '5', 'x3.png')]
    const theirs = [...base, { ...at('a#3', '4', 'a3.png'), files: [{ ...saved('a3.png'), digest: other }] }]
    expect(merged(lock(...base), lock(...mine), lock(...theirs))).toBe(
      'b#3=pot x#1=tea x#2#2=tea x#3#5=tea x#4#4=tea*',
    )
  })
  const other = `sha256:${'e'.repeat(64)}` as SavedFile['digest']

  test('names are those of the side that gave them, and what was seen of a file is kept', () => {
    const link = 's3://shop/a.png'
    const seen = [at('a', '1', 'a.png', { files: [{ ...saved('a.png'), link }] })]
    const result = mergeLocks({
      base: lock(...base.slice(0, 1)),
      ours: lock(...seen),
      theirs: lock(...renamed.slice(0, 1)),
    })
    const reading = result.got === 'merged' && readLock(result.text)
    expect(reading).toMatchObject({ lock: { jobs: [{ address: 'x', files: [{ path: 'x.png', link }] }] } })
  })
})
