import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import { isResubmitted, type JournalRecord, type Purchase } from '../../../src/base/purchase.ts'
import { compacted } from '../../../src/store/journal/compact.ts'
import { foldJournal, historyOf, isOver, recordOf } from '../../../src/store/journal/fold.ts'
import { redoingIn } from '../../../src/store/journal/journal.ts'
import fc from '../../cases.ts'
import {
  clip,
  close,
  fox,
  hero,
  intent,
  open,
  recipe,
  run,
  saved,
  sending,
  stamped,
  teapot,
} from '../records.ts'

const purchase = teapot
const refused = (attempt: string): JournalRecord => ({ kind: 'REFUSED', purchase, attempt, detail: 'no' })
const notSent = (attempt: string): JournalRecord => ({ kind: 'NOTSENT', purchase, attempt })
const doubt = (attempt: string): JournalRecord => ({
  kind: 'DOUBT',
  purchase,
  attempt,
  detail: 'lost',
  raw: `/s/${attempt}`,
})
const accepted = (attempt: string, id = 'r-1'): JournalRecord => ({
  kind: 'ACCEPTED',
  purchase,
  attempt,
  run: run(id),
})
const links = [{ from: 'link', url: 'https://x/1.png' }] as const
const result: JournalRecord & { kind: 'RESULT' } = { kind: 'RESULT', purchase, files: links }
const beginning = { resource: 'https://x/a.png', etag: '"v1"', bytes: 4, sha256: 'c'.repeat(64) }
const broken = (bytes: number, nth = 0): JournalRecord => ({
  kind: 'PART',
  purchase,
  nth,
  part: `/p/${nth}`,
  beginning: { ...beginning, bytes },
})
const part: JournalRecord = { kind: 'SAVED', purchase, nth: 0, file: saved('hero.png'), part: '/p/0' }
const done: JournalRecord & { kind: 'DONE' } = { kind: 'DONE', purchase, files: [saved('hero.png')] }
const failed = (billed: 'no' | 'unknown'): JournalRecord & { kind: 'FAILED' } => ({
  kind: 'FAILED',
  purchase,
  failure: { why: 'remote', detail: 'no tea' },
  billed,
})
const stands = (record: Purchase): JournalRecord => ({ kind: 'STANDS', purchase, record })
const picked = stands({
  id: purchase,
  address: hero,
  recipe,
  is: 'done',
  files: [saved('hero.png')],
  picked: true,
})
const over: JournalRecord = { kind: 'RESOLVE', purchase, decision: { is: 'over' } }
const abandon: JournalRecord = { kind: 'RESOLVE', purchase, decision: { is: 'abandon' } }
const adopt: JournalRecord = { kind: 'RESOLVE', purchase, decision: { is: 'adopt', run: run('r-9') } }

function historyAfter(...records: readonly JournalRecord[]) {
  return foldJournal(stamped(records)).get(purchase)
}

function after(...records: readonly JournalRecord[]): Purchase | undefined {
  const history = historyAfter(...records)
  return history && recordOf(history)
}

const ordered = [intent('a1'), sending('a1')]

test.each<[string, JournalRecord[], object | undefined]>([
  ['nothing about a purchase is nothing', [open, close], undefined],
  ['what nobody knows the order of is nothing', [sending('a1'), accepted('a1')], undefined],
  ['an intent alone bought nothing', [intent('a1')], { is: 'open', id: purchase, address: hero, recipe }],
  [
    'SENDING without an end is doubt, since it was sent',
    ordered,
    { is: 'doubt', since: 2000, detail: 'genrun stopped before an answer came', raws: [] },
  ],
  ['what was not sent bought nothing', [...ordered, notSent('a1')], { is: 'open' }],
  ['what was refused bought nothing', [...ordered, refused('a1')], { is: 'open' }],
  [
    'a told doubt is doubt, since it was sent',
    [...ordered, doubt('a1')],
    { is: 'doubt', detail: 'lost', raws: ['/s/a1'], since: 2000 },
  ],
  [
    'a doubt that is told of an attempt nobody saw leave is doubt',
    [intent('a1'), doubt('a1')],
    { is: 'doubt', since: 2000 },
  ],
  [
    'a refusal of a later attempt proves nothing about a told doubt',
    [...ordered, doubt('a1'), intent('a2'), sending('a2'), refused('a2')],
    { is: 'doubt', detail: 'lost' },
  ],
  [
    'nor about an attempt that a crash left open',
    [...ordered, open, intent('a2'), sending('a2'), notSent('a2')],
    { is: 'doubt', since: 2000 },
  ],
  ['nor does a later word about the same attempt', [...ordered, doubt('a1'), refused('a1')], { is: 'doubt' }],
  ['nor that it was never sent', [...ordered, doubt('a1'), notSent('a1')], { is: 'doubt' }],
  [
    'nor that the run failed and cost nothing',
    [...ordered, doubt('a1'), failed('no')],
    { is: 'doubt', detail: 'lost' },
  ],
  [
    'that it failed and cost nothing answers what a crash left open',
    [...ordered, failed('no')],
    { is: 'failed', billed: 'no' },
  ],
  [
    'all that was received in doubt is kept',
    [...ordered, doubt('a1'), intent('a2'), sending('a2'), doubt('a2')],
    { is: 'doubt', since: 2000, raws: ['/s/a1', '/s/a2'] },
  ],
  [
    'an accepted run is known',
    [...ordered, accepted('a1')],
    { is: 'under-way', run: run('r-1'), saved: [], parts: [] },
  ],
  [
    'an accepted run settles every doubt of its order',
    [...ordered, doubt('a1'), intent('a2'), sending('a2'), accepted('a2')],
    { is: 'under-way', run: run('r-1') },
  ],
  [
    'what an answer said is not believed when a doubt is told after it',
    [...ordered, accepted('a1'), doubt('a1')],
    { is: 'doubt', detail: 'lost' },
  ],
  [
    'a result keeps its run',
    [...ordered, accepted('a1'), result],
    { is: 'under-way', files: links, run: run('r-1') },
  ],
  ['a result without a run is enough', [...ordered, result], { is: 'under-way', files: links }],
  [
    'a saved part is remembered once',
    [...ordered, accepted('a1'), part, part],
    { is: 'under-way', saved: [{ nth: 0, part: '/p/0', file: saved('hero.png') }] },
  ],
  [
    'saved parts stand in the order of the files',
    [...ordered, accepted('a1'), { ...part, nth: 1 } as JournalRecord, part],
    { saved: [{ nth: 0 }, { nth: 1 }] },
  ],
  [
    'a download that broke off is known by what was noted last of each file',
    [...ordered, accepted('a1'), broken(4), broken(9, 1), broken(8)],
    {
      parts: [
        { nth: 1, part: '/p/1', beginning: { ...beginning, bytes: 9 } },
        { nth: 0, part: '/p/0', beginning: { ...beginning, bytes: 8 } },
      ],
    },
  ],
  [
    'the part of a file that is whole may be the published one, and is no beginning any more',
    [...ordered, accepted('a1'), broken(4), part],
    { parts: [], saved: [{ nth: 0 }] },
  ],
  [
    'done is done',
    [...ordered, accepted('a1'), part, done],
    { is: 'done', run: run('r-1'), files: [saved('hero.png')] },
  ],
  [
    'a flaw is told with what is done',
    [...ordered, { ...done, flaw: { why: 'short-delivery', asked: 2, got: 1 } } as JournalRecord],
    { is: 'done', flaw: { why: 'short-delivery', message: expect.stringContaining('2') } },
  ],
  [
    'what was fetched for nobody is aside',
    [...ordered, { ...done, aside: true } as JournalRecord],
    { is: 'done', aside: true },
  ],
  [
    'a failure ends the attempt that it answers',
    [...ordered, failed('unknown')],
    { is: 'failed', billed: 'unknown', flaw: { why: 'remote', message: expect.stringContaining('no tea') } },
  ],
  [
    'a failed run keeps its id',
    [...ordered, accepted('a1'), failed('unknown')],
    { is: 'failed', run: run('r-1') },
  ],
  [
    'a failure after what is done does not unmake it',
    [...ordered, accepted('a1'), done, failed('unknown')],
    { is: 'done', run: run('r-1') },
  ],
  [
    'nor does a run that the service lost, which is remembered',
    [
      ...ordered,
      accepted('a1'),
      done,
      { ...failed('unknown'), failure: { why: 'gone', run: run('r-1').id, detail: '' } },
    ],
    { is: 'done', run: run('r-1'), isGone: true },
  ],
  [
    'nor does one that it does not tell of: it may be another account’s',
    [
      ...ordered,
      accepted('a1'),
      done,
      { ...failed('unknown'), failure: { why: 'refused', status: 403, detail: '' } },
    ],
    { is: 'done', run: run('r-1'), isGone: true },
  ],
  ['nor does a doubt', [...ordered, accepted('a1'), done, doubt('a1')], { is: 'done', run: run('r-1') }],
  [
    'nor does one about what is fetched again, however far it came',
    [...ordered, accepted('a1'), done, result, broken(4), part, failed('unknown')],
    { is: 'done', run: run('r-1'), files: [saved('hero.png')] },
  ],
  [
    'what was picked stays picked when it is fetched again',
    [...ordered, picked, result, part, done],
    { is: 'done', picked: true },
  ],
  ['the other way round, what is made is not picked', [...ordered, done], { is: 'done' }],
  [
    'how it stands is all that counts, and keeps how it was sent',
    [...ordered, doubt('a1'), picked],
    { is: 'done', picked: true, sent: { workflow: 'w', origin: 'https://x', at: 1000 } },
  ],
  ['what is over is nothing', [...ordered, doubt('a1'), over], undefined],
  [
    'what is over stays so, whatever is refused later',
    [...ordered, over, refused('a1'), notSent('a1')],
    undefined,
  ],
  [
    'what is given up counts as failed, and may have been billed',
    [...ordered, abandon],
    { is: 'failed', billed: 'unknown', flaw: { why: 'in-doubt' } },
  ],
  [
    'a doubt for which the user knows the run',
    [...ordered, doubt('a1'), adopt],
    { is: 'under-way', run: run('r-9'), saved: [], parts: [] },
  ],
  [
    'another run in its place begins without files',
    [...ordered, accepted('a1'), part, broken(4, 1), adopt],
    { is: 'under-way', run: run('r-9'), saved: [], parts: [] },
  ],
])('%s', (_, records, wanted) => {
  const record = after(...records)
  if (wanted === undefined) expect(record).toBeUndefined()
  else expect(record).toMatchObject(wanted)
  if (record && !JSON.stringify(wanted)?.includes('picked')) expect(record).not.toHaveProperty('picked')
})

describe('every kind of record, after every state', () => {
  const states: { readonly [state: string]: readonly JournalRecord[] } = {
    nothing: [],
    open: [intent('a1')],
    'on its way': ordered,
    doubt: [...ordered, doubt('a1')],
    accepted: [...ordered, accepted('a1')],
    result: [...ordered, accepted('a1'), result],
    done: [...ordered, accepted('a1'), done],
    'failed for nothing': [...ordered, failed('no')],
    failed: [...ordered, failed('unknown')],
    over: [...ordered, over],
  }
  const kinds: { readonly [kind: string]: JournalRecord } = {
    INTENT: intent('a2'),
    SENDING: sending('a2'),
    NOTSENT: notSent('a1'),
    REFUSED: refused('a1'),
    DOUBT: doubt('a1'),
    ACCEPTED: accepted('a1', 'r-2'),
    RESULT: result,
    PART: broken(4),
    SAVED: part,
    DONE: done,
    'FAILED no': failed('no'),
    'FAILED unknown': failed('unknown'),
    STANDS: picked,
    over,
    abandon,
    adopt,
  }
  /** `u` under way, `f` failed, `-` nothing. */
  const short = (record: Purchase | undefined) => (record ? record.is.slice(0, 2) : '--')

  test.each(
    Object.entries({
      //          INTENT SENDIN NOTSEN REFUSE DOUBT  ACCEPT RESULT PART   SAVED  DONE   FAILno FAILun STANDS over   abando adopt
      nothing: 'op -- -- -- -- -- -- -- -- -- -- -- do -- -- --',
      open: 'op do op op do un un op op do fa fa do -- fa un',
      'on its way': 'do do op op do un un do do do fa fa do -- fa un',
      doubt: 'do do do do do un un do do do do fa do -- fa un',
      accepted: 'un un un un do un un un un do fa fa do -- fa un',
      result: 'un un un un do un un un un do fa fa do -- fa un',
      done: 'do do do do do un do do do do do do do -- fa un',
      'failed for nothing': 'fa do fa fa do un un fa fa do fa fa do -- fa un',
      failed: 'fa do fa fa do un un fa fa do fa fa do -- fa un',
      over: '-- -- -- -- do un un -- -- do fa fa do -- fa un',
    }),
  )('%s', (state, wanted) => {
    const before = states[state] ?? []
    expect(
      Object.values(kinds)
        .map(record => short(after(...before, record)))
        .join(' '),
    ).toBe(wanted)
  })
})

test('an order’s age counts from its first intent', () => {
  expect(after(intent('a1'), sending('a1'), notSent('a1'), intent('a2'))?.sent).toMatchObject({ at: 1000 })
})

test('what a person ordered anew is sent under its own id, and is waited for until it is paid for', () => {
  const anew = stands({ id: purchase, address: hero, recipe, resubmitted: true, redo: true, is: 'open' })
  const sent = [anew, intent('a1'), sending('a1')]
  const known = { resubmitted: true, redo: true, sent: { at: 2000 } }
  expect(after(...sent)).toMatchObject({ is: 'doubt', ...known })
  for (const vain of [refused('a1'), notSent('a1'), failed('no')]) {
    const record = after(...sent, vain)
    expect([record, record && isResubmitted(record)]).toMatchObject([known, true])
  }
  const paid = after(...sent, accepted('a1'), failed('unknown'))
  expect(paid && isResubmitted(paid)).toBe(false)
})

test('purchases come in the order in which they first appear, each by itself', () => {
  const histories = foldJournal(
    stamped([intent('a1', fox, clip), intent('a2'), sending('a2'), sending('a1', fox)]),
  )
  expect([...histories.keys()]).toEqual([fox, teapot])
})

test('two purchases of one job know nothing of each other', () => {
  const records = [...ordered, doubt('a1'), intent('b1', fox), sending('b1', fox)]
  const other: JournalRecord = { kind: 'DONE', purchase: fox, files: [saved('hero.png')] }
  const histories = foldJournal(stamped([...records, other]))
  expect([...histories.values()].map(each => recordOf(each))).toMatchObject([
    { is: 'doubt', address: hero, detail: 'lost' },
    { is: 'done', address: hero },
  ])
})

test('an order that is over stays known as such', () => {
  const history = historyAfter(...ordered, over)
  expect(history && isOver(history)).toBe(true)
})

const attempt = fc.constantFrom('a1', 'a2', 'a3')
const anyRecord = fc.tuple(attempt, fc.nat(17)).map(([name, which]): JournalRecord => {
  const all = [intent(name), sending(name), notSent(name), refused(name), doubt(name), accepted(name), result]
  const more = [
    part,
    broken(4),
    broken(5, 1),
    done,
    failed('no'),
    failed('unknown'),
    over,
    adopt,
    abandon,
    picked,
  ]
  return [...all, ...more][which] ?? sending(name)
})

test('a compacted journal goes on as the whole one', () => {
  const records = fc.array(anyRecord, { maxLength: 25 })
  fc.assert(
    fc.property(records, records, (first, then) => {
      const entries = stamped([open, ...first, open, ...then])
      const [earlier, later] = [entries.slice(0, first.length + 1), entries.slice(first.length + 1)]
      const fewer = compacted(earlier)
      expect(fewer.length).toBeLessThanOrEqual(earlier.length)
      expect(foldJournal(fewer)).toEqual(foldJournal(earlier))
      expect(foldJournal([...fewer, ...later])).toEqual(foldJournal(entries))
    }),
    { numRuns: 1000 },
  )
})

test('a record is the whole of its history: told once, it is told for good', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 25 }), records => {
      const record = after(intent('a0'), ...records)
      if (record) expect(recordOf(historyOf(record))).toEqual(record)
    }),
    { numRuns: 1000 },
  )
})

test('what is done stays done but by a person, another run or another order of the same', () => {
  const harmless = anyRecord.filter(
    record => !['SENDING', 'ACCEPTED', 'RESOLVE', 'STANDS'].includes(record.kind),
  )
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 15 }), records => {
      expect(after(...ordered, picked, ...records)).toMatchObject({ is: 'done', picked: true })
    }),
  )
})

test('a told doubt is never forgotten by anything but an answer to its order or the user', () => {
  const harmless = anyRecord.filter(
    record =>
      ['SENDING', 'NOTSENT', 'REFUSED', 'DOUBT', 'INTENT', 'PART', 'SAVED'].includes(record.kind) ||
      // A run that failed is an answer.
      (record.kind === 'FAILED' && record.billed === 'no'),
  )
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 15 }), records => {
      expect(after(intent('a0'), sending('a0'), doubt('a0'), ...records)?.is).toBe('doubt')
    }),
  )
})

const kindsAfter = (...records: JournalRecord[]) => compacted(stamped(records)).map(entry => entry.kind)

test('of a purchase that came to its end, how it stands is kept, and of the runs the last', () => {
  const life = [...ordered, accepted('a1'), part, { ...done, run: run('r-1') } as JournalRecord]
  expect(kindsAfter(open, ...life, close, open, close)).toEqual(['OPEN', 'STANDS'])
  expect(kindsAfter(open, ...ordered, accepted('a1'), failed('unknown'))).toEqual(['OPEN', 'STANDS'])
})

test('each redo is kept, and whether a run has come to its end since', () => {
  const redo = (take: string): JournalRecord => ({ kind: 'REDO', takes: [jobAddress(take)] })
  const before = [open, redo('hero#2'), close, open, redo('hero#3')]
  expect(kindsAfter(...before)).toEqual(['OPEN', 'REDO', 'CLOSE', 'REDO'])
  for (const records of [before, [...before, close, open]]) {
    const entries = stamped(records)
    expect(redoingIn(compacted(entries))).toEqual(redoingIn(entries))
  }
  expect(redoingIn([...before, close])).toEqual([
    { takes: new Set(['hero#2']), isCut: false },
    { takes: new Set(['hero#3']), isCut: false },
  ])
})

test('what was skipped when the buying ended is kept, as --failed asks for it', () => {
  const skipped: JournalRecord = { kind: 'CLOSE', skipped: [jobAddress('hero')] }
  expect(kindsAfter(open, skipped, open, close)).toEqual(['OPEN', 'CLOSE'])
})

test('of one that is over, that it is', () => {
  expect(kindsAfter(open, ...ordered, over)).toEqual(['OPEN', 'STANDS', 'RESOLVE'])
  expect(kindsAfter(open, over, over)).toEqual(['OPEN', 'RESOLVE'])
})

test('of one that is under way or in doubt, all but the attempts that bought nothing', () => {
  const vain = [intent('a1'), sending('a1'), refused('a1'), intent('a2'), sending('a2'), notSent('a2')]
  const last = [intent('a3'), sending('a3')]
  expect(kindsAfter(open, ...vain, ...last)).toEqual(['OPEN', 'INTENT', 'SENDING'])
  expect(kindsAfter(open, ...vain, ...last, accepted('a3'), broken(4))).toEqual([
    'OPEN',
    'INTENT',
    'SENDING',
    'ACCEPTED',
    'PART',
  ])
  expect(kindsAfter(open, ...ordered, doubt('a1'), refused('a1'))).toEqual([
    'OPEN',
    'INTENT',
    'SENDING',
    'DOUBT',
    'REFUSED',
  ])
})

test('every failed order of a job is kept, each by itself', () => {
  const other: JournalRecord = {
    kind: 'FAILED',
    purchase: fox,
    failure: { why: 'remote', detail: 'no' },
    billed: 'unknown',
  }
  const both = [...ordered, failed('unknown'), intent('b1', fox), sending('b1', fox), other]
  expect(kindsAfter(open, ...both)).toEqual(['OPEN', 'STANDS', 'STANDS'])
})

test.each<[string, readonly JournalRecord[]]>([
  ['with its result', [accepted('1'), { ...result, credits: 3 }]],
  ['and saved', [accepted('1'), { ...result, credits: 3 }, part, done]],
  ['with its end', [accepted('1'), { ...done, credits: 3 }]],
  ['though it failed', [accepted('1'), { ...failed('unknown'), credits: 3 }]],
  ['and was adopted since', [{ ...failed('unknown'), credits: 3 }, adopt]],
])('what an order cost is known once it is told: %s', (_, records) => {
  const entries = stamped([intent('1'), sending('1'), ...records])
  for (const each of [entries, stamped(compacted(entries))]) {
    const history = foldJournal(each).get(purchase)
    expect(history && recordOf(history)).toMatchObject({ credits: 3 })
  }
})
