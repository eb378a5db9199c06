import { setMaxListeners } from 'node:events'
import { anySignal } from '../../base/any-signal.ts'
import type { Clock } from '../../base/clock.ts'
import type { Failure } from '../../base/failure.ts'

/**
 * Whether it is of any use to go on asking for results and fetching files. Everything that is given up here is paid for and
 * keeps its id: the next run fetches it. A service that was never heard in this run is given up soon, one that fell silent
 * later; fetching ends after as many attempts in a row as five jobs have, and no sooner than a minute after the first.
 */
export interface Reach {
  /** The service answered. */
  heard(): void
  /** It could not be reached. */
  unheard(failure: Failure): void
  /** A job's files came, or one attempt to fetch them was in vain. */
  fetched(): void
  unfetched(failure: Failure): void
  /** Nothing more is asked for, and why. */
  readonly silence: Failure | undefined
  /** No more files are fetched, and why. */
  readonly unfetchable: Failure | undefined
  /** Aborted by a stop, and when the service is given up: nobody waits for it any more. */
  readonly signal: AbortSignal
}

/** docs/contract.md section 4. */
const rules = {
  neverHeardMs: 60_000,
  silentMs: 10 * 60_000,
  unfetchedInRow: 40,
  unfetchedMs: 60_000,
} as const

export function openReach(clock: Pick<Clock, 'now'>, stop: AbortSignal): Reach {
  const silent = new AbortController()
  const signal = anySignal([stop, silent.signal])
  setMaxListeners(0, signal)
  let isKnown = false
  let silentSince: number | undefined
  let silence: Failure | undefined
  let inRow = 0
  let inVainSince = 0
  let unfetchable: Failure | undefined
  return {
    heard() {
      isKnown = true
      silentSince = undefined
    },
    unheard(failure) {
      silentSince ??= clock.now()
      if (clock.now() - silentSince < (isKnown ? rules.silentMs : rules.neverHeardMs)) return
      silence ??= failure
      silent.abort('silent')
    },
    fetched() {
      inRow = 0
    },
    unfetched(failure) {
      if (inRow++ === 0) inVainSince = clock.now()
      const isLong = clock.now() - inVainSince >= rules.unfetchedMs
      if (isLong && inRow >= rules.unfetchedInRow) unfetchable ??= failure
    },
    get silence() {
      return silence
    },
    get unfetchable() {
      return unfetchable
    },
    signal,
  }
}
