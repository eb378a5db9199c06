import type { Failure } from '../../base/failure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { JobState, SavedFile } from '../../base/state.ts'
import type { Event, Planned, RunEvent } from '../../wording/report.ts'
import { openEstimate } from './estimate.ts'

/** Where a run stands, counted from what was told. Holds details only of jobs that run, and of few others. */
export interface Board {
  take(told: RunEvent): void
  readonly plan: Planned | undefined
  readonly counts: Readonly<Record<EndedAs, number>>
  /** The same of each model, in the order of the plan. */
  readonly models: ReadonlyMap<string, ModelCounts>
  /** In the order of their start. */
  readonly running: ReadonlyMap<JobAddress, Running>
  /** The last few that did not end well, oldest first. */
  readonly troubles: readonly Ended[]
  /** How each job ended; kept only for plans that are small enough to be shown whole. */
  readonly ended: ReadonlyMap<JobAddress, Ended>
  /** Jobs to be carried out, jobs that are settled, and how many seconds are probably left, when that can be said. */
  readonly total: number
  readonly settled: number
  secondsLeft(now: number): number | undefined
  /** Jobs settled in the last minute, when that says something. */
  perMinute(now: number): number | undefined
  /** Orders of this run, paid retries included and refusals taken off. */
  readonly ordered: number
  /** What they cost by the user's prices; undefined without prices. */
  readonly cost: { readonly amount: number; readonly currency: string } | undefined
}

export type EndedAs = 'made' | 'failed' | 'doubt' | 'unfinished' | 'skipped'

/** Where the jobs of one model stand. */
export interface ModelCounts {
  readonly counts: Readonly<Record<EndedAs, number>>
  readonly total: number
  readonly settled: number
  readonly running: number
}

export interface Running {
  readonly address: JobAddress
  readonly model: string
  readonly since: number
  /** Paid requests that went out for it in this run, without the further attempts of one order. */
  readonly orders: number
  readonly stage:
    | { readonly is: 'sent' | 'accepted' | 'resumed' | 'fetching' }
    | { readonly is: 'progress'; readonly fraction: number }
    | { readonly is: 'bytes'; readonly bytes: number; readonly total?: number | undefined }
    | { readonly is: 'uploading'; readonly bytes: number; readonly total: number }
    | { readonly is: 'waiting'; readonly failure: Failure; readonly untilMs: number }
}

export interface Ended {
  readonly address: JobAddress
  readonly model: string
  readonly as: EndedAs
  readonly files: readonly SavedFile[]
  readonly failure?: Failure | undefined
  /** What the service says that it cost. */
  readonly credits?: number | undefined
  /** From the first request to the end; undefined for a job that never began. */
  readonly seconds?: number | undefined
}

/** Plans up to this size are shown job by job. */
export const smallPlan = 20
const mostTroubles = 20

export function openBoard(): Board {
  const counts = noCounts()
  const models = new Map<string, ReturnType<typeof newModel>>()
  const running = new Map<JobAddress, Running>()
  const troubles: Ended[] = []
  const ended = new Map<JobAddress, Ended>()
  const tasks = new Map<JobAddress, Planned['work'][number]>()
  const estimate = openEstimate()
  let plan: Planned | undefined
  let settled = 0
  let ordered = 0
  let spent = 0

  function begin(told: Planned): void {
    plan = told
    for (const each of told.work) {
      tasks.set(each.address, each)
      ofModel(each.model).total++
    }
    estimate.begin(told)
  }

  function go(event: Event, stage: Running['stage']): void {
    const { address, at } = event
    const known = running.get(address)
    const isPaid = event.event === 'sending' && (event.again ?? 0) + 1 > (known?.orders ?? 0)
    if (isPaid) count(address, 1)
    const orders = (known?.orders ?? 0) + (isPaid ? 1 : 0)
    const model = modelOf(address)
    if (!known) ofModel(model).running++
    running.set(address, { address, model, since: known?.since ?? at, orders, stage })
  }

  function end(event: Event, state: JobState): void {
    const { address } = event
    const known = running.get(address)
    running.delete(address)
    const seconds = known && (event.at - known.since) / 1000
    if (known && known.orders > 0 && isFree(state)) count(address, -1)
    const job: Ended = { address, model: modelOf(address), seconds, ...endOf(state) }
    counts[job.as]++
    settled++
    const its = ofModel(job.model)
    its.counts[job.as]++
    its.settled++
    if (known) its.running--
    estimate.settled(job.model, seconds, event.at)
    if (tasks.size <= smallPlan) ended.set(address, job)
    if (job.as === 'failed' || job.as === 'doubt') troubles.push(job)
    if (troubles.length > mostTroubles) troubles.shift()
  }

  function count(address: JobAddress, by: 1 | -1): void {
    ordered += by
    spent += by * (tasks.get(address)?.cost ?? 0)
  }

  function modelOf(address: JobAddress): string {
    return tasks.get(address)?.model ?? ''
  }

  function ofModel(model: string): ReturnType<typeof newModel> {
    const known = models.get(model) ?? newModel()
    models.set(model, known)
    return known
  }

  return {
    take(told) {
      if (told.event === 'planned') return begin(told)
      if (told.event === 'warned') return
      if (told.event === 'settled') return end(told, told.state)
      return go(told, stageOf(told))
    },
    get plan() {
      return plan
    },
    counts,
    models,
    running,
    troubles,
    ended,
    get total() {
      return plan?.work.length ?? 0
    },
    get settled() {
      return settled
    },
    secondsLeft: now => (plan ? estimate.secondsLeft(now, running.values()) : undefined),
    perMinute: now => (plan ? estimate.perMinute(now) : undefined),
    get ordered() {
      return ordered
    },
    get cost() {
      return plan?.currency === undefined ? undefined : { amount: spent, currency: plan.currency }
    },
  }
}

function noCounts(): Record<EndedAs, number> {
  return { made: 0, failed: 0, doubt: 0, unfinished: 0, skipped: 0 }
}

function newModel() {
  return { counts: noCounts(), total: 0, settled: 0, running: 0 }
}

/** Nothing was ordered after all, or the service said no before anything was billed. */
function isFree(state: JobState): boolean {
  return state.is === 'skipped' || (state.is === 'failed' && state.billed === 'no')
}

function stageOf(event: Exclude<Event, { event: 'settled' }>): Running['stage'] {
  switch (event.event) {
    case 'sending':
      return { is: 'sent' }
    case 'accepted':
    case 'resumed':
      return { is: event.event }
    case 'progress':
      return { is: 'progress', fraction: event.fraction }
    case 'made':
      return { is: 'fetching' }
    case 'bytes':
      return { is: 'bytes', bytes: event.bytes, total: event.total }
    case 'uploading':
      return { is: 'uploading', bytes: event.bytes, total: event.total }
    case 'waiting':
      return { is: 'waiting', failure: event.failure, untilMs: event.untilMs }
  }
}

/** How a settled state is called in a view. A job that is not settled counts as unfinished. */
export function endOf(state: JobState): Pick<Ended, 'as' | 'files' | 'failure' | 'credits'> {
  switch (state.is) {
    case 'done':
      return { as: 'made', files: state.files, failure: state.flaw, credits: state.credits }
    case 'failed':
      return { as: 'failed', files: [], failure: state.failure, credits: state.credits }
    case 'doubt':
      return { as: 'doubt', files: [], failure: { why: 'in-doubt', detail: state.detail } }
    case 'detached':
      return { as: 'unfinished', files: [], failure: state.because }
    case 'skipped':
      return { as: 'skipped', files: [], failure: state.because }
    case 'ready':
    case 'remote':
    case 'made':
      return { as: 'unfinished', files: [] }
  }
}
