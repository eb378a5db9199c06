import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Model } from '../catalog/index.ts'
import type { Prices } from '../forms/cost.ts'
import type { FaultChooser } from './faults/faults.ts'
import type { LoadGate } from './faults/limits.ts'
import type { Links } from './files/links.ts'
import type { Outputs } from './files/outputs.ts'
import type { GatewayAnswer } from './http/answer.ts'
import type { Delivery } from './http/send.ts'
import type { GatewayLedger } from './ledger.ts'
import type { GatewayRuns } from './runs/runs.ts'
import type { S3Store } from './s3/s3.ts'

/** Requests that arrived, whatever became of them. */
export interface RequestCounts {
  /** Paid. */
  readonly execute: number
  /** Paid. */
  readonly submit: number
  readonly result: number
  readonly file: number
  readonly upload: number
}

/** Everything that handlers share. */
export interface Site {
  readonly key: string
  /** Stands in the address of the page that whoever started the gateway is told. */
  readonly pageToken: string
  /** Whether only this machine can reach the gateway. */
  readonly isPrivate: boolean
  /** By workflow, which is the model's id. */
  readonly models: Map<string, Model>
  readonly clock: Clock
  readonly random: Random
  readonly runs: GatewayRuns
  readonly outputs: Outputs
  readonly links: Links
  readonly ledger: GatewayLedger
  readonly gate: LoadGate
  readonly faults: FaultChooser
  /** Whether requests may ask for faults themselves. */
  readonly takesFaults: boolean
  /** Whether a second request with an idempotency key is answered with the first one's run. */
  readonly honoursKeys: boolean
  /** Runs by idempotency key, where keys are honoured. */
  readonly byKey: Map<string, KeyedRun>
  /** How long a result can be read after its run is finished. */
  readonly resultSeconds: number | undefined
  /** What runs cost, where that is told. */
  readonly prices: Prices | undefined
  /** The names this gateway is reached under: links that begin with one are to its own files. */
  readonly origins: () => readonly string[]
  readonly counts: Record<keyof RequestCounts, number>
  /** Execute requests that are being worked on. */
  readonly load: { executes: number }
  readonly closing: AbortSignal
  /** Absent where nothing is kept for clients of S3. */
  readonly s3: S3Store | undefined
}

interface KeyedRun {
  readonly run: string
  /** What was ordered under the key: another order must not use it. */
  readonly label: string
}

/** What a handler wants done. */
export interface Outcome {
  readonly answer: GatewayAnswer
  readonly delivery: Delivery
  /** Called when the client has the whole answer. */
  readonly delivered?: () => void
}

export function wholeAnswer(answer: GatewayAnswer): Outcome {
  return { answer, delivery: { goes: 'whole' } }
}
