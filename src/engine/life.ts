import type { Failure } from '../base/failure.ts'
import type { PurchaseId } from '../base/names.ts'
import type { JournalRecord } from '../base/purchase.ts'
import type { JobState, Recipe } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import type { Event } from './event.ts'
import type { Pace } from './gates/pace.ts'
import type { Slots } from './gates/slots.ts'
import { deadlineMs, leastFetchMs, type Patience } from './patience.ts'
import type { Runs } from './runs.ts'
import type { Task, World } from './world.ts'

/** What one run of the engine shares between its jobs. */
export interface Floor {
  readonly world: World
  readonly slots: Slots
  readonly pace: Pace
  readonly runs: Runs
}

/** One job on its way. */
export interface Life {
  readonly task: Task
  readonly floor: Floor
  /** The present one: a run that failed and is ordered again is another purchase. */
  purchase: PurchaseId
  recipe: Recipe | undefined
  attempt: number
  reorders: number
  /** Counts from the first slot: time spent in the queue is not the service's. */
  patience: Patience | undefined
  /** The service had no room: the slot is given up until there is some. */
  isTurnedAway: boolean
  /** The service has taken its order in this run, and what that brings is not known yet. */
  isOut: boolean
  /** The last run of it that failed at the service and was ordered again. */
  failed: (JobState & { is: 'failed' }) | undefined
  /** What is left of its time while it waits for a slot again. */
  leftMs: number | undefined
  /** When its files were first fetched in this run. */
  fetchedAt: number | undefined
}

/** Until when this job waits; begins with the first call. */
export function patienceOf(life: Life): Patience {
  const { world } = life.floor
  const from = world.clock.now()
  life.patience ??= {
    from,
    deadline: from + (life.leftMs ?? life.task.job.timeoutMs ?? deadlineMs(outputKind(life.task.job.model))),
    pollFloorMs: world.pollFloorMs,
    chance: () => world.random.next(),
  }
  return life.patience
}

/** Time in which nobody was let in is not the service's: the job has all of its own before it. */
export function putOff(life: Life, ms: number): Patience {
  const { from, deadline, ...rest } = patienceOf(life)
  life.patience = { ...rest, from: from + ms, deadline: deadline + ms }
  return life.patience
}

/** As `patienceOf`, for its files: a result that comes at the last moment gets one real try all the same. */
export function fetchPatienceOf(life: Life): Patience {
  const patience = patienceOf(life)
  life.fetchedAt ??= life.floor.world.clock.now()
  const leastMs = Math.min(leastFetchMs, patience.deadline - patience.from)
  return { ...patience, deadline: Math.max(patience.deadline, life.fetchedAt + leastMs) }
}

type Untold = Event extends infer E ? (E extends Event ? Omit<E, 'at' | 'address'> : never) : never

/** Tells whoever listens, with date and address. */
export function tell(life: Life, what: Untold): void {
  const { world } = life.floor
  world.tell({ at: world.clock.now(), address: life.task.job.address, ...what })
}

/**
 * Writes down what already happened. When the journal fails here the money is spent: the job goes on in memory and
 * nothing more is bought (RELIABILITY.md P16).
 */
export async function note(life: Life, record: JournalRecord): Promise<void> {
  try {
    await life.floor.world.journal.append(record)
  } catch (trouble) {
    life.floor.pace.close(unrecorded(trouble))
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
