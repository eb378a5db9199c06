import type { JobAddress } from '../../base/names.ts'
import type { DonePurchase, DoubtfulPurchase } from '../../base/purchase.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Facts } from '../facts.ts'
import { type Arriving, firstTake, noneArriving, withPicks } from '../picks.ts'
import { planJobs } from '../plan.ts'
import { withRests } from '../rests.ts'
import { restBase } from '../shapes/share.ts'
import { type Choices, isJobStep, type JobStep, type Plan, type Step } from '../shapes/step.ts'
import { arrivals, furtherTakes, withTakes } from '../takes.ts'
import { notePicked, noteRenames, noteRestored, picksThatCameBack } from './moved-results.ts'

/** What picks are of by now, and which takes there are beside those of the manifest. */

/** What picks are settled for. */
interface Wish {
  /** As the manifest has them. */
  readonly jobs: readonly Job[]
  /** Takes that somebody picked. */
  readonly picked: readonly JobAddress[]
  readonly choices?: Choices
}

export interface SettledPicks {
  readonly jobs: readonly Job[]
  readonly whole: Plan
  readonly picked: readonly JobAddress[]
  /** Takes beyond those of the manifest, without picks. */
  readonly more: readonly Job[]
  /** Jobs that one order brings whole, though there is something of them; with what is in doubt of them, which it is instead of. */
  readonly undivided: ReadonlyMap<JobAddress, readonly DoubtfulPurchase[]>
  /** Takes of an earlier `redo` that this run brings. */
  readonly arriving: Arriving
  readonly unpicked: readonly JobAddress[]
}

/**
 * A pick holds as long as the picked take does: one that is made anew by the plan is no choice of anybody any more. It
 * goes along when the job gets another name, be it that of a job which gets its name in turn.
 */
export function settlePicks({ jobs: written, picked: asked, choices }: Wish, facts: Facts): SettledPicks {
  let unpicked: JobAddress[] = []
  const renamed = new Map<JobAddress, JobAddress>()
  const restored = new Map<JobAddress, Set<JobAddress>>()
  // Merged records may have two results under one name: the pick is of one of them.
  const taken = new Map<JobAddress, JobAddress>()
  const nameNow = (address: JobAddress) => taken.get(address) ?? renamed.get(address) ?? address
  // By the names that the records have: names that change hands would be moved back and forth otherwise.
  let held = asked
  // By the names that jobs have now: what was put aside may have had the name of a job that keeps its own.
  const cameBack = new Set<JobAddress>()
  // What came back and is made anew all the same comes back no more.
  const over = new Set<JobAddress>()
  const undivided = new Map<JobAddress, readonly DoubtfulPurchase[]>()
  const isGone = goneBy(facts)
  let arriving = noneArriving
  // Lost by a name that another job has by now, which was known only without them: once.
  const heldAgain = new Set<JobAddress>()
  const holdRenamed = () => {
    const found = unpicked.filter(address => renamed.has(address) && !heldAgain.has(address))
    if (found.length === 0) return
    for (const address of found) heldAgain.add(address)
    held = asked.filter(address => held.includes(address) || found.includes(address))
    unpicked = unpicked.filter(address => !found.includes(address))
  }
  for (;;) {
    const more = furtherTakes(written, facts.purchases, { ...choices, renamed, restored })
    const picked = [...held.map(nameNow), ...cameBack]
    const mayOrder = beyondTakes(written, more, [...picked, ...arriving.arrive])
    const rules = { ...choices, mayOrder, undivided, isGone }
    const chosen = withPicks(withTakes(written, more), picked, none, arriving)
    const jobs = withRests(chosen, facts, rules)
    const whole = planJobs(jobs, facts, { ...choices, further: addressesOf(more), instead: undivided })
    if (noteUndivided(whole, undivided)) continue
    // What is picked counts for lost only when it is known where everything has gone.
    if (noteRenames(whole, renamed)) {
      holdRenamed()
      continue
    }
    if (noteRestored(whole, restored)) continue
    if (notePicked(whole, held, taken)) continue
    const lost = picked.length === 0 ? none : lostAmong(picked, whole, jobs)
    if (lost.size === 0) {
      const back = picksThatCameBack(whole, new Set(picked.map(firstTake)), over)
      const found = back.length === 0 && arriving === noneArriving && arrivingBy(whole)
      if (found) arriving = found
      else if (back.length === 0) return { jobs, whole, picked, more, undivided, arriving, unpicked }
      for (const address of back) cameBack.add(address)
      continue
    }
    unpicked.push(...held.filter(address => lost.has(nameNow(address))))
    for (const address of lost) if (cameBack.has(address)) over.add(address)
    unpicked.push(...[...lost].filter(address => cameBack.has(address)))
    held = held.filter(address => !lost.has(nameNow(address)))
    for (const address of lost) cameBack.delete(address)
  }
}

/** Undefined where a plan brings no take of an earlier `redo`. */
function arrivingBy(plan: Plan): Arriving | undefined {
  const arrive = arrivals(plan)
  if (arrive.size === 0) return undefined
  return { arrive, anew: addressesOf(plan.steps.flatMap(step => (step.do === 'buy' ? [step.job] : []))) }
}

/** Whether what was made is there no more, and no service has it. */
export function goneBy({ standing }: Facts): (made: DonePurchase, job: Job) => boolean {
  return (made, job) => made.run === undefined && standing(made, job).is === 'missing'
}

/**
 * For a take that nobody asks for, and nobody chose, nothing more is ordered; nor for the only take that the manifest asks for, once
 * another is in its place.
 */
export function beyondTakes(
  written: readonly Job[],
  more: readonly Job[],
  picked: readonly JobAddress[],
): (address: JobAddress) => boolean {
  const unwanted = addressesOf(more)
  const replaced = new Set(picked.flatMap(address => (unwanted.has(address) ? [firstTake(address)] : [])))
  if (replaced.size > 0) {
    const several = new Set(written.flatMap(({ address, take }) => (take > 1 ? [firstTake(address)] : [])))
    for (const first of replaced) if (!several.has(first)) unwanted.add(first)
  }
  for (const address of picked) unwanted.delete(address)
  return address => !unwanted.has(address)
}

/** Whether there are any that were not known: what is made anew is ordered as the manifest asks for it, in one order. */
function noteUndivided({ steps }: Plan, undivided: Map<JobAddress, readonly DoubtfulPurchase[]>): boolean {
  const before = undivided.size
  const divided = new Set(steps.flatMap(step => (isPaidRest(step) ? [restBase(step.job.address)] : [])))
  for (const step of steps) {
    if (step.do !== 'buy' || step.job.share?.from !== 0) continue
    // Its first order came to nothing, and others brought files behind it: these stay what they are.
    if (divided.has(step.job.address) && step.job.count <= step.job.share.of) continue
    const isMore = step.job.count > step.job.share.of
    // What is bought again by a word is what was ordered before; the rest of it is there.
    if (isMore || !step.because.some(({ why }) => why === 'asked'))
      undivided.set(
        step.job.address,
        (step.insteadOf ?? []).map(({ doubt }) => doubt),
      )
  }
  return undivided.size > before
}

/** What brings the rest of a job's files and is paid for, or may be. */
function isPaidRest(step: Step): step is JobStep {
  return isJobStep(step) && (step.job.share?.from ?? 0) > 0 && step.do !== 'buy'
}

const none: ReadonlySet<JobAddress> = new Set()

/** Picked takes that are wanted, and that the plan makes anew or leaves. */
function lostAmong(
  picked: readonly JobAddress[],
  { steps }: Plan,
  jobs: readonly Job[],
): ReadonlySet<JobAddress> {
  const wanted = addressesOf(jobs)
  const decided = new Set(steps.flatMap(step => (isJobStep(step) ? [step.job.address] : [])))
  const over = steps.flatMap(step => {
    // What stands beside the picked one under the same name, in doubt or on its way, says nothing about it.
    if (!isJobStep(step)) return decided.has(step.address) ? [] : [step.address]
    return isMadeAnew(step) ? [step.job.address] : []
  })
  const lost = new Set(over)
  return new Set(picked.filter(address => wanted.has(address) && lost.has(address)))
}

/**
 * By this run or by one before: what is on its way in the place of a picked take is not what was picked. Nor is a result
 * that came in its place: from another job, from where an edit had put it, or by another order that stands beside it.
 */
function isMadeAnew(step: JobStep): boolean {
  const isOthers = (step.do === 'keep' || step.do === 'adopt' || step.do === 'fetch') && !step.entry.picked
  // Its run is asked once more before anything is paid.
  const isBought = step.do === 'buy' && (!step.ask || step.ask.isIfSame === true)
  return isOthers || isBought || step.do === 'resume' || step.do === 'doubt'
}

/** Of these jobs. */
export function addressesOf(jobs: readonly Job[]): Set<JobAddress> {
  return new Set(jobs.map(job => job.address))
}
