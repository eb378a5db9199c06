import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { PassingTrouble } from './trouble.ts'

interface Repeating {
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
  /** Ends it, but for what is asked just now. */
  readonly signal: AbortSignal
  /** By `Clock.now`: what has not begun by then is not begun. */
  readonly until?: number
  /** Any error is trouble that may pass: for what must not be lost, whatever is wrong. */
  readonly whatever?: boolean
  /** Hears of each trouble, for a person. */
  readonly tell?: ((trouble: unknown) => void) | undefined
}

const [firstMs, longestMs] = [100, 5_000]

/**
 * Asks the same until it is answered: everything that is asked so has the same outcome however often it is. Waits with full jitter.
 * Undefined when it was ended before. Rejects with what does not pass.
 */
export async function repeat<T>(ask: () => Promise<T>, repeating: Repeating): Promise<T | undefined> {
  const { clock, random, signal, until = Number.POSITIVE_INFINITY, whatever, tell } = repeating
  for (let nth = 0; !signal.aborted && clock.now() < until; nth++) {
    try {
      return await ask()
    } catch (trouble) {
      if (!whatever && !(trouble instanceof PassingTrouble)) throw trouble
      tell?.(trouble)
      const waitMs = Math.min(longestMs, firstMs * 2 ** nth) * random.next()
      await clock.until(Math.min(until, clock.now() + Math.ceil(waitMs)), signal)
    }
  }
  return undefined
}
