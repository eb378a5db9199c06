import type { Failure } from '../../base/failure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { JobState, SavedFile } from '../../base/state.ts'
import type { Event, Planned, Told } from '../../desk/report.ts'

/** Where a run stands, counted from what was told. Holds details only of jobs that run, and of few others. */
export interface Board {
  hear(told: Told): void
  readonly plan: Planned | undefined
  readonly counts: Readonly<Record<EndedAs, number>>
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
}

export type EndedAs = 'made' | 'failed' | 'doubt' | 'unfinished' | 'skipped'

export interface Running {
  readonly address: JobAddress
  readonly model: string
  readonly since: number
  readonly stage:
    | { readonly is: 'sent' | 'accepted' | 'resumed' | 'fetching' }
    | { readonly is: 'progress'; readonly fraction: number }
    | { readonly is: 'bytes'; readonly bytes: number; readonly total?: number }
    | { readonly is: 'waiting'; readonly failure: Failure; readonly untilMs: number }
}

export interface Ended {
  readonly address: JobAddress
  readonly model: string
  readonly as: EndedAs
  readonly files: readonly SavedFile[]
  readonly failure?: Failure
  /** From the first request to the end; undefined for a job that never began. */
  readonly seconds?: number
}

/** Plans up to this size are shown job by job. */
export const smallPlan = 20
const mostTroubles = 20

export function openBoard(): Board {
  const counts = { made: 0, failed: 0, doubt: 0, unfinished: 0, skipped: 0 }
  const running = new Map<JobAddress, Running>()
  const troubles: Ended[] = []
  const ended = new Map<JobAddress, Ended>()
  const models = new Map<JobAddress, string>()
  let plan: Planned | undefined
  let settled = 0
  let busySeconds = 0

  function begin(told: Planned): void {
    plan = told
    for (const { address, model } of told.work) models.set(address, model)
  }

  function go(event: Event, stage: Running['stage']): void {
    const { address, at } = event
    const known = running.get(address)
    running.set(address, { address, model: modelOf(address), since: known?.since ?? at, stage })
  }

  function end(event: Event, state: JobState): void {
    const { address } = event
    const since = running.get(address)?.since
    running.delete(address)
    const seconds = since === undefined ? undefined : (event.at - since) / 1000
    const job: Ended = { address, model: modelOf(address), seconds, ...endOf(state) }
    counts[job.as]++
    settled++
    busySeconds += seconds ?? 0
    if (models.size <= smallPlan) ended.set(address, job)
    if (job.as === 'failed' || job.as === 'doubt') troubles.push(job)
    if (troubles.length > mostTroubles) troubles.shift()
  }

  function modelOf(address: JobAddress): string {
    return models.get(address) ?? ''
  }

  return {
    hear(told) {
      if (told.event === 'planned') return begin(told)
      if (told.event === 'settled') return end(told, told.state)
      return go(told, stageOf(told))
    },
    get plan() {
      return plan
    },
    counts,
    running,
    troubles,
    ended,
    get total() {
      return plan?.work.length ?? 0
    },
    get settled() {
      return settled
    },
    // What is left takes as long for each as what is done did, with as many at a time as until now.
    secondsLeft(now) {
      const elapsed = plan ? (now - plan.at) / 1000 : 0
      if (!plan || settled < 5 || settled * 20 < plan.work.length || elapsed < 5) return undefined
      const atOnce = Math.max(1, busySeconds / elapsed)
      return ((busySeconds / settled) * (plan.work.length - settled)) / atOnce
    },
  }
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
    case 'waiting':
      return { is: 'waiting', failure: event.failure, untilMs: event.untilMs }
  }
}

/** How a settled state is called in a view. A job that is not settled counts as unfinished. */
export function endOf(state: JobState): Pick<Ended, 'as' | 'files' | 'failure'> {
  switch (state.is) {
    case 'done':
      return { as: 'made', files: state.files, failure: state.flaw }
    case 'failed':
      return { as: 'failed', files: [], failure: state.failure }
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
