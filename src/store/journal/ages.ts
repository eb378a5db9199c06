import type { PurchaseId } from '../../base/names.ts'
import type { JournalEntry } from './journal-text.ts'

/** What a journal says about the clock that dated it: whether the age of an order can be told by it. */
export interface Ages {
  /** When its last record was written, in milliseconds since 1970: earlier it cannot be. */
  readonly latest: number
  /** Purchases of which a later record is dated before an earlier one: the clock was set, and nobody knows how old they are. */
  readonly unknown: ReadonlySet<PurchaseId>
}

/** Clocks are put right by a little all the time. */
export const clockStepMs = 60_000

/** Pure. */
export function agesIn(entries: Iterable<JournalEntry>): Ages {
  const last = new Map<PurchaseId, number>()
  const unknown = new Set<PurchaseId>()
  let latest = 0
  for (const entry of entries) {
    latest = Math.max(latest, entry.at)
    if (!('purchase' in entry)) continue
    const before = last.get(entry.purchase) ?? 0
    if (entry.at < before - clockStepMs) unknown.add(entry.purchase)
    last.set(entry.purchase, entry.at)
  }
  return { latest, unknown }
}
