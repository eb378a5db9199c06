import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Model } from '../catalog/index.ts'
import type { Prices } from '../forms/cost.ts'
import type { Faults } from './faults/faults.ts'
import type { OutputPlace } from './files/outputs.ts'
import type { LedgerCounts } from './ledger.ts'
import type { ImageFormat } from './render/order/request.ts'
import type { BackendRules } from './runs/backend.ts'
import type { SteeredRun } from './runs/steering.ts'
import type { Render } from './runs/work.ts'
import type { S3Keys } from './s3/signature.ts'
import type { RequestCounts } from './site.ts'

/** What is undefined was not asked for, as a flag that was not given. */
export interface GatewayOptions {
  /** 0, the default, is any free port. */
  readonly port?: number
  /** Default 127.0.0.1. A host that other machines can reach needs a `key`. */
  readonly host?: string
  /** The API key to ask for; default 32 random hexadecimal digits. */
  readonly key?: string | undefined
  readonly outputs: OutputPlace
  /** Above so many bytes of outputs the oldest are given up; default 2 GiB. */
  readonly maxStoreBytes?: number | undefined
  /** Serves the ledger at `/__ledger`. */
  readonly ledger?: boolean | undefined
  /** Faults by rules and limits; given at all, also the `X-Gateway-Fault` header is taken. */
  readonly faults?: Faults | undefined
  /** Of images; default png. */
  readonly format?: ImageFormat
  /** Seconds that a submitted run takes at least; default 0. */
  readonly speed?: number
  /** Runs wait until a test tells them by `nextRun`. */
  readonly manual?: boolean
  /** Links to files expire after so many seconds; default never. */
  readonly linkSeconds?: number | undefined
  /** Results can be read for so many seconds after a run's end; default as long as its files are kept. */
  readonly resultSeconds?: number | undefined
  /** A second request with the same Idempotency-Key is answered with the first one's run; default false. */
  readonly honoursKeys?: boolean
  /** What runs cost: told as `credits` with their results. Default: nothing is told. */
  readonly prices?: Prices | undefined
  /** What is served; default the built-in models. */
  readonly models?: readonly Model[] | undefined
  /** Makes the files; default the built-in renderer. */
  readonly render?: Render
  /** Commands that make some models' files. */
  readonly backend?: BackendRules | undefined
  /** Hears what a person should know about the files: speech that is only a tone. The same words come once. */
  readonly remark?: (text: string) => void
  /** The name of a bucket that clients of S3 find below `/s3`, in memory; default: there is none. */
  readonly s3?: string | undefined
  readonly clock?: Clock
  readonly random?: Random
}

export interface Gateway {
  /** For clients: `http://127.0.0.1:4000/gw-v2`. */
  readonly baseUrl: string
  readonly key: string
  /** The page that shows runs and media, for whoever started the gateway: others have to know the key. */
  readonly pageUrl: string
  /** Where clients of S3 find the bucket, and what they sign with; absent where there is none. */
  readonly s3?: S3Keys & { readonly endpoint: string; readonly bucket: string }
  /** Serves further models from now on; one whose id is served already takes its place. */
  add(models: readonly Model[]): void
  /** Paid requests by idempotency key and job. */
  ledger(): LedgerCounts
  /** All requests by kind. */
  requests(): RequestCounts
  /** The next accepted run that no test holds yet; throws unless the gateway was started as `manual`. */
  nextRun(): Promise<SteeredRun>
  /** Takes no more requests, lets answers under way finish for `graceMs` (default 0), then ends every connection. */
  close(graceMs?: number): Promise<void>
}
