import { expect, test } from 'vitest'
import type { JournalRecord } from '../../../src/base/purchase.ts'
import { agesIn, deliveredOfDay } from '../../../src/store/journal/ages.ts'
import { foldJournal } from '../../../src/store/journal/fold.ts'
import { type Took, tookIn } from '../../../src/store/journal/took.ts'
import { intent, open, teapot as purchase, run, saved, sending } from '../records.ts'

const [second, minute, day] = [1000, 60_000, 24 * 60 * 60_000]
const submit = intent('a')
const execute: JournalRecord = { ...submit, mode: 'execute' }
const accepted: JournalRecord = { kind: 'ACCEPTED', purchase, attempt: 'a', run: run('r-1') }
const files = [{ from: 'link', url: 'https://x/1.png' }] as const
const result: JournalRecord = { kind: 'RESULT', purchase, files }
const part: JournalRecord = { kind: 'SAVED', purchase, nth: 0, file: saved('hero.png'), part: '/p/0' }
const done: JournalRecord = { kind: 'DONE', purchase, files: [saved('hero.png')] }
const busy: JournalRecord = { kind: 'REFUSED', purchase, attempt: 'a', detail: 'busy' }
const doubt: JournalRecord = { kind: 'DOUBT', purchase, attempt: 'a', detail: 'lost' }

/** Records with their dates, in seconds after noon. */
type Dated = readonly (readonly [at: number, record: JournalRecord])[]

const noon = 20_000 * day
const dated = (records: Dated) => records.map(([at, record]) => ({ ...record, at: noon + at * second }))

test.each<[string, Dated, Took | undefined]>([
  [
    'an answer with files: from sending to the answer, exactly',
    [
      [0, execute],
      [1, sending('a')],
      [31, result],
      [40, done],
    ],
    { from: 30 * second, to: 30 * second },
  ],
  [
    'a run: from when it was accepted; it had ended when its files came',
    [
      [0, submit],
      [1, sending('a')],
      [2, accepted],
      [32, part],
      [33, done],
    ],
    { from: 0, to: 30 * second },
  ],
  [
    'a run whose result came with the word that it has ended',
    [
      [0, submit],
      [1, sending('a')],
      [2, accepted],
      [12, result],
      [33, done],
    ],
    { from: 0, to: 10 * second },
  ],
  [
    'an answer that names a run where files were meant: after that, and before they came',
    [
      [0, execute],
      [1, sending('a')],
      [21, accepted],
      [22, part],
      [23, done],
    ],
    { from: 20 * second, to: 21 * second },
  ],
  [
    'the last attempt counts where the service had no room',
    [
      [0, execute],
      [1, sending('a')],
      [2, busy],
      [50, execute],
      [51, sending('b')],
      [61, result],
      [62, done],
    ],
    { from: 10 * second, to: 10 * second },
  ],
  [
    'nothing of what a later genrun found ended',
    [
      [0, submit],
      [1, sending('a')],
      [2, accepted],
      [900, open],
      [901, part],
      [902, done],
    ],
    undefined,
  ],
  [
    'nothing of what was in doubt',
    [
      [0, execute],
      [1, sending('a')],
      [2, doubt],
      [600, accepted],
      [601, done],
    ],
    undefined,
  ],
  [
    'nothing where the clock was set back meanwhile, be it by a little',
    [
      [0, submit],
      [50, sending('a')],
      [51, accepted],
      [41, part],
      [42, done],
    ],
    undefined,
  ],
  [
    'nothing of what is only known to stand',
    [
      [
        0,
        {
          kind: 'STANDS',
          purchase,
          record: { ...submit, id: purchase, is: 'done', files: [saved('hero.png')] },
        },
      ],
    ],
    undefined,
  ],
])('how long an order took: %s', (_, records, took) => {
  expect(tookIn(dated(records)).get(purchase)).toEqual(took)
})

const made: Dated = [
  [0, submit],
  [1, sending('a')],
  [2, accepted],
  [32, part],
  [33, done],
]

test.each<[string, Dated, Took | undefined]>([
  ['of an order of the day', made, { from: 0, to: 30 * second }],
  ['not of one whose clock was set back later on', [...made, [-2 * minute, done]], undefined],
])('is told with the result %s', (_, records, took) => {
  const entries = dated(records)
  const [delivered] = deliveredOfDay(foldJournal(entries), agesIn(entries), entries)
  expect(delivered).toMatchObject({ recipe: submit.recipe, origin: 'https://x' })
  expect(delivered?.took).toEqual(took)
})
