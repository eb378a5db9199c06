import type { Failure } from '../../base/failure.ts'
import type { JobAddress, JsonObject } from '../../base/names.ts'
import type { Beginning, RemoteFile, RunRef, WireMode } from '../../base/state.ts'
import type { UploadFile } from './multipart.ts'

/** The service as the engine sees it. Implemented over HTTP by `client.ts`; tests make their own. */
export interface Wire {
  /** For the journal: scheme, host and port the paid request goes to. */
  readonly origin: string
  /** The workflow of a job, by the profile. */
  workflow(model: string, params: JsonObject): string
  /**
   * Sends one paid request. Takes no abort signal: an answer that was paid for must not be dropped.
   * `beforeFirstByte` is called when a connection stands, and nothing is written before it resolves; what it resolves with
   * is called right before the first byte. When either throws, the connection is destroyed and the reply is `not-sent`.
   */
  order(order: Order, beforeFirstByte: () => Promise<LastWord>): Promise<OrderReply>
  /** Asks for a run's result. Free, may be repeated. */
  read(run: RunRef, signal: AbortSignal): Promise<ReadReply>
  /** Fetches one output into the file `to` (which it creates). Free, may be repeated while the link lives. */
  download(file: RemoteFile & { from: 'link' }, to: string, watch: Watch): Promise<DownloadReply>
  /** Sends one file to the service, for parameters to name. Free, may be repeated. Absent where there is no such place. */
  upload?(file: UploadFile, watch: Watch): Promise<UploadReply>
}

/** Holds a paid request back by throwing. Nothing happens between it and the first byte. */
export type LastWord = () => void

/** One paid request. */
export interface Order {
  readonly address: JobAddress
  readonly mode: WireMode
  readonly workflow: string
  readonly model: string
  /** Canonical parameters as the catalog names them; file parameters are links or data URIs by now. */
  readonly params: JsonObject
  /** Sent as idempotency key; the same for every attempt of one job generation. */
  readonly key: string
  /** Total time in milliseconds after which an unanswered request counts as doubt. */
  readonly deadlineMs: number
}

/** What became of a paid request. Everything not provably harmless is `doubt` (docs/contract.md section 2). */
export type OrderReply =
  /** Not one byte left: connection trouble, or it was held back (`cause` is what was thrown). May be sent again. */
  | { readonly got: 'not-sent'; readonly failure: Failure; readonly cause?: unknown }
  /** The service said no before billing. `canRetry` for 429 and the like, after `waitMs` at least. */
  | {
      readonly got: 'refused'
      readonly failure: Failure
      readonly canRetry: boolean
      readonly waitMs?: number | undefined
    }
  | { readonly got: 'run'; readonly run: RunRef; readonly waitMs?: number | undefined }
  | {
      readonly got: 'files'
      readonly files: readonly RemoteFile[]
      readonly run?: RunRef | undefined
      readonly credits?: number | undefined
    }
  /** An answer that says the work itself failed or its content was rejected. It may have been billed. */
  | {
      readonly got: 'failure'
      readonly failure: Failure
      readonly run?: RunRef | undefined
      readonly credits?: number | undefined
    }
  /**
   * `raw` is the spool file with what was received, if anything was. `foreign`: what answered is evidently no such service,
   * in words.
   */
  | {
      readonly got: 'doubt'
      readonly detail: string
      readonly raw?: string | undefined
      readonly foreign?: string
    }

/**
 * What a result request told. `trouble` says nothing about the run: ask again. Its failure is `refused` or `unauthorized`
 * when the service will not answer (404 for a run it does not know), anything else may pass. `credits` is what the
 * service says the run cost.
 */
export type ReadReply =
  | { readonly got: 'files'; readonly files: readonly RemoteFile[]; readonly credits?: number | undefined }
  /** `progress` is a fraction. `word` is a status word that the profile does not know, taken for "running". */
  | {
      readonly got: 'pending'
      readonly waitMs?: number | undefined
      readonly progress?: number | undefined
      readonly word?: string | undefined
    }
  | { readonly got: 'failure'; readonly failure: Failure; readonly credits?: number | undefined }
  /** `isFinished`: it says that the run succeeded, and names no file. */
  | {
      readonly got: 'trouble'
      readonly failure: Failure
      readonly waitMs?: number | undefined
      readonly isFinished?: true
    }

export type DownloadReply =
  /** Complete by its declared length; `digest` is the sha256 in hexadecimal of the bytes written and synced. */
  | { readonly got: 'bytes'; readonly bytes: number; readonly sha256: string }
  /** The link no longer works (400, 401, 403, 404, 410): read the result again. */
  | { readonly got: 'expired'; readonly failure: Failure }
  | { readonly got: 'trouble'; readonly failure: Failure; readonly waitMs?: number | undefined }

/** What came of one attempt to upload a file. Uploads cost nothing, so trouble may be tried again. */
export type UploadReply =
  /** What stands for the file in parameters. */
  | { readonly got: 'link'; readonly link: string }
  /** The service will not take it. */
  | { readonly got: 'refused'; readonly failure: Failure }
  | { readonly got: 'trouble'; readonly failure: Failure; readonly waitMs?: number | undefined }

/** The beginning of a file in a file of another name, which goes when it is taken up. */
export interface Begun {
  readonly path: string
  readonly beginning: Beginning
}

export interface Watch {
  readonly signal: AbortSignal
  readonly progress?: (bytes: number, total: number | undefined) => void
  /** What an earlier process left of this file, and where; the wire looks for itself whether it is still so. */
  readonly begun?: Begun
  /** Told from time to time, and where the download breaks off: what is good for going on with. */
  readonly onBeginning?: (beginning: Beginning) => void
}

/**
 * Where paid answers are put before anyone looks at them: writes the bytes, syncs, gives the file's path. `name` is
 * unique and made of letters, digits and `-`.
 */
export type SpoolSink = (bytes: AsyncIterable<Uint8Array>, name: string) => Promise<string>
