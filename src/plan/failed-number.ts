import { type JobAddress, restStart } from '../base/names.ts'
import type { FailedPurchase, Purchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { identify, wasChanged } from './differences.ts'
import { recipesOf } from './register.ts'
import { draftRecipe } from './shapes/recipe.ts'
import { countFor, counting, orderedBy, restBase } from './shapes/share.ts'
import type { Table } from './table.ts'

/**
 * The order that failed, and may be billed, of files that a job's further order is about to bring, where the job asks for as many
 * as it did then: its number was changed since, and changed back. Undefined where the same was ordered again.
 */
export function failedInNumber(job: Job, table: Table): FailedPurchase | undefined {
  if (!job.share) return undefined
  const its = table.register
    .ofPrompt(job.params.prompt)
    .filter(each => mayBeBilled(each) && isOfItsFiles(each, job) && isIts(each, job, table))
  // What failed of the rest was ordered after what came short before it. Their order in the records says nothing of that.
  const isOrderedAgain = (failed: Purchase) =>
    its.some(each => each.is !== 'failed' && restStart(each.address) >= restStart(failed.address))
  return its.findLast((each): each is FailedPurchase => each.is === 'failed' && !isOrderedAgain(each))
}

function mayBeBilled(each: Purchase): boolean {
  return each.is !== 'open' && !(each.is === 'failed' && each.billed === 'no')
}

/** Whether a job that asks for so many files orders as many from that place on. */
function isOfNumber({ address, recipe }: Purchase, job: Job): boolean {
  const { of } = shareOf(job)
  const start = restStart(address)
  return orderedBy(recipe) === (start === 0 ? of : countFor(job, of - start))
}

/** Whether it was for files that the job's order is to bring. */
function isOfItsFiles(each: Purchase, job: Job): boolean {
  const { from } = shareOf(job)
  const start = restStart(each.address)
  return isOfNumber(each, job) && start < from + job.count && from < start + (orderedBy(each.recipe) ?? 0)
}

/** Of the very words, and of nobody else who asks for them. */
function isIts(each: Purchase, job: Job, table: Table): boolean {
  const base = restBase(each.address)
  if (base !== restBase(job.address)) {
    if (each.recipe.take !== job.take || isAnothers(each, base, table)) return false
    if (table.register.isClaimed(each.id) && !isHeldBeside(each, job, table)) return false
  }
  return isOfWords(each, job, table)
}

function isAnothers(each: Purchase, base: JobAddress, table: Table): boolean {
  const owner = table.wanted.get(base)
  return owner !== undefined && isOfNumber(each, owner) && isOfWords(each, owner, table)
}

function isOfWords(each: Purchase, job: Job, table: Table): boolean {
  const asked = counting(job, orderedBy(each.recipe) ?? job.count)
  const draft = draftRecipe(asked, ref => identify(ref, table))
  return recipesOf(each).some(was => !wasChanged(asked, was, draft, table))
}

/** Another order of the same job waits for the same. */
function isHeldBeside({ id }: Purchase, job: Job, { decided }: Table): boolean {
  return [...decided.values()].some(
    step =>
      step.do === 'hold' &&
      step.because.why === 'failed-before' &&
      step.because.purchase === id &&
      restBase(step.job.address) === restBase(job.address),
  )
}

function shareOf({ share, count }: Job) {
  return share ?? { from: 0, of: count }
}
