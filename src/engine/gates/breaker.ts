import type { Failure } from '../../base/failure.ts'
import {
  afterBad,
  afterGood,
  afterNothing,
  afterSent,
  emptyRow,
  longestRow,
  rowLimit,
  type SentRow,
} from './sent-row.ts'

/**
 * When buying is interrupted or ended (docs/contract.md section 4). A service that leaves orders in doubt is left alone
 * for a while, then tried with one order; the third time is the last. One that refuses the account is sent nothing more.
 * Doubts stand in a row by the order in which they were sent, and more in a row are chance where more was taken. What paid
 * work brings is for `slow-start.ts`. Pure; dates in milliseconds.
 */
export interface Breaker {
  /** Orders since the last one that was taken; answers of status 500 and above are doubts. */
  readonly row: SentRow
  /** Orders that the service took. */
  readonly taken: number
  /** How often it opened since the service last took an order. */
  readonly openings: number
  readonly openedAt: number
  /** Nothing is bought before that date. */
  readonly until: number
  /** Nothing is bought any more, and why. */
  readonly ended?: Failure
}

/** What an order says about the service; `nth` is its place among those that were let go, and `sentAt` when that was. */
export type Sign = { readonly nth: number } & (
  | { readonly is: 'sent' | 'nothing' }
  | { readonly is: 'taken'; readonly sentAt: number }
  | { readonly is: 'doubt'; readonly sentAt: number; readonly failure: Failure }
  | { readonly is: 'refused'; readonly failure: Failure }
)

const breakerRules = {
  doubtsInRow: 5,
  breakMs: 30_000,
  longestBreakMs: 5 * 60_000,
  openings: 3,
} as const

export const closedBreaker: Breaker = {
  row: emptyRow,
  taken: 0,
  openings: 0,
  openedAt: Number.NEGATIVE_INFINITY,
  until: Number.NEGATIVE_INFINITY,
}

export function afterSign(breaker: Breaker, sign: Sign, now: number): Breaker {
  if (breaker.ended) return breaker
  const { row, taken } = breaker
  switch (sign.is) {
    case 'sent':
      return { ...breaker, row: afterSent(row, sign.nth) }
    case 'nothing':
      return { ...breaker, row: afterNothing(row, sign.nth) }
    case 'taken':
      if (isOld(breaker, sign.sentAt)) return breaker
      return { ...closedBreaker, row: afterGood(row, sign.nth), taken: taken + 1 }
    case 'doubt':
      if (isOld(breaker, sign.sentAt)) return breaker
      return afterDoubt({ ...breaker, row: afterBad(row, sign.nth) }, sign.failure, now)
    case 'refused': {
      const next = { ...breaker, row: afterNothing(row, sign.nth) }
      return endsBuying(sign.failure) ? { ...next, ended: sign.failure } : next
    }
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
  const { row, taken } = breaker
  const isRow = longestRow(row) >= rowLimit(breakerRules.doubtsInRow, taken)
  if (!isRow && !isProbing(breaker)) return breaker
  const openings = breaker.openings + 1
  const opened = { ...breaker, row: emptyRow, openings, openedAt: now }
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
