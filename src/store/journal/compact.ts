import type { PurchaseId } from '../../base/names.ts'
import { historyAfter, isOver, type PurchaseEntry, recordOf } from './fold.ts'
import type { JournalEntry } from './journal-text.ts'

/**
 * Fewer records that say the same, now and whatever follows them. Of a purchase that came to an end, how it stands is
 * enough; what is still open is kept whole, but for the attempts that came to nothing. Pure.
 */
export function compacted(entries: readonly JournalEntry[]): JournalEntry[] {
  const opening = entries.findLast(entry => entry.kind === 'OPEN')
  const closings = entries.filter(entry => entry.kind === 'CLOSE' && entry.skipped)
  const orders = [...recordsOf(entries).values()].flatMap(shortest)
  return [...(opening ? [opening] : []), ...closings, ...redosIn(entries), ...orders]
}

/** Those that a run has ended after, with such an end: which lock that left, and what it skipped, stands in others. */
function redosIn(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const closed = entries.findLastIndex(({ kind }) => kind === 'CLOSE')
  const isRedo = ({ kind }: JournalEntry) => kind === 'REDO'
  const ended = entries.slice(0, closed + 1).filter(isRedo)
  const end = ended.length > 0 && entries[closed]
  const cut = entries.slice(closed + 1).filter(isRedo)
  return [...ended, ...(end ? [{ kind: 'CLOSE', at: end.at } as const] : []), ...cut]
}

function recordsOf(entries: readonly JournalEntry[]): Map<PurchaseId, PurchaseEntry[]> {
  const records = new Map<PurchaseId, PurchaseEntry[]>()
  for (const entry of entries) {
    if (!('purchase' in entry)) continue
    const known = records.get(entry.purchase)
    if (known) known.push(entry)
    else records.set(entry.purchase, [entry])
  }
  return records
}

function shortest(entries: readonly PurchaseEntry[]): readonly PurchaseEntry[] {
  const history = historyAfter(entries)
  const last = entries.at(-1)
  if (!last) return []
  const { purchase, at } = last
  const { order, attempts, saved, parts } = history
  // That it is over must be remembered: a lock that was rolled back may still know it.
  if (isOver(history) && attempts.length + saved.length + parts.length === 0) {
    const end: PurchaseEntry = { kind: 'RESOLVE', purchase, decision: { is: 'over' }, at }
    return order ? [{ kind: 'STANDS', purchase, record: { ...order, is: 'open' }, at }, end] : [end]
  }
  const record = recordOf(history)
  const isSettled = record?.is === 'done' || record?.is === 'failed'
  if (!isSettled || entries.length < 2) return order ? withoutVain(entries) : entries
  return [{ kind: 'STANDS', purchase, record, at }]
}

/** Without attempts that bought nothing; a busy service may have refused a thousand of one order. */
function withoutVain(entries: readonly PurchaseEntry[]): readonly PurchaseEntry[] {
  const last = new Map<string, PurchaseEntry>()
  const told = new Set<string>()
  for (const entry of entries) {
    if (entry.kind === 'DOUBT') told.add(entry.attempt)
    if (entry.kind === 'SENDING' || isVain(entry)) last.set(entry.attempt, entry)
  }
  let isOrdered = false
  return entries.filter(entry => {
    // The first says what was ordered.
    if (entry.kind === 'INTENT') return !isOrdered && (isOrdered = true)
    if (entry.kind !== 'SENDING' && !isVain(entry)) return true
    const end = last.get(entry.attempt)
    return told.has(entry.attempt) || !end || !isVain(end)
  })
}

function isVain(entry: PurchaseEntry): entry is PurchaseEntry & { kind: 'NOTSENT' | 'REFUSED' } {
  return entry.kind === 'NOTSENT' || entry.kind === 'REFUSED'
}
