import type { JobAddress, PurchaseId } from '../base/names.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Decided } from './differences.ts'
import type { Register } from './register.ts'
import type { Choices, Step } from './shapes/step.ts'
import type { Twins } from './twins.ts'

/** What the plan is made with, and how far it has come in this round. */
export interface Table extends Decided {
  readonly choices: Choices
  readonly wanted: ReadonlyMap<JobAddress, Job>
  /** Jobs by where their orders stand, of those that have them elsewhere: see `ownAddress`. */
  readonly moved: ReadonlyMap<JobAddress, Job>
  /** The wanted takes of a job, by the address of its first. */
  readonly takesOf: (first: JobAddress) => readonly JobAddress[]
  readonly lessons: Lessons
  readonly register: Register
  /** What other records know, and these do not. */
  readonly elsewhere: () => Register
  /** Of all files that something was made from. */
  readonly inputs: () => ReadonlySet<string>
  readonly twins: () => Twins
  readonly decided: Map<JobAddress, Step>
}

/** What only a whole round shows: names change hands, and who needs whose purchase is known when all have chosen. */
export interface Lessons {
  /** Purchases that their own jobs turned out not to ask for. */
  readonly freed: ReadonlySet<PurchaseId>
  /** Orders in doubt that no job asks for: the jobs that they were for wait until they are settled. */
  readonly blocking: ReadonlySet<PurchaseId>
}
