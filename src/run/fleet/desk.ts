import type { PurchaseId } from '../../base/names.ts'
import type { Turns } from '../../base/turns.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Enqueue } from '../../fleet/outcomes.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Claim } from '../../store/claim/claim.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import type { Records } from '../ledger/records.ts'
import type { FleetTask } from '../planner/fleet-job.ts'
import { queueOf } from '../planner/fleet-records.ts'
import type { Bench } from '../run-tasks.ts'
import type { HeldOrders } from './held-orders.ts'

export interface Working {
  readonly fleet: Fleet
  /** For a person, a line each. */
  readonly tell: (text: string) => void
  /** The store has answered: from now on it makes what is handed to it. */
  readonly begun?: () => void
}

/** What a worker has for as long as it works. */
export interface WorkDesk extends Working {
  readonly setting: Setting
  readonly claim: Claim
  readonly recorded: Recorded
  readonly records: Records
  /** Batches of which several jobs came as one. */
  readonly big: Set<string>
}

/** A desk with what does the work. */
export interface Hands {
  readonly desk: WorkDesk
  readonly orders: HeldOrders
  readonly engine: Engine
  /** What is to be sent, as it was planned. */
  readonly drafts: Map<PurchaseId, FleetTask['recipe']>
  readonly bench: Bench
  /** As many jobs as are done at once. */
  readonly turns: Turns
  /** Jobs that are at work: what is handed out twice is done once. */
  readonly at: Set<string>
  /** Results that are here, or on their way here. */
  readonly bringing: Map<PurchaseId, Promise<boolean>>
  /** Ends this worker's work, for a reason of its own. */
  readonly giveUp: (because: string) => void
}

/** One order of a job that was handed out. */
export interface Wanted {
  readonly batch: string
  readonly identity: string
  readonly job: Job
  readonly task: FleetTask
  /** What it is made from. */
  readonly made: FleetTask['made']
  /** Not all of that is made: an earlier plan handed it out. */
  readonly waits: boolean
  /** Its run has failed, and it is ordered once more. */
  readonly isRetry?: true
}

export function enqueueIn(batch: string, { fleet, setting, big }: WorkDesk): Enqueue {
  return (ready, ask) => fleet.enqueue(batch, queueOf(setting), ready, { ask, isBig: big.has(batch) })
}
