import type { Digest, JobAddress } from '../base/names.ts'
import type { Billed, LockEntry, Recipe, RemoteFile, RunRef, SavedFile } from '../base/state.ts'
import type { Job } from '../manifest/job.ts'

/** What is known of an address before a run: the lock, corrected by the journal. */
export type Memory =
  /** `other` is what the journal says was made when the lock says something else: a lock that was rolled back. */
  | { readonly is: 'done'; readonly entry: LockEntry; readonly other?: LockEntry }
  /** Paid for and not on disk yet. With `files` they wait behind links or in the spool, else the run is asked. */
  | {
      readonly is: 'under-way'
      readonly recipe: Recipe
      readonly key: string
      readonly run?: RunRef
      readonly files?: readonly RemoteFile[]
    }
  /** `sent` is what went, when every doubt is about one order. */
  | { readonly is: 'doubt'; readonly recipe: Recipe; readonly detail: string; readonly sent?: SentOrder }
  | {
      readonly is: 'failed'
      readonly recipe: Recipe
      readonly message: string
      readonly billed: Billed
      readonly run?: RunRef
      /** What was made before the order that failed. */
      readonly made?: LockEntry
    }

/** An order that may be at the service: sent once more under its key, it is the same one where keys are honoured. */
export interface SentOrder {
  readonly key: string
  /** Of workflow, mode and parameters as they were sent. */
  readonly request: Digest
  readonly origin: string
  /** When the key was first used, in milliseconds since 1970. */
  readonly at: number
}

/** How a locked result stands on disk. */
export type Standing =
  | { readonly is: 'whole' }
  | { readonly is: 'missing'; readonly paths: readonly string[] }
  | { readonly is: 'altered'; readonly paths: readonly string[] }
  /** Whole, but under other names than the manifest now asks for. */
  | { readonly is: 'elsewhere' }

/** The world at the moment of planning. */
export interface Facts {
  readonly memories: ReadonlyMap<JobAddress, Memory>
  /** Digests of local input files, by path as written. */
  readonly inputs: ReadonlyMap<string, Digest>
  standing(entry: LockEntry, job: Job): Standing
  /** A result of this very recipe that somebody made before, from a cache. Its addresses and paths mean nothing here. */
  cached?(recipe: Recipe): CachedResult | undefined
}

export interface CachedResult {
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
}
