import type { Diagnostic } from '../base/diagnostic.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import type { Sum } from '../plan/bill.ts'

/** Many paid results would be bought anew, for which somebody's word is wanted. */
export interface ManyAgain {
  readonly results: number
  /** Why, in words, the most frequent reason first. */
  readonly because: readonly { readonly text: string; readonly jobs: readonly JobAddress[] }[]
  readonly cost: Sum
  /** Absent when no prices are given. */
  readonly currency?: string
  /** Where there is nobody to ask. */
  readonly problem: Diagnostic
}

/** What a run of a saved plan holds against its own plan, while nobody else can change anything. */
export interface PlanExpectation {
  readonly steps: readonly string[]
  readonly jobs: Digest
}
