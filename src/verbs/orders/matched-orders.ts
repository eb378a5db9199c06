import { type JobAddress, jobAddress, type PurchaseId } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { isResubmitted, type Purchase, purchaseLabel } from '../../base/purchase.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { idOf, type Pattern, patternOf, patternParts } from '../../plan/request/pattern.ts'
import { type Slip, slipOf } from '../../plan/request/slip.ts'
import { isJobStep, type Step } from '../../plan/shapes/step.ts'
import type { PlannedRun } from '../../planning/make-plan.ts'
import type { Recorded } from '../../workspace/workspace.ts'

/** Which open orders a user means. All that is given must hold. */
export interface OrderSelector {
  /**
   * Ids, addresses, globs and axes by name, as a plan's selection has them. They mean jobs in doubt; only an address in
   * full, or an order's id, means one that is under way or has failed as well.
   */
  readonly words: readonly string[]
  readonly allDoubts?: boolean
  /** Only doubts that were sent before or after that date, in milliseconds since 1970. */
  readonly before?: number
  readonly after?: number
}

/** What is open, came to nothing, or was ordered anew by a person and is not paid for yet. */
export type Unfinished = Exclude<Purchase, { is: 'done' }>

type Matched =
  /** One at least. */
  | { readonly got: 'orders'; readonly purchases: readonly Unfinished[] }
  /** A word that fits no such order is probably a slip: then nothing is done. */
  | ({ readonly got: 'slip'; readonly word: string } & Slip)

interface Sight {
  readonly recorded: Pick<Recorded, 'purchases'>
  readonly planned: Pick<PlannedRun, 'jobs' | 'plan'>
}

/** Purchases by the names of the jobs that have them now: these are what a person sees. */
export function asSeen({
  recorded,
  planned,
}: {
  readonly recorded: Sight['recorded']
  readonly planned: Pick<PlannedRun, 'plan'>
}): readonly Purchase[] {
  const { steps } = planned.plan
  const owners = new Map(steps.flatMap(ownerOf))
  const given = new Set(
    steps.flatMap(step => (isJobStep(step) && 'purchase' in step ? [step.job.address] : [])),
  )
  return recorded.purchases.map(each => {
    const address = owners.get(each.id) ?? each.address
    // What was a job's once, and is none's now, is not what its name means.
    const isPast = !owners.has(each.id) && given.has(address) && each.is !== 'doubt'
    return isPast ? { ...each, address: jobAddress(purchaseLabel(each)) } : { ...each, address }
  })
}

/** What a step gives its job, or holds it for. */
function ownerOf(step: Step): [PurchaseId, JobAddress][] {
  if (!isJobStep(step)) return []
  const { address } = step.job
  if ('purchase' in step) return [[step.purchase.id, address]]
  if ('entry' in step) return [[step.entry.id, address]]
  if ('renews' in step) return [[step.renews.id, address]]
  // Somebody who orders anew means the doubt that this gives up.
  if (step.do === 'buy' && step.insteadOf) return step.insteadOf.map(({ doubt }) => [doubt.id, address])
  const isHeld = step.do === 'hold' && step.because.why === 'failed-before'
  return isHeld ? [[step.because.purchase, address]] : []
}

/** Pure. */
export function matchedOrders(selector: OrderSelector, sight: Sight): Matched {
  const words = selector.words.map(word => ({ word, isMatched: orderPattern(word, sight) }))
  const open = asSeen(sight).flatMap(each =>
    each.is === 'done' || (each.is === 'open' && !isResubmitted(each)) ? [] : [each],
  )
  const purchases = open.filter(each => isNamed(each, words, selector) && isInTime(each, selector))
  const slip = words.find(({ isMatched }) => !purchases.some(isMatched))
  if (slip) return { got: 'slip', word: slip.word, ...slipText(slip, open, selector, sight) }
  if (purchases.length > 0) return { got: 'orders', purchases }
  return { got: 'slip', word: '', message: 'no job in doubt is meant' }
}

interface Word {
  readonly word: string
  readonly isMatched: (purchase: Purchase) => boolean
}

function isNamed(
  purchase: Unfinished,
  words: readonly Word[],
  { allDoubts, before, after }: OrderSelector,
): boolean {
  const { is } = purchase
  if (words.some(({ word }) => isNameOf(word, purchase))) return true
  const isByTime = words.length === 0 && (before !== undefined || after !== undefined)
  return (
    is === 'doubt' && (allDoubts === true || isByTime || words.some(({ isMatched }) => isMatched(purchase)))
  )
}

/** In full: the name of its job, by which a list tells it from others of that, or its id. */
function isNameOf(word: string, purchase: Purchase): boolean {
  return word === purchase.address || word === purchaseLabel(purchase) || word === purchase.id
}

/** What only the lock knows of has no date. */
function isInTime(purchase: Unfinished, { before, after }: OrderSelector): boolean {
  if (before === undefined && after === undefined) return true
  const since = purchase.is === 'doubt' ? purchase.since : undefined
  return since !== undefined && since < (before ?? Infinity) && since > (after ?? -Infinity)
}

/** A cell that left the manifest has the axes that the others of its job still have. */
function orderPattern(word: string, { planned: { jobs } }: Sight): Word['isMatched'] {
  const isMatched: Pattern = patternOf(word)
  return purchase => isNameOf(word, purchase) || isMatched(purchase.address, axesOf(purchase.address, jobs))
}

/** The axes of a job by its address. */
export function axesOf(address: JobAddress, jobs: readonly Job[]): readonly string[] {
  const { id, keys = [] } = patternParts(address)
  const kin = jobs.find(job => job.address === address) ?? jobs.find(job => idOf(job.address) === id)
  return kin?.axes?.length === keys.length ? kin.axes : []
}

function slipText(
  { word, isMatched }: Word,
  open: readonly Unfinished[],
  { before, after }: OrderSelector,
  { planned: { jobs } }: Sight,
): Slip {
  const fitting = open.filter(isMatched)
  const isTimed = before !== undefined || after !== undefined
  if (isTimed && fitting.length > 0) return { message: `no order of ${word} in doubt was sent in that time` }
  const [other] = fitting
  if (other) {
    const { address, is } = other
    const message = `no job in doubt is called ${word}: ${address} ${standing[is]}`
    return { message, hint: `name it in full, ${address}, to settle it all the same` }
  }
  if (jobs.some(job => patternOf(word)(job.address, job.axes ?? [])))
    return { message: `${word} is not in doubt` }
  return slipOf(word, jobs) ?? unknownText(word, open, jobs)
}

const standing: { readonly [is in Unfinished['is']]: string } = {
  doubt: 'is in doubt',
  'under-way': 'is under way',
  failed: 'failed',
  open: 'is to be ordered anew',
}

function unknownText(word: string, open: readonly Unfinished[], jobs: readonly Job[]): Slip {
  const known = [...open.map(({ address }) => address), ...jobs.map(job => job.address)]
  const near = nearest(word, known)
  return {
    message: `no job in doubt is called ${word}`,
    ...(near !== undefined && { hint: `did you mean ${near}` }),
  }
}
