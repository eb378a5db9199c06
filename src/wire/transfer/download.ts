import type { LookupFunction } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { withAnySignal } from '../../base/any-signal.ts'
import { dialer, type Way } from '../http/dial.ts'
import { networkErrorText } from '../http/network-error.ts'
import { proxyFor } from '../http/proxy.ts'
import { createReach, type LinkReach } from '../http/reach.ts'
import type { DownloadReply, Watch } from '../http/wire.ts'
import { refusalOf } from './delivery.ts'
import { type Follower, follow } from './follow.ts'
import { isAsLeft, type Resumption, resourceOf, restOf, takeUp } from './resumption.ts'
import { type Cutting, type Saver, save, writeInline } from './save.ts'
import { trouble } from './undelivered.ts'

interface DownloaderOptions extends Way, Omit<Follower, 'agent'> {
  readonly allowHosts?: readonly string[]
  /** For tests: names that resolve to what they say. */
  readonly lookup?: LookupFunction
}

interface Downloader {
  /** Fetches a link into a file. Never rejects. */
  download(link: string, to: string, watch: Watch): Promise<DownloadReply>
  close(): Promise<void>
}

/** Fetches results by docs/contract.md sections 4 and 5: capped, paced, synced, and only from where links may lead. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const { base, allowHosts = [], lookup } = options
  const reach = createReach({ base, allowHosts, lookup })
  const agent = new Agent({
    connect: guarded(reach, options),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const from = { ...options, agent, resumptions: new Map() }
  return {
    download: (link, to, watch) =>
      link.startsWith('data:') ? writeInline(link, to) : fetchLink(from, link, to, watch),
    close: () => agent.destroy(),
  }
}

/** Checks addresses where they are dialled: what a name resolved to a moment ago proves nothing. */
function guarded(reach: LinkReach, { limits, proxy, ca }: DownloaderOptions): buildConnector.connector {
  const dial = dialer({ timeoutMs: limits.connectMs, lookup: reach.lookup, proxy, ca })
  return (options, done) => {
    const isTunnelled = proxyFor(proxy, options.hostname, Number(options.port) || 443) !== undefined
    reach.refusal(options.hostname, isTunnelled).then(
      refusal => (refusal === undefined ? dial(options, done) : done(new Error(refusal), null)),
      (error: Error) => done(error, null),
    )
  }
}

type Fetch = Follower & Saver

async function fetchLink(from: Fetch, link: string, to: string, watch: Watch): Promise<DownloadReply> {
  const over = new AbortController()
  const cutOff = (reason: string) => over.abort(new Error(reason))
  return await withAnySignal([watch.signal, over.signal], async signal => {
    try {
      return await fetchWhile(from, { link, to }, { watch, signal, over: over.signal, cutOff })
    } catch (error) {
      return watch.signal.aborted
        ? { got: 'trouble', failure: { why: 'stopped' } }
        : trouble(networkErrorText(error))
    } finally {
      cutOff('finished')
    }
  })
}

/** `signal`: aborted by a stop, and when it is `over`. */
async function fetchWhile(
  from: Fetch,
  { link, to }: { readonly link: string; readonly to: string },
  { signal, ...during }: Cutting & { readonly signal: AbortSignal },
): Promise<DownloadReply> {
  const { watch, cutOff } = during
  const resumption = await resumptionFor(from, link, to, watch)
  const found = await follow(from, link, resumption, { signal, cutOff })
  if ('got' in found) return found
  const rest = resumption && restOf(resumption, found.head) === 'rest' ? resumption : undefined
  const refusal = rest ? undefined : refusalOf(found.head, from.limits)
  if (refusal) {
    found.close()
    return refusal
  }
  return await save(from, found, { link, to, rest }, during)
}

/** Where an earlier attempt broke off; forgotten by being asked for, so that trouble with it never comes twice. */
async function resumptionFor(
  { resumptions }: Saver,
  link: string,
  to: string,
  { begun, onBeginning }: Watch,
): Promise<Resumption | undefined> {
  const found = resumptions.get(to)
  resumptions.delete(to)
  if (found) return found.resource === resourceOf(link) && (await isAsLeft(to, found)) ? found : undefined
  const taken = begun?.beginning.resource === resourceOf(link) ? await takeUp(to, begun) : undefined
  if (begun && taken) onBeginning?.(begun.beginning)
  return taken
}
