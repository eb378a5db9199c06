import type { CacheOptions, CacheTrouble } from '../store/cache/cache.ts'
import type { Refused } from './make-plan.ts'
import { settingProblem } from './obstacles.ts'

/**
 * Sees what there is to do, again and again as long as a cache that lies elsewhere has more to tell: what is made from a result is
 * known only when that is. One that cannot be asked ends it: to count as empty would buy once more what others have.
 */
export async function withCacheAsked<T>(
  { cache }: { readonly cache?: CacheOptions },
  see: () => T,
): Promise<T | Refused> {
  for (;;) {
    const seen = see()
    if (!cache || !('ask' in cache)) return seen
    const told = await cache.ask()
    if (told === 'more') continue
    await cache.rest()
    return told === 'nothing-new' ? seen : unreachable(cache.place, told)
  }
}

/** Nothing was sent to the service, and nothing is bought. */
export function unreachable(place: string, { message, hint }: CacheTrouble): Refused {
  const problem = settingProblem({ name: 'cache', value: place }, 'cache-unreachable', message, hint)
  return { got: 'refused', problems: [problem] }
}
