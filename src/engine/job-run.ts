import type { Failure } from '../base/failure.ts'
import type { PurchaseId } from '../base/names.ts'
import type { JournalRecord } from '../base/purchase.ts'
import type { JobState, Recipe } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { type Deadlines, deadlineMs, leastFetchMs } from './deadlines.ts'
import { type Durations, durationKindOf } from './durations.ts'
import type { Event } from './event.ts'
import type { Admission } from './gates/admission.ts'
import type { Reach } from './gates/reach.ts'
import type { Slots } from './gates/slots.ts'
import type { Runs } from './runs.ts'
import type { Task, World } from './world.ts'

/** What one run of the engine shares between its jobs. */
export interface EngineContext {
  readonly world: World
  readonly slots: Slots
  readonly admission: Admission
  readonly runs: Runs
  readonly reach: Reach
  readonly durations: Durations
  /** One more job has failed: after as many as the user bears, nothing more is bought. */
  failed(): void
}

/** One job on its way. */
export interface JobRun {
  readonly task: Task
  readonly context: EngineContext
  /** The present one: a run that failed and is ordered again is another purchase. */
  purchase: PurchaseId
  recipe: Recipe | undefined
  attempt: number
  reorders: number
  /** Counts from the first slot: time spent in the queue is not the service's. */
  deadlines: Deadlines | undefined
  /** Where its order goes: as far as its job tells, and once its inputs are known for sure. */
  workflow: string
  /** Why it gives up its slot: the service had no room, or others go before it. */
  waitsFor: 'room' | 'turn' | undefined
  /** The service has taken its order in this run, the so-manieth that was let go, and what that brings is not known yet. */
  outNth: number | undefined
  /** The last run of it that failed at the service and was ordered again. */
  failed: (JobState & { is: 'failed' }) | undefined
  /** Its failure is among those that the user bears only so many of. */
  isCounted: boolean
  /** What is left of its time while it waits for a slot again. */
  leftMs: number | undefined
  /** When its files were first fetched in this run. */
  fetchedAt: number | undefined
}

/** Until when this job waits; begins with the first call. */
export function deadlinesOf(jobRun: JobRun): Deadlines {
  const { world, durations } = jobRun.context
  const from = world.clock.now()
  const { model, params } = jobRun.task.job
  const kind = durationKindOf(model.id, params)
  jobRun.deadlines ??= {
    from,
    deadline:
      from + (jobRun.leftMs ?? jobRun.task.job.timeoutMs ?? deadlineMs(outputKind(jobRun.task.job.model))),
    pollFloorMs: world.pollFloorMs,
    chance: () => world.random.next(),
    learnedGapMs: ageMs => durations.gapMs(kind, ageMs),
  }
  return jobRun.deadlines
}

/** Time in which nobody was let in is not the service's: the job has all of its own before it. */
export function putOff(jobRun: JobRun, ms: number): Deadlines {
  const { from, deadline, ...rest } = deadlinesOf(jobRun)
  jobRun.deadlines = { ...rest, from: from + ms, deadline: deadline + ms }
  return jobRun.deadlines
}

/** As `deadlinesOf`, for its files: a result that comes at the last moment gets one real try all the same. */
export function fetchDeadlinesOf(jobRun: JobRun): Deadlines {
  const deadlines = deadlinesOf(jobRun)
  jobRun.fetchedAt ??= jobRun.context.world.clock.now()
  const leastMs = Math.min(leastFetchMs, deadlines.deadline - deadlines.from)
  return { ...deadlines, deadline: Math.max(deadlines.deadline, jobRun.fetchedAt + leastMs) }
}

type Untold = Event extends infer E ? (E extends Event ? Omit<E, 'at' | 'address'> : never) : never

/** Tells whoever listens, with date and address. */
export function emit(jobRun: JobRun, what: Untold): void {
  const { world } = jobRun.context
  world.emit({ at: world.clock.now(), address: jobRun.task.job.address, ...what })
}

/**
 * Writes down what already happened. When the journal fails here the money is spent: the job goes on in memory and
 * nothing more is bought (docs/contract.md P16).
 */
export async function note(jobRun: JobRun, record: JournalRecord): Promise<void> {
  try {
    await jobRun.context.world.journal.append(record)
  } catch (trouble) {
    jobRun.context.admission.close(unrecorded(trouble))
  }
}

/** What cannot be written down, as a failure. */
export function unrecorded(trouble: unknown): Failure {
  return {
    why: 'unsaved',
    path: 'the journal',
    detail: trouble instanceof Error ? trouble.message : String(trouble),
  }
}
