import type { LookupFunction } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import { type Random, systemRandom } from '../base/random.ts'
import type { RunRef } from '../base/state.ts'
import { checkBaseUrl, endpointsUnder } from './address.ts'
import type { Way } from './dial.ts'
import { readOrderAnswer, readResultAnswer } from './dialect.ts'
import { createDownloader } from './download.ts'
import { createAsker, pay } from './http.ts'
import { type WireLimits, wireLimits } from './limits.ts'
import type { UploadFile } from './multipart.ts'
import { type Profile, workflowOf } from './profile.ts'
import {
  isMedia,
  keepOutputs,
  keepRaw,
  type Received,
  receiveOrder,
  receiveResult,
  type Shelf,
} from './receive.ts'
import { requestFor, usualHeaders } from './request.ts'
import { isCertificateTrouble } from './trouble.ts'
import { type UploadPlace, uploadFile } from './upload.ts'
import { uploadProblem, uploadUrl } from './upload-url.ts'
import type { Order, OrderReply, ReadReply, SpoolSink, Watch, Wire } from './wire.ts'

export interface WireOptions extends Way {
  /** As `checkBaseUrl` accepts it. */
  readonly baseUrl: string
  readonly key: string
  readonly profile: Profile
  readonly spool: SpoolSink
  readonly clock: Clock
  /** Hosts whose links may lead to addresses that are not public. */
  readonly allowHosts?: readonly string[]
  /** Other origins that the profile may send files to. */
  readonly uploadOrigins?: readonly string[]
  readonly limits?: WireLimits
  readonly random?: Random
  /** For tests: names of result links that resolve to what they say. */
  readonly lookup?: LookupFunction
}

/** The service over HTTP. Throws for a base address that `checkBaseUrl` does not accept. */
export function createWire(options: WireOptions): Wire & { close(): Promise<void> } {
  const checked = checkBaseUrl(options.baseUrl)
  if ('problem' in checked) throw new Error(`the base address ${checked.problem}`)
  const { clock, key, spool, limits = wireLimits, random = systemRandom } = options
  const authorization = `Bearer ${key}`
  const asker = createAsker(checked.url.origin, clock, limits.connectMs, options)
  const downloader = createDownloader({ ...options, base: checked.url, authorization, limits })
  const uploader = uploaderOf(options, { asker, authorization, limits, random })
  const service: Service = {
    ...options,
    limits,
    base: checked.url,
    way: { proxy: options.proxy, ca: options.ca },
    origin: checked.url.origin,
    endpoints: endpointsUnder(checked.url),
    authorization,
    shelf: { spool, name: () => random.token() },
    asker,
  }
  return {
    origin: service.origin,
    workflow: (model, params) => workflowOf(options.profile, model, params),
    order: (order, beforeFirstByte) => sendOrder(service, order, beforeFirstByte),
    read: (run, signal) => readResult(service, run, signal),
    download: (file, to, watch) => downloader.download(file.url, to, watch),
    ...(uploader && { upload: uploader.upload }),
    close: async () => {
      await Promise.all([asker.close(), downloader.close(), uploader?.close()])
    },
  }
}

type Uploading = Pick<UploadPlace, 'asker' | 'authorization' | 'limits' | 'random'>

/** Undefined where the profile names no place for uploads. Throws for one that `uploadProblem` refuses. */
function uploaderOf(options: WireOptions, shared: Uploading) {
  const { profile, clock } = options
  const rules = profile.upload
  const url = rules && uploadUrl(rules.url, options)
  if (!rules || !url) return undefined
  const problem = uploadProblem(rules.url, options)
  if (problem) throw new Error(problem.message)
  const isOwn = url.origin === new URL(options.baseUrl).origin
  const asker = isOwn ? shared.asker : createAsker(url.origin, clock, shared.limits.connectMs, options)
  const place = { ...shared, profile, rules, url, asker, clock }
  return {
    upload: (file: UploadFile, watch: Watch) => uploadFile(place, file, watch),
    close: async () => (isOwn ? undefined : asker.close()),
  }
}

interface Service {
  readonly base: URL
  readonly way: Way
  readonly origin: string
  readonly profile: Profile
  readonly clock: Clock
  readonly limits: WireLimits
  readonly endpoints: ReturnType<typeof endpointsUnder>
  readonly authorization: string
  readonly shelf: Shelf
  readonly asker: ReturnType<typeof createAsker>
}

async function sendOrder(service: Service, order: Order, beforeFirstByte: () => void): Promise<OrderReply> {
  const { profile, limits, clock, origin, shelf, authorization } = service
  const { mode, workflow } = order
  const request = requestFor(profile, service.base, order)
  if (!request) return { got: 'refused', failure: notServed(workflow), canRetry: false }
  const totalMs = Math.min(order.deadlineMs, limits[mode].totalMs)
  const sent = await pay(
    {
      url: request.url,
      headers: { ...request.headers, authorization },
      body: Buffer.from(JSON.stringify(request.body)),
      clock,
      way: service.way,
      connectMs: limits.connectMs,
      firstHeaderMs: Math.min(limits[mode].firstHeaderMs, totalMs),
      totalMs,
      beforeFirstByte,
    },
    (head, body) => receiveOrder(shelf, limits, mode, head, body),
  )
  switch (sent.sent) {
    case 'no':
      if (sent.thrown) return { got: 'not-sent', failure: { why: 'stopped' }, cause: sent.thrown.cause }
      return { got: 'not-sent', failure: unreachable(origin, sent.detail) }
    case 'perhaps':
      return { got: 'doubt', detail: sent.detail }
    case 'yes':
      return settleOrder(service, order, sent.value)
  }
}

function unreachable(origin: string, detail: string): Failure {
  return { why: 'unreachable', origin, detail, ...(isCertificateTrouble(detail) && { certificate: true }) }
}

/** From here on nothing may throw: the answer is paid for. */
async function settleOrder(
  { profile, origin, shelf }: Service,
  order: Order,
  received: Received,
): Promise<OrderReply> {
  const verdict = readOrderAnswer(profile, order, received.answer)
  const run =
    'id' in verdict && verdict.id !== undefined ? { workflow: order.workflow, id: verdict.id } : undefined
  switch (verdict.got) {
    case 'refused':
      return verdict
    case 'run':
      return { got: 'run', run: { workflow: order.workflow, id: verdict.id }, waitMs: verdict.waitMs }
    case 'failure':
      return { got: 'failure', failure: verdict.failure, run }
    case 'doubt':
      return { got: 'doubt', detail: verdict.detail, raw: await keepRaw(shelf, received) }
    case 'files': {
      const kept = await keepOutputs(shelf, origin, verdict.outputs, received)
      if ('files' in kept) return { got: 'files', files: kept.files, run, credits: verdict.credits }
      // What could not be kept here is still at the service.
      if (run) return { got: 'run', run }
      return {
        got: 'doubt',
        detail: `the result could not be kept, ${kept.trouble}`,
        raw: await keepRaw(shelf, received),
      }
    }
  }
}

async function readResult(service: Service, run: RunRef, signal: AbortSignal): Promise<ReadReply> {
  const { profile, limits, origin, authorization, shelf, asker } = service
  const url = service.endpoints.result(run)
  if (!url) return { got: 'trouble', failure: notServed(run.workflow) }
  const asked = await asker.get(
    {
      url,
      headers: { ...usualHeaders(profile), authorization },
      signal,
      firstHeaderMs: limits.result.firstHeaderMs,
      totalMs: head => (isMedia(head) ? limits.download.leastMs : limits.result.totalMs),
    },
    (head, body) => receiveResult(shelf, limits, head, body),
  )
  if (asked.got === 'nothing') {
    return {
      got: 'trouble',
      failure: asked.stopped ? { why: 'stopped' } : { why: 'unreachable', origin, detail: asked.detail },
    }
  }
  const verdict = readResultAnswer(profile, run.id, asked.value.answer)
  if (verdict.got !== 'files') return verdict
  const kept = await keepOutputs(shelf, origin, verdict.outputs, asked.value)
  if ('files' in kept) return { got: 'files', files: kept.files, credits: verdict.credits }
  return { got: 'trouble', failure: { why: 'unsaved', path: 'the spool', detail: kept.trouble } }
}

function notServed(workflow: string) {
  return { why: 'not-served', workflow, detail: 'its name cannot stand in an address' } as const
}
