import type { Failure } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import { isOfUse } from '../engine/run-job.ts'
import type { Outcomes, Task } from '../engine/world.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetBatch } from '../fleet/planners.ts'
import { broughtBy, redirected } from '../plan/shapes/share.ts'
import { followHanded, tellSettled } from './fleet-following.ts'
import { fleetWorks, resultsBefore } from './fleet-works.ts'
import { putForFleet } from './planner/fleet-files.ts'
import { writeMark } from './planner/fleet-records.ts'
import { capsBeyond } from './planner/hear-fleet.ts'
import type { Run } from './run.ts'
import { runTasks } from './run-tasks.ts'

/**
 * Has the workers of a fleet do what is bought for the first time. What goes on here, and what a person ordered anew, is done here:
 * before, or after where it needs what they make.
 */
export async function runOnFleet(run: Run, fleet: Fleet, batch: FleetBatch): Promise<Outcomes> {
  const { before, away, after } = dividedTasks(run.tasks)
  const outcomes = new Map(await runTasks(run, before))
  const theirs = needed(away, outcomes)
  skipAll(theirs.skipped, outcomes, run)
  const handed = fromOrders(theirs.tasks, run)
  for (const [address, state] of await onFleet(run, fleet, batch, handed)) outcomes.set(address, state)
  const rest = needed(after, outcomes)
  skipAll(rest.skipped, outcomes, run)
  for (const [address, state] of await runTasks(run, rest.tasks)) outcomes.set(address, state)
  return outcomes
}

interface Divided {
  readonly before: readonly Task[]
  readonly away: readonly Task[]
  readonly after: readonly Task[]
}

/** Tasks stand in an order where needs come first. */
export function dividedTasks(tasks: readonly Task[]): Divided {
  const places = new Map<JobAddress, keyof Divided>()
  for (const task of tasks) {
    const needs = new Set(task.job.needs.map(need => places.get(need)))
    const isLate = needs.has('after') || (needs.has('away') && !isPlain(task))
    places.set(task.job.address, isLate ? 'after' : isPlain(task) ? 'away' : 'before')
  }
  const at = (place: keyof Divided) => tasks.filter(({ job }) => places.get(job.address) === place)
  return { before: at('before'), away: at('away'), after: at('after') }
}

/** Bought, and nothing of what was there before has a part in it. What a short delivery lacks is ordered here. */
function isPlain({
  start,
  job,
  ask,
  standing,
  insteadOf,
  resend,
  redo,
  resubmitted,
  rebuy,
  aside,
}: Task): boolean {
  const more = [ask, standing, insteadOf, resend, redo, resubmitted, rebuy, aside]
  return start.is === 'ready' && more.every(each => each === undefined) && job.shortDelivery !== 'top-up'
}

/** Without what can no longer happen, because of how others ended. */
function needed(
  tasks: readonly Task[],
  outcomes: Outcomes,
): { readonly tasks: readonly Task[]; readonly skipped: ReadonlyMap<Task, JobAddress> } {
  const skipped = new Map<Task, JobAddress>()
  const lost = new Set([...outcomes].flatMap(([address, state]) => (isOfUse(state) ? [] : [address])))
  for (const task of tasks) {
    const need = task.start.is === 'ready' ? task.job.needs.find(each => lost.has(each)) : undefined
    if (need === undefined) continue
    skipped.set(task, need)
    lost.add(task.job.address)
  }
  return { tasks: tasks.filter(task => !skipped.has(task)), skipped }
}

/**
 * A short delivery may have been topped up just now: whoever is handed a job that needs it knows a file by the order that brought it.
 * What is still to be made has no such orders.
 */
function fromOrders(tasks: readonly Task[], { ledger }: Run): readonly Task[] {
  const theirs = new Set(tasks.map(({ job }) => job.address))
  const made = (address: JobAddress) => (theirs.has(address) ? undefined : ledger.made(address))
  return tasks.map(task => {
    if (task.job.needs.length === 0) return task
    return { ...task, job: redirected(task.job, ref => broughtBy(ref, made)) }
  })
}

function skipAll(
  skipped: ReadonlyMap<Task, JobAddress>,
  outcomes: Map<JobAddress, JobState>,
  run: Pick<Run, 'setting' | 'watch'>,
): void {
  for (const [{ job }, address] of skipped) {
    const state: JobState = { is: 'skipped', because: { why: 'needs', address } }
    outcomes.set(job.address, state)
    tellSettled(job.address, state, run)
  }
}

async function onFleet(
  run: Run,
  { store, enqueue }: Fleet,
  { planner, spentBefore, lost }: FleetBatch,
  tasks: readonly Task[],
): Promise<Outcomes> {
  const { setting, budget } = run
  const { cache, layout, machine } = setting
  if (tasks.length === 0 || setting.request.stop.aborted || lost.aborted)
    return endedAs(tasks, { why: 'stopped' }, run)
  const barred = allBarred(tasks, run)
  if (barred) return barred
  const { batch, checkout } = planner
  const made = resultsBefore(tasks, run)
  if (!cache) throw new Error('a fleet without a cache')
  const trouble = await putForFleet([...made.values()], { cache, output: layout.output, disk: machine.disk })
  if (trouble) return endedAs(tasks, { why: 'unsaved', path: 'the cache', detail: trouble.message }, run)
  const works = await fleetWorks(tasks, batch, run, store)
  await writeMark(setting, { batch, checkout, store: await store.name(), open: true })
  await store.allow(batch, capsBeyond(spentBefore, setting.caps, budget.spent()))
  const { perMinute } = setting.manifest.limits
  const account = run.lines[0].wire.origin
  if (perMinute !== undefined) await store.limit(account, { perSecond: perMinute / 60, burst: 1 })
  await store.begin(planner, works, { resubmit: setting.request.choices?.resubmit ?? false })
  const handOut = () => store.handOut(batch, (queue, ready, ask) => enqueue(batch, queue, ready, { ask }))
  await handOut()
  return followHanded(tasks, run, { store, planner, lost, handOut })
}

/** Where the caps allow nothing of it, nobody has to be at work for that to be told. */
function allBarred(tasks: readonly Task[], run: Run): Outcomes | undefined {
  const outcomes = new Map<JobAddress, JobState>()
  for (const { job } of tasks) {
    const need = job.needs.find(each => outcomes.has(each))
    const because = need === undefined ? run.budget.check(job) : ({ why: 'needs', address: need } as const)
    if (!because) return undefined
    outcomes.set(job.address, { is: 'skipped', because })
  }
  for (const [address, state] of outcomes) tellSettled(address, state, run)
  return outcomes
}

function endedAs(tasks: readonly Task[], because: Failure, run: Run): Map<JobAddress, JobState> {
  const state: JobState = { is: 'skipped', because }
  for (const { job } of tasks) tellSettled(job.address, state, run)
  return new Map(tasks.map(({ job }) => [job.address, state]))
}
