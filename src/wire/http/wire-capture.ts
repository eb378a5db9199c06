import type { Socket } from 'node:net'

/** What a service sent over one connection, headers and all, from its first byte up to a cap. */
export interface Capture {
  readonly bytes: () => Buffer
}

// Enough for every honest answer that names a run.
const longest = 262_144

/**
 * Listens in on the connection of a paid request, before anything was read from it: undici keeps nothing of an answer
 * that it cannot read, and a run's id could be in there.
 */
export function listenIn(socket: Socket): Capture {
  const chunks: Buffer[] = []
  let left = longest
  const push = socket.push.bind(socket)
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null) return push(chunk)
    if (left > 0) chunks.push(chunk.subarray(0, left))
    left -= chunk.byteLength
    return push(chunk, encoding)
  }
  return { bytes: () => Buffer.concat(chunks) }
}

/** The body in what was heard, as far as it can be told: for looking for a run in it, and nothing else. */
export function bodyOf(capture: Buffer): Buffer {
  const end = capture.indexOf('\r\n\r\n')
  if (end < 0) return Buffer.alloc(0)
  const body = capture.subarray(end + 4)
  return /\r\ntransfer-encoding:\s*chunked/i.test(capture.toString('latin1', 0, end))
    ? joinedChunks(body)
    : body
}

/** RFC 9112, 7.1, as far as it goes. */
function joinedChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at)
    const bytes = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (lineEnd < 0 || !(bytes > 0)) return Buffer.concat(chunks)
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + bytes))
    at = lineEnd + 2 + bytes + 2
  }
}
