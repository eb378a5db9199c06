import type { Diagnostic } from '../../base/diagnostic.ts'
import type { ExitCode } from '../../base/exit.ts'
import type { Failure } from '../../base/failure.ts'
import type { SavedFile, WireMode } from '../../base/state.ts'
import type { OutputKind } from '../../catalog/index.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import type { Budget } from '../../engine/gates/budget.ts'
import type { Caps } from '../../plan/budget.ts'
import type { Refused } from '../../planning/make-plan.ts'
import type { RunEvent } from '../../wording/report.ts'
import type { Damaged } from '../../workspace/records/recorded.ts'
import type { Service } from '../../workspace/service/service.ts'
import type { Verify } from '../../workspace/verifies.ts'
import type { JobAsk } from './ask.ts'

/**
 * One job without a manifest. Paths are relative to `cwd`. It is bought every time, unless an order of the same call is
 * owed in the folder, or was made and told to nobody: that one is gone on with. By `generateLocked` it is bought once. What
 * it sends is written down in the output folder until somebody has heard of its files, so that a killed process loses
 * nothing.
 */
export interface GenerateRequest {
  readonly ask: JobAsk
  readonly cwd: string
  readonly service: Service
  /** The folder for the files; made when it is not there. */
  readonly output?: string
  /** The files' name inside the folder, without ending; a new one of the prompt when there is none. */
  readonly name?: string
  /** Only input files below this folder are read. Absolute. */
  readonly within?: string
  readonly strict?: boolean
  /** The models there are; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
  /** What a difference between what came and what was asked means; `warn` when absent. */
  readonly verify?: Verify
  readonly mode?: WireMode
  readonly workflow?: string
  readonly timeoutMs?: number
  readonly profile?: string
  readonly prices?: string
  readonly caps?: Caps
  /** What several generations may spend together; `caps` count for this one. */
  readonly budget?: Budget
  /** Hears the plan of one, then what happens. */
  readonly emit?: (told: RunEvent) => void
  /** Aborted: nothing more is bought, and a run at the service goes on without us. */
  readonly stop?: AbortSignal
}

/** One file of a generation. */
export interface MadeFile extends SavedFile {
  /** Absolute. */
  readonly path: string
}

/** What became of one generation. */
export interface Generation {
  readonly model: string
  readonly kind: OutputKind
  readonly ending: 'made' | 'failed' | 'doubt' | 'detached' | 'skipped'
  readonly files: readonly MadeFile[]
  /** Why it did not end well, or a flaw of what was delivered. */
  readonly failure?: Failure
  readonly message?: string
  readonly hint?: string
  /** The run at the service; with it `resultOf` reads the result again. */
  readonly run?: { readonly workflow: string; readonly id: string }
  readonly seconds: number
  /** Requests that could cost money. */
  readonly paid: number
  readonly requests: number
  /** What the service said that it cost. */
  readonly credits?: number
  readonly rehearsal: boolean
  /** A lock had it already: its files were there, or were fetched without paying. */
  readonly again?: 'kept' | 'fetched'
  readonly exit: ExitCode
}

export type GenerateResult =
  | Refused
  | Damaged
  | {
      readonly got: 'generation'
      readonly generation: Generation
      readonly problems: readonly Diagnostic[]
      /** Called when whoever asked has heard of it: until then the same call gets it again, and nothing is ordered. */
      readonly told?: () => void
    }
