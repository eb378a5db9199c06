import { type Failure, failureMessage } from '../base/failure.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type DonePurchase } from '../base/purchase.ts'
import type { JobState } from '../base/state.ts'
import { type Outcomes } from '../engine/world.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { firstTake, picksOver } from '../plan/picks.ts'
import { furtherRest } from '../plan/shapes/share.ts'
import { type Plan, type Step } from '../plan/shapes/step.ts'
import type { Recorded } from '../workspace/workspace.ts'
import { finishRun, shareResults } from './finish-run.ts'
import { lostClaim } from './gate.ts'
import { adoptAll } from './results/adopt.ts'
import { completeRecipes } from './results/complete.ts'
import { isRestoration, restoreAll } from './results/restore.ts'
import type { Run } from './run.ts'
import { runTasks } from './run-tasks.ts'
import { settleWaiting } from './settle-pick.ts'
import { lostText } from './watch-records.ts'

interface Ended {
  readonly outcomes: Outcomes
  readonly seconds: number
  /** The first trouble with the disk after the last request. */
  readonly damage: string | undefined
  readonly unshared: string | undefined
  readonly isUnrecorded: boolean
}

/** What is there goes to its places first: what is bought may be made from it, and may get its old names. */
export async function performRun(run: Run, began: number): Promise<Ended> {
  const { setting, planned, ledger } = run
  await noteKnown(run)
  const unrestored = await moveHome(run)
  await pickWaiting(run)
  const { batch, request } = setting
  const ended = await (request.fleet && batch
    ? (await import('./fleet-tasks.ts')).runOnFleet(run, request.fleet, batch)
    : runTasks(run))
  const outcomes = changeable(ended)
  for (const [address, state] of unrestored) outcomes.set(address, state)
  const seconds = (setting.machine.clock.now() - began) / 1000
  const made = doneIn(outcomes.all)
  const moved = planned.plan.steps.flatMap(step =>
    step.do === 'adopt' || step.do === 'restore' ? [step.job.address] : [],
  )
  const isThere = moved.length === 0 ? made : new Set([...made, ...moved])
  const brought = broughtAmong(run, isThere)
  const passedOver = brought.filter(address => run.decided.isPassedOver(address))
  const chosen = brought.filter(address => !passedOver.includes(address))
  const { damage: trouble, unpublished } = await finishRun(run, {
    made: isThere,
    chosen,
    passedOver,
    skipped: skippedAmong(outcomes.all),
  })
  const lost = run.records.lost && `${failureMessage(run.records.lost)}; ${lostText}`
  const damage = trouble ?? lost ?? run.spool.broken?.message
  const unshared = unpublished ?? (await shareResults(run, made))
  const isAlone = run.journal.broken ?? run.records.lost ?? lostClaim(run.claim)
  const isUnrecorded = trouble !== undefined && isAlone !== undefined
  run.records.close()
  // Where a take was picked, all takes of its job may have other names by now; published, a result has a link.
  const renamed = new Set([...chosen, ...planned.unpicked].map(firstTake))
  for (const [address, state] of outcomes.all) {
    if (state.is !== 'done' || !(setting.request.publish || renamed.has(firstTake(address)))) continue
    outcomes.set(address, { ...state, files: ledger.made(address)?.files ?? state.files })
  }
  for (const job of shortJobs(run, outcomes.all)) {
    const state = outcomes.all.get(job.address)
    if (state?.is !== 'done' || !isToppedUp(job, outcomes.all, run)) continue
    const { flaw: _, ...whole } = state
    outcomes.set(job.address, whole)
  }
  return { outcomes: outcomes.all, seconds, damage, unshared, isUnrecorded }
}

/** Copied with the first change: mostly there is none, and there may be a hundred thousand. */
function changeable(outcomes: Outcomes) {
  let changed: Map<JobAddress, JobState> | undefined
  return {
    get all(): Outcomes {
      return changed ?? outcomes
    },
    set(address: JobAddress, state: JobState): void {
      changed ??= new Map(outcomes)
      changed.set(address, state)
    },
  }
}

function doneIn(outcomes: Outcomes): Set<JobAddress> {
  const done = new Set<JobAddress>()
  for (const [address, { is }] of outcomes) if (is === 'done') done.add(address)
  return done
}

/** Takes that were ordered to be picked, and are there. */
function broughtAmong(run: Run, isThere: ReadonlySet<JobAddress>): JobAddress[] {
  const ordered = [...run.planned.redone, ...repicked(run)]
  if (ordered.length === 0) return ordered
  const kept = keptBy(run.planned.plan)
  return ordered.filter(address => isThere.has(address) || kept.has(address))
}

/** The last come first: what an order lacks is brought by a later one. */
function shortJobs({ tasks, further }: Run, outcomes: Outcomes): Job[] {
  return [...tasks, ...further]
    .flatMap(({ job }) => (isShortIn(outcomes, job.address) ? [job] : []))
    .toReversed()
}

function isShortIn(outcomes: Outcomes, address: JobAddress): boolean {
  const state = outcomes.get(address)
  return state?.is === 'done' && state.flaw?.why === 'short-delivery'
}

/** Of what came short the rest was ordered in the same run, and all of it is there: nothing is lacking, and nothing is to be told. */
function isToppedUp(job: Job, outcomes: Outcomes, { further }: Run): boolean {
  const state = outcomes.get(job.address)
  const rest = state?.is === 'done' ? furtherRest(job, state.files.length) : undefined
  const isOrdered = rest !== undefined && further.some(task => task.job.address === rest.address)
  return isOrdered && outcomes.get(rest.address)?.is === 'done' && !isShortIn(outcomes, rest.address)
}

/** Picked takes whose files are gone, and that a person pays for again where no service has them: whatever comes is the pick. */
function repicked({ planned, recorded }: Run): JobAddress[] {
  const picked = new Set(
    recorded.purchases.flatMap(each => (each.is === 'done' && each.picked ? each.id : [])),
  )
  if (picked.size === 0) return []
  return planned.plan.steps.flatMap(step =>
    step.do === 'buy' && step.ask && !step.ask.isIfSame && picked.has(step.ask.purchase)
      ? step.job.address
      : [],
  )
}

/** Not by a stop of the user's or a cap, which nobody calls a failure. */
function skippedAmong(outcomes: Outcomes): JobAddress[] {
  const isStopped = (because: Failure) =>
    because.why === 'closed' || (because.why === 'budget' && because.failures !== undefined)
  const skipped: JobAddress[] = []
  for (const [address, state] of outcomes)
    if (state.is === 'skipped' && isStopped(state.because)) skipped.push(address)
  return skipped
}

/** What is known for another job, or was found elsewhere: the journal has to know it, before anything becomes of it. */
async function noteKnown({ tasks, planned, recorded, ledger }: Run): Promise<void> {
  const owners = new Map(planned.plan.steps.flatMap(ownerOf))
  const untold = new Set(recorded.untold.map(({ id }) => id))
  const doubts = renamedDoubts(planned.plan, recorded)
  const told = new Set([...tasks.map(({ purchase, ask }) => ask?.purchase ?? purchase), ...doubts])
  const known = [...told].flatMap(id => ledger.purchases.get(id) ?? [])
  await Promise.all(
    known.flatMap(record => {
      const address = owners.get(record.id) ?? record.address
      const isWritten = !recorded.unwritten.has(record.id) || untold.has(record.id)
      const isNews = address !== record.address || !isWritten
      return isNews ? ledger.stands({ ...record, address }) : []
    }),
  )
}

/**
 * What is in doubt, and whose job has another name by now: under the old one it would count as another job's that gets that. What only the
 * lock knows another checkout may have settled meanwhile: its name stays as it is told there.
 */
export function renamedDoubts(plan: Plan, { unwritten }: Pick<Recorded, 'unwritten'>): readonly PurchaseId[] {
  return plan.steps.flatMap(step =>
    step.do === 'doubt' && step.purchase.address !== step.job.address && !unwritten.has(step.purchase.id)
      ? [step.purchase.id]
      : [],
  )
}

/** Whose a purchase is from now on; it may have been for another job, or for this one under another name. */
function ownerOf(step: Step): [PurchaseId, JobAddress][] {
  switch (step.do) {
    case 'resume':
    case 'doubt':
      return [[step.purchase.id, step.job.address]]
    case 'fetch':
      return [[step.entry.id, step.job.address]]
    case 'buy':
      return [
        step.ask?.purchase,
        step.renews?.id,
        ...(step.insteadOf ?? []).map(({ doubt }) => doubt.id),
      ].flatMap(id => (id ? [[id, step.job.address]] : []))
    default:
      return []
  }
}

/** Results that are there under other names or in the cache get their places. Tells what could not be restored. */
async function moveHome(run: Run): Promise<Outcomes> {
  const { setting, planned, ledger, parts } = run
  const { cache, layout, folders, machine } = setting
  const { plan, jobs } = planned
  const movers = { layout, folders, ledger, parts, disk: machine.disk }
  await adoptAll(plan.steps.filter(isAdoption), movers)
  await completeRecipes(jobs, ledger)
  return cache ? restoreAll(plan.steps.filter(isRestoration), { ...movers, cache }) : new Map()
}

function isAdoption(step: Step): step is Step & { do: 'adopt' } {
  return step.do === 'adopt'
}

/** What was asked for on a page while nobody could carry it out. Selected or not: a person has chosen. */
async function pickWaiting({ setting, planned, recorded, ledger }: Run): Promise<void> {
  if (!planned.waiting) return
  const { heeded, altered } = planned.waiting
  await settleWaiting(
    { heeded, over: picksOver(altered) },
    { workspace: setting, recorded, ledger, plan: planned.plan },
  )
}

/** What lies where it should already, by address. */
export function keptBy({ steps }: Plan): Map<JobAddress, DonePurchase> {
  return new Map(steps.flatMap(step => (step.do === 'keep' ? [[step.job.address, step.entry]] : [])))
}
