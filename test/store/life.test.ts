import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JournalRecord, Purchase } from '../../src/base/purchase.ts'
import { historyAfter, isOver, type PurchaseEntry, recordOf } from '../../src/store/journal/fold.ts'
import { lockStates } from '../../src/store/lock/lock-entry.ts'
import { everyKind } from './records.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/purchases.md'), 'utf8')

type Kind = Extract<JournalRecord, { purchase: unknown }>['kind']

/** The picture of the page, arrow by arrow: from the state that these records lead to, one more record leads on. */
const arrows: readonly (readonly [from: readonly Step[], by: Step, to: string])[] = [
  [[], 'INTENT', 'open'],
  [['INTENT'], 'SENDING', 'doubt'],
  [['INTENT', 'SENDING'], 'NOTSENT', 'open'],
  [['INTENT', 'SENDING'], 'REFUSED', 'open'],
  [['INTENT', 'SENDING'], 'abandon', 'failed'],
  [['INTENT', 'SENDING'], 'over', 'over'],
  [['INTENT', 'SENDING'], 'ACCEPTED', 'under-way'],
  [['INTENT', 'SENDING'], 'RESULT', 'under-way'],
  [['INTENT', 'SENDING'], 'adopt', 'under-way'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'DOUBT', 'doubt'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'FAILED', 'failed'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'PART', 'under-way'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'SAVED', 'under-way'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'FAILED'], 'ACCEPTED', 'under-way'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'FAILED'], 'over', 'over'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'FAILED'], 'adopt', 'under-way'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'DONE', 'done'],
  [['INTENT', 'SENDING', 'ACCEPTED'], 'DONE aside', 'aside'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'DONE'], 'put aside', 'aside'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'DONE aside'], 'put back', 'done'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'DONE'], 'over', 'over'],
  [['INTENT', 'SENDING', 'ACCEPTED', 'DONE aside'], 'over', 'over'],
]

type Step = Kind | 'adopt' | 'over' | 'abandon' | 'DONE aside' | 'put aside' | 'put back'

test.each(arrows)('%j, %s: %s', (from, by, to) => {
  expect(stateAfter([...from, by])).toBe(to)
})

test('the page names every state and every record, and nothing that there is not', () => {
  const states = new Set(arrows.map(([, , to]) => to))
  const rows = [...page.matchAll(/^\| ([a-z-]+) \|/gm)]
    .map(match => match[1])
    .filter(name => name !== 'state')
  expect(new Set(rows)).toEqual(states)
  const inLock = [...page.matchAll(/^\| [a-z-]+ \| `([a-z]+)` \|/gm)].map(match => match[1])
  expect(new Set(inLock)).toEqual(new Set(lockStates))
  const kinds = Object.keys(everyKind).filter(kind => !['OPEN', 'LOCK', 'CLOSE'].includes(kind))
  expect(kinds.filter(kind => !page.includes(kind))).toEqual([])
})

function stateAfter(steps: readonly Step[]): string {
  const entries: PurchaseEntry[] = []
  for (const step of steps) entries.push(entryOf(step, entries))
  const history = historyAfter(entries)
  if (isOver(history)) return 'over'
  const record = recordOf(history)
  if (!record) throw new Error('nothing is known')
  return record.is === 'done' && record.aside ? 'aside' : record.is
}

const { purchase } = everyKind.INTENT

function entryOf(step: Step, before: readonly PurchaseEntry[]): PurchaseEntry {
  const { attempt } = everyKind.INTENT
  switch (step) {
    case 'adopt':
      return { kind: 'RESOLVE', purchase, decision: { is: 'adopt', run: everyKind.ACCEPTED.run }, at: 1 }
    case 'over':
    case 'abandon':
      return { kind: 'RESOLVE', purchase, decision: { is: step }, at: 1 }
    case 'DONE aside':
      return { ...everyKind.DONE, purchase, aside: true, at: 1 }
    case 'put aside':
    case 'put back':
      return { kind: 'STANDS', purchase, record: moved(before, step === 'put aside'), at: 1 }
    case 'SENDING':
    case 'NOTSENT':
    case 'REFUSED':
    case 'DOUBT':
    case 'ACCEPTED':
      return { ...everyKind[step], purchase, attempt, at: 1 }
    case 'INTENT':
    case 'RESULT':
    case 'PART':
    case 'SAVED':
    case 'DONE':
    case 'FAILED':
    case 'STANDS':
    case 'RESOLVE':
      return { ...everyKind[step], purchase, at: 1 }
  }
}

function moved(before: readonly PurchaseEntry[], isAside: boolean): Purchase {
  const record = recordOf(historyAfter(before))
  if (record?.is !== 'done') throw new Error('it is not done')
  const { aside: _, ...rest } = record
  return isAside ? { ...rest, aside: true } : rest
}
