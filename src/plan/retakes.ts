import type { JobAddress, PurchaseId } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import { meaningOf } from '../looks/names.ts'
import { takeAddress } from '../manifest/expand/select-cells.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { identify } from './differences.ts'
import type { Facts } from './facts.ts'
import type { KnownVerdicts } from './follow-verdicts.ts'
import { firstTake } from './picks.ts'
import { groupedBy, type Register, recipesOf, registerOf } from './register.ts'
import { draftRecipe, sameRecipe } from './shapes/recipe.ts'
import { isJobStep, type JobStep, type Plan, type Step } from './shapes/step.ts'
import { isUnfinished, takeOf } from './takes.ts'

/**
 * Jobs that say themselves that they are ordered anew (`retakes`), by the addresses of their first takes: everything that came of
 * them fails its looks, no person chose among it, and not all of the further takes are spent. It is decided by the records alone, so
 * that nothing is lost or doubled by whatever ends a run; a take that is on its way is gone on with. `picked`: takes that are chosen.
 */
export function retakesDue(
  jobs: readonly Job[],
  { steps: planned }: Plan,
  facts: Facts,
  picked: readonly JobAddress[],
): Set<JobAddress> {
  const asked = jobs.filter(({ retakes = 0 }) => retakes > 0)
  if (asked.length === 0) return new Set()
  const wanted = new Map(asked.map(({ address, take }) => [firstTake(address), take]))
  const most = new Map(asked.map(({ address, retakes = 0 }) => [address, retakes]))
  const steps = planned.filter(isJobStep)
  const families = new Map<JobAddress, JobStep[]>()
  for (const step of steps) {
    const first = firstTake(step.job.address)
    if (wanted.has(first)) families.set(first, [...(families.get(first) ?? []), step])
  }
  const register = registerOf(facts.purchases)
  const chosen = new Set(
    picked.filter(address => takeOf(address) <= (wanted.get(firstTake(address)) ?? 0)).map(firstTake),
  )
  const awaited = awaitedPicks(jobs)
  const spentOn = spendings(families, steps, facts)
  const due = [...families].filter(([first, its]) => {
    const takes = wanted.get(first) ?? 1
    if (chosen.has(first) || awaited.has(first) || !its.some(step => isBroken(step, facts))) return false
    if (its.some(step => isDecided(step, takes, { facts, register, family: its }))) return false
    const open = its.filter(isUnfinished)
    if (its.some(step => !open.includes(step) && !isBroken(step, facts))) return false
    return open.length > 0 || spentOn(first, takes).size < (most.get(first) ?? 0)
  })
  return new Set(due.map(([first]) => first))
}

/** Who waits for a pick waits for a person. */
function awaitedPicks(jobs: readonly Job[]): Set<JobAddress> {
  const refs = jobs.flatMap(job => Object.values(job.files).flat())
  return new Set(
    refs.flatMap(ref => (ref.from === 'job' && ref.nth === 'pick' ? [firstTake(ref.address)] : [])),
  )
}

interface Family {
  readonly facts: Facts
  readonly register: Register
  readonly family: readonly JobStep[]
}

/** A person has approved it or picked it. Where nobody can read what was approved, nothing is bought on the strength of that. */
function isDecided(step: JobStep, takes: number, { facts, register, family }: Family): boolean {
  const { verdicts } = facts
  if (verdicts && 'unread' in verdicts) return true
  if (!('entry' in step)) return false
  const verdict = verdicts?.on(step.job.address, step.entry)
  const isApproved =
    verdict?.is === 'approved' && verdict.seen.join() === step.entry.files.map(({ digest }) => digest).join()
  const numbers = family.map(({ job }) => job.take)
  return isApproved || isPersonsPick(step.entry, { takes, numbers, register })
}

/**
 * Whether a person has approved it, as it is, since then, in milliseconds since 1970; dates of verdicts are to the second, and of one
 * second that counts.
 */
export function isApprovedSince(made: DonePurchase, verdicts: KnownVerdicts, at: number): boolean {
  const verdict = verdicts.on(made.address, made)
  if (verdict?.is !== 'approved' || verdict.seen.join() !== made.files.map(({ digest }) => digest).join())
    return false
  return at === Number.NEGATIVE_INFINITY || Date.parse(verdict.when) + 999 >= at
}

/**
 * What is recorded, as it is where a person approved a take of a job after another one was ordered that was to be picked by itself: that is
 * one take among the others. Pure.
 */
export function withoutPassedOver(
  purchases: readonly Purchase[],
  verdicts: KnownVerdicts,
  /** By this machine's journal: what the lock tells whole has no date of its own. */
  orderedAt: ReadonlyMap<PurchaseId, number>,
): readonly Purchase[] {
  if (!purchases.some(({ redo }) => redo)) return purchases
  const made = purchases.filter((each): each is DonePurchase => each.is === 'done' && !each.aside)
  return purchases.map(each => {
    const { redo, ...bare } = each
    const at = orderedAt.get(each.id) ?? each.sent?.at
    if (!redo || at === undefined || (each.is !== 'done' && each.is !== 'under-way')) return each
    const first = firstTake(each.address)
    const others = made.filter(other => other.id !== each.id && firstTake(other.address) === first)
    return others.some(other => isApprovedSince(other, verdicts, at)) ? (bare as Purchase) : each
  })
}

/**
 * Whether a person picked it. Of takes beyond those of the manifest the newest is picked by the run that brings it: where the record does
 * not say who did that, only an older one tells that somebody chose. `numbers`: of the takes of its job that there are.
 */
export function isPersonsPick(
  { picked, byHand, address, recipe }: DonePurchase,
  {
    takes,
    numbers,
    register,
  }: {
    readonly takes: number
    readonly numbers: readonly number[]
    readonly register: Pick<Register, 'at'>
  },
): boolean {
  if (picked && byHand) return true
  const take = takeOf(address)
  if (!picked || take <= takes) return picked === true
  const newer = numbers.filter(number => number > take)
  return newer
    .flatMap(number => register.at(takeAddress(firstTake(address), number)))
    .some(each => each.is === 'done' && !each.aside && !each.redo && !each.picked && isForThe(recipe, each))
}

/** What lies where it belongs, and was found broken when it came. */
function isBroken(step: JobStep, facts: Facts): boolean {
  return brokenBy(step, facts) !== undefined
}

/** What was found of a result that lies where it belongs, where that still means for its job that it fails: `blank: it is one color`. */
export function brokenBy(step: Step, { gate = 'fail' }: Pick<Facts, 'gate'>): string | undefined {
  if (step.do !== 'keep' && step.do !== 'adopt') return undefined
  const { entry, job } = step
  const found = entry.files.flatMap(({ looked }) => looked?.found ?? [])
  const grave = found.find(
    ({ look, verdict }) =>
      verdict === 'fail' && meaningOf(look, job.gate, gate === 'off' ? 'off' : 'fail') === 'fail',
  )
  return grave && [grave.look, grave.why].filter(Boolean).join(': ')
}

/**
 * What was bought beyond the takes of the manifest for what a job asks for now, whatever the job was called then: a new name buys
 * nothing. What another job has, or bought under its own name and asks for as well, is that job's.
 */
function spendings(
  families: ReadonlyMap<JobAddress, readonly JobStep[]>,
  steps: readonly JobStep[],
  facts: Facts,
): (first: JobAddress, takes: number) => Set<PurchaseId> {
  const { purchases } = facts
  const register = registerOf(purchases)
  const bought = groupedBy(purchases, each => [firstTake(each.address)])
  const numbers = [...new Set(purchases.map(({ recipe }) => recipe.take))]
  const holders = new Map(
    steps.flatMap(step => {
      const id = purchaseOf(step)
      return id ? [[id, firstTake(step.job.address)] as const] : []
    }),
  )
  const decided = new Map(steps.map(step => [step.job.address, step]))
  const recipes = (first: JobAddress) =>
    (families.get(first) ?? []).flatMap(step => recipesAsked(step, { facts, decided }))
  return (first, takes) => {
    const asked = recipes(first)
    const named = (bought.get(first) ?? []).filter(
      each => takeOf(each.address) > takes && asked.some(recipe => isForThe(recipe, each)),
    )
    const alike = numbers
      .filter(take => take > takes)
      .flatMap(take => asked.flatMap(recipe => register.like({ ...recipe, take })))
    const isOthers = (each: Purchase) => {
      const holder = holders.get(each.id)
      if (holder !== undefined) return holder !== first
      const namesake = firstTake(each.address)
      return namesake !== first && recipes(namesake).some(recipe => isForThe(recipe, each))
    }
    const paid = [...named, ...alike].filter(each => isPaid(each) && !isOthers(each))
    return new Set(paid.map(({ id }) => id))
  }
}

/** What it asks for now; where that is not known yet, what it has. */
function recipesAsked(step: JobStep, known: Parameters<typeof identify>[1]): readonly Recipe[] {
  const { recipe, open } = draftRecipe(step.job, ref => identify(ref, known))
  if (open.length === 0) return [recipe]
  return 'entry' in step ? recipesOf(step.entry) : []
}

function purchaseOf(step: JobStep): PurchaseId | undefined {
  if ('entry' in step) return step.entry.id
  if ('purchase' in step) return step.purchase.id
  return step.do === 'hold' && step.because.why === 'failed-before' ? step.because.purchase : undefined
}

/** Billed, or perhaps. */
function isPaid(purchase: Purchase): boolean {
  return purchase.is !== 'open' && !(purchase.is === 'failed' && purchase.billed === 'no')
}

function isForThe(recipe: Recipe, other: Purchase): boolean {
  return recipesOf(other).some(each => sameRecipe({ ...each, take: recipe.take }, recipe))
}
