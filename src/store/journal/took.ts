import type { PurchaseId } from '../../base/names.ts'
import type { PurchaseEntry } from './fold.ts'
import type { JournalEntry } from './journal-text.ts'

/** So many milliseconds the service took for an order: the least and the most that can be said. */
export interface Took {
  readonly from: number
  readonly to: number
}

/** An order without news of its result. */
interface Begun {
  readonly isRun: boolean
  /** When the service began, in milliseconds since 1970: was sent it, or took it as a run. */
  readonly at: number
  /** It took so long at least; absent where its end is told as it comes. */
  readonly from?: number
}

/**
 * How long orders took by the dates of their records. An answer with the result tells it exactly; of a run it is only known that it had
 * ended when its files came, and of one that a later genrun asked after nothing at all: it may have ended long before. Nothing where
 * the clock was set back meanwhile. Pure.
 */
export function tookIn(entries: Iterable<JournalEntry>): Map<PurchaseId, Took> {
  const begun = new Map<PurchaseId, Begun>()
  const took = new Map<PurchaseId, Took>()
  for (const entry of entries) {
    if (entry.kind === 'OPEN') begun.clear()
    if (!('purchase' in entry)) continue
    const { purchase } = entry
    const before = begun.get(purchase)
    const next = after(before, entry)
    if (next) begun.set(purchase, next)
    else if (begun.delete(purchase) && before && hasCome(entry)) {
      const to = entry.at - before.at
      const { from = to } = before
      if (0 <= from && from <= to) took.set(purchase, { from, to })
    }
  }
  return took
}

/** Undefined when there is nothing more to wait for, or to tell. */
function after(begun: Begun | undefined, entry: PurchaseEntry): Begun | undefined {
  const { kind, at } = entry
  if (kind === 'INTENT') return { isRun: entry.mode === 'submit', at }
  switch (kind) {
    case 'SENDING':
      return begun && { ...begun, at }
    case 'ACCEPTED':
      return begun && (begun.isRun ? { ...begun, at, from: 0 } : { ...begun, from: at - begun.at })
    case 'NOTSENT':
    case 'REFUSED':
      return begun
    default:
      return undefined
  }
}

function hasCome({ kind }: PurchaseEntry): boolean {
  return kind === 'RESULT' || kind === 'PART' || kind === 'SAVED' || kind === 'DONE'
}
