import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import { type PurchaseId, purchaseId } from '../base/names.ts'
import type { Purchase } from '../base/purchase.ts'
import type { Billed, RemoteFile, RunRef, SavedFile } from '../base/state.ts'

/**
 * What is ordered, for the whole fleet: of a batch, what decides its result (never a job's name). Two jobs that are each to have one
 * of their own differ in it.
 */
export interface OrderIdentity {
  readonly batch: string
  readonly identity: string
}

/** An order that somebody wants to send. */
export interface WantedOrder extends OrderIdentity {
  /** The job that it is for: a view of it. */
  readonly address: string
  /** Digest of workflow, mode and parameters. */
  readonly request: string
  /** What it takes from the budget. */
  readonly price: number
  /** As a lock has it, for whoever keeps one: as it stands with what is said of it. */
  readonly record?: Purchase
}

/** An order that was sent, or may be: all that is needed to write down what became of it, on the disk of its worker as well. */
export interface SentOnce extends WantedOrder {
  /** A UUID; each sending has its own. */
  readonly attempt: string
  /** The idempotency key of all its attempts: `keyOf`. */
  readonly purchase: PurchaseId
  readonly worker: string
}

/** One that is on its way: who has it keeps up its lease. */
export type InAir = Pick<SentOnce, 'purchase' | 'attempt'>

/** The right to send, durable: nobody else has one. */
export interface Right extends SentOnce {
  /** To be asked right before the first byte: whoever wakes up later sends nothing. */
  isGood(): boolean
}

export type FleetState =
  | 'SENDING'
  | 'NOTSENT'
  | 'REFUSED'
  | 'ACCEPTED'
  | 'DOUBT'
  | 'RESULT'
  | 'DONE'
  | 'FAILED'

/** How an order stands, by whomever it was sent. */
export interface OrderStanding extends Omit<SentOnce, 'record'> {
  readonly record: Purchase | null
  readonly state: FleetState
  readonly detail: string | null
  readonly run: RunRef | null
  /** With DONE those that are saved, with RESULT those that are to be fetched. */
  readonly files: readonly (RemoteFile | SavedFile)[] | null
  readonly failure: Failure | null
  readonly billed: Billed | null
  /** Its worker was heard within a minute: it may yet have what came for it. */
  readonly near: boolean
}

/** How long the holder may use a right: less than the lease, after which whoever took it is called dead (`tables.ts`). */
const rightMs = 5_000

/**
 * Whether less than that has passed since it was asked for. Both clocks have to agree: one may have been set, and the other may
 * have stood still while the machine slept.
 */
export function freshness(clock: Clock): { readonly until: number; isGood(): boolean } {
  const [from, wall] = [clock.now(), clock.wall()]
  const isWithin = (ms: number) => ms >= 0 && ms < rightMs
  return {
    until: from + rightMs,
    isGood: () => isWithin(clock.now() - from) && isWithin(clock.wall() - wall),
  }
}

/** The idempotency key of an order: whoever knows what is ordered knows it. */
export function keyOf({ batch, identity }: OrderIdentity): PurchaseId {
  const text = createHash('sha256').update(`${batch} ${identity}`).digest('hex')
  const key = purchaseId(text.slice(0, 32))
  if (!key) throw new Error('a digest that cannot name a purchase')
  return key
}
