import type { MediaKind } from '../catalog/index.ts'

/** How long to wait and how often to try, for one job. Dates in milliseconds. RELIABILITY.md section 4. */
export interface Patience {
  /** After this date a waiting order is given up and a running one is detached. */
  readonly deadline: number
  /** When the deadline began to count; only for the wording of `overdue`. */
  readonly from: number
  /** The shortest wait between two polls: 1 s, less on loopback. */
  readonly pollFloorMs: number
  /** In [0, 1), anew at each call. */
  readonly chance: () => number
}

export const attempts = { notSent: 6, download: 8, expired: 3 } as const

/** A run unknown to the service is taken for a young one during this time. */
export const settlingMs = 60_000

/** Failure of a run counts after two reads this far apart. */
export const confirmMs = 2_000

const minute = 60_000

export function deadlineMs(kind: MediaKind): number {
  return kind === 'video' ? 60 * minute : 15 * minute
}

/** Full jitter, doubling from `firstMs`, at most 20 s. */
export function backoffMs(tries: number, patience: Patience, firstMs = 500): number {
  const longest = Math.min(20_000, firstMs * 2 ** Math.min(tries, 16))
  return Math.ceil(longest * patience.chance())
}

/** At least what the service asked for, and up to a tenth more so that waiting jobs do not return as one crowd. */
export function askedMs(waitMs: number, patience: Patience): number {
  return Math.ceil(waitMs * (1 + 0.1 * patience.chance()))
}

/** 15 % of the run's age, from the floor to 15 s; the service's own hint is never undercut. */
export function pollMs(ageMs: number, patience: Patience, hintMs = 0): number {
  const byAge = Math.min(15_000, Math.max(patience.pollFloorMs, 0.15 * ageMs))
  return Math.ceil(hintMs > 0 ? Math.max(hintMs, patience.pollFloorMs) : byAge)
}
