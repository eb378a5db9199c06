import { describe, expect, test } from 'vitest'
import { type Digest, jobAddress, type Pointer, type PurchaseId } from '../../../src/base/names.ts'
import type {
  DonePurchase,
  DoubtfulPurchase,
  FailedPurchase,
  Purchase,
  RunningPurchase,
} from '../../../src/base/purchase.ts'
import type { Recipe, SavedFile } from '../../../src/base/state.ts'
import { type History, historyOf } from '../../../src/store/journal/fold.ts'
import { type Locked, readLock } from '../../../src/store/lock/lock.ts'
import { asOrdered, knownPurchases } from '../../../src/workspace/records/known.ts'
import { fox, run, teapot } from '../../store/records.ts'

const address = jobAddress('hero')

function recipe(prompt: string): Recipe {
  return { version: 1, model: 'fama-imagine-image', params: { prompt }, defaults: {}, inputs: {}, take: 1 }
}

function file(content: string, path = 'hero.png'): SavedFile {
  return { path, digest: `sha256:${content}` as Digest, bytes: 1, type: 'image/png' }
}

const order = { id: teapot, address, recipe: recipe('A teapot') }

function done(content = 'a', more: Partial<DonePurchase> = {}): DonePurchase {
  return { ...order, is: 'done', files: [file(content)], ...more }
}
const underWay: RunningPurchase = { ...order, is: 'under-way', run: run('r-1'), saved: [], parts: [] }
const doubt: DoubtfulPurchase = { ...order, is: 'doubt', detail: 'reset', raws: [] }
const failed: FailedPurchase = {
  ...order,
  is: 'failed',
  flaw: { why: 'remote', message: 'no' },
  billed: 'unknown',
}
const open: Purchase = { ...order, is: 'open' }

interface Seen {
  /** Contents of the files that lie under their names. */
  readonly there?: readonly string[]
  readonly findSpooled?: (path: string) => string | undefined
  /** The lock came from elsewhere. */
  readonly hasParted?: boolean
}

test('a failure that stands in a lock is later than what its job has, whatever the order there', () => {
  const sight = { areThere: () => true, findSpooled: () => undefined }
  const before: DonePurchase = { ...done(), id: fox }
  const ids = (locked: readonly Locked[], journal: readonly Purchase[]) => {
    const histories = new Map(journal.map(each => [each.id, historyOf(each)]))
    return knownPurchases(locked, histories, sight).map(({ id }) => id)
  }
  expect(ids([failed, before], [])).toEqual([fox, teapot])
  expect(ids([failed, before], [before])).toEqual([fox, teapot])
  // The journal knows when it was.
  expect(ids([failed, before], [failed, before])).toEqual([teapot, fox])
  // One that the lock calls past is earlier, whoever made what came after it.
  const past = { ...failed, isPast: true } as const
  expect(ids([before, past], [])).toEqual([teapot, fox])
  expect(ids([before, past], [before, failed])).toEqual([teapot, fox])
})

const over = 'over'

/** Of one purchase, by the lock and by the journal. */
function known(locked: Locked | undefined, journal: Purchase | typeof over | undefined, seen: Seen = {}) {
  const history: History | undefined =
    journal === over
      ? { order: undefined, attempts: [], saved: [], parts: [], answer: { is: 'over' } }
      : journal && historyOf(journal)
  const histories = new Map<PurchaseId, History>(history ? [[teapot, history]] : [])
  const { there = [], findSpooled = () => undefined, ...parted } = seen
  const [record, ...others] = knownPurchases(locked ? [locked] : [], histories, {
    ...parted,
    findSpooled,
    areThere: files => files.every(({ digest }) => there.includes(digest.slice('sha256:'.length))),
  })
  expect(others).toEqual([])
  return record
}

test('all of it came and is no result, and the run was killed before it could say so', () => {
  const { files } = done()
  const flaw = { why: 'bad-media', detail: 'it is a TIFF picture' } as const
  const saved = files.map((file, nth) => ({ nth, file, part: `/p/${nth}`, flaw }))
  const remote = files.map((_, nth) => ({ from: 'link', url: `https://x/${nth}` }) as const)
  const killed = { ...underWay, run: run('r-1'), files: remote, saved }
  const there = files.map(({ digest }) => digest.slice('sha256:'.length))
  const hasParted = false
  expect(known(underWay, killed, { there, hasParted })).toMatchObject({
    is: 'failed',
    files,
    run: run('r-1'),
  })
  // Before it has its name it is fetched once more.
  expect(known(underWay, killed, { hasParted })).toMatchObject({ is: 'under-way', run: run('r-1') })
})

describe('what a lock and a journal tell of one purchase', () => {
  const later = { ...underWay, run: run('r-2') }
  const table: [string, Locked | undefined, Purchase | typeof over | undefined, object | undefined][] = [
    ['nothing', undefined, undefined, undefined],
    ['the lock alone: done', done(), undefined, done()],
    ['the lock alone: under way', underWay, undefined, underWay],
    ['the lock alone: in doubt', doubt, undefined, doubt],
    ['the lock alone: failed', failed, undefined, failed],
    ['the journal alone: done', undefined, done(), done()],
    ['the journal alone: under way', undefined, underWay, underWay],
    ['the journal alone: in doubt', undefined, doubt, doubt],
    ['the journal alone: failed', undefined, failed, failed],
    ['the journal alone: never sent', undefined, open, open],
    ['the journal alone: over', undefined, over, undefined],
    // A lock that says done beats everything: another checkout finished the order.
    ['done and under way', done(), underWay, done('a', { run: run('r-1') })],
    [
      'done by that run and under way',
      done('a', { run: run('r-1') }),
      underWay,
      done('a', { run: run('r-1') }),
    ],
    [
      'done by that run, of another workflow, and under way',
      done('a', { run: { ...run('r-1'), workflow: 'other' } }),
      underWay,
      done('a', { run: run('r-1') }),
    ],
    // Whoever asks for the other run may be told that nobody knows it, and what was paid for is never fetched.
    ['done by another run and under way', done('a', { run: run('r-2') }), underWay, underWay],
    [
      'done by another run and done',
      done('a', { run: run('r-2') }),
      done('a', { run: run('r-1') }),
      done('a', { run: run('r-1') }),
    ],
    // One that failed may have been given the run of another clone by hand.
    [
      'done by another run and failed',
      done('a', { run: run('r-2') }),
      { ...failed, run: run('r-1') },
      done('a', { run: run('r-2') }),
    ],
    ['done and in doubt', done(), doubt, done()],
    ['done and failed', done(), failed, done()],
    ['done and never sent', done(), open, done()],
    ['done and over', done(), over, done()],
    ['under way and done', underWay, done('a', { run: run('r-1') }), done('a', { run: run('r-1') })],
    ['in doubt and done', doubt, done(), done()],
    ['failed and done', failed, done(), done()],
    ['under way and over', underWay, over, undefined],
    ['in doubt and over', doubt, over, undefined],
    ['failed and over', failed, over, undefined],
    ['under way and another run', underWay, later, later],
    ['in doubt and under way', doubt, underWay, underWay],
    ['under way and in doubt', underWay, doubt, doubt],
    ['under way and failed', underWay, failed, failed],
    ['failed and under way', failed, underWay, underWay],
    ['in doubt and failed', doubt, failed, failed],
    ['in doubt and never sent', doubt, open, doubt],
    ['under way and never sent', underWay, open, underWay],
  ]
  test.each(table)('%s', (_, locked, journal, options) => {
    expect(known(locked, journal, { hasParted: false })).toEqual(options)
  })

  const { run: _, ...spooled } = underWay
  test.each<[string, Locked, Purchase, object]>([
    ['under way and in doubt', underWay, doubt, underWay],
    ['under way and failed', underWay, failed, underWay],
    ['failed and in doubt', failed, doubt, failed],
    ['under way in a spool elsewhere and in doubt', spooled, doubt, doubt],
    ['under way in a spool elsewhere and failed', spooled, failed, failed],
    ['in doubt and failed', doubt, failed, failed],
    ['in doubt and under way', doubt, underWay, underWay],
    ['under way and another run', later, underWay, underWay],
    ['under way and done', underWay, done(), done()],
    ['done by another run and under way', done('a', { run: run('r-2') }), underWay, underWay],
    ['done and in doubt', done('a', { run: run('r-2') }), doubt, done('a', { run: run('r-2') })],
  ])('a lock that came from elsewhere counts where it knows more: %s', (_, locked, journal, options) => {
    expect(known(locked, journal, { hasParted: true })).toEqual(options)
  })

  test('a run whose id only the journal knew is in doubt without that', () => {
    const { run: _run, ...bare } = underWay
    expect(known(bare, undefined)).toEqual({
      ...order,
      is: 'doubt',
      detail: 'it was paid for, and the journal that knew its result is gone',
      raws: [],
    })
  })

  test('how it was sent is in the journal alone, and kept', () => {
    const sent = { request: 'sha256:r' as Digest, workflow: 'w', origin: 'https://x', at: 1 }
    expect(known(doubt, { ...doubt, sent })).toEqual({ ...doubt, sent })
  })

  test('what a person took it for is known from either', () => {
    const acceptedAs = recipe('A kettle')
    expect(known(done('a', { acceptedAs }), done())).toEqual(done('a', { acceptedAs }))
    expect(known(done(), done('a', { acceptedAs }))).toEqual(done('a', { acceptedAs }))
    expect(known({ ...failed, acceptedAs }, failed)).toMatchObject({ is: 'failed', acceptedAs })
  })

  test('a result that came without its run has it from the other record', () => {
    const withRun = done('a', { run: run('r-1') })
    expect(known(withRun, done())).toEqual(withRun)
    expect(known(done(), withRun)).toEqual(withRun)
  })

  test('a lock that says the same is taken as it is, so that it need not be written', () => {
    const locked = done('a', { run: run('r-1'), picked: true })
    const sent = { request: 'sha256:r' as Digest, workflow: 'w', origin: 'https://x', at: 1 }
    expect(known(locked, { ...done('a', { run: run('r-1') }), sent })).toBe(locked)
  })
})

describe('what was ordered, which the journal knows', () => {
  const startFrame = (...digests: string[]): Recipe => ({
    ...recipe('A teapot'),
    inputs: { ['/startFrame' as Pointer]: digests },
  })
  const [a, b] = ['sha256:a', 'sha256:b']
  const unread = { ...recipe(''), params: {}, model: '' }
  test.each<[string, { locked: Recipe; journal: Recipe; is: Recipe }]>([
    ['another prompt', { locked: recipe('Tea'), journal: recipe('A teapot'), is: recipe('A teapot') }],
    [
      'another model',
      { locked: { ...recipe('Tea'), model: 'famc-v3' }, journal: recipe('Tea'), is: recipe('Tea') },
    ],
    ['another take', { locked: { ...recipe('Tea'), take: 2 }, journal: recipe('Tea'), is: recipe('Tea') }],
    [
      'another service',
      { locked: { ...recipe('Tea'), service: 'b' }, journal: recipe('Tea'), is: recipe('Tea') },
    ],
    ['another file', { locked: startFrame(b), journal: startFrame(a), is: startFrame(a) }],
    ['a file less', { locked: recipe('A teapot'), journal: startFrame(a), is: startFrame(a) }],
    [
      'a file that was not made yet',
      { locked: startFrame('unmade'), journal: startFrame(a), is: startFrame(a) },
    ],
    [
      'a file that was made since',
      { locked: startFrame(a), journal: startFrame('unmade'), is: startFrame(a) },
    ],
    [
      'one of two files that was made since, and another for the other',
      { locked: startFrame(a, b), journal: startFrame('unmade', a), is: startFrame(a, a) },
    ],
    ['what nobody could read', { locked: recipe('Tea'), journal: unread, is: recipe('Tea') }],
  ])('%s', (_, { locked, journal, is }) => {
    const history = historyOf({ ...done(), recipe: journal })
    expect(asOrdered({ ...done(), recipe: locked }, history)).toEqual({ ...done(), recipe: is })
  })

  test('a lock that tells the same is taken as it is', () => {
    const locked = done()
    expect(asOrdered(locked, historyOf({ ...done(), recipe: recipe('A teapot') }))).toBe(locked)
    expect(asOrdered(locked, undefined)).toBe(locked)
  })
})

describe('what was picked stands in the lock', () => {
  test.each([
    ['picked there and not here', done('a', { picked: true }), done(), { picked: true }],
    ['picked here and not there', done(), done('a', { picked: true }), {}],
    ['picked in both', done('a', { picked: true }), done('a', { picked: true }), { picked: true }],
  ] as const)('%s', (_, locked, journal, more) => {
    expect(known(locked, journal)).toEqual(done('a', more))
  })
})

describe('where the files of a result are', () => {
  const moved = done('a', { files: [file('a', 'new.png')] })
  /** Only what lies under this name is there. */
  const where = (locked: DonePurchase, journal: DonePurchase, name: string | undefined) =>
    knownPurchases([locked], new Map([[teapot, historyOf(journal)]]), {
      findSpooled: () => undefined,
      areThere: files => files.every(({ path }) => path === name),
    })[0]

  test.each<[string, DonePurchase, DonePurchase, string | undefined, DonePurchase]>([
    ['where the journal says, which is about this disk', done(), moved, 'new.png', moved],
    ['and where it says when none is there', done(), moved, undefined, moved],
    ['where the lock says when they lie there: it was checked out', moved, done(), 'new.png', moved],
    [
      'aside, when the journal put them there',
      done(),
      done('a', { aside: true }),
      undefined,
      done('a', { aside: true }),
    ],
    [
      'under their names, when another checkout gave them back',
      done(),
      done('a', { aside: true }),
      'hero.png',
      done(),
    ],
    [
      'under their names, when only the lock put them aside',
      done('a', { aside: true }),
      done(),
      'hero.png',
      done(),
    ],
  ])('%s', (_, locked, journal, name, options) => {
    expect(where(locked, journal, name)).toEqual(options)
  })
})

describe('a result that waited in the spool', () => {
  const two = [
    { nth: 0, file: file('a'), part: '/a.part' },
    { nth: 1, file: file('b'), part: '/b.part' },
  ]
  const waiting = (
    saved: RunningPurchase['saved'],
    more: Partial<RunningPurchase> = {},
  ): RunningPurchase => ({
    ...order,
    is: 'under-way',
    files: ['1', '2'].map(path => ({ from: 'spool', path })),
    saved,
    parts: [],
    ...more,
  })
  const recalled = (
    saved: RunningPurchase['saved'],
    there: readonly string[],
    findSpooled: (path: string) => string | undefined = () => undefined,
  ) => known(undefined, waiting(saved), { there, findSpooled })

  test('is done when all of it was verified and lies under its names, in the spool or not', () => {
    const made = { ...done(), files: [file('a'), file('b')] }
    expect(recalled(two, ['a', 'b'])).toEqual(made)
    expect(recalled(two, ['a', 'b'], path => path)).toEqual(made)
    expect(recalled(two, ['a'], path => path)).toMatchObject({ is: 'under-way' })
  })

  test('is where the spool is now', () => {
    expect(recalled([], [], path => `/moved/${path}`)).toMatchObject({
      is: 'under-way',
      files: [
        { from: 'spool', path: '/moved/1' },
        { from: 'spool', path: '/moved/2' },
      ],
    })
  })

  test('keeps the flaw that was noted with its last file', () => {
    const flaw = { why: 'short-delivery', asked: 3, got: 2 } as const
    const noted = two.map((saved, nth) => (nth === 1 ? { ...saved, flaw } : saved))
    expect(recalled(noted, ['a', 'b'])).toMatchObject({
      is: 'done',
      flaw: { why: flaw.why, message: expect.stringContaining('2') },
    })
  })

  test.each([
    ['one of its files was not verified', two.slice(0, 1), ['a', 'b']],
    ['one of its files is not there', two, ['a']],
    ['none was verified', [], []],
  ])('is in doubt when %s', (_, saved, there) => {
    expect(recalled(saved, there)).toMatchObject({ is: 'doubt' })
  })

  test('is in doubt when one of its answers is gone', () => {
    const half = (path: string) => (path === '1' ? path : undefined)
    expect(recalled([], [], half)).toMatchObject({ is: 'doubt' })
  })

  test('is read again when its run is known, with what was verified of it', () => {
    expect(known(undefined, waiting(two.slice(0, 1), { run: run('r-1') }))).toEqual({
      ...underWay,
      saved: two.slice(0, 1),
    })
  })
})

test('several purchases of one job are all known, those of the lock alone first', () => {
  const mud = { ...done('b'), id: fox, recipe: recipe('mud') }
  const all = knownPurchases([mud, done()], new Map([[teapot, historyOf(done())]]), {
    findSpooled: () => undefined,
    areThere: () => true,
  })
  expect(all).toEqual([mud, done()])
})

test('a purchase of a lock of format 1 has the same name each time, so that the journal finds it', () => {
  const text = `{"genrun":1,"lineage":"${'0'.repeat(32)}","manifest":"m.yaml","jobs":[
{"address":"hero","state":"doubt","recipe":${JSON.stringify(recipe('tea'))},"files":[],"flaw":{"why":"in-doubt","message":"lost"}},
null]}`
  const read = () => {
    const reading = readLock(text, 'm.yaml')
    if (reading.got !== 'lock') throw new Error(reading.why)
    return reading.lock.jobs
  }
  const [first] = read()
  if (!first) throw new Error('no purchase')
  const journal = new Map([[first.id, historyOf({ ...failed, id: first.id })]])
  const sight = { findSpooled: () => undefined, areThere: () => true }
  expect(knownPurchases(read(), journal, sight)).toMatchObject([{ id: first.id, is: 'failed' }])
})
