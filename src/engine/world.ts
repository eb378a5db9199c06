import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress, JsonObject, PurchaseId } from '../base/names.ts'
import type { DonePurchase, JournalRecord } from '../base/purchase.ts'
import type { Random } from '../base/random.ts'
import type { JobState, Recipe, RemoteFile, RunRef } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Wire } from '../wire/http/wire.ts'
import type { HeldBack, SaveOutcome } from './advance.ts'
import type { SeenDurations } from './durations.ts'
import type { Emit } from './event.ts'
import type { Polls } from './gates/polls.ts'

/** One job to be carried out, and where to begin: `ready` buys, `remote` and `made` go on without paying. */
export interface Task {
  readonly job: Job
  readonly start: JobState & { is: 'ready' | 'remote' | 'made' }
  /** Minted once for each order; every attempt sends it as its idempotency key. */
  readonly purchase: PurchaseId
  /** Ordered by `redo`: it is written down with the order, so that whoever goes on with it knows. */
  readonly redo?: true
  /** A take that a person wants, whatever the manifest asks for: written down with it, every run orders it until it is paid for. */
  readonly resubmitted?: true
  /** Ordered by `--rebuy`, in place of a result that could not be had. */
  readonly rebuy?: true
  /** Nobody asks for what it brings: it is kept, and gets no name of its own. */
  readonly aside?: true | undefined
  /** A person took what came for a result, though it is none: it is one when it comes again. */
  readonly taken?: true
  /** In doubt: sent again under its key, if it would be the very same request, and in doubt as before if not. */
  readonly resend?: Resend
  /** With `ready`: a run of it from before, which is asked before anything is paid. */
  readonly ask?: {
    readonly purchase: PurchaseId
    readonly run: RunRef
    readonly hasFailed?: true
    /** Only where the job is asked for by the very `recipe` of that run: its inputs may be others. */
    readonly isIfSame?: true
  }
  /**
   * With `ready`: orders in doubt that a person gives up for this one, when it is about to leave. One of something else is not over by
   * that: nobody has said that it may be paid for twice, and whoever asks for that again is held.
   */
  readonly insteadOf?: readonly { readonly purchase: PurchaseId; readonly decision: 'over' | 'abandon' }[]
  /** With `ready`: what the job has by now. It stays, and nothing is sent, if it is made from the very same. */
  readonly standing?: DonePurchase
  /** The recipe of what is under way, or of the run in `ask`; else `World.prepare` tells it. */
  readonly recipe?: Recipe
}

/** Where it is ordered, or was: what goes on stays with the service that has it, whatever the job names by now. */
export function orderedFrom({ recipe, job }: Pick<Task, 'recipe' | 'job'>): string | undefined {
  return recipe ? recipe.service : job.service
}

/**
 * What an order in doubt was, and until when the service knows its key. Both clocks have to agree that it does: the wall
 * clock may have been set since, and the other one may have stood still while the machine slept.
 */
export interface Resend {
  readonly request: Digest
  readonly origin: string
  /** By `Clock.now`. */
  readonly until: number
  /** By `Clock.wall`. */
  readonly young: { readonly from: number; readonly until: number }
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

/** One request that wants to leave. */
interface Departure {
  readonly purchase: PurchaseId
  readonly attempt: string
  /** To be called when nothing but writing it down is left: whoever stops from now on hears of a doubt. */
  readonly tell: () => void
}

/** The right to send one request, durable: budget and SENDING together. */
type Permit =
  | {
      readonly got: 'permit'
      /** Why it must not leave after all: asked at last, right before the first byte. */
      lastWord(): Failure | undefined
    }
  | { readonly got: 'held'; readonly failure: Failure }

/** Everything the engine touches. Tests and simulations make their own. */
export interface World {
  readonly wire: Wire
  readonly clock: Clock
  readonly random: Random
  readonly journal: Recorder
  /** The one right to send a request; asked for when its connection is there, and durable before it is given. Never rejects. */
  permit(task: Task, departure: Departure): Promise<Permit>
  prepare(task: Task): Promise<Prepared | HeldBack>
  /** Fetches, checks and publishes the files of a job. */
  save(task: Task, files: readonly RemoteFile[], recipe: Recipe, signal: AbortSignal): Promise<SaveOutcome>
  /** What is ordered at once because of how a task ended; its dependants wait for it. */
  further?(task: Task, state: JobState): Task | undefined
  /** Called when the end of a job is written down: what its files waited in may go. */
  cleanUp(task: Task, state: JobState): void
  /** Resolves when every run that was accepted stands in the lock: before that none is asked for. Never rejects. */
  secured?(): Promise<void>
  /** Who has this run already, in words, when that is another purchase than this one. */
  ownerOf?(run: RunRef, purchase: PurchaseId): string | undefined
  readonly emit: Emit
  /** Aborted at the first stop signal: nothing more is bought, waits are cut short. */
  readonly stop: AbortSignal
  /** Who may ask the service for results, shared by all that ask it; the engine has its own when it is absent. */
  readonly polls?: Polls
  /** Shortest wait between polls of one run in milliseconds. */
  readonly pollFloorMs: number
  /** How long runs of each kind took at this service in earlier runs, as far as it is known. It decides when to ask after one, and nothing else. */
  readonly durations?: ReadonlyMap<string, SeenDurations>
}

/** The journal as the engine sees it. */
export interface Recorder {
  /** Resolves when the record is as durable as its kind asks; rejects when that cannot be. */
  append(record: JournalRecord): Promise<void>
}

/** What became of every job that was carried out. */
export type Outcomes = ReadonlyMap<JobAddress, JobState>
