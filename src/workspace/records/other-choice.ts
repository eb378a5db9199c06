import type { Digest, PurchaseId } from '../../base/names.ts'
import type { DonePurchase, Purchase } from '../../base/purchase.ts'
import type { Recipe } from '../../base/state.ts'
import { firstTake } from '../../plan/picks.ts'
import { sameRecipe } from '../../plan/shapes/recipe.ts'

/**
 * Takes that were picked under another lock than the one that was checked out or put back, which does not know them: its own choice
 * counts, and nothing is made from theirs. But where something that is paid for was made from such a take, and from no other of its job,
 * the choice stands: it would be bought again. Pure.
 */
export function picksOfOtherLocks(
  purchases: readonly Purchase[],
  hidden: ReadonlySet<PurchaseId>,
): readonly DonePurchase[] {
  return purchases.filter(
    (each): each is DonePurchase =>
      each.is === 'done' &&
      each.picked === true &&
      hidden.has(each.id) &&
      hasOther(each, purchases) &&
      !isNeeded(each, purchases),
  )
}

/**
 * Picks of a lock that was put back, of jobs of which it knew a take of `redo` on its way, when that has come and was picked since: the
 * choice that came after it was known there. Else two takes of one job would stand as picked. Pure.
 */
export function picksBeforeRedo(
  purchases: readonly Purchase[],
  locked: readonly Purchase[],
): readonly DonePurchase[] {
  const awaited = new Set(locked.flatMap(({ is, redo, id }) => (is !== 'done' && redo ? [id] : [])))
  const picked = purchases.filter(
    (each): each is DonePurchase => each.is === 'done' && each.picked === true && !each.aside,
  )
  const came = picked.filter(({ id }) => awaited.has(id))
  if (came.length === 0) return []
  return picked.filter(
    each =>
      !awaited.has(each.id) && othersOf(each, came).some(one => isSameButForTake(one.recipe, each.recipe)),
  )
}

function isSameButForTake(one: Recipe, other: Recipe): boolean {
  return sameRecipe({ ...one, take: other.take }, other)
}

function hasOther(take: DonePurchase, purchases: readonly Purchase[]): boolean {
  return othersOf(take, purchases).length > 0
}

function othersOf(take: DonePurchase, purchases: readonly Purchase[]): DonePurchase[] {
  const first = firstTake(take.address)
  return purchases.filter(
    (each): each is DonePurchase =>
      each.is === 'done' && each.id !== take.id && firstTake(each.address) === first,
  )
}

/** Whether something was made from it, through whatever lies between, that was not made from another take as well. */
function isNeeded(take: DonePurchase, purchases: readonly Purchase[]): boolean {
  const its = new Set(digestsOf(take))
  const others = new Set(othersOf(take, purchases).flatMap(digestsOf))
  const seen = new Set<PurchaseId>([take.id])
  for (;;) {
    const madeFromIt = purchases.filter(
      each => each.is !== 'failed' && each.is !== 'open' && !seen.has(each.id) && uses(each.recipe, its),
    )
    if (madeFromIt.length === 0) return false
    for (const each of madeFromIt) {
      const twins = purchases.filter(other => isTwin(other, each.recipe, { its, others }))
      if (twins.length === 0) return true
      seen.add(each.id)
      for (const digest of digestsOf(each)) its.add(digest)
      for (const digest of twins.flatMap(digestsOf)) others.add(digest)
    }
  }
}

interface Sides {
  readonly its: ReadonlySet<string>
  readonly others: ReadonlySet<string>
}

/** Whether it was made by the same recipe, but from the other side where that takes this one's files. */
function isTwin(purchase: Purchase, recipe: Recipe, { its, others }: Sides): boolean {
  if (purchase.is !== 'done') return false
  const { inputs } = purchase.recipe
  const isAlike = Object.entries(recipe.inputs).every(([at, digests]) =>
    digests.every((digest, nth) => {
      const other = Object.hasOwn(inputs, at) ? inputs[at as keyof typeof inputs]?.[nth] : undefined
      return its.has(digest) ? other !== undefined && others.has(other) : other === digest
    }),
  )
  return isAlike && sameRecipe({ ...purchase.recipe, inputs: recipe.inputs }, recipe)
}

function uses({ inputs }: Recipe, digests: ReadonlySet<string>): boolean {
  return Object.values(inputs).some(each => each.some(digest => digests.has(digest)))
}

function digestsOf(purchase: Purchase): readonly Digest[] {
  return purchase.is === 'done' ? purchase.files.map(({ digest }) => digest) : []
}
