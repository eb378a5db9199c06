import type { SlotLimits } from './gates/slot-limits.ts'

/** How much goes on at a time, and when a run buys nothing more. */
export interface EngineLimits extends SlotLimits {
  /** Paid orders in a row without a usable file that end the buying, before there was any; five when absent. */
  readonly useless?: number | undefined
  /** Usable results that earlier runs had of the same models within a day; none when absent. */
  readonly earlier?: number | undefined
  /** Jobs that failed, or are in doubt, after which nothing more is bought; any number when absent. */
  readonly failures?: number | undefined
}
