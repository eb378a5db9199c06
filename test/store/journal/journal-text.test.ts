import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JournalRecord } from '../../../src/base/purchase.ts'
import { foldJournal, recordOf } from '../../../src/store/journal/fold.ts'
import {
  decodeJournal,
  encodeRecord,
  type JournalEntry,
  kinds,
} from '../../../src/store/journal/journal-text.ts'
import { close, everyKind, journalFile, open, stamped } from '../records.ts'

const entries = stamped(Object.values(everyKind))
const { bytes, ends } = journalFile(entries)
const starts = [0, ...ends.slice(0, -1)]

test('a record is a line feed, sixteen digits of a digest, a space and one JSON object', () => {
  const payload = '{"length":25,"at":1000,"kind":"CLOSE"}'
  const digest = createHash('sha256')
    .update(`${'0'.repeat(16)}${payload}`)
    .digest('hex')
    .slice(0, 16)
  expect(encodeRecord('0'.repeat(16), { kind: 'CLOSE', at: 1000 })).toEqual({
    bytes: Buffer.from(`\n${digest} ${payload}`),
    digest,
  })
})

test('all records come back as they were', () => {
  expect(decodeJournal(bytes)).toMatchObject({ got: 'records', entries, whole: bytes.length })
})

test('an empty file holds no records', () => {
  expect(decodeJournal(new Uint8Array())).toMatchObject({ got: 'records', entries: [], whole: 0 })
})

test('every kind of record is among those that are cut, altered, dropped, doubled and swapped below', () => {
  expect(entries.map(entry => entry.kind).toSorted()).toEqual(Object.keys(kinds).toSorted())
  for (const [kind, record] of Object.entries(everyKind)) expect(record.kind).toBe(kind)
})

function before(cut: number): readonly JournalEntry[] {
  return entries.filter((_, nth) => (ends[nth] ?? 0) <= cut)
}

test.each([0, 1, 100, 5000])(
  'cut at any byte, with %i zeros behind, exactly the records before come back',
  zeros => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const file = Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(zeros)])
      const kept = before(cut)
      expect(decodeJournal(file), `cut at ${cut}`).toMatchObject({
        got: 'records',
        entries: kept,
        whole: kept.length === 0 ? 0 : ends[kept.length - 1],
      })
    }
  },
)

test.each([
  ['one bit', (byte: number, at: number) => byte ^ (1 << (at % 8))],
  ['the highest bit', (byte: number) => byte ^ 0x80],
  ['every bit', (byte: number) => byte ^ 0xff],
  ['a line feed in its place', () => 0x0a],
  ['a space in its place', () => 0x20],
  ['a brace in its place', () => 0x7d],
])('a byte altered anywhere (%s) is damage at its record', (_, alter) => {
  for (let at = 0; at < bytes.length; at++) {
    const file = Buffer.from(bytes)
    file[at] = alter(bytes[at] ?? 0, at)
    if (file[at] === bytes[at]) continue
    const decoded = decodeJournal(file)
    const record = starts.findLastIndex(start => start <= at)
    // Where a record's own line feed is gone, it is the one before that looks altered.
    const isStart = starts[record] === at && record > 0
    expect(decoded, `altered at ${at}`).toMatchObject({
      got: 'damaged',
      offset: starts[isStart ? record - 1 : record],
    })
  }
})

const pieces = starts.map((start, nth) => bytes.subarray(start, ends[nth]))

test('a record dropped anywhere but at the end is damage where it stood', () => {
  for (let nth = 0; nth < pieces.length - 1; nth++) {
    const decoded = decodeJournal(Buffer.concat(pieces.toSpliced(nth, 1)))
    expect(decoded, `without record ${nth}`).toMatchObject({ got: 'damaged', offset: starts[nth] })
  }
})

test('a doubled record is damage at its copy', () => {
  for (const [nth, piece] of pieces.entries()) {
    const decoded = decodeJournal(Buffer.concat(pieces.toSpliced(nth, 0, piece)))
    expect(decoded, `record ${nth} twice`).toMatchObject({ got: 'damaged', offset: ends[nth] })
  }
})

test('two swapped records are damage at the first', () => {
  for (let nth = 0; nth < pieces.length - 1; nth++) {
    const [one, other] = [pieces[nth] ?? Buffer.alloc(0), pieces[nth + 1] ?? Buffer.alloc(0)]
    const decoded = decodeJournal(Buffer.concat(pieces.toSpliced(nth, 2, other, one)))
    expect(decoded, `record ${nth} and the next`).toMatchObject({ got: 'damaged', offset: starts[nth] })
  }
})

test('a cut record with others behind it is damage', () => {
  const cut = (pieces[2] ?? Buffer.alloc(0)).subarray(0, 40)
  expect(decodeJournal(Buffer.concat(pieces.toSpliced(2, 1, cut)))).toMatchObject({
    got: 'damaged',
    offset: starts[2],
  })
})

test('other text behind the last record is damage', () => {
  for (const text of ['hello', '\nhello', '{"kind":"CLOSE"}', '\n0123456789abcdef {"kind":"CLOSE"}']) {
    expect(decodeJournal(Buffer.concat([bytes, Buffer.from(text)]))).toMatchObject({ got: 'damaged' })
  }
})

test('a record of a kind that a later genrun invented is not passed over', () => {
  const later = { ...close, kind: 'RENEWED' } as unknown as typeof close // what only a later version would write
  const file = journalFile(stamped([open, later]))
  expect(decodeJournal(file.bytes)).toEqual({
    got: 'damaged',
    offset: file.ends[0],
    why: 'a record is of a kind that this genrun does not know',
  })
  const format3 = { ...open, format: 3 } as unknown as typeof open // the same
  expect(decodeJournal(journalFile(stamped([format3])).bytes)).toMatchObject({ got: 'damaged', offset: 0 })
})

// What an older genrun wrote is of shapes that nobody here knows.
const older = [
  { ...open, format: 1 },
  { kind: 'SENDING', address: 'hero' },
] as unknown as [typeof open]

test.each([
  ['that came to its end', [...older, close], true],
  ['that did not', older, false],
  ['that was ended before the last run', [...older, close, ...older], false],
])('a journal of format 1 %s is told apart, and nothing of it is misread', (_, records, isClosed) => {
  expect(decodeJournal(journalFile(stamped(records)).bytes)).toEqual({ got: 'older', isClosed })
})

test('a journal of format 1 that was altered is damage', () => {
  const file = journalFile(stamped([...older, close])).bytes
  file[60] = (file[60] ?? 0) ^ 1
  expect(decodeJournal(file)).toMatchObject({ got: 'damaged', offset: 0 })
})

const junk = [null, 7, -1, '', 'x', true, [], [null], [{}], {}, { a: 1 }, '../../x', undefined]

/** A value with each of its members, at any depth, in the place of which something else stands. */
function* edits(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return
  const put = (at: string, other: unknown) =>
    Array.isArray(value)
      ? value.map((each, nth) => (String(nth) === at ? other : each))
      : { ...value, [at]: other }
  for (const [at, each] of Object.entries(value)) {
    for (const other of junk) yield put(at, other)
    for (const other of edits(each)) yield put(at, other)
  }
}

test.each(Object.keys(everyKind))(
  'a record whose chain is right, and whatever stands in it, is damage or can be read: %s',
  kind => {
    // A checkout can hold a journal that somebody made.
    const record = everyKind[kind as keyof typeof everyKind]
    const order = [open, everyKind.INTENT, everyKind.SENDING, everyKind.ACCEPTED].filter(
      each => each.kind !== kind,
    )
    let refused = 0
    for (const edited of edits(record)) {
      const entries = stamped([...order, edited as JournalRecord])
      const decoded = decodeJournal(journalFile(entries).bytes)
      if (decoded.got !== 'records') refused++
      else for (const history of foldJournal(decoded.entries).values()) recordOf(history)
    }
    expect(refused).toBeGreaterThan(10)
  },
)

test('nothing is built on a record that is not on the disk', () => {
  const whenOf = (when: string) =>
    Object.keys(kinds).filter(kind => kinds[kind as keyof typeof kinds] === when)
  expect(whenOf('never')).toEqual(['INTENT', 'PART', 'LOCK'])
  expect(whenOf('soon')).toEqual(['NOTSENT', 'REFUSED'])
  const others = Object.keys(everyKind).filter(kind => !/^(INTENT|PART|LOCK|NOTSENT|REFUSED)$/.test(kind))
  expect(whenOf('waited').toSorted()).toEqual(others.toSorted())
})

test.each<[string, unknown, boolean]>([
  ['the last date there is', 8.64e15, true],
  ['one beyond it', 8.64e15 + 1, false],
  ['one as far before', -8.64e15 - 1, false],
  ['no date', undefined, false],
  ['a date as a text', '1', false],
])('a record at %s', (_, at, isTaken) => {
  const bytes = journalFile([{ ...close, at } as JournalEntry]).bytes
  expect(decodeJournal(bytes).got).toBe(isTaken ? 'records' : 'damaged')
})

test.each<[string, object, boolean]>([
  ['a text in its numbers', { why: 'refused', status: '400', detail: '' }, false],
  ['a number in its texts', { why: 'refused', status: 400, detail: 5 }, false],
  ['a reason that a later genrun has', { why: 'later', detail: 'x' }, true],
  ['another behind it', { why: 'closed', because: { why: 'busy', detail: '' } }, true],
  ['none behind it', { why: 'closed' }, false],
  ['what is none behind it', { why: 'closed', because: { why: 5 } }, false],
])('a failure with %s', (_, failure, isTaken) => {
  const record = { kind: 'FAILED', purchase: 'k1', failure, billed: 'no', at: 1 }
  const bytes = journalFile([record as unknown as JournalEntry]).bytes
  expect(decodeJournal(bytes).got).toBe(isTaken ? 'records' : 'damaged')
})
