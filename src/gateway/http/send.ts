import type { ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { type Body, bodyBytes, type GatewayAnswer } from './answer.ts'

/** How an answer leaves: as it should, or as faults want it. */
export type Delivery =
  | { readonly goes: 'whole' }
  /** Breaks off at this share of the length that was declared. */
  | { readonly goes: 'cut'; readonly at: number }
  | { readonly goes: 'drip'; readonly bytesPerSecond: number }
  /** The connection closes without a byte; `reset` by RST. */
  | { readonly goes: 'nowhere'; readonly how: 'close' | 'reset' }

interface Sending {
  readonly outgoing: ServerResponse
  readonly clock: Clock
  readonly closing: AbortSignal
}

/** Writes an answer. Resolves with true when the client has all of it; a client that goes away is no error. */
export async function send(
  answer: GatewayAnswer,
  delivery: Delivery,
  { outgoing, clock, closing }: Sending,
): Promise<boolean> {
  if (delivery.goes === 'nowhere') {
    hangUp(outgoing, delivery.how)
    return false
  }
  if (outgoing.destroyed) return false
  const length = answer.body === undefined ? 0 : bodyBytes(answer.body)
  // A 304 has no body and declares no length.
  outgoing.writeHead(answer.status, {
    ...answer.headers,
    ...(answer.status !== 304 && { 'content-length': length }),
  })
  if (answer.body === undefined || outgoing.req.method === 'HEAD') return ended(outgoing)
  const end = delivery.goes === 'cut' ? Math.floor(length * delivery.at) : length
  let left = end
  for await (const chunk of chunksOf(answer.body, end)) {
    left -= chunk.byteLength
    const isOpen = await (delivery.goes === 'drip'
      ? drip(chunk, delivery.bytesPerSecond, { outgoing, clock, closing })
      : write(chunk, outgoing))
    if (!isOpen) return false
  }
  // The file may have been given up meanwhile: what is missing must be noticed, not waited for.
  if (delivery.goes !== 'cut' && left === 0) return ended(outgoing)
  hangUp(outgoing, 'close')
  return false
}

async function* chunksOf(body: Body, end: number): AsyncIterable<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body).subarray(0, end)
  else if (body instanceof Uint8Array) yield body.subarray(0, end)
  else yield* body.read(0, end)
}

/** Resolves when there is room for more; with false when the client has gone. */
function write(chunk: Uint8Array, outgoing: ServerResponse): Promise<boolean> {
  if (outgoing.destroyed) return Promise.resolve(false)
  if (outgoing.write(chunk)) return Promise.resolve(true)
  return new Promise(resolve => {
    const settle = (isOpen: boolean) => () => {
      outgoing.off('drain', onDrain)
      outgoing.off('close', onClose)
      resolve(isOpen)
    }
    const [onDrain, onClose] = [settle(true), settle(false)]
    outgoing.once('drain', onDrain)
    outgoing.once('close', onClose)
  })
}

// Ten drops a second, each at least one byte.
const dropMs = 100

async function drip(
  chunk: Uint8Array,
  bytesPerSecond: number,
  { outgoing, clock, closing }: Sending,
): Promise<boolean> {
  const size = Math.max(1, Math.round((bytesPerSecond * dropMs) / 1000))
  const pauseMs = (size / bytesPerSecond) * 1000
  for (let at = 0; at < chunk.byteLength; at += size) {
    if (closing.aborted || !(await write(chunk.subarray(at, at + size), outgoing))) return false
    await clock.until(clock.now() + pauseMs, closing)
  }
  return true
}

function ended(outgoing: ServerResponse): Promise<boolean> {
  return new Promise(resolve => {
    outgoing.once('finish', () => resolve(true))
    outgoing.once('close', () => resolve(outgoing.writableFinished))
    outgoing.end()
  })
}

/** Ends a connection at once; what was written before still goes out, unless it is reset. */
export function hangUp(outgoing: ServerResponse, how: 'close' | 'reset'): void {
  const { socket } = outgoing
  if (how === 'reset') {
    socket?.resetAndDestroy()
    return
  }
  if (outgoing.headersSent) outgoing.flushHeaders()
  socket?.destroySoon()
}
