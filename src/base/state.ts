import type { Failure } from './failure.ts'
import type { Digest, JsonObject, Pointer, RunId } from './names.ts'

/** How a job goes over the wire: one exchange, or submit and poll. */
export type WireMode = 'execute' | 'submit'

/** A run at the service: all that is needed to read its result. */
export interface RunRef {
  readonly workflow: string
  readonly id: RunId
  /** Of the service that has it; absent where an older genrun or a person named it: then it is asked for anywhere. */
  readonly origin?: string
}

/** One output as the service gave it: behind a link, or in bytes that are already safe in a spool file. */
export type RemoteFile =
  | { readonly from: 'link'; readonly url: string }
  | { readonly from: 'spool'; readonly path: string }

/** A download that broke off: what is in its part file, and the version of the file that this is the beginning of. */
export interface Beginning {
  /** The link without its query: a signature is renewed, the file behind it is not. */
  readonly resource: string
  /** A strong entity tag, the only proof that two answers are parts of one file (RFC 9110, 8.8.3). */
  readonly etag: string
  readonly bytes: number
  /** Of the whole file, where the service told it. */
  readonly total?: number
  /** Of these bytes, in hexadecimal. */
  readonly sha256: string
}

/** One output on disk, verified. */
export interface SavedFile {
  /** Relative to the output folder, forward slashes. */
  readonly path: string
  readonly digest: Digest
  readonly bytes: number
  /** Media type by the bytes, for instance `image/png`. */
  readonly type: string
  readonly width?: number
  readonly height?: number
  readonly seconds?: number
  /** Where it was published: `s3://bucket/files/9f86….png`, `file:///…`. */
  readonly link?: string
  /** Absent where nobody asked for it (`--gate`, `gate`). */
  readonly looked?: Looked
}

/** What came of looking at a file, as it was when it came. */
export interface Looked {
  /** The gravest of what was found. That it was `not looked at` says nothing of the file. */
  readonly verdict: LookVerdict
  readonly found?: readonly LookFinding[]
  /** Why it was not looked at. */
  readonly why?: string
  /** What it shows, by hashes of 64 hexadecimal digits: of a picture one, of a clip those of its first, middle and last frame. */
  readonly shows?: readonly string[]
}

type LookVerdict = 'ok' | 'warn' | 'fail' | 'not looked at'

export interface LookFinding {
  /** What it was looked at for: `blank`. */
  readonly look: string
  readonly verdict: LookVerdict
  /** For a person, of the file: `it is one color`. */
  readonly why?: string
}

/** Everything that decides what a job yields, with nothing that does not. Stored whole in the lock. */
export interface Recipe {
  readonly version: 1
  readonly model: string
  /** The service that it is ordered from, by its name in the person's own settings; absent: the usual one. */
  readonly service?: string
  /** What the user asked for; file parameters stand in `inputs`. */
  readonly params: JsonObject
  /** Defaults of the catalog that applied, for parameters the user did not write. */
  readonly defaults: JsonObject
  /** Digests of input files by their place in the parameters; a URL counts by its text. */
  readonly inputs: { readonly [at: Pointer]: readonly string[] }
  /** 1 for the first. */
  readonly take: number
}

/** Where a job stands. `notBefore` is a date in milliseconds: retries and polls are dates, never timers. */
export type JobState =
  | ({ readonly is: 'ready' } & Waiting)
  | ({
      readonly is: 'remote'
      readonly run: RunRef
      /** When it was accepted, or taken up again. */
      readonly since: number
      /** When the service took it, where that is known: a young run may be unknown for a while. */
      readonly acceptedAt?: number | undefined
      /** From 0 to 1, as the service tells. */
      readonly progress?: number | undefined
      /** The service has called it failed once; the second time is believed. */
      readonly failedOnce?: boolean
      /** How often in a row the service has not known it. */
      readonly unknown?: number
      /** How often in a row it was called finished, and no file was named. */
      readonly empty?: number
      /** How often its links had expired before the files were fetched. */
      readonly expired?: number
    } & Waiting)
  | ({
      readonly is: 'made'
      readonly files: readonly RemoteFile[]
      readonly run?: RunRef | undefined
      /** As of a run. */
      readonly acceptedAt?: number | undefined
    } & Waiting &
      Told)
  | ({
      readonly is: 'done'
      readonly files: readonly SavedFile[]
      readonly run?: RunRef | undefined
      readonly flaw?: Failure | undefined
    } & Told)
  | ({
      readonly is: 'failed'
      readonly failure: Failure
      readonly billed: Billed
      readonly run?: RunRef | undefined
      /** What came and is no result: it is kept under these names. */
      readonly files?: readonly SavedFile[] | undefined
    } & Told)
  | { readonly is: 'doubt'; readonly detail: string }
  /** Paid for and not fetched; the journal keeps what is needed to go on (a run id, or links and spool files). */
  | { readonly is: 'detached'; readonly run?: RunRef | undefined; readonly because: Failure }
  | { readonly is: 'skipped'; readonly because: Failure }

/** What the answer said of the cost. */
interface Told {
  /** In the service's own credits. */
  readonly credits?: number | undefined
}

interface Waiting {
  /** Attempts at the present stage that came to nothing. */
  readonly tries: number
  readonly notBefore: number
}

/** Whether a failure cost money. */
export type Billed = 'no' | 'unknown' | 'yes'

/** A state that one run of the engine does not leave again. */
type Settled = Exclude<JobState, { is: 'ready' | 'remote' | 'made' }>

export function isSettled(state: JobState): state is Settled {
  return state.is !== 'ready' && state.is !== 'remote' && state.is !== 'made'
}
