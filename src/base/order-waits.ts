import { channel } from 'node:diagnostics_channel'
import type { JobAddress } from './names.ts'

/**
 * What holds an order back: `canary`, another one that goes alone first; `unanswered`, those that have no answer yet;
 * `unproven`, as nobody has shown to be the service; `slow-start`, as nothing has been delivered yet; `probe`, one that shows
 * whether a service in trouble takes orders again; `pause`, a date before which nothing is bought. And limits that are full:
 * of what the service is found to bear at once (`room`), of all orders, of a family, of a model, of a minute; of results that are
 * still to be fetched (`saving`).
 */
export type Gate = 'canary' | 'unanswered' | 'unproven' | 'slow-start' | 'probe' | 'pause' | FullLimit

export type FullLimit = 'room' | 'total' | 'family' | 'model' | 'minute' | 'saving'

/** An order that has to wait. */
interface OrderWait {
  readonly address: JobAddress
  readonly gate: Gate
  /** Of a pause. */
  readonly waitMs?: number
}

/** Hears each order that has to wait, when somebody looks on (`--debug`). What is bought does not depend on it. */
const waits = channel('genrun:order-waits')

export function tellOrderWait(wait: OrderWait): void {
  waits.publish(wait)
}

export function onOrderWait(listener: (wait: OrderWait) => void): void {
  waits.subscribe(wait => listener(wait as OrderWait)) // only `tellOrderWait` tells
}
