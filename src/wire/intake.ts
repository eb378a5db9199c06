import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { troubleText } from './trouble.ts'

/** A body on its way in. `chunks` never throws: when it ends before its time, `flaw` says why. */
export interface Intake {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Bytes that were passed on; final when `chunks` has ended. */
  readonly bytes: () => number
  readonly flaw: () => string | undefined
}

/** Takes a body in up to a cap, counted after its content encoding is undone. */
export function intake(body: AsyncIterable<Uint8Array>, cap: number, encoding: string | undefined): Intake {
  let bytes = 0
  let flaw: string | undefined
  return { chunks: capped(), bytes: () => bytes, flaw: () => flaw }

  async function* capped(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of decoded(body, encoding)) {
        const fitting = chunk.subarray(0, cap - bytes)
        bytes += fitting.byteLength
        if (fitting.byteLength > 0) yield fitting
        if (fitting.byteLength < chunk.byteLength) {
          flaw = `the answer is longer than ${cap} bytes`
          return
        }
      }
    } catch (error) {
      flaw = `the answer broke off after ${bytes} bytes (${troubleText(error)})`
    }
  }
}

/** All bytes of an intake, in memory. */
export async function collect(from: Intake): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of from.chunks) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** We ask for no encoding, but an answer that was paid for is read all the same. */
async function* decoded(body: AsyncIterable<Uint8Array>, encoding = 'identity'): AsyncGenerator<Uint8Array> {
  const decoder = decoderOf(encoding.trim().toLowerCase())
  if (decoder === undefined) return yield* body
  // Errors of both streams arrive where the decoder is read.
  pipeline(body, decoder, () => {})
  yield* decoder
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new Error(`unknown content encoding ${encoding}`)
  }
}
