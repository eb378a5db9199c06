import { describe, expect, test } from 'vitest'
import type { JournalRecord } from '../../src/base/state.ts'
import { compacted } from '../../src/store/compact.ts'
import { foldJournal } from '../../src/store/memory.ts'
import fc from '../cases.ts'
import { clip, close, hero, intent, open, run, saved, sending, stamped } from './records.ts'

const refused = (attempt: string): JournalRecord => ({
  kind: 'REFUSED',
  address: hero,
  attempt,
  detail: 'no',
})
const notSent = (attempt: string): JournalRecord => ({ kind: 'NOTSENT', address: hero, attempt })
const doubt = (attempt: string): JournalRecord => ({
  kind: 'DOUBT',
  address: hero,
  attempt,
  detail: 'lost',
  raw: '/s/1',
})
const accepted = (attempt: string, id = 'r-1'): JournalRecord => ({
  kind: 'ACCEPTED',
  address: hero,
  attempt,
  run: run(id),
})
const links = [{ from: 'link', url: 'https://x/1.png' }] as const
const result: JournalRecord = { kind: 'RESULT', address: hero, files: links }
const part: JournalRecord = { kind: 'SAVED', address: hero, nth: 0, file: saved('hero.png'), part: '/p/0' }
const done: JournalRecord = { kind: 'DONE', address: hero, files: [saved('hero.png')] }
const failed = (billed: 'no' | 'unknown'): JournalRecord => ({
  kind: 'FAILED',
  address: hero,
  failure: { why: 'remote', detail: 'no tea' },
  billed,
})
const rebuy: JournalRecord = { kind: 'RESOLVE', address: hero, decision: { is: 'rebuy' } }
const abandon: JournalRecord = { kind: 'RESOLVE', address: hero, decision: { is: 'abandon' } }
const adopt: JournalRecord = { kind: 'RESOLVE', address: hero, decision: { is: 'adopt', run: run('r-9') } }

function heroAfter(...records: readonly JournalRecord[]) {
  return foldJournal(stamped(records)).get(hero)
}

test.each<[string, JournalRecord[], object | undefined]>([
  ['nothing about a job is nothing', [open, close], undefined],
  ['an intent alone may be bought', [intent('a1')], { is: 'planned', doubts: [] }],
  [
    'SENDING without an end is doubt, since it was sent',
    [intent('a1'), sending('a1')],
    { is: 'doubt', since: 2000 },
  ],
  [
    'what was not sent may be bought',
    [intent('a1'), sending('a1'), notSent('a1')],
    { is: 'planned', doubts: [] },
  ],
  [
    'what was refused may be bought',
    [intent('a1'), sending('a1'), refused('a1')],
    { is: 'planned', doubts: [] },
  ],
  [
    'a told doubt is doubt',
    [intent('a1'), sending('a1'), doubt('a1')],
    { is: 'doubt', detail: 'lost', raw: '/s/1', since: 2000 },
  ],
  [
    'a refusal of a later attempt proves nothing about a told doubt',
    [intent('a1'), sending('a1'), doubt('a1'), intent('a2'), sending('a2'), refused('a2')],
    { is: 'doubt', detail: 'lost' },
  ],
  [
    'nor about an attempt that a crash left open',
    [intent('a1'), sending('a1'), open, intent('a2'), sending('a2'), notSent('a2')],
    { is: 'doubt', since: 2000 },
  ],
  [
    'nor does a later word about the same attempt',
    [intent('a1'), sending('a1'), doubt('a1'), refused('a1')],
    { is: 'doubt' },
  ],
  [
    'doubt outlives another order',
    [
      intent('a1'),
      sending('a1'),
      doubt('a1'),
      intent('a2', 'k2'),
      sending('a2'),
      refused('a2'),
      failed('no'),
    ],
    { is: 'doubt', detail: 'lost' },
  ],
  [
    'an accepted run is known',
    [intent('a1'), sending('a1'), accepted('a1')],
    { is: 'accepted', run: run('r-1'), doubts: [] },
  ],
  [
    'an accepted run settles the doubts of its key',
    [intent('a1'), sending('a1'), doubt('a1'), intent('a2'), sending('a2'), accepted('a2')],
    { is: 'accepted', doubts: [] },
  ],
  [
    'an accepted run of another key does not',
    [intent('a1'), sending('a1'), doubt('a1'), intent('a2', 'k2'), sending('a2'), accepted('a2')],
    { is: 'accepted', doubts: [{ attempt: 'a1', key: 'k1', is: 'told' }] },
  ],
  [
    'a result keeps its run',
    [intent('a1'), sending('a1'), accepted('a1'), result],
    { is: 'result', files: links, run: run('r-1') },
  ],
  [
    'a result without a run is enough',
    [intent('a1'), sending('a1'), result],
    { is: 'result', files: links, doubts: [] },
  ],
  [
    'a saved part is remembered once',
    [intent('a1'), sending('a1'), accepted('a1'), part, part],
    { is: 'accepted', saved: [{ nth: 0, part: '/p/0', file: saved('hero.png') }] },
  ],
  [
    'done is done',
    [intent('a1'), sending('a1'), accepted('a1'), part, done],
    { is: 'done', run: run('r-1'), saved: [] },
  ],
  [
    'a job whose order stands in the lock only',
    [result, part, done],
    { is: 'done', files: [saved('hero.png')] },
  ],
  [
    'a failure ends the attempt it answers',
    [intent('a1'), sending('a1'), failed('unknown')],
    { is: 'failed', billed: 'unknown', doubts: [] },
  ],
  [
    'a failed run keeps its id',
    [intent('a1'), sending('a1'), accepted('a1'), failed('unknown')],
    { is: 'failed', run: run('r-1') },
  ],
  [
    'a new order that was never sent leaves what was there',
    [intent('a1'), sending('a1'), accepted('a1'), done, intent('a2', 'k2')],
    { is: 'done', run: run('r-1'), intent: { key: 'k1' } },
  ],
  [
    'and so does one that was refused',
    [intent('a1'), sending('a1'), failed('unknown'), intent('a2', 'k2'), sending('a2'), refused('a2')],
    { is: 'failed', billed: 'unknown' },
  ],
  [
    'a new order that was sent is what counts',
    [intent('a1'), sending('a1'), accepted('a1'), done, intent('a2', 'k2'), sending('a2')],
    { is: 'doubt', since: 6000 },
  ],
  [
    'a new order that was accepted begins without files',
    [
      intent('a1'),
      sending('a1'),
      accepted('a1'),
      part,
      intent('a2', 'k2'),
      sending('a2'),
      accepted('a2', 'r-2'),
    ],
    { is: 'accepted', run: run('r-2'), saved: [] },
  ],
  [
    'a doubt that the user ends may be bought, with a new key',
    [intent('a1'), sending('a1'), doubt('a1'), rebuy],
    { is: 'planned', doubts: [], intent: undefined },
  ],
  [
    'a doubt for which the user knows the run',
    [intent('a1'), sending('a1'), doubt('a1'), adopt],
    { is: 'accepted', run: run('r-9'), doubts: [], intent: { key: 'k1' } },
  ],
])('%s', (_, records, wanted) => {
  const memory = heroAfter(...records)
  if (wanted === undefined) expect(memory).toBeUndefined()
  else expect({ intent: undefined, ...memory }).toMatchObject(wanted)
})

test('the key’s age counts from its first intent', () => {
  expect(heroAfter(intent('a1'), sending('a1'), notSent('a1'), intent('a2'))?.intent).toMatchObject({
    key: 'k1',
    at: 1000,
  })
})

test('jobs come in the order in which they first appear, each by itself', () => {
  const memories = foldJournal(
    stamped([intent('a1', 'k1', clip), intent('a2', 'k2', hero), sending('a2'), sending('a1', clip)]),
  )
  expect([...memories.keys()]).toEqual([clip, hero])
})

const anyRecord = fc
  .tuple(fc.constantFrom('a1', 'a2', 'a3'), fc.constantFrom('k1', 'k2'), fc.nat(13))
  .map(([attempt, key, which]): JournalRecord => {
    const all = [intent(attempt, key), sending(attempt), notSent(attempt), refused(attempt), doubt(attempt)]
    const more = [
      accepted(attempt),
      result,
      part,
      done,
      failed('no'),
      failed('unknown'),
      rebuy,
      adopt,
      abandon,
    ]
    return [...all, ...more][which] ?? done
  })

test('compacting never changes what is known, nor what later records mean', () => {
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
    { numRuns: 500 },
  )
})

test('a failed order is not forgotten behind one in doubt that turns out to have bought nothing', () => {
  const orders = [intent('a1'), sending('a1'), failed('unknown'), intent('a2', 'k2'), sending('a2')]
  const entries = stamped([open, ...orders, failed('no')])
  const [end, ...earlier] = entries.toReversed()
  expect(foldJournal(entries).get(hero)).toMatchObject({ is: 'failed', billed: 'unknown' })
  expect(foldJournal([...compacted(earlier.toReversed()), ...(end ? [end] : [])])).toEqual(
    foldJournal(entries),
  )
})

test('of a job that failed again and again, each order and its end are kept', () => {
  const order = (nth: number) => [
    intent(`a${nth}`, `k${nth}`),
    sending(`a${nth}`),
    accepted(`a${nth}`, `r-${nth}`),
    { ...failed('unknown'), run: run(`r-${nth}`) },
  ]
  const kinds = compacted(stamped([open, ...order(1), ...order(2)])).map(entry => entry.kind)
  expect(kinds).toEqual(['OPEN', 'INTENT', 'FAILED', 'INTENT', 'FAILED'])
})

test('of a job that is done, its order and its end are kept, and of the runs the last', () => {
  const life = [intent('a1'), sending('a1'), accepted('a1'), part, { ...done, run: run('r-1') }]
  const kinds = compacted(stamped([open, ...life, close, open, close])).map(entry => entry.kind)
  expect(kinds).toEqual(['INTENT', 'DONE', 'OPEN'])
})

test('a told doubt is never forgotten by anything but an answer to its order or the user', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 15 }), records => {
      const harmless = records.filter(
        record =>
          ['SENDING', 'NOTSENT', 'REFUSED', 'DOUBT', 'INTENT'].includes(record.kind) ||
          // A run that failed is an answer.
          (record.kind === 'FAILED' && record.billed === 'no'),
      )
      const memory = heroAfter(intent('a0', 'k0'), sending('a0'), doubt('a0'), ...harmless)
      expect(memory?.is).toBe('doubt')
    }),
  )
})

test('an order in doubt that is given up leaves the older result, be it made or still to be saved', () => {
  const waiting = { kind: 'RESULT', address: hero, files: [{ from: 'spool', path: '/s/a1' }] } as const
  const older = [intent('a1', 'k1'), sending('a1'), waiting, part]
  const doubt = [intent('a2', 'k2'), sending('a2'), rebuy]
  expect(heroAfter(...older, ...doubt)).toEqual(heroAfter(...older))
  expect(heroAfter(...older, done, ...doubt)).toEqual(heroAfter(...older, done))
})

describe('what was made before', () => {
  const olderAfter = (...records: JournalRecord[]) =>
    heroAfter(intent('a1', 'k1'), sending('a1'), accepted('a1'), done, ...records)?.older
  const again = [intent('a2', 'k2'), sending('a2')]

  test.each<[string, JournalRecord[]]>([
    ['is under way', [...again, accepted('a2')]],
    ['is in doubt', again],
    ['was taken up by the user', [...again, adopt]],
    ['was given up', [...again, abandon]],
    [
      'is ordered once more',
      [...again, accepted('a2'), failed('unknown'), intent('a3', 'k3'), sending('a3')],
    ],
  ])('stays named while the next order %s', (_, records) => {
    expect(olderAfter(...records)).toEqual([saved('hero.png')])
  })

  test.each<[string, JournalRecord[]]>([
    ['failed at the service', [...again, accepted('a2'), failed('unknown')]],
    ['was given up', [...again, abandon]],
    ['was found by the user, and failed', [...again, adopt, failed('unknown')]],
    [
      'failed, as the one before it had',
      [...again, failed('unknown'), intent('a3', 'k3'), sending('a3'), failed('unknown')],
    ],
  ])('is still known when the next order %s', (_, records) => {
    const before = [intent('a1', 'k1'), sending('a1'), accepted('a1'), done]
    const memory = heroAfter(...before, ...records)
    expect(memory).toMatchObject({ is: 'failed', made: heroAfter(...before) })
  })

  test('is not known any more when something newer was made', () => {
    const newer = [...again, accepted('a2'), done, intent('a3', 'k3'), sending('a3'), failed('unknown')]
    const memory = heroAfter(intent('a1', 'k1'), sending('a1'), accepted('a1'), done, ...newer)
    expect(memory).toMatchObject({ is: 'failed', made: { intent: { key: 'k2' } } })
    expect(memory?.is === 'failed' && memory.made).not.toHaveProperty('made')
  })

  test('is also what was verified, and of which DONE is missing', () => {
    const memory = heroAfter(intent('a1'), sending('a1'), accepted('a1'), part, ...again)
    expect(memory?.older).toEqual([part.kind === 'SAVED' && part.file])
  })

  test.each<[string, JournalRecord[]]>([
    ['nothing was ordered since', []],
    ['the next order came to nothing', [intent('a2', 'k2')]],
    ['the next is made', [...again, accepted('a2'), done]],
  ])('needs no name of its own when %s', (_, records) => {
    expect(olderAfter(...records)).toBeUndefined()
  })
})

describe('a download that broke off', () => {
  const beginning = { resource: 'https://x/a.png', etag: '"v1"', bytes: 4, sha256: 'c'.repeat(64) }
  const broken = (bytes: number, nth = 0): JournalRecord => ({
    kind: 'PART',
    address: hero,
    nth,
    beginning: { ...beginning, bytes },
  })
  const partsAfter = (...records: JournalRecord[]) =>
    heroAfter(intent('a1'), sending('a1'), accepted('a1'), ...records)?.parts

  test('is known by what was noted last of each file', () => {
    expect(partsAfter(broken(4), broken(9, 1), broken(8))).toEqual([
      { nth: 1, beginning: { ...beginning, bytes: 9 } },
      { nth: 0, beginning: { ...beginning, bytes: 8 } },
    ])
  })

  test.each<[string, JournalRecord[]]>([
    ['the file is whole: its part may be the published one', [part]],
    ['the job is done', [done]],
    ['it is ordered anew', [intent('a2', 'k2'), sending('a2')]],
    ['another run takes its place', [adopt]],
  ])('is forgotten when %s', (_, records) => {
    expect(partsAfter(broken(4))).toHaveLength(1)
    expect(partsAfter(broken(4), ...records)).toBeUndefined()
  })
})
