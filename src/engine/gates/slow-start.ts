import type { Failure } from '../../base/failure.ts'
import {
  afterBad,
  afterGood,
  afterNothing,
  afterSent,
  beforeAll,
  emptyRow,
  longestRow,
  rowLimit,
  type SentRow,
} from './sent-row.ts'

/**
 * The paid orders that have brought nothing of use, or nothing yet (docs/contract.md P9, P46), over all workflows and both
 * modes. Five at most before the first usable file, and eight more for each that comes. What earlier runs had of the same models
 * within a day counts with the first that an order of this run brings. The place of one that was useless
 * is left empty until a usable file comes again: what is lost to a service that turns bad is what was out there by then;
 * when that is over, orders go one at a time. Useless ones that were sent in a row end the buying: five, and one more for
 * each doubling of the usable files. Pure.
 */
export interface SlowStart {
  /** Useless ones in a row that end the buying before any usable file came. */
  readonly first: number
  /** Usable results of earlier runs, which count once an order of this one brought one: the service is what it was. */
  readonly earlier: number
  /** Orders let go in this run whose end is not known. */
  readonly out: number
  /** Usable files that came. */
  readonly useful: number
  /** Paid jobs that ended without a usable file since the last one came. */
  readonly useless: number
  /** How many that are out or useless there may be now: less than the files are worth while there are useless ones. */
  readonly most: number
  readonly row: SentRow
  /** Nothing is bought any more, and why. */
  readonly ended?: Failure
}

/**
 * What an order came to. `nothing`: it cost nothing, or says nothing about what the service delivers (refused content; a
 * doubt, for which the breaker is there).
 */
export type OrderResult =
  | { readonly is: 'useful' }
  | { readonly is: 'useless'; readonly because: Failure }
  | { readonly is: 'nothing' }

/** docs/contract.md P9; the setting `limits.maxUseless`. */
export const usualUseless = 5

const perUsableFile = 8

export function firstSlowStart(first: number = usualUseless, earlier = 0): SlowStart {
  return { first, earlier, out: 0, useful: 0, useless: 0, most: first, row: emptyRow }
}

/** Whether one more order may be let go. Those that are out end by themselves, so that waiting for it ends. */
export function hasRoom({ out, useless, most }: SlowStart): boolean {
  return out === 0 || out + useless < most
}

export function afterLetGo(slowStart: SlowStart, nth: number): SlowStart {
  return { ...slowStart, out: slowStart.out + 1, row: afterSent(slowStart.row, nth) }
}

/** The end of the order with that number; without one, of an order of an earlier run that was only fetched. */
export function afterEnd(slowStart: SlowStart, orderResult: OrderResult, nth = beforeAll): SlowStart {
  const { row, most, first } = slowStart
  const out = slowStart.out - (nth === beforeAll ? 0 : 1)
  switch (orderResult.is) {
    case 'nothing':
      return { ...slowStart, out, row: afterNothing(row, nth) }
    case 'useful': {
      const useful = slowStart.useful + 1
      const next = { ...slowStart, out, useful, useless: 0, row: afterGood(row, nth) }
      return { ...next, most: trustOf(next) }
    }
    case 'useless': {
      const { useful } = slowStart
      const next = {
        ...slowStart,
        out,
        useless: slowStart.useless + 1,
        most: slowStart.useless > 0 ? most : Math.min(trustOf(slowStart), Math.max(first, slowStart.out)),
        row: afterBad(row, nth),
      }
      const isOver = longestRow(next.row) >= rowLimit(first, useful) && !slowStart.ended
      return isOver ? { ...next, ended: orderResult.because } : next
    }
  }
}

function trustOf({ first, earlier, useful, row }: Omit<SlowStart, 'most'>): number {
  return first + perUsableFile * (useful + (row.isFresh ? 0 : earlier))
}
