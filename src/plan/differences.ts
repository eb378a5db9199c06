import type { JobAddress, Pointer } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import type { Facts } from './facts.ts'
import type { Reason } from './reasons.ts'
import { compareRecipes, type DraftRecipe, isMadeFrom, isOpenChange, linkIdentity } from './recipe.ts'
import type { Step } from './step.ts'

/** What is known while the plan is made: the steps of all that comes before. */
export interface Decided {
  readonly facts: Facts
  readonly decided: ReadonlyMap<JobAddress, Step>
}

/** Whether anything does; asked of every purchase, and answered without the words for it. */
export function wasChanged(job: Job, was: Recipe, draft: DraftRecipe, table: Decided): boolean {
  return reasonsOf(job, was, draft, table).length > 0
}

/**
 * Everything that makes the wanted recipe another one than `was`, which is of a purchase that has the job's address; empty
 * when it is the same. A take that was given another number has it in its address, and keeps the recipe it was ordered by.
 */
export function reasonsOf(job: Job, was: Recipe, draft: DraftRecipe, table: Decided): Reason[] {
  const openFields = new Set<string>()
  const reasons: Reason[] = []
  for (const [at, refs] of Object.entries(job.files)) {
    for (const ref of refs) {
      if (ref.from !== 'job' || !draft.open.includes(ref.address)) continue
      openFields.add(at.slice(1))
      // A producer that is held yields nothing new: what was made from it before stays as it is. One that is under way was
      // ordered anew since something was made from it.
      const producer = table.decided.get(ref.address)
      const isAnew = producer?.do === 'buy' || (producer?.do === 'resume' && isMadeFrom(was, at as Pointer))
      if (isAnew) reasons.push({ why: 'made-anew', field: at.slice(1), from: ref.address })
    }
  }
  const before = was.take === job.take ? was : { ...was, take: job.take }
  for (const change of compareRecipes(before, draft.recipe)) {
    if (change.byCatalog || (openFields.has(change.field) && isOpenChange(change))) continue
    const at = job.locate(change.field === 'model' ? ['model'] : change.field.split('/'))
    reasons.push({ why: 'changed', change, at })
  }
  return reasons
}

/** What a file input is by now; undefined while its producer is not done. */
export function identify(ref: FileRef, table: Decided): string | undefined {
  switch (ref.from) {
    case 'url':
      return linkIdentity(ref.url)
    case 'path':
      return table.facts.inputs.get(ref.path)
    case 'job': {
      const step = table.decided.get(ref.address)
      const isThere = step !== undefined && 'entry' in step
      return isThere && ref.nth !== 'pick' ? step.entry.files[ref.nth]?.digest : undefined
    }
  }
}
