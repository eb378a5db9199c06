import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import type { Headers } from './answer.ts'
import { type BodyStream, bodyStream } from './body-stream.ts'
import { holdOnThis, type ReadHold } from './hold.ts'

/** The head of an answer. `at` is when it came, by this machine's wall clock. */
export interface Head {
  readonly status: number
  readonly headers: Headers
  readonly at: number
}

export interface Opened {
  readonly head: Head
  /** Must be read, or closed. */
  readonly body: AsyncIterable<Uint8Array>
  close(): void
}

/** What undici's clients, pools and agents have in common, as far as it is used here. */
export interface Sender {
  dispatch(request: Sent, handler: Handler): boolean
}

export interface Sent {
  readonly origin: string
  readonly path: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** What begins with `?`, which no header can, goes into the query: the key of a service that takes it nowhere else. */
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array | Readable
}

interface Control {
  abort(reason: Error): void
}

interface Handler {
  onRequestStart(control: Control): void
  onResponseStart(
    control: Control,
    status: number,
    headers: { readonly [name: string]: string | string[] | undefined },
  ): void
  onResponseData(control: Control, chunk: Buffer): void
  onResponseEnd(): void
  onResponseError(control: Control | undefined, error: Error): void
}

/**
 * Sends a request and resolves with the head of its answer; rejects when there is none. The signal ends the exchange at
 * any time, its reason becomes the error. undici's own `request` is not used: it drops what has come when a connection
 * breaks, and a run id could be in there.
 */
export function exchange(sender: Sender, request: Sent, clock: Clock, signal?: AbortSignal): Promise<Opened> {
  return new Promise((resolve, reject) => {
    let control: Control | undefined
    let flow: BodyStream | undefined
    let hold: ReadHold | undefined
    let left = Number.NaN
    const abort = () => {
      const reason = reasonOf(signal)
      control?.abort(reason)
      reject(reason)
    }
    const over = () => {
      signal?.removeEventListener('abort', abort)
      // The connection may serve another request by now.
      hold?.resume()
      hold = undefined
    }
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })

    sender.dispatch(withQuery(request), {
      onRequestStart(started) {
        control = started
        // It may have been aborted while it waited for a connection.
        if (signal?.aborted) started.abort(reasonOf(signal))
      },
      onResponseStart(from, status, headers) {
        if (status < 200) return
        const close = () => from.abort(new Error('the rest of the answer was not wanted'))
        hold = holdOnThis()
        flow = bodyStream({ pause: () => hold?.pause(), resume: () => hold?.resume(), close })
        left = declaredBytes(headers)
        resolve({ head: { status, headers: joined(headers), at: clock.wall() }, body: flow.chunks, close })
      },
      onResponseData(_, chunk) {
        left -= chunk.byteLength
        flow?.push(chunk)
      },
      onResponseEnd() {
        over()
        flow?.end()
      },
      onResponseError(_, error) {
        over()
        // What was announced is there: how the connection ended takes nothing away.
        if (left === 0) flow?.end()
        else flow?.fail(error)
        reject(error)
      },
    })
  })
}

/** Only here does the key get into an address: none that is told, compared or written down has it. */
function withQuery(request: Sent): Sent {
  const entries = Object.entries(request.headers)
  const items = entries.filter(([name]) => name.startsWith('?'))
  if (items.length === 0) return request
  const query = items.map(
    ([name, value]) => `${encodeURIComponent(name.slice(1))}=${encodeURIComponent(value)}`,
  )
  return {
    ...request,
    path: `${request.path}${request.path.includes('?') ? '&' : '?'}${query.join('&')}`,
    headers: Object.fromEntries(entries.filter(([name]) => !name.startsWith('?'))),
  }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('stopped')
}

/** How long a body says that it is (RFC 9112, 6.3); NaN where it does not say so, or only the end of its chunks does. */
function declaredBytes(headers: { readonly [name: string]: string | string[] | undefined }): number {
  const length = headers['content-length']
  const isSaid =
    typeof length === 'string' && /^\d+$/.test(length) && headers['transfer-encoding'] === undefined
  return isSaid ? Number(length) : Number.NaN
}

/** Names come in lower case from undici. */
function joined(headers: { readonly [name: string]: string | string[] | undefined }): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}
