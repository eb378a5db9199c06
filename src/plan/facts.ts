import type { Digest, JobAddress } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { Recipe, RunRef, SavedFile } from '../base/state.ts'
import type { LookMeaning } from '../looks/names.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Redoing } from '../store/journal/journal.ts'
import type { KnownVerdicts } from './follow-verdicts.ts'

/** How a result stands on disk, for a job that asks for it. */
export type Standing =
  | { readonly is: 'whole' }
  | {
      readonly is: 'missing'
      readonly paths: readonly string[]
      /** Only what came beyond the files that the job asks for is missing: how these stand. */
      readonly asked?: Exclude<Standing, { is: 'missing' }>
    }
  | { readonly is: 'altered'; readonly paths: readonly string[] }
  /** Whole, but under other names than the manifest now asks for, or put aside. */
  | { readonly is: 'elsewhere' }

/** The world at the moment of planning. */
export interface Facts {
  /** All that is recorded, in the order in which it was bought. */
  readonly purchases: readonly Purchase[]
  /** Not ordered in an earlier run because the buying had ended. */
  readonly skipped?: ReadonlySet<JobAddress>
  /** What was begun by `redo`, the oldest first: the same words go on with it. */
  readonly redoing?: readonly Redoing[]
  /** Digests of local input files, by path as written. */
  readonly inputs: ReadonlyMap<string, Digest>
  standing(purchase: DonePurchase, job: Job): Standing
  /**
   * What persons decided, or why that cannot be read. Absent where no job has to be approved.
   */
  readonly verdicts?: KnownVerdicts | { readonly unread: string; readonly remedy?: string }
  /**
   * The files of a result that are not, byte by byte, what was made, by their paths: they are read, which `standing` does not. What
   * cannot be read is among them. Absent: none is.
   */
  readAltered?(purchase: DonePurchase, job: Job): readonly string[]
  /** Whether a file of this media type can be sent as an input; absent: every one. */
  isSendable?(type: string): boolean
  /**
   * A result of this very recipe that somebody made before, from a cache. `from`: the first of a job's files that it is to bring, from 0
   * (default 0). Its addresses and paths mean nothing here.
   */
  cached?(recipe: Recipe, from?: number): CachedResult | undefined
  /** What looks mean beside what jobs say of them: with `off` nothing that was looked at before counts. */
  readonly gate?: LookMeaning
  /** What other records know of orders of this manifest, and these do not; read when something is to be bought. */
  elsewhere?(): readonly Purchase[]
  /** Of the service that is asked; absent where nobody has said which. */
  readonly origin?: string
  /** Of those that jobs name, by their names; absent where nobody has said who is asked. */
  readonly origins?: { readonly [service: string]: string }
}

export interface CachedResult {
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
}

/** A run is asked for at the service that accepted it: somebody else's run may have the same id. */
export function elsewhere(run: RunRef | undefined, { origin, origins }: Facts, service: string | undefined) {
  if (!run) return undefined
  const asked = service === undefined ? origin : ownOf(origins, service)
  // Where services can be named, all of them are known that are asked.
  if (asked === undefined && origins === undefined) return undefined
  if (asked !== undefined && (run.origin ?? asked) === asked) return undefined
  const shown = asked ?? (service === undefined ? 'no usual service' : `no service called ${service}`)
  return {
    at: run.origin ?? service ?? shown,
    because: { why: 'other-service', run, origin: shown } as const,
  }
}

function ownOf(origins: Facts['origins'] = {}, service: string): string | undefined {
  return Object.hasOwn(origins, service) ? origins[service] : undefined
}

/** Whether all files of a result lie where they belong, or under a name that it may have. */
export function isAtHand({ is }: Standing): boolean {
  return is === 'whole' || is === 'elsewhere'
}
