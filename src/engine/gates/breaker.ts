import type { Failure } from '../../base/failure.ts'

/**
 * When buying is interrupted or ended (docs/contract.md section 4). A service that leaves orders in doubt is left alone
 * for a while, then tried with one order; the third time is the last. One that refuses the account is sent nothing more.
 * What paid work brings is for `stake.ts`. Pure; dates in milliseconds.
 */
export interface Breaker {
  /** Doubts in a row; answers of status 500 and above are doubts. */
  readonly doubts: number
  /** How often it opened since the service last took an order. */
  readonly openings: number
  readonly openedAt: number
  /** Nothing is bought before that date. */
  readonly until: number
  /** Nothing is bought any more, and why. */
  readonly ended?: Failure
}

/** What an order says about the service. `sentAt` is when the order was let go. */
export type Sign =
  | { readonly is: 'taken'; readonly sentAt: number }
  | { readonly is: 'doubt'; readonly sentAt: number; readonly failure: Failure }
  | { readonly is: 'refused'; readonly failure: Failure }

export const breakerRules = {
  doubtsInRow: 5,
  breakMs: 30_000,
  longestBreakMs: 5 * 60_000,
  openings: 3,
} as const

export const closedBreaker: Breaker = {
  doubts: 0,
  openings: 0,
  openedAt: Number.NEGATIVE_INFINITY,
  until: Number.NEGATIVE_INFINITY,
}

export function afterSign(breaker: Breaker, sign: Sign, now: number): Breaker {
  if (breaker.ended) return breaker
  switch (sign.is) {
    case 'taken':
      return isOld(breaker, sign.sentAt) ? breaker : closedBreaker
    case 'doubt':
      return isOld(breaker, sign.sentAt) ? breaker : afterDoubt(breaker, sign.failure, now)
    case 'refused':
      return endsBuying(sign.failure) ? { ...breaker, ended: sign.failure } : breaker
  }
}

/** After an interruption one order goes alone, until the service has taken one. */
export function isProbing({ openings }: Breaker): boolean {
  return openings > 0
}

/** Orders that were on their way when it opened are no probe: what became of them says nothing new. */
function isOld({ openedAt }: Breaker, sentAt: number): boolean {
  return sentAt <= openedAt
}

function afterDoubt(breaker: Breaker, failure: Failure, now: number): Breaker {
  const doubts = breaker.doubts + 1
  if (doubts < breakerRules.doubtsInRow && !isProbing(breaker)) return { ...breaker, doubts }
  const openings = breaker.openings + 1
  const opened = { ...breaker, doubts: 0, openings, openedAt: now }
  if (openings >= breakerRules.openings) return { ...opened, ended: failure }
  const breakMs = Math.min(breakerRules.longestBreakMs, breakerRules.breakMs * 2 ** (openings - 1))
  return { ...opened, until: now + breakMs }
}

/** A key, an account or a certificate that is not right is not right for any workflow. */
function endsBuying(failure: Failure): boolean {
  switch (failure.why) {
    case 'unauthorized':
    case 'no-credit':
      return true
    case 'unreachable':
      return failure.certificate === true
    default:
      return false
  }
}
