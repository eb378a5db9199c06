/** How often one service may be asked for results, everything that asks it together (docs/contract.md P28). */

const rules = {
  /** A second, to begin with. */
  first: 4,
  /** With more runs each may be asked after once in this time. */
  perRunMs: 3000,
  /** A second, however many runs there are. */
  most: 50,
  /** A second, however often the service answers 429. When it answers nothing else, the retry budget asks less still. */
  least: 0.5,
  /** After a 429 the rate doubles in this time. */
  recoveryMs: 60_000,
} as const

/** What a 429 left: half of the rate that there was, and since when. */
export interface Slowed {
  readonly perSecond: number
  /** Milliseconds, by the clock that `pollRate` is asked with. */
  readonly since: number
}

interface Asking {
  /** Runs that are asked after. */
  readonly alive: number
  readonly slowed?: Slowed | undefined
  /** What the user allows, a second. */
  readonly most?: number | undefined
}

/** Questions a second. */
export function pollRate({ alive, slowed, most = rules.most }: Asking, now: number): number {
  const usual = Math.min(rules.most, Math.max(rules.first, (alive * 1000) / rules.perRunMs))
  return Math.min(usual, most, slowed ? recovered(slowed, now) : rules.most)
}

/**
 * The rate after a 429. Several that come for questions of one moment say the same thing, so what was asked before the
 * rate was halved does not halve it again.
 */
export function afterBusy(asking: Asking, askedAt: number, now: number): Slowed | undefined {
  const { slowed } = asking
  if (slowed && askedAt < slowed.since) return slowed
  return { perSecond: Math.max(rules.least, pollRate(asking, now) / 2), since: now }
}

/** Twice as much with every minute, and never less than the least: a service that is only moody is soon asked as before, one with a limit seldom tried. */
function recovered({ perSecond, since }: Slowed, now: number): number {
  return Math.max(rules.least, perSecond) * 2 ** (Math.max(0, now - since) / rules.recoveryMs)
}
