import type { Diagnostic } from '../base/diagnostic.ts'
import type { LockEntry } from '../base/state.ts'
import type { Manifest } from '../manifest/job.ts'
import type { Memory, Wish } from '../plan/plan.ts'
import type { Lock } from '../store/lock.ts'
import type { StateFolder } from '../store/state-folder.ts'
import type { Layout } from './layout.ts'
import type { ProjectPlace } from './place.ts'
import type { Told } from './report.ts'
import type { Service } from './service.ts'

/** One run of a manifest. Paths are relative to `cwd`. */
export interface RunRequest {
  readonly manifest: string
  readonly cwd: string
  readonly service: Service
  /** Another output folder than the manifest's. */
  readonly output?: string
  readonly wish?: Wish
  /** How many paid requests and live runs at a time; the manifest's and genrun's own limits are not exceeded. */
  readonly limits?: { readonly execute?: number; readonly submit?: number }
  readonly tell: (told: Told) => void
  /** Aborted at the first stop signal: nothing more is bought and everything stays resumable. */
  readonly stop: AbortSignal
}

/** What a run is about, fixed before it begins. */
export interface Setting {
  readonly request: RunRequest
  readonly manifest: Manifest
  readonly place: ProjectPlace
  readonly layout: Layout
  readonly folders: StateFolder
  readonly warnings: readonly Diagnostic[]
}

/** What earlier runs left: the lock, and what is known from lock and journal. */
export interface Recorded {
  readonly lock: Lock
  /** As it stands on disk; undefined when there is none. */
  readonly lockText: string | undefined
  readonly entries: Map<LockEntry['address'], LockEntry>
  readonly memories: ReadonlyMap<LockEntry['address'], Memory>
}
