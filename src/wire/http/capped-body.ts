import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { networkErrorText } from './network-error.ts'

/** A body on its way in. `chunks` never throws: when it ends before its time, `flaw` says why. */
interface CappedBody {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Bytes that were passed on; final when `chunks` has ended. */
  readonly bytes: () => number
  readonly flaw: () => string | undefined
}

/** Takes a body in up to a cap, counted after its content encoding is undone. */
export function cappedBody(
  body: AsyncIterable<Uint8Array>,
  cap: number,
  encoding: string | undefined,
): CappedBody {
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
      flaw = `the answer broke off after ${bytes} bytes (${networkErrorText(error)})`
    }
  }
}

/** The bytes of an intake, in memory: all of them, or as long as they are wanted. */
export async function collectBytes(
  from: CappedBody,
  wantsMore: (chunk: Uint8Array) => boolean,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of from.chunks) {
    chunks.push(chunk)
    if (!wantsMore(chunk)) break
  }
  return Buffer.concat(chunks)
}

/**
 * We ask for no encoding, but an answer that was paid for is read all the same. Encodings stand in the order in which
 * they were applied (RFC 9110, 8.4).
 */
async function* decoded(body: AsyncIterable<Uint8Array>, encoding = ''): AsyncGenerator<Uint8Array> {
  const names = encoding.split(',').map(each => each.trim().toLowerCase())
  const unknown = names.find(name => !isDecodable(name) && !noEncodings.has(name))
  let from = body
  for (const name of unknown === undefined ? names.toReversed() : []) from = undone(from, name)
  yield* from
  if (unknown !== undefined) throw new Error(`unknown content encoding ${unknown}`)
}

// The last two are charsets and the like, which some services write there.
const noEncodings = new Set(['', 'identity', 'none', 'utf-8', 'binary'])

const decoders = {
  gzip: (first: Uint8Array) => (isGzip(first) ? createGunzip() : undefined),
  'x-gzip': (first: Uint8Array) => (isGzip(first) ? createGunzip() : undefined),
  deflate: (first: Uint8Array) => (isZlib(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
} as const

/** One encoding undone. What is no gzip goes through as it is: proxies that unpack forget the header. */
async function* undone(body: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const all = prepended(first.value, chunks)
  const decoder = isDecodable(name) ? decoders[name](first.value) : undefined
  if (decoder === undefined) return yield* all
  // Errors of both streams arrive where the decoder is read.
  pipeline(all, decoder, () => {})
  yield* decoder
}

async function* prepended(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}

function isDecodable(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name)
}

/** RFC 1952, 2.3.1. One byte alone may be its beginning. */
function isGzip(first: Uint8Array): boolean {
  return first[0] === 0x1f && (first[1] ?? 0x8b) === 0x8b
}

/** RFC 1950, 2.2: `deflate` is this by RFC 9110; many send the bare stream. */
function isZlib(first: Uint8Array): boolean {
  return ((first[0] ?? 0) & 15) === 8 && (((first[0] ?? 0) << 8) | (first[1] ?? 0)) % 31 === 0
}
