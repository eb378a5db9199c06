import { withinGrace } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import { counted } from '../base/measure.ts'
import type { JobAddress } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { JobState, Recipe } from '../base/state.ts'
import { isOfUse } from '../engine/run-job.ts'
import type { Outcomes, Task } from '../engine/world.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetBatch } from '../fleet/planners.ts'
import type { FleetWork, Unheard } from '../fleet/works.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { draftRecipe, linkIdentity } from '../plan/recipe.ts'
import { broughtBy, redirected } from '../plan/share.ts'
import { recipeKey } from '../store/cache/cache-text.ts'
import { inParallel } from '../store/cache/in-parallel.ts'
import { digestOf } from '../store/files/digest.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Setting } from '../workspace/workspace.ts'
import { bringForFleet, putForFleet } from './planner/fleet-files.ts'
import { fleetTask } from './planner/fleet-job.ts'
import { leftAs, leftUnderWay, type PaidOrders, paidOrders } from './planner/fleet-orders.ts'
import { queueOf, tellAlone, tellSilent, writeMark } from './planner/fleet-records.ts'
import { followFleet, followingMs } from './planner/follow-fleet.ts'
import { asHere, capsBeyond } from './planner/hear-fleet.ts'
import { restoreAll } from './results/restore.ts'
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

function tellSettled(
  address: JobAddress,
  state: JobState,
  { setting, watch }: Pick<Run, 'setting' | 'watch'>,
) {
  const event = { at: setting.machine.clock.now(), address, event: 'settled', state } as const
  watch.see(event)
  setting.request.emit(event)
}

async function onFleet(
  run: Run,
  { store, enqueue }: Fleet,
  { planner, spentBefore, lost }: FleetBatch,
  tasks: readonly Task[],
): Promise<Outcomes> {
  const { setting, ledger, budget, orders } = run
  const stop = AbortSignal.any([setting.request.stop, lost])
  const [first] = tasks
  if (!first || stop.aborted) return endedAs(tasks, { why: 'stopped' }, run)
  const { batch, checkout } = planner
  const made = resultsBefore(tasks, run)
  const { cache, layout, machine } = setting
  if (!cache) throw new Error('a fleet without a cache')
  const trouble = await putForFleet([...made.values()], { cache, output: layout.output, disk: machine.disk })
  if (trouble) return endedAs(tasks, { why: 'unsaved', path: 'the cache', detail: trouble.message }, run)
  const works = await worksOf(tasks, batch, run, store)
  await writeMark(setting, { batch, checkout, store: await store.name(), open: true })
  await store.allow(batch, capsBeyond(spentBefore, setting.caps, budget.spent()))
  const { perMinute } = setting.manifest.limits
  const account = run.lines[0].wire.origin
  if (perMinute !== undefined) await store.limit(account, { perSecond: perMinute / 60, burst: 1 })
  await store.begin(planner, works, { resubmit: setting.request.choices?.resubmit ?? false })
  await store.handOut(batch, (queue, ready, ask) => enqueue(batch, queue, ready, { ask }))
  const jobs = new Map(run.planned.jobs.map(job => [job.address, job]))
  const unbrought = new Map<JobAddress, Failure>()
  const localState = (address: JobAddress, state: JobState) =>
    withLocalFiles(address, state, { ledger, unbrought })
  const paid = paidOrders(run.recorded.purchases)
  const known = new Map<JobAddress, JobState>()
  let isLeft = false
  const following = followFleet(batch, {
    store,
    clock: machine.clock,
    stop,
    alone: left => tellAlone(left, setting),
    silent: orders => tellSilent(orders, setting),
    async hear(news) {
      // It was asked for before the end, and the answer came too late: it stays unheard.
      if (isLeft) return
      await hearAll(news, { jobs, unbrought, run })
      await store.hear(planner, news)
      for (const { record } of news) paid.hear(record)
    },
    ended(address, state) {
      if (isLeft) return
      paid.ended(address, state)
      const here = localState(address, state)
      known.set(address, here)
      tellSettled(address, here, run)
    },
  })
  await withinGrace(following, { stop, clock: machine.clock, ms: followingMs })
  isLeft = true
  const left = tasks.filter(({ job }) => !known.has(job.address))
  const news = left.length > 0 && !lost.aborted ? await hearLeft(run, { store, planner, paid }) : undefined
  if (left.length > 0 || lost.aborted) tellLeft({ jobs: left.length, ...news }, lost, setting)
  const states = news?.states ?? new Map<JobAddress, JobState>()
  for (const [address, many] of paid.many()) {
    const job = jobs.get(address)
    for (let nth = 0; job && nth < many; nth++) budget.take(job)
    orders.set(address, many)
  }
  for (const { job } of left) {
    const state = states.get(job.address) ?? { is: 'skipped', because: { why: 'stopped' } }
    known.set(job.address, state)
    tellSettled(job.address, state, run)
  }
  return known
}

/**
 * What workers have ordered when nobody follows them any more: the records know of it from now on, as far as the store tells it in time.
 * What has ended meanwhile is left for the next run, with its files.
 */
async function hearLeft(
  { setting, recorded, ledger }: Run,
  {
    store,
    planner,
    paid,
  }: { readonly store: Fleet['store'] } & Pick<FleetBatch, 'planner'> & {
      readonly paid: PaidOrders
    },
): Promise<Left> {
  const during = { stop: setting.request.stop, clock: setting.machine.clock, ms: lastWordMs }
  const left = await withinGrace(leftUnderWay(planner, store), during)
  const { news = [], sending = [] } = left ?? {}
  for (const { record } of news) paid.hear(record)
  for (const { address, purchase } of sending) paid.hear({ id: purchase, address })
  const open = news.filter(({ record }) => record.is === 'under-way' || record.is === 'doubt')
  await Promise.all(open.map(({ record }) => ledger.stands(record)))
  await withinGrace(store.hear(planner, open), during)
  const before = new Set(recorded.purchases.map(({ id }) => id))
  const since = [...ledger.purchases.values()].filter(({ id, is }) => is !== 'done' && !before.has(id))
  const states = [...since, ...news.map(({ record }) => record)].flatMap(each => {
    const state = leftAs(each)
    return state ? [[each.address, state] as const] : []
  })
  return {
    states: new Map([...sending.map(({ address }) => [address, stoppedState] as const), ...states]),
    workers: left?.workers ?? 'unknown',
  }
}

/** What is known of jobs that nobody follows any more. */
interface Left {
  readonly states: ReadonlyMap<JobAddress, JobState>
  /** How many are at work on them. */
  readonly workers: number | 'unknown'
}

/** The end has to be told before the process has to be over. */
const lastWordMs = 1_000

const stoppedState: JobState = { is: 'detached', because: { why: 'stopped' } }

/** Whoever stops following leaves the workers at work. */
function tellLeft(
  { jobs, workers = 'unknown' }: { readonly jobs: number } & Partial<Pick<Left, 'workers'>>,
  lost: AbortSignal,
  { request, manifest, machine }: Setting,
): void {
  const name = shellWord(manifest.file.name)
  const follow = `genrun run ${name} --fleet`
  const many = counted(jobs, 'job')
  const left =
    workers === 'unknown'
      ? `the fleet’s store did not answer in time: workers may be at work on ${many}`
      : workers > 0
        ? `the workers go on with ${many}`
        : `${many} ${jobs === 1 ? 'waits' : 'wait'} for a worker: genrun work ${name} starts one`
  const message = lost.aborted
    ? 'from another checkout somebody plans this with the fleet by now: it is no longer followed here'
    : `${left}; ${follow} follows ${jobs === 1 ? 'it' : 'them'} again, and takes back what nobody has ordered`
  request.emit({ at: machine.clock.now(), event: 'warned', message })
}

function endedAs(tasks: readonly Task[], because: Failure, run: Run): Map<JobAddress, JobState> {
  const state: JobState = { is: 'skipped', because }
  for (const { job } of tasks) tellSettled(job.address, state, run)
  return new Map(tasks.map(({ job }) => [job.address, state]))
}

/** Under the names that they have here, if they came here. */
function withLocalFiles(
  address: JobAddress,
  state: JobState,
  { ledger, unbrought }: Pick<Run, 'ledger'> & { readonly unbrought: ReadonlyMap<JobAddress, Failure> },
): JobState {
  if (state.is !== 'done') return state
  const because = unbrought.get(address)
  if (because) return { is: 'detached', because, ...defined({ run: state.run }) }
  const made = ledger.made(address)
  if (made) return { ...state, files: made.files }
  // Whoever plans this by now has heard of it: its record is in that lock, and not in this one.
  return { is: 'detached', because: { why: 'stopped' }, ...defined({ run: state.run }) }
}

/** Of those that the tasks need, the ones that no worker makes. */
function resultsBefore(tasks: readonly Task[], { ledger }: Run): ReadonlyMap<JobAddress, DonePurchase> {
  const theirs = new Set(tasks.map(({ job }) => job.address))
  const needs = tasks.flatMap(({ job }) => job.needs.filter(need => !theirs.has(need)))
  return new Map(
    [...new Set(needs)].flatMap(need => {
      const made = ledger.made(need)
      return made ? [[need, made] as const] : []
    }),
  )
}

/**
 * The jobs for the store. What identifies an order is what decides its result, with files that are not made yet by what makes them;
 * and a number, as the same may be wanted twice, or have been bought before and be wanted again.
 */
async function worksOf(
  tasks: readonly Task[],
  batch: string,
  run: Run,
  store: Fleet['store'],
): Promise<readonly FleetWork[]> {
  const { setting, ledger, planned } = run
  const theirs = new Set(tasks.map(({ job }) => job.address))
  const identities = new Map<JobAddress, string>()
  const many = new Map<string, number>()
  const identify = (ref: FileRef): string | undefined => {
    if (ref.from === 'url') return linkIdentity(ref.url)
    if (ref.from === 'path') return planned.inputs?.digests.get(ref.path)
    return typeof ref.nth === 'number' ? ledger.made(ref.address)?.files[ref.nth]?.digest : undefined
  }
  const named = tasks.map(({ job }) => {
    const draft = draftRecipe(job, ref =>
      ref.from === 'job' && theirs.has(ref.address) ? undefined : identify(ref),
    )
    const open = draft.open.map(address => identities.get(address) ?? address)
    const content = digestOf([recipeKey(draft.recipe), open])
    identities.set(job.address, content)
    return { job, content, recipe: draft.recipe }
  })
  const taken = new Set<string>()
  // Of each, as many as this plan may come to: those that are known are counted past.
  for (let isDone = false; !isDone; ) {
    many.clear()
    const wanted = named.map(({ content }) => numbered(content, many, taken))
    const known = await store.known(batch, wanted)
    isDone = known.size === 0
    for (const each of known) taken.add(each)
    if (isDone) return named.map((each, nth) => workOf(each, wanted[nth] ?? '', theirs, run))
  }
  return []

  function workOf(
    { job, recipe }: { readonly job: Job; readonly recipe: Recipe },
    identity: string,
    away: ReadonlySet<JobAddress>,
    { setting: { prices } }: Run,
  ): FleetWork {
    const cost = jobCost(job, prices)
    const made = Object.fromEntries(
      job.needs.flatMap(need => {
        const entry = away.has(need) ? undefined : ledger.made(need)
        return entry ? [[need, entry] as const] : []
      }),
    )
    const price = cost.is === 'known' ? cost.amount : 0
    return {
      address: job.address,
      identity,
      queue: queueOf(setting),
      needs: [...new Set(job.needs.filter(need => away.has(need)))],
      task: fleetTask(job, { recipe, price, made }),
    }
  }
}

function numbered(content: string, many: Map<string, number>, taken: ReadonlySet<string>): string {
  let nth = many.get(content) ?? 0
  do nth++
  while (taken.has(`${content}#${nth}`))
  many.set(content, nth)
  return `${content}#${nth}`
}

/** So many results are brought at a time. */
const atOnce = 16

interface Hearing {
  readonly jobs: ReadonlyMap<JobAddress, Job>
  /** Hears why files of a job did not come here. */
  readonly unbrought: Map<JobAddress, Failure>
  readonly run: Run
}

/** Writes down how purchases of the fleet stand, with their files at their places. */
async function hearAll(news: readonly Unheard[], { jobs, unbrought, run }: Hearing): Promise<void> {
  const { setting, ledger, parts } = run
  const { cache, layout, folders, machine } = setting
  if (!cache) throw new Error('a fleet without a cache')
  // Together, so that what is written down shares its syncs.
  await inParallel(news, atOnce, async ({ record }) => {
    const job = jobs.get(record.address)
    if (record.is !== 'done' || !job) return ledger.stands(await asHere(record, setting, parts))
    const movers = { layout, folders, ledger, parts, disk: machine.disk, cache }
    const trouble = await bringForFleet(record, cache)
    const state = trouble
      ? undefined
      : (await restoreAll([{ do: 'restore', job, entry: record }], movers)).get(job.address)
    if (!trouble && !state) return void run.shared.add(record.id)
    // What cannot be brought now is paid for, and fetched by the next run.
    const detail = trouble?.message ?? `it has not all files of ${job.address}`
    unbrought.set(job.address, { why: 'unsaved', path: 'the cache', detail, elsewhere: true })
    await ledger.stands(record)
    ledger.give(job.address, record.id)
  })
}
