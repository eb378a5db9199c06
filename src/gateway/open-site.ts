import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { models } from '../catalog/index.ts'
import { faultChooser } from './faults/faults.ts'
import { openGate } from './faults/limits.ts'
import { signedLinks } from './files/links.ts'
import { openOutputs } from './files/outputs.ts'
import { isLoopback } from './http/auth.ts'
import { openGatewayLedger } from './ledger.ts'
import type { GatewayOptions } from './options.ts'
import { openPool } from './render/pool.ts'
import { backedBy } from './runs/backend.ts'
import { openGatewayRuns } from './runs/runs.ts'
import type { Render } from './runs/work.ts'
import { openBucket } from './s3/bucket.ts'
import type { S3Store } from './s3/s3.ts'
import type { Site } from './site.ts'

export const usualHost = '127.0.0.1'

/** Where a listening server is, and when it ends. */
interface Address {
  readonly origins: () => readonly string[]
  readonly closing: AbortSignal
}

/** Everything handlers share, by the options. Throws when a host that others can reach comes without a key. */
export async function openSite(options: GatewayOptions, { origins, closing }: Address): Promise<Site> {
  const { host = usualHost, clock = systemClock, random = systemRandom, faults = {} } = options
  if (!isLoopback(host) && !options.key)
    throw new Error(`${host} can be reached by other machines, so it needs a key`)
  const outputs = await openOutputs(options.outputs, options.maxStoreBytes ?? usualStoreBytes)
  const now = () => clock.now()
  const key = options.key ?? random.token()
  return {
    key,
    isPrivate: isLoopback(host),
    models: new Map((options.models ?? Object.values(models)).map(model => [model.id, model])),
    clock,
    random,
    runs: openGatewayRuns({
      clock,
      random,
      outputs,
      render: renderOf(options, closing),
      format: options.format,
      remark: onceEach(options.remark ?? (() => undefined)),
      seconds: options.speed ?? 0,
      manual: options.manual ?? false,
      closing,
    }),
    outputs,
    links: signedLinks({ secret: random.token(), seconds: options.linkSeconds, now }),
    ledger: openGatewayLedger(),
    gate: openGate(faults.limits ?? {}, now),
    faults: faultChooser(faults),
    takesFaults: options.faults !== undefined,
    honoursKeys: options.honoursKeys ?? false,
    byKey: new Map(),
    resultSeconds: options.resultSeconds,
    prices: options.prices,
    origins,
    counts: { execute: 0, submit: 0, result: 0, file: 0, upload: 0 },
    load: { executes: 0 },
    closing,
    pageToken: random.token(),
    s3: options.s3 === undefined ? undefined : storeOf(options.s3, options),
  }
}

/** Its secret is its own and ends with it, so that it can be shown whosever the API key is. */
function storeOf(name: string, options: GatewayOptions): S3Store {
  const { maxStoreBytes: maxBytes = usualStoreBytes, clock = systemClock, random = systemRandom } = options
  const wall = () => clock.wall()
  const bucket = openBucket({ maxBytes, wall, token: () => random.token() })
  return { name, bucket, keys: { accessKeyId: 'genrun', secretAccessKey: random.token() }, wall }
}

/** Passes each text on the first time it comes. */
function onceEach(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>()
  return text => {
    if (told.has(text)) return
    told.add(text)
    tell(text)
  }
}

const usualStoreBytes = 2 * 1024 ** 3

function renderOf({ render, backend }: GatewayOptions, closing: AbortSignal): Render {
  const usual = render ?? builtInRender(closing)
  return backend ? backedBy(backend, closing, usual) : usual
}

/** Threads are not begun before something is ordered, and end with the server. */
function builtInRender(closing: AbortSignal): Render {
  const pool = openPool()
  closing.addEventListener('abort', () => void pool.close(), { once: true })
  return request => pool.render(request)
}
