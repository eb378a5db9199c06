import { defined } from '../../base/defined.ts'
import { failureMessage, isNoMore } from '../../base/failure.ts'
import type { PurchaseId } from '../../base/names.ts'
import {
  type BrokenPart,
  type DonePurchase,
  type FailedPurchase,
  type JournalRecord,
  type Ordered,
  orderOf,
  type Purchase,
  type RunningPurchase,
  type SavedPart,
} from '../../base/purchase.ts'
import type { RunRef } from '../../base/state.ts'
import type { JournalEntry } from './journal-text.ts'

/**
 * A purchase in the middle of its records: all that they say, also for what will follow them. `store/journal/fold.ts` is the one
 * place that knows what a record changes.
 */
export interface History {
  readonly order: Ordered | undefined
  /** Paid requests of which nobody knows what became; the answer to one of them is the answer to all. */
  readonly attempts: readonly Attempt[]
  readonly answer: Answer | undefined
  readonly saved: readonly SavedPart[]
  readonly parts: readonly BrokenPart[]
}

interface Attempt {
  readonly attempt: string
  /** In milliseconds since 1970. */
  readonly since: number
  /** `told`: an answer came, and it proves nothing. `unanswered`: genrun stopped before any. */
  readonly is: 'told' | 'unanswered'
  readonly detail: string
  /** The spool file with what was received. */
  readonly raw?: string
}

/** What is known for sure. `over`: nothing is owed, and nothing is there. */
type Answer =
  | Pick<RunningPurchase, 'is' | 'run' | 'acceptedAt' | 'files'>
  | Pick<DonePurchase, 'is' | 'files' | 'run' | 'flaw' | 'aside' | 'picked' | 'byHand' | 'isGone'>
  | Pick<FailedPurchase, 'is' | 'flaw' | 'billed' | 'run' | 'files'>
  | { readonly is: 'over' }

const nothing: History = { order: undefined, attempts: [], answer: undefined, saved: [], parts: [] }

/** Each member is named, so that all histories have one shape: before Node 22 whatever begins with a spread has one of its own. */
function changed({ order, attempts, answer, saved, parts }: History, to: Partial<History>): History {
  return { order, attempts, answer, saved, parts, ...to }
}

export type PurchaseEntry = Extract<JournalRecord, { purchase: PurchaseId }> & { readonly at: number }

/** Of an order without an answer, when nobody is at work any more. */
export const stoppedBefore = 'genrun stopped before an answer came'

/** What is known of every purchase after all these records, in the order in which they first appear. Pure. */
export function foldJournal(entries: Iterable<JournalEntry>): Map<PurchaseId, History> {
  const histories = new Map<PurchaseId, History>()
  for (const entry of entries) if ('purchase' in entry) foldEntry(histories, entry)
  return histories
}

/** One record more. */
export function foldEntry(histories: Map<PurchaseId, History>, entry: PurchaseEntry): void {
  histories.set(entry.purchase, after(histories.get(entry.purchase) ?? nothing, entry))
}

export function historyAfter(entries: readonly PurchaseEntry[]): History {
  return entries.reduce(after, nothing)
}

/** The history of which a record is the whole. */
export function historyOf(record: Purchase): History {
  const order = orderOf(record)
  switch (record.is) {
    case 'open':
      return changed(nothing, { order })
    case 'doubt': {
      const { detail, since = 0, raws } = record
      const told = { attempt: '', since, is: 'told', detail } as const
      const attempts = raws.length > 0 ? raws.map(raw => ({ ...told, raw })) : [told]
      return changed(nothing, { order, attempts })
    }
    case 'under-way': {
      const { is, run, acceptedAt, files, saved, parts } = record
      const when = acceptedAt !== undefined && { acceptedAt }
      const answer = { is, ...defined({ run }), ...when, ...defined({ files }) }
      return { order, attempts: [], answer, saved, parts }
    }
    case 'done': {
      const { is, files, run, flaw, aside, picked, byHand, isGone } = record
      const more = defined({ run, flaw, aside, picked, byHand, isGone })
      return changed(nothing, { order, answer: { is, files, ...more } })
    }
    case 'failed': {
      const { is, flaw, billed, run, files } = record
      return changed(nothing, { order, answer: { is, flaw, billed, ...defined({ run, files }) } })
    }
  }
}

/** Undefined for what is over, and for what no order is known of. */
export function recordOf({ order, attempts, answer, saved, parts }: History): Purchase | undefined {
  if (!order || answer?.is === 'over') return undefined
  // What is paid for is fetched first, doubts or not.
  if (answer?.is === 'under-way') return Object.assign({}, order, answer, { saved, parts })
  const [oldest] = attempts
  if (oldest) {
    const { detail, since } = oldest
    const raws = attempts.flatMap(({ raw }) => raw ?? [])
    return { is: 'doubt', ...order, detail, ...(since > 0 && { since }), raws }
  }
  return answer ? Object.assign({}, order, answer) : { is: 'open', ...order }
}

export function isOver({ answer }: History): boolean {
  return answer?.is === 'over'
}

function after(history: History, entry: PurchaseEntry): History {
  const next = afterRecord(history, entry)
  const credits = 'credits' in entry ? entry.credits : undefined
  // Whatever becomes of it, it is known from now on.
  return credits !== undefined && next.order ? changed(next, { order: { ...next.order, credits } }) : next
}

function afterRecord(history: History, entry: PurchaseEntry): History {
  switch (entry.kind) {
    case 'INTENT':
      return intend(history, entry)
    case 'SENDING': {
      const { attempt, at } = entry
      const open = {
        attempt,
        since: at,
        is: 'unanswered',
        detail: stoppedBefore,
      } as const
      return changed(history, { attempts: [...history.attempts, open] })
    }
    case 'NOTSENT':
    case 'REFUSED':
      // Proves something about this attempt only, and nothing once a doubt was told.
      return changed(history, {
        attempts: history.attempts.filter(each => each.attempt !== entry.attempt || each.is === 'told'),
      })
    case 'DOUBT':
      return doubt(history, entry)
    case 'ACCEPTED':
      // Its run is asked once more: what was made of it is not made anew.
      if (history.answer?.is === 'done' && history.answer.run?.id === entry.run.id) return history
      return answered(history, { is: 'under-way', run: entry.run, acceptedAt: entry.at })
    case 'RESULT': {
      // Fetched again it stays what it is until all of it is there again.
      if (history.answer?.is === 'done') return history
      const run = entry.run ?? runOf(history)
      const { acceptedAt = entry.at } = history.answer?.is === 'under-way' ? history.answer : {}
      return answered(history, { is: 'under-way', files: entry.files, ...defined({ run }), acceptedAt })
    }
    case 'PART': {
      if (isEnded(history)) return history
      const { nth, part, beginning } = entry
      return changed(history, { parts: [...without(history.parts, nth), { nth, part, beginning }] })
    }
    case 'SAVED': {
      if (isEnded(history)) return history
      const { nth, file, part, flaw } = entry
      const saved = [...without(history.saved, nth), { nth, file, part, ...defined({ flaw }) }]
      // From now on its part may be the published file, which nobody may write to.
      return changed(history, {
        saved: saved.toSorted((a, b) => a.nth - b.nth),
        parts: without(history.parts, nth),
      })
    }
    case 'DONE': {
      const { files, aside } = entry
      const run = entry.run ?? runOf(history)
      const flaw = entry.flaw && { why: entry.flaw.why, message: failureMessage(entry.flaw) }
      // Fetched again it is the same result, and stays the one that was chosen.
      const { picked, byHand } = history.answer?.is === 'done' ? history.answer : {}
      const more = defined({ flaw, aside, picked, byHand })
      const answer: Answer = { is: 'done', files, ...defined({ run }), ...more }
      return changed(answered(history, answer), { saved: [], parts: [] })
    }
    case 'FAILED':
      return fail(history, entry)
    case 'STANDS': {
      const { sent } = history.order ?? {}
      return historyOf({ ...defined({ sent }), ...entry.record })
    }
    case 'RESOLVE':
      return resolve(history, entry)
  }
}

/** The first attempt says what was ordered; every further one is the same order. What a person ordered anew had none yet. */
function intend(history: History, entry: PurchaseEntry & { kind: 'INTENT' }): History {
  if (history.order?.sent) return history
  const { purchase: id, address, recipe, redo, resubmitted, rebuy, request, workflow, origin, at } = entry
  const sent = { request, workflow, origin, at }
  return changed(history, {
    order: { id, address, recipe, ...defined({ redo, resubmitted, rebuy }), ...history.order, sent },
  })
}

/** What an answer said is no longer believed, when a doubt is told after it. */
function doubt(history: History, { attempt, detail, raw, at }: PurchaseEntry & { kind: 'DOUBT' }): History {
  if (history.answer?.is === 'done') return history
  const open = history.attempts.find(each => each.attempt === attempt)
  const told: Attempt = {
    attempt,
    since: open?.since ?? at,
    is: 'told',
    detail,
    ...defined({ raw }),
  }
  const attempts = open
    ? history.attempts.map(each => (each === open ? told : each))
    : [...history.attempts, told]
  return changed(history, { answer: undefined, attempts })
}

/** The service has the order: every attempt is that one. */
function answered(history: History, answer: Answer): History {
  return changed(history, { attempts: [], answer })
}

/**
 * A run that failed is what the service made of the order. That nothing was bought proves it of the attempts that were not
 * answered, and of no doubt that was told.
 */
function fail(
  history: History,
  { failure, billed, run, files }: PurchaseEntry & { kind: 'FAILED' },
): History {
  // What goes wrong with fetching it again does not unmake a result.
  if (history.answer?.is === 'done')
    return isNoMore(failure) ? changed(history, { answer: { ...history.answer, isGone: true } }) : history
  const known = run ?? runOf(history)
  const flaw = { why: failure.why, message: failureMessage(failure) }
  const attempts = billed === 'no' ? history.attempts.filter(each => each.is === 'told') : []
  const answer: Answer = { is: 'failed', flaw, billed, ...defined({ run: known, files }) }
  return changed(history, { attempts, answer, saved: [], parts: [] })
}

function resolve(history: History, { decision }: PurchaseEntry & { kind: 'RESOLVE' }): History {
  const settled = changed(history, { attempts: [], saved: [], parts: [] })
  switch (decision.is) {
    case 'adopt':
      // Whoever names a run knows it for a while: it is no young one.
      return changed(settled, { answer: { is: 'under-way', run: decision.run, acceptedAt: 0 } })
    case 'over':
      return changed(settled, { answer: { is: 'over' } })
    case 'abandon': {
      // A run that was accepted is no doubt: it is its result that never came.
      const why = history.answer?.is === 'under-way' ? 'undelivered' : 'in-doubt'
      const flaw = { why, message: failureMessage({ why, detail: 'given up by hand' }) } as const
      const run = runOf(history)
      return changed(settled, { answer: { is: 'failed', flaw, billed: 'unknown', ...defined({ run }) } })
    }
  }
}

/** What it brings now is brought anew: nothing of it is counted on by whoever comes next. */
function isEnded({ answer }: History): boolean {
  return answer?.is === 'done' || answer?.is === 'failed'
}

function runOf({ answer }: History): RunRef | undefined {
  return answer && 'run' in answer ? answer.run : undefined
}

function without<T extends { readonly nth: number }>(parts: readonly T[], nth: number): T[] {
  return parts.filter(other => other.nth !== nth)
}
