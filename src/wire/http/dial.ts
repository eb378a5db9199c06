import type { LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { type ProxyRules, proxyFor } from './proxy.ts'
import { openTunnel } from './tunnel.ts'

/** How the network is left. */
export interface Way {
  readonly proxy?: ProxyRules | undefined
  /** Certificate authorities beside the usual ones, as PEM. */
  readonly ca?: string | undefined
}

interface DialOptions extends Way {
  /** 0 for none. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly lookup?: LookupFunction
}

/** Opens connections as undici wants them: directly, or by a tunnel through a proxy, TLS inside. */
export function dialer(options: DialOptions): buildConnector.connector {
  const { timeoutMs, signal, proxy, lookup } = options
  const ca = options.ca === undefined ? undefined : [...rootCertificates, options.ca]
  const direct = buildConnector({
    timeout: timeoutMs,
    ...(signal && { signal }),
    ...(ca && { ca }),
    ...(lookup && { lookup }),
  })
  return (target, done) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    const by = target.protocol === 'https:' ? proxyFor(proxy, target.hostname, port) : undefined
    if (!by) return direct(target, done)
    const limit = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined
    const given = [signal, limit].filter(each => each !== undefined)
    const over = AbortSignal.any(given)
    openTunnel(by, { hostname: target.hostname, port }, { signal: over, ...(ca && { ca }) }).then(
      httpSocket => {
        // TLS over a given socket does not heed the signal by itself.
        signal?.addEventListener('abort', () => httpSocket.destroy(), { once: true })
        direct({ ...target, httpSocket }, done)
      },
      (error: Error) => done(error, null),
    )
  }
}
