import { type JobAddress, type Pointer, restStart } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import type { Facts } from './facts.ts'
import { firstTake } from './picks.ts'
import type { Reason } from './shapes/reasons.ts'
import { compareRecipes, type DraftRecipe, isMadeFrom, isOpenChange, linkIdentity } from './shapes/recipe.ts'
import type { Step } from './shapes/step.ts'

/** What is known while the plan is made: the steps of all that comes before. */
export interface Decided {
  readonly facts: Facts
  readonly decided: ReadonlyMap<JobAddress, Step>
}

/** What is compared with: the wanted takes of a job are known by the address of its first. */
interface Known extends Decided {
  readonly takesOf: (first: JobAddress) => readonly JobAddress[]
}

/** Whether anything does; asked of every purchase, and answered without the words for it. */
export function wasChanged(job: Job, was: Recipe, draft: DraftRecipe, table: Known): boolean {
  return reasonsOf(job, was, draft, table).length > 0
}

/**
 * Everything that makes the wanted recipe another one than `was`, which is of a purchase that has the job's address; empty
 * when it is the same. A take that was given another number has it in its address, and keeps the recipe it was ordered by.
 */
export function reasonsOf(job: Job, was: Recipe, draft: DraftRecipe, table: Known): Reason[] {
  const openFields = new Set<string>()
  const reasons: Reason[] = []
  for (const [at, refs] of Object.entries(job.files)) {
    for (const [nth, ref] of refs.entries()) {
      if (ref.from !== 'job' || !draft.open.includes(ref.address)) continue
      openFields.add(at.slice(1))
      // A producer that is held yields nothing new: what was made from it before stays as it is. One that is under way was
      // ordered anew since something was made from it.
      const producer = table.decided.get(ref.address)
      const isKnown = isMadeFrom(was, at as Pointer)
      const isAnew = producer?.do === 'buy' || (producer?.do === 'resume' && isKnown)
      const used = isKnown && ref.nth === 'pick' ? was.inputs[at as Pointer]?.[nth] : undefined
      const isOfOther = used !== undefined && areOthers(ref.address, used, table)
      if (isAnew || isOfOther) reasons.push({ why: 'made-anew', field: at.slice(1), from: ref.address })
    }
  }
  const before = was.take === job.take ? was : { ...was, take: job.take }
  for (const change of compareRecipes(before, draft.recipe)) {
    if (change.byCatalog || (openFields.has(change.field) && isOpenChange(change))) continue
    const at = job.written.locate(change.field === 'model' ? ['model'] : change.field.split('/'))
    reasons.push({ why: 'changed', change, at })
  }
  return reasons
}

/**
 * Whether none of a job's takes is, or can become, the file `used`: whichever a person picks, what was made from that is made from another.
 * A take that is held, or not decided yet, may be the one.
 */
function areOthers(address: JobAddress, used: string, { decided, takesOf }: Known): boolean {
  const takes = takesOf(firstTake(address)).filter(take => restStart(take) === 0)
  return takes.every(take => {
    const step = decided.get(take)
    if (step && 'entry' in step) return step.entry.files[0]?.digest !== used
    return step?.do === 'buy' || step?.do === 'resume'
  })
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
