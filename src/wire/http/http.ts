import { Readable } from 'node:stream'
import { Client, Pool } from 'undici'
import { withAnySignal } from '../../base/any-signal.ts'
import type { Clock } from '../../base/clock.ts'
import { deadline } from './deadline.ts'
import { dialer, type Way } from './dial.ts'
import { exchange, type Head, type Sent } from './exchange.ts'
import { handover } from './handover.ts'
import { networkErrorText } from './network-error.ts'
import type { LastWord } from './wire.ts'
import { type Capture, listenIn } from './wire-capture.ts'

/** Reads a body, or leaves it. Must not reject. */
type ReadAnswer<T> = (head: Head, body: AsyncIterable<Uint8Array>) => Promise<T>

type EndpointMethod = Sent['method']

interface PaidRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
  readonly clock: Clock
  readonly way?: Way
  readonly connectMs: number
  /** Both count from the handover. */
  readonly firstHeaderMs: number
  readonly totalMs: number
  readonly beforeFirstByte: () => Promise<LastWord>
}

/** What became of a paid request on the network. */
type Paid<T> =
  | {
      readonly sent: 'no'
      readonly detail: string
      readonly thrown?: { readonly cause: unknown } | undefined
    }
  /** `heard` is what came over the connection, as far as it is kept. */
  | { readonly sent: 'yes'; readonly value: T; readonly capture: () => Buffer }
  /** A connection was handed over and no head of an answer came back that could be read. */
  | { readonly sent: 'perhaps'; readonly detail: string; readonly capture: () => Buffer }

/**
 * Sends one paid request over a connection of its own: HTTP/1.1, never reused, redirects not followed. Nothing but its
 * own time limits can end it. Never rejects.
 */
export async function pay<T>(request: PaidRequest, read: ReadAnswer<T>): Promise<Paid<T>> {
  const { url, clock, headers, body } = request
  const limit = deadline(clock)
  const dialing = new AbortController()
  let late: string | undefined
  let handedAt = 0
  let capture: Capture | undefined
  const giveUpDialing = (reason: string) => {
    late = reason
    dialing.abort()
  }
  const giveUp = (reason: string) => {
    late = reason
    void client.destroy(new Error(reason))
  }
  const gate = handover(dialer({ ...request.way, timeoutMs: 0, signal: dialing.signal }), {
    beforeFirstByte() {
      limit.stop()
      return request.beforeFirstByte()
    },
    onHanded(socket) {
      capture = listenIn(socket)
      handedAt = clock.now()
      limit.set(handedAt, request.firstHeaderMs, 'no answer', giveUp)
    },
  })
  const client = new Client(url.origin, {
    connect: gate.dial,
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: longestHead,
  })
  limit.set(clock.now(), request.connectMs, 'no connection', giveUpDialing)
  const captureBytes = () => capture?.bytes() ?? Buffer.alloc(0)

  try {
    const sent = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? 'POST',
      headers,
      body,
    } as const
    const answer = await exchange(client, sent, clock)
    limit.set(handedAt, request.totalMs, 'no complete answer', giveUp)
    return { sent: 'yes', value: await read(answer.head, answer.body), capture: captureBytes }
  } catch (error) {
    const detail = late ?? networkErrorText(error)
    return gate.state() === 'handed'
      ? { sent: 'perhaps', detail, capture: captureBytes }
      : { sent: 'no', detail, thrown: gate.thrown() }
  } finally {
    limit.stop()
    await client.destroy()
  }
}

// Four times the usual: cookies must not cost a paid answer.
const longestHead = 65_536

interface FreeRequest {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly signal: AbortSignal
  readonly firstHeaderMs: number
  /** By the head: a raw result takes longer than JSON. */
  readonly totalMs: (head: Head) => number
}

/** What became of a free request. `stopped` when its signal ended it. */
type Asked<T> =
  | { readonly got: 'answer'; readonly value: T }
  | { readonly got: 'nothing'; readonly detail: string; readonly stopped: boolean }

/** Asks one origin, over connections that are kept and shared. */
export interface Asker {
  get<T>(request: FreeRequest, read: ReadAnswer<T>): Promise<Asked<T>>
  /** Without a body. */
  tell<T>(request: FreeRequest & { readonly method: EndpointMethod }, read: ReadAnswer<T>): Promise<Asked<T>>
  /** A body in pieces is read once: whoever tries again gives it again. */
  post<T>(
    request: FreeRequest & {
      readonly method?: 'POST' | 'PUT'
      readonly body: Uint8Array | AsyncIterable<Uint8Array>
    },
    read: ReadAnswer<T>,
  ): Promise<Asked<T>>
  close(): Promise<void>
}

export function createAsker(origin: string, clock: Clock, connectMs: number, way: Way = {}): Asker {
  const pool = new Pool(origin, {
    connections: 8,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: dialer({ ...way, timeoutMs: connectMs }),
  })
  return {
    close: () => pool.destroy(),
    get: (request, read) => ask(request, { method: 'GET' }, read),
    tell: (request, read) => ask(request, { method: request.method }, read),
    async post(request, read) {
      const { method = 'POST' } = request
      if (request.body instanceof Uint8Array) return ask(request, { method, body: request.body }, read)
      const body = Readable.from(request.body, { objectMode: false })
      try {
        return await ask(request, { method, body }, read)
      } finally {
        body.destroy()
      }
    },
  }

  async function ask<T>(
    { url, headers, signal, firstHeaderMs, totalMs }: FreeRequest,
    what: Pick<Sent, 'method' | 'body'>,
    read: ReadAnswer<T>,
  ): Promise<Asked<T>> {
    const limit = deadline(clock)
    const over = new AbortController()
    const giveUp = (reason: string) => over.abort(new Error(reason))
    const start = clock.now()
    limit.set(start, firstHeaderMs, 'no answer', giveUp)
    try {
      const sent = { origin, path: `${url.pathname}${url.search}`, headers, ...what }
      return await withAnySignal([signal, over.signal], async any => {
        const { head, body } = await exchange(pool, sent, clock, any)
        limit.set(start, totalMs(head), 'no complete answer', giveUp)
        return { got: 'answer', value: await read(head, body) }
      })
    } catch (error) {
      return { got: 'nothing', detail: networkErrorText(error), stopped: signal.aborted }
    } finally {
      limit.stop()
    }
  }
}
