import { defined } from '../base/defined.ts'
import { type Diagnostic, type ProblemRecord, problemRecord } from '../base/diagnostic.ts'
import { type Failure, failureMessage } from '../base/failure.ts'
import type { JobAddress, RunId } from '../base/names.ts'
import type { JobState, SavedFile } from '../base/state.ts'
import type { Event, Planned, Report, RunEvent } from '../wording/report.ts'
import type { Refusal } from './run-end.ts'

/** The form of the lines. It grows when a reader of the old form could go wrong. */
export const eventsFormat = 1

/**
 * One line of `--events`: what happened, in order. The first is always `begin` and the last always `end`, unless the
 * process was killed. `schemas/events.schema.json` describes them.
 */
export type EventRecord = { readonly at: string } & (
  | {
      readonly event: 'begin'
      readonly format: typeof eventsFormat
      readonly genrun: string
      readonly manifest: string
    }
  | ({ readonly event: 'planned' } & Omit<Planned, 'at' | 'event'>)
  | { readonly event: 'warned'; readonly message: string }
  | JobRecord
  | EndRecord
)

/** What happened to one job. */
type JobRecord = { readonly address: JobAddress } & (
  | {
      readonly event: 'sending'
      readonly model: string
      readonly attempt: number
      readonly again?: number
    }
  | { readonly event: 'accepted'; readonly run: RunId; readonly workflow: string }
  | { readonly event: 'resumed'; readonly run?: RunId; readonly workflow?: string }
  | { readonly event: 'progress'; readonly fraction: number }
  | { readonly event: 'made' }
  | { readonly event: 'bytes'; readonly bytes: number; readonly total?: number }
  | { readonly event: 'uploading'; readonly file: string; readonly bytes: number; readonly total: number }
  | { readonly event: 'waiting'; readonly failure: FailureRecord; readonly until: string }
  | {
      readonly event: 'settled'
      readonly state: 'done' | 'failed' | 'doubt' | 'detached' | 'skipped' | 'open'
      readonly files: readonly SavedFile[]
      readonly run?: RunId
      readonly failure?: FailureRecord
      readonly credits?: number
    }
)

type EndRecord = { readonly event: 'end'; readonly exit: number } & Partial<
  Pick<Report, 'counts' | 'paid' | 'requests' | 'cost' | 'seconds'>
> & { readonly problems: readonly ProblemRecord[]; readonly error?: Refusal }

interface FailureRecord {
  readonly why: Failure['why']
  readonly message: string
}

/** The line that stands first. */
export function beginRecord(at: number, genrun: string, manifest: string): EventRecord {
  return { at: dated(at), event: 'begin', format: eventsFormat, genrun, manifest }
}

/**
 * The line of something that was told. Links are never part of it: they are signed. `dateOf` gives the wall clock's date
 * of what was told.
 */
export function eventRecord(told: RunEvent, dateOf: (at: number) => number): EventRecord {
  const at = dated(dateOf(told.at))
  if (told.event === 'planned') return { ...told, at }
  if (told.event === 'warned') return { at, event: 'warned', message: told.message }
  if (told.event === 'waiting') return { at, ...waitingRecord(told, dateOf(told.untilMs)) }
  return { at, ...jobRecord(told) }
}

/** The line that stands last. */
export function endRecord(
  at: number,
  exit: number,
  {
    problems,
    report,
    error,
  }: { problems: readonly Diagnostic[]; report?: Report | undefined; error?: Refusal },
): EventRecord {
  const sums = report && sumsOf(report)
  const records = problems.map(problemRecord)
  return { at: dated(at), event: 'end', exit, ...sums, problems: records, ...defined({ error }) }
}

function sumsOf({ counts, paid, requests, cost, seconds }: Report): Partial<EndRecord> {
  return { counts, paid, requests, ...defined({ cost }), seconds }
}

function waitingRecord({ address, failure }: Event & { event: 'waiting' }, until: number): JobRecord {
  return { event: 'waiting', address, failure: failureRecord(failure), until: dated(until) }
}

function jobRecord(event: Exclude<Event, { event: 'waiting' }>): JobRecord {
  const { address } = event
  switch (event.event) {
    case 'sending': {
      const { model, attempt, again } = event
      return { event: 'sending', address, model, attempt, ...defined({ again }) }
    }
    case 'accepted':
      return { event: 'accepted', address, run: event.run.id, workflow: event.run.workflow }
    case 'resumed':
      return {
        event: 'resumed',
        address,
        ...(event.run && { run: event.run.id, workflow: event.run.workflow }),
      }
    case 'progress':
      return { event: 'progress', address, fraction: event.fraction }
    case 'made':
      return { event: 'made', address }
    case 'bytes': {
      const { bytes, total } = event
      return { event: 'bytes', address, bytes, ...defined({ total }) }
    }
    case 'uploading': {
      const { file, bytes, total } = event
      return { event: 'uploading', address, file, bytes, total }
    }
    case 'settled':
      return settledRecord(address, event.state)
  }
}

function settledRecord(address: JobAddress, state: JobState): JobRecord {
  const head = { event: 'settled', address, files: [] } as const
  const run = 'run' in state && state.run ? { run: state.run.id } : {}
  const credits = 'credits' in state && state.credits !== undefined ? { credits: state.credits } : {}
  switch (state.is) {
    case 'done': {
      const flaw = state.flaw && { failure: failureRecord(state.flaw) }
      return { ...head, state: 'done', files: state.files, ...run, ...flaw, ...credits }
    }
    case 'failed':
      return { ...head, state: 'failed', ...run, failure: failureRecord(state.failure), ...credits }
    case 'doubt':
      return { ...head, state: 'doubt', failure: failureRecord({ why: 'in-doubt', detail: state.detail }) }
    case 'detached':
      return { ...head, state: 'detached', ...run, failure: failureRecord(state.because) }
    case 'skipped':
      return { ...head, state: 'skipped', failure: failureRecord(state.because) }
    case 'ready':
    case 'remote':
    case 'made':
      return { ...head, state: 'open', ...run }
  }
}

function failureRecord(failure: Failure): FailureRecord {
  return { why: failure.why, message: failureMessage(failure) }
}

function dated(at: number): string {
  return new Date(at).toISOString()
}
