import type { JobAddress, PurchaseId } from '../base/names.ts'
import type { Budget } from '../engine/gates/budget.ts'
import type { Task } from '../engine/world.ts'
import type { PlannedRun } from '../planning/make-plan.ts'
import type { Claim } from '../store/claim/claim.ts'
import type { Parts } from '../store/files/parts.ts'
import type { Spool } from '../store/files/spool.ts'
import type { Journal } from '../store/journal/journal.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'
import type { DecidedSince } from './inputs/decided-since.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Lines } from './lines.ts'
import type { Stopwatch } from './stopwatch.ts'
import type { RecordsWatch } from './watch-records.ts'

/** A plan that may be carried out, and what it stands on. */
export interface Commission {
  readonly setting: Setting
  readonly planned: Pick<PlannedRun, 'plan' | 'jobs' | 'redone' | 'unpicked'> &
    Partial<Pick<PlannedRun, 'inputs' | 'facts' | 'redoing' | 'waiting'>>
  readonly recorded: Recorded
  readonly claim: Claim
}

/** A commission at work. */
export interface Run extends Commission {
  /** What the engine has to do. */
  readonly tasks: readonly Task[]
  /** What it was given besides, while it was at work. */
  readonly further: Task[]
  readonly ledger: Ledger
  readonly journal: Journal
  /** Saves the lock and ends the journal, which keeps what was skipped. Rejects with StorageError. */
  readonly closeRecords: (skipped: readonly JobAddress[]) => Promise<void>
  /** Whether claim and journal are still there. */
  readonly records: RecordsWatch
  readonly parts: Parts
  readonly spool: Spool
  readonly budget: Budget
  readonly lines: Lines['all']
  /** How many orders of each job others gave for it; grows. */
  readonly orders: Map<JobAddress, number>
  /** What others made and put into the cache, from which it came here; grows. */
  readonly shared: Set<PurchaseId>
  readonly watch: Stopwatch
  /** What persons decide meanwhile. */
  readonly decided: DecidedSince
}
