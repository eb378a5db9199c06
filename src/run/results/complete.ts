import type { DonePurchase } from '../../base/purchase.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { completed } from '../../plan/shapes/recipe.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** The result that a job has. */
type Made = Ledger['made']

/**
 * Adopted results with what they were made from, for those whose recipe lacks it and can have it by now. Asked before
 * anything is made anew: afterwards it would be another file.
 */
export function completions(jobs: readonly Job[], made: Made): DonePurchase[] {
  return jobs.flatMap(job => {
    const entry = made(job.address)
    if (!entry) return []
    const recipe = completed(entry.recipe, job, ref =>
      ref.from === 'job' && ref.nth !== 'pick' ? made(ref.address)?.files[ref.nth]?.digest : undefined,
    )
    return recipe ? [{ ...entry, recipe }] : []
  })
}

/** Puts into recipes of adopted runs what they were made from, as soon as that is there. Rejects with StorageError. */
export async function completeRecipes(jobs: readonly Job[], ledger: Ledger): Promise<void> {
  for (const entry of completions(jobs, ledger.made)) await ledger.stands(entry)
}
