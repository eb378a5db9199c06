import type { ReportsArgs } from '../usage/report-args.ts'
import type { FaceArgs } from './face-args.ts'
import type { OwnArgs } from './own-args.ts'
import type { RecoveryArgs } from './recovery-args.ts'
import type { RunSelectionArgs } from './selection-args.ts'
import type { StartArgs } from './start-args.ts'
import type { Talk, TrustArgs } from './values.ts'
import type { VerbArgs } from './verb-args.ts'

/** What the user asked for, as written: nothing is looked up or decided yet. */
export type Args =
  | RunArgs
  | ValidateArgs
  | ExplainArgs
  | ModelsArgs
  | ModelInfoArgs
  | ServeArgs
  | VerbArgs
  | StartArgs
  | FaceArgs
  | RecoveryArgs
  | OwnArgs
  | { readonly do: 'help'; readonly text: string }
  | { readonly do: 'version' }
  | Misused

/** Every command can be told to go without colours. */
export interface Plain {
  readonly noColour: boolean
}

export interface RunArgs extends Plain, TrustArgs {
  readonly do: 'run'
  readonly manifest: string
  readonly output: string | undefined
  readonly local: boolean
  /** Certificate authorities, as a file. */
  readonly ca?: string | undefined
  readonly failed: boolean
  readonly rebuy: boolean
  readonly execute: number | undefined
  readonly submit: number | undefined
  readonly json: boolean
  readonly talk: Talk
  readonly reports?: ReportsArgs
  /** Which jobs, at what cost, and what else is not usual. */
  readonly selection?: RunSelectionArgs
  /** The claim of a genrun that is gone is taken over. */
  readonly takeClaim?: true
}

export interface ValidateArgs extends Plain {
  readonly do: 'validate'
  /** Paths, globs, and `-` for what is piped in. */
  readonly manifests: readonly string[]
  /** As written: `season=winter`. */
  readonly vars: readonly string[]
  readonly json: boolean
  readonly sarif: boolean
  readonly strict: boolean
  /** That a manifest is valid is not said. */
  readonly isQuiet?: true
  /** Files that declare models. */
  readonly catalog?: readonly string[]
}

export interface ExplainArgs extends Plain {
  readonly do: 'explain'
  /** All of them without one. */
  readonly code: string | undefined
  readonly json: boolean
}

export interface ModelsArgs extends Plain {
  readonly do: 'models'
  readonly words: readonly string[]
  readonly family?: string
  readonly mode?: string
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly json: boolean
}

export interface ModelInfoArgs extends Plain {
  readonly do: 'model-info'
  readonly id: string
  readonly catalog?: readonly string[]
  readonly json: boolean
}

export interface ServeArgs extends Plain {
  readonly do: 'serve'
  readonly port: number | undefined
  readonly host: string | undefined
  readonly outputs: string | undefined
  /** What follows is read and checked by `serve` itself. */
  readonly maxStore?: string | undefined
  readonly format?: string | undefined
  readonly prices?: string | undefined
  readonly linkSeconds?: string | undefined
  readonly resultSeconds?: string | undefined
  readonly fault?: string | undefined
  readonly ledger?: boolean | undefined
  readonly catalog?: string | undefined
  readonly backend?: string | undefined
  readonly backendSeconds?: string | undefined
}

/** The command line itself is wrong. */
export interface Misused {
  readonly do: 'misused'
  readonly message: string
  readonly hint?: string | undefined
}
