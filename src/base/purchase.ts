import { defined } from './defined.ts'
/**
 * A purchase: what was ordered, and what became of it. It is known by its id and its recipe, never by the job's name, a
 * path or a folder. Two shapes tell of it: its history (`JournalRecord`, one a change) and its record (`Purchase`), to
 * which `store/journal/fold.ts` leads.
 */

import type { Failure } from './failure.ts'
import type { Digest, JobAddress, PurchaseId } from './names.ts'
import { foldPath } from './output-name.ts'
import type { Beginning, Billed, Recipe, RemoteFile, RunRef, SavedFile, WireMode } from './state.ts'

/** What was ordered. */
export interface Ordered {
  readonly id: PurchaseId
  /** The job that it was for last: a view of it. Which job has it, the plan decides by the recipe. */
  readonly address: JobAddress
  readonly recipe: Recipe
  /** What a person takes the result for (`genrun accept`), beside what it was made from. */
  readonly acceptedAs?: Recipe
  /** How it was sent; absent where only the lock knows of it. */
  readonly sent?: SentOrder
  /** A take that `redo` ordered, to be picked when it is there, until somebody has picked: the next `redo` goes on with it. */
  readonly redo?: true
  /**
   * A take beyond those of the manifest that a person ordered anew (`genrun resolve --resubmit`): until it is paid for, every run orders it
   * under this id. What is known of that stands in the journal alone.
   */
  readonly resubmitted?: true
  /** Ordered by `--rebuy`: it goes before the result that it replaces, though others are made from that. The journal alone knows. */
  readonly rebuy?: true
  /** What the service says that it cost, in its own credits. */
  readonly credits?: number
}

/** What was ordered by a purchase, without what became of it. */
export function orderOf(ordered: Ordered): Ordered {
  const { id, address, recipe, acceptedAs, sent, redo, resubmitted, rebuy, credits } = ordered
  return {
    id,
    address,
    recipe,
    ...defined({ acceptedAs, sent, redo, resubmitted, rebuy, credits }),
  }
}

/** An order as it went: sent once more under the same id, it is the same one where the service honours keys. */
interface SentOrder {
  /** Of workflow, mode and parameters. */
  readonly request: Digest
  readonly workflow: string
  readonly origin: string
  /** When the id was first used, in milliseconds since 1970. */
  readonly at: number
}

/** The record of a purchase, as the lock has it; what is `open` stands in no lock. */
export type Purchase = OpenPurchase | DoubtfulPurchase | RunningPurchase | DonePurchase | FailedPurchase

/** Nothing was bought by it: it was written down and not sent, or definitely refused, or a person waits for it. */
interface OpenPurchase extends Ordered {
  readonly is: 'open'
}

/** Paid requests were sent, and nobody knows what became of them. */
export interface DoubtfulPurchase extends Ordered {
  readonly is: 'doubt'
  readonly detail: string
  /** When the oldest was let go, in milliseconds since 1970. */
  readonly since?: number
  /** Spool files with what was received. */
  readonly raws: readonly string[]
}

/** Paid for and not saved. With `files` they wait behind links or in the spool, else the run is asked. */
export interface RunningPurchase extends Ordered {
  readonly is: 'under-way'
  readonly run?: RunRef
  /** When it was accepted, where the journal knows it, in milliseconds since 1970. */
  readonly acceptedAt?: number
  readonly files?: readonly RemoteFile[]
  /** Files that were verified on their way to their final names, in order of `nth`. */
  readonly saved: readonly SavedPart[]
  /** Downloads that broke off. */
  readonly parts: readonly BrokenPart[]
  /** Whoever sent it is at work, and waits for the answer. For those who only look: it is never written down. */
  readonly atWork?: true
}

export interface DonePurchase extends Ordered {
  readonly is: 'done'
  /** Their paths are the names that they have in the output folder, or had before they were put aside. */
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
  readonly flaw?: Flaw
  /** Nobody asks for it now: its files lie in the folder of what is kept, and no name is its own. */
  readonly aside?: true
  /** The take that a person chose: it has the job's bare name, and what is made from the job is made from it. */
  readonly picked?: true
  /** With `picked`: a person did that. Absent where a run picked what it brought, and in records that an earlier genrun wrote. */
  readonly byHand?: true
  /** The service did not know its run, or would not tell, when it was asked last. It stands in the journal alone: another key may find it. */
  readonly isGone?: true
}

export interface FailedPurchase extends Ordered {
  readonly is: 'failed'
  readonly flaw: Flaw
  readonly billed: Billed
  readonly run?: RunRef
  /** What came and is no result. It is paid for, and lies under these paths of the output folder. */
  readonly files?: readonly SavedFile[]
  /** Its job got something else after it. The lock alone says so, which has no order of its own. */
  readonly isPast?: true
}

/** A failure as it was told. */
export interface Flaw {
  readonly why: Failure['why']
  readonly message: string
}

/** Of a result: what came was none until a person took it for one (`genrun accept`). */
export function isTaken({ why }: Flaw): boolean {
  return why === 'bad-media'
}

export interface SavedPart {
  readonly nth: number
  readonly file: SavedFile
  readonly part: string
  /** Of the whole result; with its last file only. */
  readonly flaw?: Failure
}

export interface BrokenPart {
  readonly nth: number
  readonly part: string
  readonly beginning: Beginning
}

/** What an earlier run left of a file: all of it, verified, or its beginning. */
export type Remains =
  | { readonly is: 'whole'; readonly part: string; readonly digest: Digest }
  | { readonly is: 'begun'; readonly part: string; readonly beginning: Beginning }

/**
 * What was decided about a purchase: the run at the service is this one, nothing of it is owed any more (the user orders
 * anew, or it was pruned), or it is given up and not ordered again by itself.
 */
export type Decision =
  | { readonly is: 'adopt'; readonly run: RunRef }
  | { readonly is: 'over' }
  | { readonly is: 'abandon' }

/** The version of the journal's records; older ones are told from it, and never misread. */
export const journalFormat = 2

/** What the journal holds, one record a change (docs/contract.md section 3). */
export type JournalRecord =
  | {
      readonly kind: 'OPEN'
      readonly format: typeof journalFormat
      readonly lineage: string
      /** Of the lock that the run begins with; absent without one. */
      readonly lock?: Digest
      readonly tool: string
      /** Where results go by it, absolute; absent of an older genrun. */
      readonly output?: string
    }
  | ({
      readonly kind: 'INTENT'
      readonly purchase: PurchaseId
      readonly attempt: string
      readonly mode: WireMode
    } & Pick<Ordered, 'address' | 'recipe' | 'redo' | 'resubmitted' | 'rebuy'> &
      Omit<SentOrder, 'at'>)
  | PurchaseRecord<'SENDING', { readonly attempt: string }>
  | PurchaseRecord<'NOTSENT', { readonly attempt: string }>
  | PurchaseRecord<'REFUSED', { readonly attempt: string; readonly detail: string }>
  | PurchaseRecord<'DOUBT', { readonly attempt: string; readonly detail: string; readonly raw?: string }>
  | PurchaseRecord<'ACCEPTED', { readonly attempt: string; readonly run: RunRef }>
  | PurchaseRecord<'RESULT', { readonly files: readonly RemoteFile[]; readonly run?: RunRef } & Told>
  | PurchaseRecord<'PART', BrokenPart>
  | PurchaseRecord<'SAVED', SavedPart>
  | PurchaseRecord<
      'DONE',
      {
        readonly files: readonly SavedFile[]
        readonly run?: RunRef
        readonly flaw?: Failure
        /** It was fetched for nobody. */
        readonly aside?: true
      } & Told
    >
  | PurchaseRecord<
      'FAILED',
      {
        readonly failure: Failure
        readonly billed: Billed
        readonly run?: RunRef
        /** What came and is no result. */
        readonly files?: readonly SavedFile[]
      } & Told
    >
  /** Its whole record as it stands now: known from the lock, a cache or the outputs, moved, accepted, picked, put aside. */
  | PurchaseRecord<'STANDS', { readonly record: Purchase }>
  | PurchaseRecord<'RESOLVE', { readonly decision: Decision }>
  /** What a `redo` is about to order, or goes on with: the takes, and the jobs that it orders as they are. */
  | { readonly kind: 'REDO'; readonly takes: readonly JobAddress[] }
  /** `lock`: the digest of the lock that is about to be written. */
  | { readonly kind: 'LOCK'; readonly lock: Digest }
  /** `lock`: its digest as the run left it. `skipped`: not ordered, as the buying ended before their turn came. */
  | { readonly kind: 'CLOSE'; readonly lock?: Digest; readonly skipped?: readonly JobAddress[] }

/** What an answer said of the cost. */
type Told = Pick<Ordered, 'credits'>

type PurchaseRecord<Kind extends string, More> = {
  readonly kind: Kind
  readonly purchase: PurchaseId
} & More

/**
 * Of two records of one purchase the one that counts: the one that knows more, and the first where both know as much. To ask
 * for a run once more costs nothing; given up for less it may be a result that was paid for.
 */
export function fuller<First extends Purchase, Second extends Purchase>(
  first: First,
  second: Second,
): First | Second {
  return knowledge(second) > knowledge(first) ? second : first
}

function knowledge(purchase: Purchase): number {
  switch (purchase.is) {
    case 'open':
      return 0
    case 'doubt':
      return 1
    case 'failed':
      return 2
    case 'under-way':
      return purchase.run ? 4 : 3
    case 'done':
      return 5
  }
}

/** One order has one run: a result that came without its id has it from another record that names it, and can be fetched again. */
export function withRunOf<Record extends Purchase>(known: Record, other: Purchase): Record {
  if (known.is !== 'done' || known.run || !('run' in other) || !other.run) return known
  return { ...known, run: other.run }
}

/**
 * What a lock says of a purchase, if it says more than is known here. Of one that is under way, and whose run is known, only the result of that
 * run is news: for another run, which a hand wrote, the result that was paid for would never be fetched.
 */
export function newsOf<Told extends Purchase>(known: Purchase, told: Told): Told | undefined {
  if (fuller(known, told) === known) return undefined
  const run = known.is === 'under-way' ? known.run : undefined
  const other = 'run' in told ? told.run : undefined
  if (!run || (other && isSameRun(other, run))) return told
  return other && other.id !== run.id ? undefined : { ...told, run }
}

function isSameRun(one: RunRef, other: RunRef): boolean {
  return one.id === other.id && one.origin === other.origin && one.workflow === other.workflow
}

/** The names that are a purchase's own, where two that may be one file are one name. */
export function namesOf(purchase: Purchase): readonly string[] {
  return purchase.is === 'done' && !purchase.aside ? purchase.files.map(({ path }) => foldPath(path)) : []
}

/** A person waits for its order: nothing is paid for it, and nothing may be. */
export function isResubmitted(purchase: Purchase): boolean {
  const isUnpaid = purchase.is === 'open' || (purchase.is === 'failed' && purchase.billed === 'no')
  return isUnpaid && purchase.resubmitted === true
}

/** The files of a result, or what came of it and is none. */
export function paidFiles(purchase: Purchase): readonly SavedFile[] {
  return purchase.is === 'done' || purchase.is === 'failed' ? (purchase.files ?? []) : []
}

/** The same, and what was verified and is on its way to its name: a crash may leave it there before the result is recorded. */
export function writtenFiles(purchase: Purchase): readonly SavedFile[] {
  return purchase.is === 'under-way' ? purchase.saved.map(({ file }) => file) : paidFiles(purchase)
}

/** Put aside because something else is asked for: it has no name of its own, and is picked again when it comes back. */
export function putAsideAs(purchase: DonePurchase): DonePurchase {
  return { ...purchase, aside: true }
}

/** Another result has its names: it has none of its own any more, and is nobody's choice. */
export function withoutNames(purchase: DonePurchase): DonePurchase {
  return { ...withoutPick(purchase), aside: true }
}

/** Nobody's choice, and no run's. */
export function withoutPick<Record extends DonePurchase>(
  purchase: Record,
): Omit<Record, 'picked' | 'byHand'> {
  const { picked: _, byHand: __, ...rest } = purchase
  return rest
}

/** What was left of a purchase's file by an earlier run. */
export function remainsOf({ saved, parts }: RunningPurchase, nth: number): Remains | undefined {
  const whole = saved.find(each => each.nth === nth)
  if (whole) return { is: 'whole', part: whole.part, digest: whole.file.digest }
  const begun = parts.find(each => each.nth === nth)
  return begun && { is: 'begun', part: begun.part, beginning: begun.beginning }
}

/** What a log or a list calls a purchase beside the job that has the address: `hero@3f2a9c`. */
export function purchaseLabel({ address, id }: Pick<Ordered, 'address' | 'id'>): string {
  return `${address}@${id.slice(0, 6)}`
}
