import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { anySignal } from '../../base/any-signal.ts'
import { defined } from '../../base/defined.ts'
import { holdable } from './hold.ts'
import { dropInterim } from './interim.ts'
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

/** Opens connections as undici wants them: directly, or by a tunnel through a proxy, TLS inside. No interim answer is read from them, and they can be held. */
export function dialer(options: DialOptions): buildConnector.connector {
  const { timeoutMs, signal, proxy, lookup } = options
  const secureContext = options.ca === undefined ? undefined : contextWith(options.ca)
  const direct = tended(
    buildConnector({ keepAlive: false, timeout: timeoutMs, ...defined({ signal, secureContext, lookup }) }),
  )
  return (target, done) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    const by = target.protocol === 'https:' ? proxyFor(proxy, target.hostname, port) : undefined
    if (!by) return direct(target, done)
    const limit = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined
    const given = [signal, limit].filter(each => each !== undefined)
    const over = anySignal(given)
    openTunnel(by, { hostname: target.hostname, port }, { signal: over, secureContext }).then(
      httpSocket => {
        // TLS over a given socket does not heed the signal by itself.
        signal?.addEventListener('abort', () => httpSocket.destroy(), { once: true })
        direct({ ...target, httpSocket }, done)
      },
      (error: Error) => done(error, null),
    )
  }
}

/**
 * An answer may be minutes away: by these signs of life the other side is known to be there, and what lies between keeps the
 * connection. Asked for once there is one: what undici asks for before that, Node tells the system twice.
 */
function tended(connect: buildConnector.connector): buildConnector.connector {
  return (target, done) =>
    connect(target, (...[error, socket]) => {
      if (error) return done(error, null)
      socket.setKeepAlive(true, aliveAfterMs)
      dropInterim(socket)
      holdable(socket)
      done(null, socket)
    })
}

const aliveAfterMs = 60_000

/**
 * The usual authorities and these. To read them all takes as long as dozens of handshakes, and every order has a connection of its
 * own: it is done once.
 */
function contextWith(ca: string): SecureContext {
  const known = contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, ca] })
  contexts.set(ca, known)
  return known
}

const contexts = new Map<string, SecureContext>()
