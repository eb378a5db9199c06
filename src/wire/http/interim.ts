import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/**
 * Takes the heads out of a connection that come before an answer's own, as any service, or what lies between, may send them without
 * being asked (RFC 9110, 15.2): undici takes `100 Continue` for an error. What comes before anything was asked is left: it is no answer.
 */
export function dropInterim(socket: Socket): void {
  const filter = interimFilter()
  filters.set(socket, filter)
  const push = socket.push.bind(socket)
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null) return push(chunk)
    const rest = filter.pass(chunk)
    // An empty chunk would end the reading: as if nothing had come.
    return rest.byteLength === 0 || push(rest, encoding)
  }
}

const filters = new WeakMap<object, InterimFilter>()

// Over one connection come many answers, one after the other: undici says when it asks for the next.
subscribe('undici:client:sendHeaders', message => {
  const { socket } = message as { readonly socket: object } // as undici documents it
  filters.get(socket)?.begin()
})

interface InterimFilter {
  /** From now on an answer may come. */
  begin(): void
  /** What there is to be read of these bytes, in whatever pieces they come. */
  pass(chunk: Buffer): Buffer
}

// More than any head may have.
const longest = 262_144

function interimFilter(): InterimFilter {
  let held: Buffer = Buffer.alloc(0)
  let isOver = true
  return {
    begin() {
      held = Buffer.alloc(0)
      isOver = false
    },
    pass(chunk) {
      if (isOver) return chunk
      // What comes first is mostly all that is needed, and may be long.
      held = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk])
      while (isInterim(held)) {
        const end = held.indexOf('\r\n\r\n')
        if (end < 0 && held.byteLength < longest) return Buffer.alloc(0)
        if (end < 0) break
        held = held.subarray(end + 4)
      }
      if (mayBecomeInterim(held)) return Buffer.alloc(0)
      isOver = true
      return held
    },
  }
}

/** Behind 101 another protocol begins. */
function isInterim(held: Buffer): boolean {
  return /^HTTP\/1\.[01] 1(?!01)\d\d/.test(held.toString('latin1', 0, 12))
}

function mayBecomeInterim(held: Buffer): boolean {
  const text = held.toString('latin1', 0, 12)
  return text.length < 12 && ['HTTP/1.1 1', 'HTTP/1.0 1'].some(line => line.startsWith(text.slice(0, 10)))
}
