import { readPiped } from '../../disk/own.ts'

/** Enough for everything that is read from a pipe; each reader has a bound of its own beside it. */
const longest = 512 * 1024 * 1024

/**
 * Everything that is piped in, however slowly it comes. A pipe may have been made non-blocking, by us or by whoever shares it: then
 * an empty moment is no end. Throws what the system says, and RangeError for more than is ever meant.
 */
export function readStdin(): Uint8Array {
  const pieces: Buffer[] = []
  let all = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(64 * 1024)
    const bytes = readPiece(piece)
    if (bytes === 0) return Buffer.concat(pieces)
    if (bytes === undefined) {
      Atomics.wait(moment, 0, 0, 10)
      continue
    }
    all += bytes
    if (all > longest) throw new RangeError('more than 512 MiB are piped in')
    pieces.push(piece.subarray(0, bytes))
  }
}

const moment = new Int32Array(new SharedArrayBuffer(4))

/** 0 at the end; undefined while nothing is there. */
function readPiece(piece: Uint8Array): number | undefined {
  try {
    return readPiped(piece)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'EAGAIN') return undefined
    // How Windows ends a pipe.
    if (code === 'EOF') return 0
    throw cause
  }
}
