import type { Clock } from '../base/clock.ts'
import type { CacheOptions, CacheTrouble } from '../store/cache/cache.ts'
import type { Refused } from './make-plan.ts'
import { settingProblem } from './obstacles.ts'

/**
 * Sees what there is to do, again and again as long as a cache that lies elsewhere has more to tell: what is made from a result is
 * known only when that is. One that cannot be asked ends it: to count as empty would buy once more what others have. Whoever has somebody
 * to tell hears when it takes long: such a one is given up after minutes.
 */
export async function withCacheAsked<T>(
  { cache }: { readonly cache?: CacheOptions },
  see: () => T,
  hearer?: Hearer,
): Promise<T | Refused> {
  if (!cache || !('ask' in cache)) return see()
  const over = new AbortController()
  if (hearer) void tellOfWaiting(cache.place, hearer, over.signal)
  try {
    for (;;) {
      const seen = see()
      const told = await cache.ask()
      if (told === 'more') continue
      await cache.rest()
      return told === 'nothing-new' ? seen : unreachable(cache.place, told)
    }
  } finally {
    over.abort()
  }
}

/** Somebody who would see nothing else meanwhile. */
interface Hearer {
  readonly clock: Clock
  readonly tell: (message: string) => void
}

async function tellOfWaiting(place: string, { clock, tell }: Hearer, over: AbortSignal): Promise<void> {
  await clock.until(clock.now() + 5000, over)
  if (!over.aborted) tell(`still asking ${place} what is there: nothing is bought before it answers`)
}

/** Nothing was sent to the service, and nothing is bought. */
export function unreachable(place: string, { message, hint }: CacheTrouble): Refused {
  const problem = settingProblem({ name: 'cache', value: place }, 'cache-unreachable', message, hint)
  return { got: 'refused', problems: [problem] }
}
