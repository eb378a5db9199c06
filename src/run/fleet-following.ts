import { anySignal } from '../base/any-signal.ts'
import { withinGrace } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import { counted } from '../base/measure.ts'
import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import type { Outcomes, Task } from '../engine/world.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetBatch } from '../fleet/planners.ts'
import type { Unheard } from '../fleet/works.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { inParallel } from '../store/cache/in-parallel.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Setting } from '../workspace/workspace.ts'
import { bringForFleet } from './planner/fleet-files.ts'
import { leftAs, leftUnderWay, type PaidOrders, paidOrders } from './planner/fleet-orders.ts'
import { readMark, tellAlone, tellSilent, writeMark } from './planner/fleet-records.ts'
import { followFleet, followingMs } from './planner/follow-fleet.ts'
import { asHere } from './planner/hear-fleet.ts'
import { restoreAll } from './results/restore.ts'
import type { Run } from './run.ts'

interface Followed extends Pick<FleetBatch, 'planner' | 'lost'> {
  readonly store: Fleet['store']
  /** Hands out what is still to be made. */
  readonly handOut: () => Promise<void>
}

/**
 * Follows what was handed out until all of it has ended, or the stop. Writes down what it hears, brings the files, and counts what was
 * ordered: each order once, however often a job was.
 */
export async function followHanded(
  tasks: readonly Task[],
  run: Run,
  { store, planner, lost, handOut }: Followed,
): Promise<Outcomes> {
  const { setting, ledger } = run
  const { clock } = setting.machine
  const stop = anySignal([setting.request.stop, lost])
  const jobs = new Map(run.planned.jobs.map(job => [job.address, job]))
  const unbrought = new Map<JobAddress, Failure>()
  const paid = paidOrders(run.recorded.purchases)
  const outcomes = new Map<JobAddress, JobState>()
  let isLeft = false
  const following = followFleet(planner.batch, {
    store,
    clock,
    stop,
    handOut,
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
      settle(address, withLocalFiles(address, state, { ledger, unbrought }))
    },
  })
  await withinGrace(following, { stop, clock, ms: followingMs })
  isLeft = true
  const left = tasks.flatMap(({ job }) => (outcomes.has(job.address) ? [] : [job.address]))
  const news = left.length > 0 && !lost.aborted ? await hearLeft(run, { store, planner, paid }) : undefined
  if (left.length > 0 || lost.aborted) tellLeft({ jobs: left.length, ...news }, lost, setting)
  for (const address of left) settle(address, news?.states.get(address) ?? notOrdered)
  countAll(paid, jobs, run)
  return outcomes

  function settle(address: JobAddress, state: JobState): void {
    outcomes.set(address, state)
    tellSettled(address, state, run)
  }
}

const notOrdered: JobState = { is: 'skipped', because: { why: 'stopped' } }

/** What a job has come to, for whoever watches. */
export function tellSettled(
  address: JobAddress,
  state: JobState,
  { setting, watch }: Pick<Run, 'setting' | 'watch'>,
): void {
  const event = { at: setting.machine.clock.now(), address, event: 'settled', state } as const
  watch.see(event)
  setting.request.emit(event)
}

/** Takes what workers have ordered out of the budget, and puts it into the report. */
function countAll(
  paid: PaidOrders,
  jobs: ReadonlyMap<JobAddress, Job>,
  { budget, orders }: Pick<Run, 'budget' | 'orders'>,
): void {
  for (const [address, many] of paid.many()) {
    const job = jobs.get(address)
    for (let nth = 0; job && nth < many; nth++) budget.take(job)
    orders.set(address, many)
  }
}

/**
 * What workers have ordered when nobody follows them any more: the records know of it from now on, as far as the store tells it in time.
 * What has ended meanwhile is left for the next run, with its files.
 */
async function hearLeft(
  { setting, recorded, ledger }: Run,
  { store, planner, paid }: Omit<Followed, 'lost' | 'handOut'> & { readonly paid: PaidOrders },
): Promise<Left> {
  const during = { stop: setting.request.stop, clock: setting.machine.clock, ms: lastWordMs }
  const left = await withinGrace(leftUnderWay(planner, store), during)
  const { news = [], sending = [] } = left ?? {}
  for (const { record } of news) paid.hear(record)
  for (const { address, purchase } of sending) paid.hear({ id: purchase, address })
  const open = news.filter(({ record }) => record.is === 'under-way' || record.is === 'doubt')
  await Promise.all(open.map(({ record }) => ledger.stands(record)))
  await withinGrace(store.hear(planner, open), during)
  // All of them are counted by this run.
  const told = [...news.map(({ record }) => record.id), ...sending.map(({ purchase }) => purchase)]
  const mark = readMark(setting)
  if (mark && told.length > 0) await writeMark(setting, { ...mark, told: [...(mark.told ?? []), ...told] })
  const before = new Set(recorded.purchases.map(({ id }) => id))
  const since = [...ledger.purchases.values()].filter(({ id, is }) => is !== 'done' && !before.has(id))
  const states = [...since, ...news.map(({ record }) => record)].flatMap(each => {
    const state = leftAs(each)
    return state ? [[each.address, state] as const] : []
  })
  return {
    states: new Map([...sending.map(({ address }) => [address, unanswered] as const), ...states]),
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

const unanswered: JobState = { is: 'detached', because: { why: 'stopped', isUnanswered: true } }

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
