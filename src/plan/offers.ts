import { type JobAddress, restStart } from '../base/names.ts'
import { isResubmitted, type Purchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { identify, wasChanged } from './differences.ts'
import type { Standing } from './facts.ts'
import { recipesOf } from './register.ts'
import { type DraftRecipe, draftRecipe, sameRecipe } from './shapes/recipe.ts'
import { ownAddress } from './shapes/share.ts'
import type { Step } from './shapes/step.ts'
import type { Table } from './table.ts'

/** A purchase that is what a job asks for. */
export interface Offer {
  readonly purchase: Purchase
  readonly isOwn: boolean
  /** Of what is done. */
  readonly standing?: Standing
}

/** What was bought and is what the job asks for, the best first. */
export function offersFor(job: Job, draft: DraftRecipe, table: Table): Offer[] {
  const { register, facts } = table
  const own = register
    .at(ownAddress(job))
    .filter(each => !isNothing(each) && !register.isClaimed(each.id))
    .filter(purchase => recipesOf(purchase).some(was => !wasChanged(job, was, draft, table)))
  const offer = (isOwn: boolean) => (purchase: Purchase) => ({
    purchase,
    isOwn,
    ...(purchase.is === 'done' && { standing: facts.standing(purchase, job) }),
  })
  const owned = own.map(offer(true))
  // Without all of its inputs a recipe is like none; and what can be had under its own name needs no other.
  const mayBeOthers = draft.open.length === 0 && !owned.some(isWithinReach)
  // What is in doubt may bring the job's files: those of an order that brought the rest of some job's are others.
  const isInDoubt = !table.choices.resubmit && owned.some(({ purchase }) => purchase.is === 'doubt')
  // What a person ordered anew is ordered, whatever failed of the same for another job.
  const isWished = owned.some(({ purchase }) => isResubmitted(purchase))
  const others = (mayBeOthers ? othersLike(job, draft.recipe, table) : []).filter(
    each =>
      !(isInDoubt && restStart(each.address) !== restStart(job.address)) &&
      !(isWished && each.is === 'failed'),
  )
  // As most jobs are: nothing has to be put in order.
  if (owned.length < 2 && others.length === 0) return owned
  const offers: Offer[] = [...owned, ...others.map(offer(false))]
  const first = madeFrom(job, owned, table)
  const isUnderWay = owned.some(({ purchase }) => purchase.is === 'under-way')
  const rankOfOffer = (each: Offer) =>
    each === first ? -1 : !isUnderWay && isOwed(each) ? owedRank : rankOf(each)
  const ranks = new Map(offers.map((each, nth) => [each, { rank: rankOfOffer(each), nth }]))
  const rank = (each: Offer) => ranks.get(each) ?? { rank: 0, nth: 0 }
  const twins = others.length > 1 ? table.twins() : undefined
  const isTwin = (each: Offer) => !each.isOwn && (isWithinReach(each) || each.purchase.is === 'doubt')
  const isInOrder = twins?.isContested(job) === true
  const areWanted = twins?.areAllWanted(job, offers.filter(isTwin).length) === true
  const compareTwins = (a: Offer, b: Offer) =>
    twins?.compare(job, a.purchase, b.purchase) || (areWanted ? rank(a).nth - rank(b).nth : 0)
  return offers
    .filter(each => each.isOwn || (isWorthTaking(each) && !isSettled(each.purchase, table)))
    .toSorted(
      (a, b) =>
        (isTwin(a) && isTwin(b) ? compareTwins(a, b) : 0) ||
        rank(a).rank - rank(b).rank ||
        Number(b.isOwn) - Number(a.isOwn) ||
        // Two orders that share a job's files may be alike to the word: each brings the files that it brought.
        Number(bringsTheSame(b, job)) - Number(bringsTheSame(a, job)) ||
        // What is in its place stays there, whatever was put aside since.
        Number(b.standing?.is === 'whole') - Number(a.standing?.is === 'whole') ||
        (rank(b).nth - rank(a).nth) * (isInOrder && !a.isOwn && !b.isOwn ? -1 : 1),
    )
}

/**
 * Of several orders of a job the one that has its name and from which others are made already, be it at the service: two branches
 * bought the same, and with the other's they would be made, and paid for, once more. If nothing is made from what has the name, and
 * a job's result from another, it is that one: a merge knows nothing of who asks for what. Where the service has lost it one that is
 * there serves, if others are made from that as well, or a person pays for what is gone.
 */
function madeFrom(job: Job, owned: readonly Offer[], { inputs, choices, twins }: Table): Offer | undefined {
  const made = owned.filter(each => each.purchase.is === 'done' && isWithinReach(each))
  // What a person ordered in the place of a result is no second order of another branch.
  const isUnderWay = owned.some(({ purchase }) => purchase.is === 'under-way' && !purchase.rebuy)
  if (made.length + (isUnderWay ? 1 : 0) < 2) return undefined
  const used = made.filter(
    ({ purchase }) => purchase.is === 'done' && purchase.files.some(({ digest }) => inputs().has(digest)),
  )
  const named = used.find(({ purchase }) => purchase.is === 'done' && !purchase.aside)
  if (!named) return used.find(each => !isLost(each) && twins().uses(job, each.purchase) > 0)
  if (!isLost(named)) return named
  const here = used.find(({ standing }) => standing?.is !== 'missing')
  return here ?? (choices.rebuy || isUnderWay ? undefined : named)
}

/** It is not here, and the service did not know its run. */
function isLost({ purchase, standing }: Offer): boolean {
  return purchase.is === 'done' && purchase.isGone === true && standing?.is === 'missing'
}

function bringsTheSame({ purchase }: Offer, job: Job): boolean {
  return restStart(purchase.address) === restStart(job.address)
}

/** Purchases of other jobs: of those that left the manifest, and of those that ask for something else by now. */
function othersLike(job: Job, recipe: Recipe, table: Table): Purchase[] {
  const { register, wanted, moved, lessons, choices } = table
  return register.like(recipe).filter(each => {
    if (each.address === ownAddress(job) || isNothing(each) || register.isClaimed(each.id)) return false
    const owner = [wanted.get(each.address), moved.get(each.address)].find(
      its => its !== undefined && mayKeep(its, each, table),
    )
    if (!owner || lessons.freed.has(each.id)) return true
    const isMore = (address: JobAddress) => choices.further?.has(address) === true
    return isMore(owner.address) && !isMore(job.address) && !isChosen(each)
  })
}

/** Nothing was bought by it, and nobody waits for it. */
function isNothing(purchase: Purchase): boolean {
  return purchase.is === 'open' && !isResubmitted(purchase)
}

/** A take that somebody picked, or ordered and has not chosen about, is not given to a twin that would be bought otherwise. */
function isChosen(purchase: Purchase): boolean {
  return (
    purchase.redo === true || isResubmitted(purchase) || (purchase.is === 'done' && purchase.picked === true)
  )
}

/** As far as it can be known before the owner's inputs are. A live twin is never taken. */
function mayKeep(owner: Job, purchase: Purchase, table: Table): boolean {
  const ready = { ...table, decided: new Map<JobAddress, Step>() }
  const draft = draftRecipe(owner, ref => identify(ref, ready))
  return recipesOf(purchase).some(was => !wasChanged(owner, was, draft, ready))
}

/** What was refused, or failed and cost nothing, says nothing to another job. */
function isWorthTaking({ purchase, standing }: Offer): boolean {
  if (purchase.is === 'failed') return purchase.billed !== 'no' || isResubmitted(purchase)
  return standing?.is !== 'missing' || (purchase.is === 'done' && purchase.run !== undefined)
}

/**
 * It failed, and its job ordered the same once more, whatever came of that: what another job asks for is another purchase, and owed by
 * nobody.
 */
function isSettled(purchase: Purchase, { register }: Table): boolean {
  if (purchase.is !== 'failed') return false
  const its = register.at(purchase.address)
  const since = its.slice(its.indexOf(purchase) + 1)
  const mayBePaid = (each: Purchase) => each.is !== 'open' && !(each.is === 'failed' && each.billed === 'no')
  return since.some(each => mayBePaid(each) && sameRecipe(each.recipe, purchase.recipe))
}

/** Made and there, or at a service that can be asked for it. */
function isWithinReach({ purchase, standing }: Offer): boolean {
  if (purchase.is === 'under-way') return true
  return purchase.is === 'done' && (standing?.is !== 'missing' || purchase.run !== undefined)
}

/**
 * What a job has by the lock, or a person picked, is not here, and the service has it: it is fetched. A twin that was put aside is
 * another file, which no other checkout has under the name.
 */
function isOwed({ purchase, standing }: Offer): boolean {
  if (purchase.is !== 'done' || standing?.is !== 'missing' || !purchase.run || purchase.isGone) return false
  return !purchase.aside || purchase.picked === true
}

/** Behind what lies in its place, before what was put aside. */
const owedRank = 0.5

function rankOf({ purchase, standing }: Offer): number {
  switch (purchase.is) {
    case 'done':
      if (standing?.is === 'missing') return purchase.run ? 4 : 6
      if (standing?.is === 'altered') return 2
      // What is aside does not take the place of what has it.
      return purchase.aside ? 1 : 0
    case 'under-way':
      return 3
    case 'doubt':
      return 5
    case 'failed':
      // What was refused since does not undo that the one before it may be billed.
      return purchase.billed === 'no' ? 8 : 7
    case 'open':
      return 9
  }
}
