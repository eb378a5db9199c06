import type { Diagnostic } from '../../base/diagnostic.ts'
import type { Families } from '../expand/families.ts'
import type { SettledJob } from '../resolve/jobs.ts'
import type { Project } from '../shapes/job.ts'

/** What rules look at: the jobs of a manifest, with their values. */
export interface RuleJobs {
  readonly families: Families
  /** The cells that came through. */
  readonly settled: readonly SettledJob[]
  /** Those that are held against each other; none where there are too many for that. */
  readonly comparable: readonly SettledJob[]
  /** Of these, the ones that are right by themselves: what a slip leaves out may be what makes two of them differ. */
  readonly sound: readonly SettledJob[]
  readonly project: Project
}

/** A rule about jobs beside each other, or about the files that they name. Pure, but for what `project` reads. */
export type Rule = (jobs: RuleJobs) => readonly Diagnostic[]
