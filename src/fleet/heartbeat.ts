import type { Clock } from '../base/clock.ts'
import type { FleetStore } from './fleet-store.ts'
import type { BatchLease, Planner } from './planners.ts'
import type { InAir } from './right.ts'

/** Five of them make a lease. */
const heartbeatMs = 2_000

interface Beating {
  /** Where it takes its jobs from. */
  readonly queue: string
  readonly clock: Clock
  readonly inAir: () => readonly InAir[]
  readonly signal: AbortSignal
  /** What is asked as often. */
  readonly beaten?: () => Promise<void>
}

/** Keeps the lease of a worker that has joined until the signal comes, and joins again where it was lost. Never rejects for trouble that passes. */
export async function keepLease(
  store: Pick<FleetStore, 'join' | 'beat'>,
  worker: string,
  { queue, clock, inAir, signal, beaten }: Beating,
): Promise<void> {
  for (let due = clock.now() + heartbeatMs; ; due = clock.now() + heartbeatMs) {
    await clock.until(due, signal)
    if (signal.aborted) return
    // A store that cannot be heard is asked again as well: until it can, no right is had.
    if (!(await store.beat(worker, inAir()))) await store.join(worker, queue)
    await beaten?.()
  }
}

/**
 * Keeps the lease of a planner until the signal comes. Resolves earlier when somebody else has it. Never rejects for trouble that passes.
 */
export async function keepPlanning(
  store: Pick<FleetStore, 'planOn'>,
  planner: Planner,
  { clock, signal }: Pick<Beating, 'clock' | 'signal'>,
): Promise<void> {
  for (let due = clock.now() + heartbeatMs; ; due = clock.now() + heartbeatMs) {
    await clock.until(due, signal)
    if (signal.aborted) return
    if ((await store.planOn(planner)) === 'lost') return
  }
}

/**
 * Keeps the lease of a run that buys by itself until the signal comes. Resolves earlier when somebody else has it, or may have it soon, as
 * the store was not heard for so long. Never rejects for trouble that passes.
 */
export async function keepAlone(
  store: Pick<FleetStore, 'planOn'>,
  held: BatchLease,
  { clock, signal }: Pick<Beating, 'clock' | 'signal'>,
): Promise<void> {
  for (let heard = clock.now(); ; ) {
    await clock.until(clock.now() + heartbeatMs, signal)
    if (signal.aborted) return
    const asked = clock.now()
    const answer = await Promise.race([
      store.planOn(held),
      clock.until(heard + silentMs, signal).then(() => 'silent' as const),
    ])
    if (answer === 'kept') heard = asked
    else if (answer !== 'unheard' || clock.now() >= heard + silentMs) return
  }
}

/** A heartbeat before its lease is over. */
const silentMs = 8_000
