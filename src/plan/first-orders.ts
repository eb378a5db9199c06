import type { JobAddress, Json, PurchaseId } from '../base/names.ts'
import type {
  DonePurchase,
  DoubtfulPurchase,
  FailedPurchase,
  Purchase,
  RunningPurchase,
} from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { recipesOf } from './register.ts'
import { compareRecipes, draftRecipe } from './shapes/recipe.ts'
import { orderedBy, restBase } from './shapes/share.ts'
import type { Twins } from './twins.ts'

// Several jobs may ask for the same in different numbers: which of the orders that are paid for, or may be, is whose first.

export type Paid = DonePurchase | RunningPurchase | DoubtfulPurchase

/** An order, and how many files were ordered by it. */
export interface FirstOrder {
  readonly paid: Paid
  readonly ordered: number
}

/** What jobs and orders are matched by. */
interface Matching {
  readonly wanted: ReadonlyMap<JobAddress, Job>
  /** What has the names of a job. */
  readonly byAddress: ReadonlyMap<JobAddress, readonly Paid[]>
  /** First orders by what they ask for; what is aside before what has its names. */
  readonly byPrompt: ReadonlyMap<Json | undefined, readonly Paid[]>
  /** First orders that failed and may be billed, by what they ask for. */
  readonly failures: ReadonlyMap<Json | undefined, readonly FailedPurchase[]>
  /** Orders that brought the rest of a job's files, by the job. */
  readonly rests: ReadonlyMap<JobAddress, readonly Paid[]>
  /** Jobs that one order brings whole: what there is of them stays theirs. */
  readonly undivided: Pick<ReadonlySet<JobAddress>, 'has'>
  readonly isGone: (made: DonePurchase, job: Job) => boolean
  readonly twins: () => Twins
}

/**
 * Each job's first order, in whatever number, by the jobs that ask for the same: its own, or what nobody else asks for, wherever its name
 * has gone. Names that changed hands count for nothing where numbers tell: who has an order of another number gives it to the job that
 * asks for the very number, as long as there is one of its own number, too, be it one that failed for another name and waits for a word,
 * or nothing has come of it yet.
 */
export function firstOrders(jobs: readonly Job[], matching: Matching): ReadonlyMap<JobAddress, FirstOrder> {
  const groups = new Map<Json | undefined, Job[]>()
  for (const job of jobs) {
    const { prompt } = job.params
    const group = groups.get(prompt)
    if (group) group.push(job)
    else groups.set(prompt, [job])
  }
  const found = new Map<JobAddress, FirstOrder>()
  for (const [prompt, group] of groups) {
    const known = matching.byPrompt.get(prompt) ?? []
    if (known.length > 0 || group.some(({ address }) => matching.byAddress.has(address)))
      for (const [address, first] of matched(group, known, matching)) found.set(address, first)
  }
  return found
}

function matched(
  jobs: readonly Job[],
  known: readonly Paid[],
  matching: Matching,
): ReadonlyMap<JobAddress, FirstOrder> {
  const firsts = new Map<JobAddress, FirstOrder>()
  const holders = new Map<PurchaseId, Job>()
  const waiting = new Set<JobAddress>()
  const waited = new Set<PurchaseId>()

  function leave({ address }: Job): void {
    const before = firsts.get(address)
    if (before && holders.get(before.paid.id)?.address === address) holders.delete(before.paid.id)
    firsts.delete(address)
  }

  function give(job: Job, first: FirstOrder): void {
    leave(job)
    firsts.set(job.address, first)
    holders.set(first.paid.id, job)
  }

  /**
   * Whether an order of the job's own number can be had: one that another job has goes to it if that finds one of its own number. Of
   * whoever has nothing it is, too, if nothing has come of it yet, and who has it asks for another number; what is there stays where it
   * is. What nobody has goes first.
   */
  function place(
    job: Job,
    seen: Set<PurchaseId>,
    by: { hasNothing?: boolean; mayBeDoubt?: boolean },
  ): boolean {
    const { hasNothing = false, mayBeDoubt = true } = by
    const isHeld = ({ paid: { id } }: FirstOrder) => Number(holders.has(id))
    for (const first of exactFor(job, known, matching).toSorted((a, b) => isHeld(a) - isHeld(b))) {
      const { id, is } = first.paid
      if (seen.has(id) || (is === 'doubt' && !mayBeDoubt)) continue
      seen.add(id)
      const holder = holders.get(id)
      if (holder && !place(holder, seen, {}) && !wait(holder)) {
        if (!hasNothing || is === 'done' || holder.count === job.count) continue
        leave(holder)
      }
      give(job, first)
      return true
    }
    return false
  }

  /** What failed in the job's number, under another name, is its order: whoever asks for the number of what it has gets that. */
  function wait(job: Job): boolean {
    if (matching.rests.has(job.address)) return false
    const failed = failedFor(job, known, matching).find(({ id }) => !waited.has(id))
    if (!failed) return false
    waited.add(failed.id)
    waiting.add(job.address)
    leave(job)
    return true
  }

  for (const job of jobs) {
    const own = bestFor(job, fitting(matching.byAddress.get(job.address) ?? [], job))
    if (own) give(job, own)
  }
  for (const job of jobs) {
    const own = firsts.get(job.address)
    if (!own) place(job, new Set(), { hasNothing: true })
    // What is there of it is worth more than what may come.
    else if (own.ordered < job.count && !matching.rests.has(job.address)) {
      leave(job)
      if (!place(job, new Set(), { mayBeDoubt: false })) give(job, own)
    }
  }
  for (const job of jobs) {
    if (firsts.has(job.address) || waiting.has(job.address)) continue
    const free = ofItsTake(job, known).filter(
      paid => !holders.has(paid.id) && ownerOf(paid, job, matching) === undefined,
    )
    const best = bestFor(job, fitting(inTurn(free, job, matching).toReversed(), job))
    if (best) give(job, best)
  }
  return firsts
}

/** Of the job's number, the best first; not what another has by its name and asks for in that number. */
function exactFor(job: Job, known: readonly Paid[], matching: Matching): readonly FirstOrder[] {
  const mayBe = (paid: Paid) => {
    const owner = ownerOf(paid, job, matching)
    if (owner && (matching.undivided.has(owner.address) || orderedFor(paid, owner) === owner.count))
      return false
    return paid.is !== 'done' || !matching.isGone(paid, job)
  }
  const ofNumber = ofItsTake(job, known).filter(paid => orderedFor(paid, job) === job.count && mayBe(paid))
  return inTurn(ofNumber, job, matching).map(paid => ({ paid, ordered: job.count }))
}

/** What was used as the job's files goes first, then what is there; then the last, or where several jobs ask for the same, the first. */
function inTurn(known: readonly Paid[], job: Job, matching: Matching): readonly Paid[] {
  if (known.length < 2) return known
  const twins = matching.twins()
  const inOrder = twins.isContested(job) ? known : known.toReversed()
  const areWanted = twins.areAllWanted(job, known.length)
  const isToCome = ({ is }: Paid) => Number(is !== 'done' && !areWanted)
  return inOrder.toSorted((a, b) => twins.compare(job, a, b) || isToCome(a) - isToCome(b))
}

/** Of the job's number, under another's name; none where the same was ordered again. */
function failedFor(job: Job, known: readonly Paid[], { failures }: Matching): readonly FailedPurchase[] {
  const isOfNumber = (each: Purchase) => orderedFor(each, job) === job.count
  if (ofItsTake(job, known).some(isOfNumber)) return []
  return (failures.get(job.params.prompt) ?? []).filter(
    each => each.recipe.take === job.take && each.address !== job.address && isOfNumber(each),
  )
}

/** Under its own name a take may have got another number; elsewhere the number is all that tells it from the others. */
function ofItsTake({ take }: Job, known: readonly Paid[]): readonly Paid[] {
  return known.filter(({ recipe }) => recipe.take === take)
}

/** Another job that has it by its name, and asks for it in whatever number. */
function ownerOf(paid: Paid, job: Job, { wanted }: Matching): Job | undefined {
  const owner = isAside(paid) ? undefined : wanted.get(restBase(paid.address))
  return owner && owner.address !== job.address && orderedFor(paid, owner) !== undefined ? owner : undefined
}

function fitting(found: readonly Paid[], job: Job): readonly FirstOrder[] {
  return found.flatMap(paid => {
    const ordered = orderedFor(paid, job)
    return ordered === undefined ? [] : [{ paid, ordered }]
  })
}

function bestFor({ count }: Job, found: readonly FirstOrder[]): FirstOrder | undefined {
  return found.findLast(({ ordered }) => ordered === count) ?? found.at(-1)
}

/** So many files were ordered of what a job asks for; undefined where it asks for something else. */
function orderedFor(paid: Purchase, job: Job): number | undefined {
  const asked = askedBy(job)
  const recipe = recipesOf(paid).find(was => isButForCount(was, asked))
  return recipe && orderedBy(recipe)
}

export function isAside(paid: Paid): boolean {
  return paid.is === 'done' && paid.aside === true
}

export function askedBy(job: Job): Recipe {
  return draftRecipe(job, () => undefined).recipe
}

/** Inputs are compared by the plan, which knows them. */
export function isButForCount(was: Recipe, asked: Recipe): boolean {
  if (was.model !== asked.model || was.params.prompt !== asked.params.prompt) return false
  return compareRecipes(withoutInputs(was, asked.take), withoutInputs(asked, asked.take)).every(
    ({ field, byCatalog }) => byCatalog || field === 'count',
  )
}

function withoutInputs(recipe: Recipe, take: number): Recipe {
  const isBare = recipe.take === take && Object.keys(recipe.inputs).length === 0
  return isBare ? recipe : { ...recipe, inputs: {}, take }
}
