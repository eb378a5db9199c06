import type { LookupFunction } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { Beginning } from '../base/state.ts'
import { deadline } from './alarm.ts'
import { dialer, type Way } from './dial.ts'
import { exchange, type Head, type Opened } from './exchange.ts'
import { inlineBytes } from './files.ts'
import type { WireLimits } from './limits.ts'
import { nextHop } from './link.ts'
import { openPart, type Part } from './part.ts'
import { proxyFor } from './proxy.ts'
import { createReach, type Reach } from './reach.ts'
import {
  beginningOf,
  isAsLeft,
  type Resumption,
  rangeHeaders,
  resourceOf,
  restOf,
  strongEtag,
  takeUp,
  totalOfRest,
} from './resumption.ts'
import { retryAfterMs } from './retry-after.ts'
import { keepTempo } from './tempo.ts'
import { troubleText } from './trouble.ts'
import type { DownloadReply, Watch } from './wire.ts'

export interface DownloaderOptions extends Way {
  readonly base: URL
  /** Sent to the base address's origin and nowhere else. */
  readonly authorization: string
  readonly clock: Clock
  readonly limits: WireLimits
  readonly allowHosts?: readonly string[]
  /** For tests: names that resolve to what they say. */
  readonly lookup?: LookupFunction
}

export interface Downloader {
  /** Fetches a link into a file. Never rejects. */
  download(link: string, to: string, watch: Watch): Promise<DownloadReply>
  close(): Promise<void>
}

/** Fetches results by RELIABILITY.md sections 4 and 5: capped, paced, synced, and only from where links may lead. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const { base, allowHosts = [], lookup } = options
  const reach = createReach({ base, allowHosts, lookup })
  const agent = new Agent({
    connect: guarded(reach, options),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const from: Fetch = { ...options, agent, resumptions: new Map() }
  return {
    download: (link, to, watch) =>
      link.startsWith('data:') ? writeInline(link, to) : fetchLink(from, link, to, watch),
    close: () => agent.destroy(),
  }
}

/** Checks addresses where they are dialled: what a name resolved to a moment ago proves nothing. */
function guarded(reach: Reach, { limits, proxy, ca }: DownloaderOptions): buildConnector.connector {
  const dial = dialer({ timeoutMs: limits.connectMs, lookup: reach.lookup, proxy, ca })
  return (options, done) => {
    const isTunnelled = proxyFor(proxy, options.hostname, Number(options.port) || 443) !== undefined
    reach.refusal(options.hostname, isTunnelled).then(
      refusal => (refusal === undefined ? dial(options, done) : done(new Error(refusal), null)),
      (error: Error) => done(error, null),
    )
  }
}

interface Fetch extends DownloaderOptions {
  readonly agent: Agent
  /** Downloads that broke off in this run, by the file they go to. */
  readonly resumptions: Map<string, Resumption>
}

async function fetchLink(from: Fetch, link: string, to: string, watch: Watch): Promise<DownloadReply> {
  const over = new AbortController()
  const cutOff = (reason: string) => over.abort(new Error(reason))
  try {
    const resumption = await resumptionFor(from, link, to, watch.begun)
    const signal = AbortSignal.any([watch.signal, over.signal])
    const found = await follow(from, link, resumption, { signal, cutOff })
    if ('got' in found) return found
    const rest = resumption && restOf(resumption, found.head) === 'rest' ? resumption : undefined
    const refusal = rest ? undefined : refusalOf(found.head, from.limits)
    if (refusal) {
      found.close()
      return refusal
    }
    return await save(from, found, { link, to, rest }, { watch, over: over.signal, cutOff })
  } catch (error) {
    return watch.signal.aborted
      ? { got: 'trouble', failure: { why: 'stopped' } }
      : trouble(troubleText(error))
  } finally {
    cutOff('finished')
  }
}

/** Where an earlier attempt broke off; forgotten by being asked for, so that trouble with it never comes twice. */
async function resumptionFor(
  { resumptions }: Fetch,
  link: string,
  to: string,
  begun: Beginning | undefined,
): Promise<Resumption | undefined> {
  const found = resumptions.get(to)
  resumptions.delete(to)
  if (found) return found.resource === resourceOf(link) && (await isAsLeft(to, found)) ? found : undefined
  return begun?.resource === resourceOf(link) ? takeUp(to, begun) : undefined
}

/** Goes from redirect to redirect until an answer is none; every hop is checked before it is dialled. */
async function follow(
  from: Fetch,
  link: string,
  resumption: Resumption | undefined,
  { signal, cutOff }: { readonly signal: AbortSignal; readonly cutOff: (reason: string) => void },
): Promise<Opened | DownloadReply> {
  const { base, clock, limits, agent, authorization } = from
  let next = nextHop(link, base)
  for (let hops = 0; hops <= limits.download.redirects; hops++) {
    if ('problem' in next) return trouble(next.problem)
    const { url } = next
    const limit = deadline(clock)
    limit.set(clock.now(), limits.download.firstHeaderMs, 'no answer', cutOff)
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(resumption && rangeHeaders(resumption)),
      ...(url.origin === base.origin && { authorization }),
    }
    const sent = { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET', headers } as const
    const answer = await exchange(agent, sent, clock, signal).finally(() => limit.stop())
    const { status, headers: said } = answer.head
    if (!isRedirect(status) || said.location === undefined) return answer
    answer.close()
    next = nextHop(said.location, base, url)
  }
  return trouble(`more than ${limits.download.redirects} redirects`)
}

// Stores answer an expired signature with 400 or 401 as well. The same link will not do again.
const expired = [400, 401, 403, 404, 410]

/** What an answer that is not the file says. */
function refusalOf(head: Head, limits: WireLimits): DownloadReply | undefined {
  const { status, headers } = head
  if (expired.includes(status)) return { got: 'expired', failure: undelivered(`status ${status}`) }
  if (status !== 200) return { ...trouble(`status ${status}`), waitMs: retryAfterMs(head) }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== '' && encoding !== 'identity') return trouble(`the file comes encoded as ${encoding}`)
  const total = declaredBytes(head)
  if (total !== undefined && total > limits.download.bytes) return trouble(tooLong(limits))
  return undefined
}

interface Target {
  readonly link: string
  readonly to: string
  /** What the answer continues. */
  readonly rest: Resumption | undefined
}

interface Cutting {
  readonly watch: Watch
  readonly over: AbortSignal
  readonly cutOff: (reason: string) => void
}

// So much at most is fetched again after a crash.
const noteEvery = 4 * 1024 * 1024

async function save(
  from: Fetch,
  { head, body }: Opened,
  { link, to, rest }: Target,
  { watch, over, cutOff }: Cutting,
): Promise<DownloadReply> {
  const part = await openPart(to, rest)
  if ('why' in part) return { got: 'trouble', failure: part }
  const total = rest ? totalOfRest(head) : declaredBytes(head)
  const etag = rest ? rest.etag : strongEtag(head)
  let isOver = false
  let noted = part.bytes()
  const sofar = () => etag !== undefined && { resource: resourceOf(link), etag, total, ...part.sofar() }
  void keepTempo(from.clock, from.limits.download, { bytes: part.bytes, total }, over, cutOff)
  try {
    for await (const chunk of body) {
      if (part.bytes() + chunk.byteLength > from.limits.download.bytes) return trouble(tooLong(from.limits))
      const failure = await part.write(chunk)
      if (failure) return { got: 'trouble', failure }
      watch.progress?.(part.bytes(), total)
      if (part.bytes() - noted < noteEvery) continue
      noted = part.bytes()
      const present = sofar()
      if (present) watch.onBeginning?.(beginningOf(present))
    }
    const isWhole = total === undefined || part.bytes() === total
    if (!isWhole) return trouble(`${part.bytes()} of ${total} bytes came`)
    const done = await finish(part)
    isOver = done.got === 'bytes'
    return done
  } finally {
    const isShort = part.bytes() > 0 && (total === undefined || part.bytes() < total)
    const broken = !isOver && isShort && sofar()
    if (broken) {
      from.resumptions.set(to, broken)
      watch.onBeginning?.(beginningOf(broken))
    }
    await part.leave()
  }
}

async function writeInline(link: string, to: string): Promise<DownloadReply> {
  const bytes = inlineBytes(link)
  if (!bytes) return trouble('the data URI is empty')
  const part = await openPart(to)
  if ('why' in part) return { got: 'trouble', failure: part }
  const failure = await part.write(bytes)
  if (!failure) return finish(part)
  await part.leave()
  return { got: 'trouble', failure }
}

async function finish(part: Part): Promise<DownloadReply> {
  const bytes = part.bytes()
  if (bytes === 0) return trouble('the file is empty')
  const done = await part.finish()
  return 'why' in done ? { got: 'trouble', failure: done } : { got: 'bytes', bytes, sha256: done.sha256 }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

function declaredBytes(head: Head): number | undefined {
  const length = head.headers['content-length']
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
}

function tooLong(limits: WireLimits): string {
  return `the file is longer than ${limits.download.bytes} bytes`
}

function trouble(detail: string): DownloadReply & { got: 'trouble' } {
  return { got: 'trouble', failure: undelivered(detail) }
}

function undelivered(detail: string): Failure {
  return { why: 'undelivered', detail }
}
