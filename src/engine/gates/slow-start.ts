import type { Failure } from '../../base/failure.ts'

/**
 * The paid orders that have brought nothing of use, or nothing yet (docs/contract.md P9), over all workflows and both
 * modes. Five at most before the first usable file, and eight more for each that comes. The place of one that was
 * useless is left empty until a usable file comes again: what is lost to a service that turns bad is what was out there
 * by then. Five useless ends in a row are the end of buying. Pure.
 */
export interface SlowStart {
  /** Orders let go in this run whose end is not known. */
  readonly out: number
  /** Paid jobs in a row that ended without a usable file. */
  readonly useless: number
  /** How many of both together the files that came so far are worth. */
  readonly trust: number
  /** How many there may be now: less than that while useless ones end in a row. */
  readonly most: number
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

const uselessInRow = 5
const perUsableFile = 8

export const firstSlowStart: SlowStart = { out: 0, useless: 0, trust: uselessInRow, most: uselessInRow }

/** Whether one more order may be let go. Those that are out end by themselves, so that waiting for it ends. */
export function hasRoom({ out, useless, most }: SlowStart): boolean {
  return out + useless < most
}

export function afterLetGo(slowStart: SlowStart): SlowStart {
  return { ...slowStart, out: slowStart.out + 1 }
}

/** The end of a job. `wasOut`: it was ordered in this run, and not only fetched. */
export function afterEnd(slowStart: SlowStart, orderResult: OrderResult, wasOut: boolean): SlowStart {
  const out = slowStart.out - (wasOut ? 1 : 0)
  switch (orderResult.is) {
    case 'nothing':
      return { ...slowStart, out }
    case 'useful': {
      const trust = slowStart.trust + perUsableFile
      return { ...slowStart, out, useless: 0, trust, most: trust }
    }
    case 'useless': {
      const useless = slowStart.useless + 1
      const most =
        useless > 1 ? slowStart.most : Math.min(slowStart.trust, Math.max(uselessInRow, slowStart.out))
      const ended = useless >= uselessInRow && !slowStart.ended && { ended: orderResult.because }
      return { ...slowStart, out, useless, most, ...ended }
    }
  }
}
