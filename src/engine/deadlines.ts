import type { OutputKind } from '../catalog/index.ts'

/** How long to wait and how often to try, for one job. Dates in milliseconds. docs/contract.md section 4. */
export interface Deadlines {
  /** After this date a waiting order is given up, a running one is detached, and its files are left for the next run. */
  readonly deadline: number
  /** When the deadline began to count; only for the wording of `overdue`. */
  readonly from: number
  /** The shortest wait between two polls: 1 s, less on loopback. */
  readonly pollFloorMs: number
  /** In [0, 1), anew at each call. */
  readonly chance: () => number
  /** Until the next question about a run of that age, where it is known how long such runs take. */
  readonly learnedGapMs?: (ageMs: number) => number | undefined
}

export const attempts = {
  notSent: 6,
  download: 8,
  expired: 3,
  empty: 4,
  unknown: 3,
  refused: 3,
  ask: 3,
} as const

/** A run unknown to the service is taken for a young one during this time after it was accepted. */
export const settlingMs = 60_000

/** Failure of a run counts after two reads this far apart. */
export const confirmMs = 2_000

/** However little time is left when a result is at hand, fetching it is tried for so long; or as long as the whole time. */
export const leastFetchMs = 10_000
/** Until the next look at a run that is no longer young and was unknown at the last one. */
export function unknownMs(looks: number): number {
  return looks <= 1 ? 3_000 : 5_000
}

/** Until the next look at a run that was called finished without a file. */
export function emptyMs(looks: number): number {
  return 2_000 * 2 ** Math.min(looks - 1, 3)
}

const rateLimit = 60_000

export function deadlineMs(kind: OutputKind): number {
  return kind === 'video' ? 60 * rateLimit : 15 * rateLimit
}

/** Full jitter, doubling from `firstMs`, at most 20 s. */
export function backoffMs(tries: number, deadlines: Deadlines, firstMs = 500): number {
  const longest = Math.min(20_000, firstMs * 2 ** Math.min(tries, 16))
  return Math.ceil(longest * deadlines.chance())
}

/** At least what the service asked for, and up to a tenth more so that waiting jobs do not return as one crowd. */
export function askedMs(waitMs: number, deadlines: Deadlines): number {
  return Math.ceil(waitMs * (1 + 0.1 * deadlines.chance()))
}

/**
 * 13 % of the run's age, from the floor to 15 s: its end is noticed within 15 % of its time, and on average within 7 %
 * (docs/contract.md P28). Where it is known how long such runs take, less or more, and never beyond 15 s or 13 %. The service's own
 * hint is never undercut.
 */
export function pollMs(ageMs: number, deadlines: Deadlines, hintMs = 0): number {
  if (hintMs > 0) return Math.ceil(Math.max(hintMs, deadlines.pollFloorMs))
  const byAge = 0.13 * ageMs
  const usual = Math.min(
    deadlines.learnedGapMs?.(ageMs) ?? Math.min(byAge, longestGapMs),
    Math.max(byAge, longestGapMs),
  )
  return Math.ceil(Math.max(usual, deadlines.pollFloorMs))
}

const longestGapMs = 15_000
