import { describe, expect, test } from 'vitest'
import type { JournalRecord } from '../../../src/base/purchase.ts'
import { isEntry } from '../../../src/store/journal/journal-entry.ts'
import { clip, everyKind, fox, recipe, saved } from '../records.ts'

// A checkout can hold a journal whose chain is right: each member of each record has its form, or the record is none.

const text = [7, null, {}]
const name = ['', ...text]
const id = ['', '../x', 'a b', ...text]
const count = [-1, '1', null]
const list = [{}, 'x', [7], [null], [{}]]
const ofRun = [7, null, {}, { workflow: 'w' }, { workflow: 'w', id: '..' }, { workflow: 7, id: 'r1' }]
const ofFile = [7, {}, { ...saved('a.png'), path: '../a.png' }, { ...saved('a.png'), bytes: -1 }]
const ofFiles = [...list, ...ofFile.map(each => [saved('a.png'), each])]
const ofRecipe = [7, {}, { ...recipe, version: 2 }, { ...recipe, take: 0 }]
const ofFailure = [7, {}, { why: 7 }, { why: 'closed' }]
const ofRemote = [
  ...list,
  [{ from: 'link' }],
  [{ from: 'link', url: 7 }],
  [{ from: 'spool' }],
  [{ from: 'x', url: '' }],
  [{ from: 'toString' }],
  [{ from: 7, url: '' }],
]
const ofBeginning = [
  7,
  {},
  ...['resource', 'etag', 'bytes', 'sha256'].map(member => ({ ...everyKind.PART.beginning, [member]: null })),
  { ...everyKind.PART.beginning, total: '9' },
]

/** What may stand in none of a record's members; `?` before one that may be missing. */
type Wrong = { readonly [member: string]: readonly unknown[] }

const wrong: { readonly [Kind in JournalRecord['kind']]: Wrong } = {
  OPEN: { format: [1, 3, '2', null], lineage: text, '?lock': text, '?tool': text },
  INTENT: {
    purchase: id,
    attempt: text,
    address: name,
    recipe: ofRecipe,
    '?mode': text,
    '?request': text,
    '?workflow': text,
    '?origin': text,
  },
  SENDING: { purchase: id, attempt: text },
  NOTSENT: { purchase: id, attempt: text },
  REFUSED: { purchase: id, attempt: text, detail: text },
  DOUBT: { purchase: id, attempt: text, detail: text, '?raw': text },
  ACCEPTED: { purchase: id, attempt: text, run: ofRun },
  RESULT: { purchase: id, files: ofRemote, '?run': ofRun, '?credits': count },
  PART: { purchase: id, nth: count, part: text, beginning: ofBeginning },
  SAVED: { purchase: id, nth: count, file: ofFile, part: text, '?flaw': ofFailure },
  DONE: { purchase: id, files: ofFiles, '?run': ofRun, '?flaw': ofFailure, '?credits': count },
  FAILED: { purchase: id, failure: ofFailure, '?run': ofRun, '?files': ofFiles, '?credits': count },
  STANDS: { purchase: id, record: [7, null, {}, { is: 'gone' }, { is: 'toString' }, { is: 7 }] },
  RESOLVE: {
    purchase: id,
    decision: [7, {}, { is: 'adopt' }, { is: 'adopt', run: {} }, { is: 'sell' }, { is: 'valueOf' }],
  },
  REDO: { takes: [...list, ['']] },
  LOCK: { lock: text },
  CLOSE: { '?lock': text, '?skipped': [...list, ['']] },
}

const member = (key: string) => key.replace('?', '')

/** Every form of it that is none. */
function spoiled(whole: object, of: Wrong): object[] {
  return Object.entries(of).flatMap(([key, values]) => [
    ...values.map(value => ({ ...whole, [member(key)]: value })),
    ...(key.startsWith('?') ? [] : [{ ...whole, [member(key)]: undefined }]),
  ])
}

const isTaken = (record: object) => isEntry({ at: 1, ...record })

describe.each(Object.entries(wrong))('%s', (kind, of) => {
  const whole = everyKind[kind as JournalRecord['kind']]

  test('is taken whole, and without what may be missing', () => {
    const few = Object.keys(of)
      .filter(key => key.startsWith('?'))
      .map(key => [member(key), undefined])
    expect([isTaken(whole), isTaken({ ...whole, ...Object.fromEntries(few) })]).toEqual([true, true])
  })

  test('is none with a member that has another form', () => {
    expect(spoiled(whole, of).filter(isTaken)).toEqual([])
  })
})

const order = { id: fox, address: clip, recipe }
const ofOrder = { id, address: name, recipe: ofRecipe, '?acceptedAs': ofRecipe, '?credits': count }
const flaw = { why: 'remote', message: 'gone' }
const ofFlaw = [7, {}, { why: 'remote' }, { message: '' }]
const savedPart = { nth: 0, file: saved('a.png'), part: 'p' }

test.each<[string, object, Wrong]>([
  ['open', order, ofOrder],
  [
    'doubt',
    { ...order, detail: '', raws: ['/s/1'] },
    { ...ofOrder, detail: text, raws: list, '?since': count },
  ],
  [
    'under-way',
    { ...order, saved: [savedPart], parts: [{ nth: 0, part: 'p', beginning: everyKind.PART.beginning }] },
    {
      ...ofOrder,
      '?run': ofRun,
      '?acceptedAt': count,
      '?files': ofRemote,
      saved: [
        ...list,
        ...spoiled(savedPart, { nth: count, file: ofFile, part: text, '?flaw': ofFailure }).map(each => [
          each,
        ]),
      ],
      parts: [...list, ...ofBeginning.map(beginning => [{ nth: 0, part: 'p', beginning }])],
    },
  ],
  ['done', { ...order, files: [] }, { ...ofOrder, files: ofFiles, '?run': ofRun, '?flaw': ofFlaw }],
  ['failed', { ...order, flaw }, { ...ofOrder, flaw: ofFlaw, '?run': ofRun, '?files': ofFiles }],
])('what stands as %s has its form', (is, whole, of) => {
  const standing = (record: object) => ({ ...everyKind.STANDS, record: { ...record, is } })
  expect(isTaken(standing(whole))).toBe(true)
  expect(spoiled(whole, of).filter(record => isTaken(standing(record)))).toEqual([])
})

test.each(['over', 'abandon'])('a decision may be %s, with nothing in it', is => {
  expect(isTaken({ ...everyKind.RESOLVE, decision: { is } })).toBe(true)
})

test.each(['status', 'asked', 'got', 'seconds', 'failures'])('in a failure %s is a number', key => {
  const failed = (value: unknown) => isTaken({ ...everyKind.FAILED, failure: { why: 'x', [key]: value } })
  expect([failed(3), failed('3')]).toEqual([true, false])
})

test.each(['detail', 'workflow', 'origin', 'path', 'run', 'address'])('in a failure %s is a text', key => {
  const failed = (value: unknown) => isTaken({ ...everyKind.FAILED, failure: { why: 'x', [key]: value } })
  expect([failed('x'), failed(3)]).toEqual([true, false])
})

test.each([
  ['no record', [null, 7, 'x', [], undefined]],
  [
    'a record of no kind',
    [{ at: 1 }, { at: 1, kind: 7 }, { at: 1, kind: 'TOLD' }, { at: 1, kind: 'toString' }],
  ],
])('%s is none', (_, values) => {
  expect(values.filter(isEntry)).toEqual([])
})
