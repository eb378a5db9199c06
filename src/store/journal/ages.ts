import type { PurchaseId } from '../../base/names.ts'
import type { Recipe } from '../../base/state.ts'
import type { History } from './fold.ts'
import type { JournalEntry } from './journal-text.ts'
import { type Took, tookIn } from './took.ts'

/** What a journal says about the clock that dated it: whether the age of an order can be told by it. */
export interface Ages {
  /** When its last record was written, in milliseconds since 1970: earlier it cannot be. */
  readonly latest: number
  /** Purchases of which a later record is dated before an earlier one: the clock was set, and nobody knows how old they are. */
  readonly unknown: ReadonlySet<PurchaseId>
}

/** An order that brought a result. */
export interface Delivered {
  readonly recipe: Pick<Recipe, 'model' | 'params'>
  readonly origin: string
  /** When it was sent first, in milliseconds since 1970. */
  readonly at: number
  /** How long the service took, where the dates can tell. */
  readonly took?: Took
}

/** The results of orders that were sent within a day before the journal's last record. Pure. */
export function deliveredOfDay(
  histories: Iterable<readonly [PurchaseId, History]>,
  { latest, unknown }: Ages,
  entries: Iterable<JournalEntry>,
): Delivered[] {
  const delivered: Delivered[] = []
  const took = tookIn(entries)
  for (const [id, { order, answer }] of histories) {
    if (answer?.is !== 'done' || !order?.sent || latest - order.sent.at >= dayMs) continue
    const { recipe, sent } = order
    const its = unknown.has(id) ? undefined : took.get(id)
    delivered.push({ recipe, origin: sent.origin, at: sent.at, ...(its && { took: its }) })
  }
  return delivered
}

export const dayMs = 24 * 60 * 60_000

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
