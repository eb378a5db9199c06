import { defined } from '../base/defined.ts'
import type { JobAddress } from '../base/names.ts'
import type { DonePurchase, DoubtfulPurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Facts } from './facts.ts'
import { withinLimit } from './limit.ts'
import { type Arriving, firstTake, noneArriving, withPicks } from './picks.ts'
import { planJobs } from './plan.ts'
import type { Reason } from './reasons.ts'
import { withRests } from './rests.ts'
import { retakesDue } from './retakes.ts'
import { isEmptySelection, type Selected, type Selection, type Standings, selectJobs } from './select.ts'
import { restBase } from './share.ts'
import { type Choices, formerAddress, isJobStep, type JobStep, type Plan, type Step } from './step.ts'
import { arrivals, furtherTakes, redoOf, withTakes } from './takes.ts'

/** What is asked of a plan. */
interface Request {
  /** As the manifest has them. */
  readonly jobs: readonly Job[]
  /** Takes that somebody picked. */
  readonly picked: readonly JobAddress[]
  readonly choices?: Pick<Choices, 'failed' | 'rebuy' | 'resubmit'>
  readonly select?: Selection
  /** What is selected is ordered again although nothing changed. */
  readonly redo?: boolean
  /** What is selected keeps its files although its recipe changed. */
  readonly accept?: boolean
}

export interface PlannedJobs {
  readonly got: 'planned'
  readonly plan: Plan
  /** With picks applied, and with the takes that the manifest does not ask for. */
  readonly jobs: readonly Job[]
  /** Takes that `redo` orders, or has ordered: each is to be picked when it is there. */
  readonly redone: ReadonlySet<JobAddress>
  /** All that this `redo` is to bring, be it there already. */
  readonly redoing?: ReadonlySet<JobAddress>
  /** The jobs as they will be called once those are picked. */
  readonly afterPicks: readonly Job[]
  /** Jobs that would be bought without the limit. */
  readonly leftOut?: number
  /** What the files are to be accepted of, needs left out. */
  readonly accepting?: ReadonlySet<JobAddress>
  /** Picks that hold no longer: what was picked is made anew, or is no longer what is asked for. */
  readonly unpicked: readonly JobAddress[]
}

/** The plan with everything that picks and takes have to do with it. Pure. */
export function planRequest(
  request: Request,
  facts: Facts,
): PlannedJobs | Extract<Selected, { got: 'nothing' }> {
  const settled = settlePicks(request, facts)
  const { jobs, whole, more, unpicked } = settled
  const done = (plan: Plan): PlannedJobs => {
    const redone = arrivals(plan)
    const afterPicks = redone.size === 0 ? jobs : pickedLater(request, settled, redone, facts)
    return { got: 'planned', plan, jobs, redone, afterPicks, unpicked }
  }
  const { select = {}, redo, accept } = request
  const due = redo || accept ? none : retakesDue(request.jobs, whole, facts, settled.picked)
  if (isEmptySelection(select) && !redo && !accept && due.size === 0) return done(whole)
  const selected = selectJobs(jobs, select, standingsOf(whole, facts))
  if (selected.got === 'nothing') return selected
  const { limit, ...words } = select
  const only = !isEmptySelection(words) && { only: selected.all }
  if (accept) return planAccepted(request, facts, { accept: selected.asked, ...only })
  const choices: Choices = { ...request.choices, further: addressesOf(more), ...only }
  // Whoever limits what is bought says a number of his own.
  const retaken = limit === undefined ? new Set([...due].filter(each => selected.all.has(each))) : none
  if (!redo && retaken.size === 0) {
    const { plan, leftOut } = planLimited(jobs, facts, choices, limit)
    return { ...done(plan), ...defined({ leftOut }) }
  }
  const ordered = redo
    ? orderAgain(request, settled, selected.asked, { facts, choices })
    : orderAgain(request, settled, retaken, { facts, choices: { ...choices, isRetake: true } })
  return { ...done(ordered.plan), ...ordered }
}

/** The jobs as they are called once takes of an earlier `redo` have come, and are picked. */
function pickedLater(
  { jobs: written, choices }: Request,
  { picked, more, undivided }: Settled,
  redone: ReadonlySet<JobAddress>,
  facts: Facts,
): readonly Job[] {
  const rules = {
    ...choices,
    mayOrder: beyondTakes(written, more, [...redone, ...picked]),
    undivided,
    isGone: goneBy(facts),
  }
  return withRests(withPicks(withTakes(written, more), [...redone, ...picked]), facts.purchases, rules)
}

function planLimited(
  jobs: readonly Job[],
  facts: Facts,
  choices: Choices,
  limit: number | undefined,
): Pick<PlannedJobs, 'plan' | 'leftOut'> {
  const plan = planJobs(jobs, facts, choices)
  const only = limit === undefined ? undefined : withinLimit(plan, limit)
  if (!only) return { plan }
  const isLimitOnly = choices.only === undefined && { isLimitOnly: true as const }
  const limited = planJobs(jobs, facts, { ...choices, only, ...isLimitOnly })
  return { plan: limited, leftOut: plan.buys - limited.buys }
}

/** What is accepted is as good as unchanged: a pick of it holds, and its takes keep their names. */
function planAccepted(
  request: Request,
  facts: Facts,
  word: Required<Pick<Choices, 'accept'>> & Pick<Choices, 'only'>,
): PlannedJobs {
  const choices = { ...request.choices, accept: word.accept }
  const { jobs, more, unpicked } = settlePicks({ ...request, choices }, facts)
  const plan = planJobs(jobs, facts, { ...request.choices, ...word, further: addressesOf(more) })
  return { got: 'planned', plan, jobs, redone: new Set(), afterPicks: jobs, unpicked, accepting: word.accept }
}

interface Settled {
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
function settlePicks(
  { jobs: written, choices, ...request }: Omit<Request, 'choices'> & { readonly choices?: Choices },
  facts: Facts,
): Settled {
  const unpicked: JobAddress[] = []
  const renamed = new Map<JobAddress, JobAddress>()
  const restored = new Map<JobAddress, Set<JobAddress>>()
  // Merged records may have two results under one name: the pick is of one of them.
  const taken = new Map<JobAddress, JobAddress>()
  const nameNow = (address: JobAddress) => taken.get(address) ?? renamed.get(address) ?? address
  // By the names that the records have: names that change hands would be moved back and forth otherwise.
  let held = request.picked
  // By the names that jobs have now: what was put aside may have had the name of a job that keeps its own.
  const cameBack = new Set<JobAddress>()
  // What came back and is made anew all the same comes back no more.
  const over = new Set<JobAddress>()
  const undivided = new Map<JobAddress, readonly DoubtfulPurchase[]>()
  const isGone = goneBy(facts)
  let arriving = noneArriving
  for (;;) {
    const more = furtherTakes(written, facts.purchases, { ...choices, renamed, restored })
    const picked = [...held.map(nameNow), ...cameBack]
    const mayOrder = beyondTakes(written, more, [...picked, ...arriving.arrive])
    const rules = { ...choices, mayOrder, undivided, isGone }
    const chosen = withPicks(withTakes(written, more), picked, none, arriving)
    const jobs = withRests(chosen, facts.purchases, rules)
    const whole = planJobs(jobs, facts, { ...choices, further: addressesOf(more), instead: undivided })
    if (noteUndivided(whole, undivided)) continue
    // What is picked counts for lost only when it is known where everything has gone.
    if (noteRenames(whole, renamed)) continue
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
function goneBy({ standing }: Facts): (made: DonePurchase, job: Job) => boolean {
  return (made, job) => made.run === undefined && standing(made, job).is === 'missing'
}

/**
 * For a take that nobody asks for, and nobody chose, nothing more is ordered; nor for the only take that the manifest asks for, once
 * another is in its place.
 */
function beyondTakes(
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
      undivided.set(step.job.address, step.insteadOf ?? [])
  }
  return undivided.size > before
}

/** What brings the rest of a job's files and is paid for, or may be. */
function isPaidRest(step: Step): step is JobStep {
  return isJobStep(step) && (step.job.share?.from ?? 0) > 0 && step.do !== 'buy'
}

/**
 * An edit that was taken back: what was picked when it was put aside is picked again, unless another take is by now. `over`: what came
 * back, and is made anew all the same.
 */
function picksThatCameBack(
  { steps }: Plan,
  picked: ReadonlySet<JobAddress>,
  over: ReadonlySet<JobAddress>,
): JobAddress[] {
  return steps.flatMap(step => {
    if (!isFromAside(step) || !step.entry.picked) return []
    const { address } = step.job
    return picked.has(firstTake(address)) || over.has(address) ? [] : [address]
  })
}

/**
 * Whether there are any that were not known. An address whose job keeps what it has was given to nobody. What lies aside under a name goes
 * after what has it, which may go elsewhere while the other comes back.
 */
function noteRenames({ steps }: Plan, renamed: Map<JobAddress, JobAddress>): boolean {
  const kept = new Set(steps.flatMap(step => (isJobStep(step) && keepsOwn(step) ? [step.job.address] : [])))
  let isNew = false
  const [present, aside] = [false, true].map(is => steps.filter(step => isFromAside(step) === is))
  for (const step of [...(present ?? []), ...(aside ?? [])]) {
    const from = formerAddress(step)
    if (!isJobStep(step) || from === undefined || from === step.job.address) continue
    if (renamed.has(from) || kept.has(from)) continue
    renamed.set(from, step.job.address)
    isNew = true
  }
  return isNew
}

/** Whether there are any that were not known, of results that were put aside under a name which another job has by now. */
function noteRestored({ steps }: Plan, restored: Map<JobAddress, Set<JobAddress>>): boolean {
  let isNew = false
  for (const step of steps) {
    if (!isFromAside(step)) continue
    const { address: from } = recordOf(step)
    const { address } = step.job
    if (firstTake(from) === firstTake(address)) continue
    const heirs = restored.get(firstTake(from)) ?? new Set()
    if (heirs.has(firstTake(address))) continue
    restored.set(firstTake(from), heirs.add(firstTake(address)))
    isNew = true
  }
  return isNew
}

/** Whether there are any that were not known, of picked results that go to another name. */
function notePicked(
  { steps }: Plan,
  held: readonly JobAddress[],
  taken: Map<JobAddress, JobAddress>,
): boolean {
  const before = taken.size
  for (const step of steps) {
    if (!isBrought(step) || !step.entry.picked || recordOf(step).aside) continue
    const { address: from } = recordOf(step)
    if (from !== step.job.address && held.includes(from) && !taken.has(from))
      taken.set(from, step.job.address)
  }
  return taken.size > before
}

/** A result that was put aside gets a name again. */
function isFromAside(step: Step): step is Brought {
  return isBrought(step) && recordOf(step).aside === true
}

type Brought = Extract<Step, { do: 'keep' | 'adopt' | 'fetch' | 'restore' }>

function isBrought(step: Step): step is Brought {
  return isJobStep(step) && 'entry' in step
}

/** A result as it is recorded, which a cache may bring in its place. */
function recordOf(step: Brought): DonePurchase {
  return (step.do === 'restore' && step.lost) || step.entry
}

function keepsOwn(step: JobStep): boolean {
  switch (step.do) {
    case 'keep':
    case 'fetch':
    case 'adopt':
      return step.entry.address === step.job.address && !isFromAside(step)
    case 'restore':
      return step.lost?.address === step.job.address && !isFromAside(step)
    case 'resume':
    case 'doubt':
      return step.purchase.address === step.job.address
    default:
      return false
  }
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
  const isBought = step.do === 'buy' && !step.ask
  return isOthers || isBought || step.do === 'resume' || step.do === 'doubt'
}

interface Table {
  readonly facts: Facts
  readonly choices: Choices
}

function addressesOf(jobs: readonly Job[]): Set<JobAddress> {
  return new Set(jobs.map(job => job.address))
}

/** Orders takes until it is clear which: a job whose need is ordered again is made anew by that, and needs no take. */
function orderAgain(
  { jobs: written }: Request,
  { whole, picked, more, undivided, arriving }: Settled,
  asked: ReadonlySet<JobAddress>,
  { facts, choices }: Table,
): Pick<PlannedJobs, 'plan' | 'jobs' | 'redone' | 'redoing' | 'afterPicks'> {
  // What a manifest orders again by itself is known by the takes that there are.
  const redoing = choices.isRetake ? undefined : facts.redoing
  const { purchases } = facts
  const { added, again, open, had } = redoOf(asked, withTakes(written, more), whole, {
    purchases,
    ...defined({ redoing }),
  })
  // What was picked and is lost is made anew: as any other take it is to be picked when it is there.
  const held = picked.filter(address => !again.has(address))
  const repicked = picked.filter(address => again.has(address))
  const isGone = goneBy(facts)
  let takes = added
  for (;;) {
    const names = addressesOf(takes)
    const all = withTakes(written, [...more, ...takes])
    const wanted = [...picked, ...arriving.arrive, ...names]
    const rules = {
      ...choices,
      mayOrder: beyondTakes(written, [...more, ...takes], wanted),
      undivided,
      isGone,
    }
    const divided = (those: readonly Job[]) => withRests(those, facts.purchases, rules)
    const jobs = divided(withPicks(all, held, new Set([...names, ...repicked]), arriving))
    const plan = planJobs(jobs, facts, {
      ...choices,
      further: addressesOf([...more, ...takes]),
      instead: undivided,
      redo: new Set([...names, ...again]),
      ...(choices.only && { only: new Set([...choices.only, ...names, ...open]) }),
    })
    const anew = madeAnew(plan, asked, names)
    const left = takes.filter(job => !anew.has(firstTake(job.address)))
    if (left.length === takes.length) {
      const redone = new Set([...names, ...open, ...repicked])
      const brought = { redoing: new Set([...names, ...open, ...again, ...had, ...boughtAmong(plan, asked)]) }
      const afterPicks = divided(withPicks(all, [...redone, ...held]))
      return { plan, jobs, redone, ...(!choices.isRetake && brought), afterPicks }
    }
    takes = left
  }
}

/** Jobs that are bought as they are, by the addresses of their first takes. */
function madeAnew(
  { steps }: Plan,
  asked: ReadonlySet<JobAddress>,
  takes: ReadonlySet<JobAddress>,
): Set<JobAddress> {
  const bought = boughtAmong({ steps }, asked)
  return new Set(bought.filter(address => !takes.has(address)).map(firstTake))
}

function boughtAmong({ steps }: Pick<Plan, 'steps'>, asked: ReadonlySet<JobAddress>): JobAddress[] {
  return steps.flatMap(step => (step.do === 'buy' && asked.has(step.job.address) ? [step.job.address] : []))
}

/** What is known of jobs when they are chosen by it: under the names that they had, and under those that they have now. */
/** It waits for a run of another service: nothing is done about it, and it is not left out. */
function isAtAnother(step: JobStep): boolean {
  return step.do === 'hold' && step.because.why === 'other-service'
}

function standingsOf({ steps }: Plan, { purchases, skipped = none }: Facts): Standings {
  const last = new Map(
    purchases.flatMap(each => (each.is === 'open' ? [] : [[each.address, each.is] as const])),
  )
  const failed = [...last].flatMap(([address, is]) => (is === 'failed' ? [address] : []))
  const doubt = purchases.flatMap(({ is, address }) => (is === 'doubt' ? [address] : []))
  const now = (is: (step: JobStep) => boolean) =>
    steps.flatMap(step => (isJobStep(step) && is(step) ? [step.job.address] : []))
  return {
    open: new Set(now(isOpen)),
    skipped,
    failed: new Set([...failed, ...now(isAboutFailure)]),
    doubt: new Set([...doubt, ...now(step => step.do === 'doubt' || isAtAnother(step))]),
    changed: new Set(now(step => step.do === 'buy' && step.again === true)),
  }
}

/** Nothing of it is there or under way. */
function isOpen(step: JobStep): boolean {
  return step.do === 'buy' ? step.again !== true : step.do === 'hold' && step.because.why === 'needs'
}

/** Also when its files are gone: the run that says so fails, and the next one is to try again or to say so again. */
function isAboutFailure(step: JobStep): boolean {
  if (step.do === 'hold') return step.because.why === 'failed-before' || step.because.why === 'files-gone'
  if (step.do === 'fetch') return true
  if (step.do === 'keep') return step.short !== undefined && step.job.shortDelivery !== 'accept'
  const isFailure = (reason: Reason) =>
    reason.why === 'rest' ||
    reason.why === 'refused-before' ||
    (reason.why === 'asked' && reason.word === '--failed')
  return step.do === 'buy' && step.because.some(isFailure)
}
