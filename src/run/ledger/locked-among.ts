import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { FailedPurchase, Purchase } from '../../base/purchase.ts'
import { sameRecipe } from '../../plan/shapes/recipe.ts'
import type { Lock, Locked } from '../../store/lock/lock.ts'

/**
 * What stands in a lock: all that was bought, or may have been, in the order in which it was. A failure that brought nothing is
 * forgotten when its job got the same after it. One after which it got something else stands there as past: whoever undoes that edit
 * asks for what may be billed. What the job had before is another thing, and does not say that this was paid.
 */
export function lockedAmong(purchases: Iterable<Purchase>, hidden: ReadonlySet<PurchaseId>): Locked[] {
  const shown: Locked[] = []
  // What each job got since it failed, by its failures: most have none.
  const since = new Map<JobAddress, Map<FailedPurchase, Locked[]>>()
  for (const purchase of purchases) {
    const isHidden = purchase.is === 'open' || hidden.has(purchase.id)
    if (isHidden || (purchase.is === 'failed' && purchase.billed === 'no')) continue
    shown.push(purchase)
    const { address } = purchase
    if (purchase.is === 'failed') since.set(address, (since.get(address) ?? new Map()).set(purchase, []))
    else if (!(purchase.is === 'done' && purchase.aside))
      for (const got of since.get(address)?.values() ?? []) got.push(purchase)
  }
  if (since.size === 0) return shown
  return shown.flatMap(each => {
    const got = each.is === 'failed' ? since.get(each.address)?.get(each) : undefined
    if (each.is !== 'failed' || !got?.length) return each
    const isSettled = !each.files && got.some(({ recipe }) => sameRecipe(recipe, each.recipe))
    return isSettled ? [] : asPast(each)
  })
}

const past = new WeakMap<FailedPurchase, FailedPurchase>()

/** The same object for the same one, so that one that says the same need not be composed. */
function asPast(failed: FailedPurchase): FailedPurchase {
  if (failed.isPast) return failed
  const known = past.get(failed) ?? { ...failed, isPast: true }
  past.set(failed, known)
  return known
}

/** Whether a lock says what is known: what says the same is not written. */
export function saysTheSame({ jobs }: Lock, now: readonly Locked[]): boolean {
  const known = new Set(jobs)
  return jobs.length === now.length && now.every(entry => known.has(entry))
}
