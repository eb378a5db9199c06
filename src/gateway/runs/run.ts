import type { WireMode } from '../../base/state.ts'
import type { FaultRule } from '../faults/faults.ts'
import type { OddKind } from '../faults/odd-files.ts'
import type { GatewayOutput } from '../files/outputs.ts'
import type { Work } from './work.ts'

/** One paid request that was accepted. */
export interface GatewayRun {
  readonly id: string
  readonly mode: WireMode
  /** The model's id. */
  readonly workflow: string
  readonly prompt: string
  readonly job?: string
  /** The same for the same request on another day; faults are drawn from it. */
  readonly label: string
  /** Rules that came with the request and concern its result and files. */
  readonly rules: readonly FaultRule[]
  readonly acceptedAt: number
  /** Before this date it is not finished. */
  readonly dueAt: number
  readonly state: RunState
  /** What it cost, told with its result. */
  readonly credits?: number
}

export type RunState =
  | { readonly is: 'accepted' }
  /** `share` from 0 to 1, where somebody has told it. */
  | { readonly is: 'processing'; readonly since: number; readonly share?: number }
  | (GatewayRunEnd & { readonly at: number })

export type GatewayRunEnd =
  | { readonly is: 'completed'; readonly outputs: readonly RunOutput[] }
  | { readonly is: 'failed'; readonly code: string; readonly message: string }

export interface RunOutput extends GatewayOutput {
  readonly width?: number
  readonly height?: number
  readonly seconds?: number
  readonly warning?: string
}

/** An accepted order. */
export interface RunOrder {
  readonly work: Work
  readonly mode: WireMode
  readonly key?: string | undefined
  readonly label: string
  readonly rules: readonly FaultRule[]
  readonly fate: Fate
  readonly credits?: number
}

/** What was decided about a run when it was ordered. */
export interface Fate {
  /** How many files fewer it yields; one always remains. */
  readonly missing: number
  /** It never ends. */
  readonly stalls: boolean
  readonly ends?: 'rejected' | 'failed' | undefined
  /** Its files are of this kind instead of what was ordered. */
  readonly kind?: OddKind | undefined
}

export function isFinished(run: GatewayRun): boolean {
  return run.state.is === 'completed' || run.state.is === 'failed'
}
