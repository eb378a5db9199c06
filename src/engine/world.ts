import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress, JsonObject } from '../base/names.ts'
import type { Random } from '../base/random.ts'
import type { JobState, JournalRecord, Recipe, RemoteFile } from '../base/state.ts'
import type { Job } from '../manifest/job.ts'
import type { Wire } from '../wire/wire.ts'
import type { HeldBack, SaveOutcome } from './advance.ts'
import type { Tell } from './event.ts'

/** One job to be carried out, and where to begin: `ready` buys, `remote` and `made` go on without paying. */
export interface Work {
  readonly job: Job
  readonly start: JobState & { is: 'ready' | 'remote' | 'made' }
  /** Minted once per job generation; every attempt sends the same. */
  readonly key: string
  /** In doubt: sent again under its key, if it would be the very same request, and in doubt as before if not. */
  readonly resend?: Resend
  /** The recipe of what is under way; absent for `ready`, which is told by `World.prepare`. */
  readonly recipe?: Recipe
}

/** What an order in doubt was, and until when the service knows its key. */
export interface Resend {
  readonly request: Digest
  readonly origin: string
  readonly until: number
  /** Of the doubt. */
  readonly detail: string
}

/** A job made ready to send: every input is at hand and digested. */
export interface Prepared {
  readonly got: 'prepared'
  /** Complete parameters as the wire takes them; files are links or data URIs. */
  readonly params: JsonObject
  readonly recipe: Recipe
}

/** Everything the engine touches. Tests and simulations make their own. */
export interface World {
  readonly wire: Wire
  readonly clock: Clock
  readonly random: Random
  readonly journal: Recorder
  /** Why a paid request must not leave now (a stop, a lost claim, a spent budget); asked right before the first byte. */
  gate(work: Work): Failure | undefined
  /** Why one that the gate let pass must not leave after all: asked at last, when SENDING is on the medium. */
  revoked(): Failure | undefined
  prepare(work: Work): Promise<Prepared | HeldBack>
  /** Fetches, checks and publishes the files of a job. */
  save(work: Work, files: readonly RemoteFile[], recipe: Recipe, signal: AbortSignal): Promise<SaveOutcome>
  /** Puts what is known of a job into the lock: called when it is accepted and when it settles. */
  keep(job: Job, state: JobState, recipe: Recipe): void
  readonly tell: Tell
  /** Aborted at the first stop signal: nothing more is bought, waits are cut short. */
  readonly stop: AbortSignal
  /** Shortest wait between polls in milliseconds. */
  readonly pollFloorMs: number
}

/** The journal as the engine sees it. */
export interface Recorder {
  /** Resolves when the record is as durable as its kind asks; rejects when that cannot be. */
  append(record: JournalRecord): Promise<void>
}

/** What became of every job that was carried out. */
export type Outcomes = ReadonlyMap<JobAddress, JobState>
