import { isUtf8 } from 'node:buffer'
import type { RemoteFile, WireMode } from '../../base/state.ts'
import { partBytes, readPart, removePart } from '../../disk/part.ts'
import type { Output } from '../answers/outputs.ts'
import { type Answer, headBytes, readBody, shapeOf } from '../http/answer.ts'
import { cappedBody, collectBytes } from '../http/capped-body.ts'
import type { Head } from '../http/exchange.ts'
import { type JsonWatch, watchJson } from '../http/json-watch.ts'
import type { WireLimits } from '../http/limits.ts'
import { networkErrorText } from '../http/network-error.ts'
import type { SpoolSink } from '../http/wire.ts'
import { inlineBytes } from './files.ts'

/** Where answers are kept, and what they are called there: `name` gives another word each time. */
export interface SpoolPlace {
  readonly spool: SpoolSink
  readonly name: () => string
}

/** An answer and its bytes: in the spool, or in memory. */
export interface Received {
  readonly answer: Answer
  readonly place: { readonly path: string } | { readonly bytes: Buffer }
  /** It came, and the disk did not take it. */
  readonly unkept?: true
}

interface Receiving {
  readonly spoolPlace: SpoolPlace
  readonly limits: WireLimits
}

/**
 * The answer to a paid request. What can be a result goes to the spool before anyone looks at it, so that no crash loses
 * it; ids and refusals are short and read in memory.
 */
export async function receiveOrder(
  { spoolPlace, limits }: Receiving,
  mode: WireMode,
  head: Head,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const isOk = head.status >= 200 && head.status <= 299
  const isResult = isOk && (mode === 'execute' || isMedia(head))
  if (isResult) return spooled({ spoolPlace, limits }, head, body, limits.execute.bytes)
  return inMemory(head, body, limits.submit.bytes, true)
}

/** The answer to a result request. It can be had again, so only media goes to the spool. */
export async function receiveResult(
  { spoolPlace, limits }: Receiving,
  head: Head,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const isResult = head.status === 200 && isMedia(head)
  if (isResult) return spooled({ spoolPlace, limits }, head, body, limits.download.bytes)
  return inMemory(head, body, limits.result.bytes)
}

/** Where an answer is kept that nobody can read, and what takes secrets out of it. */
interface RawPlace {
  readonly spoolPlace: SpoolPlace
  readonly hide: (text: string) => string
}

/**
 * Puts an answer into the spool if it is not there yet, without the key if a service echoes that. Undefined when there is nothing,
 * or no room for it.
 */
export async function keepRaw(to: RawPlace, { place }: Received): Promise<string | undefined> {
  if ('path' in place) return hiddenIn(to, place.path)
  if (place.bytes.byteLength === 0) return undefined
  return spoolAnswer(to, withoutSecrets(place.bytes, to.hide) ?? place.bytes)
}

/** What lies there already makes way for what may lie there, once that is safe. */
async function hiddenIn(to: RawPlace, path: string): Promise<string> {
  try {
    if ((await partBytes(path)) > longestRead) return path
    const clean = withoutSecrets(await readPart(path), to.hide)
    const kept = clean && (await spoolAnswer(to, clean))
    if (kept === undefined) return path
    await removePart(path)
    return kept
  } catch {
    return path
  }
}

// A longer one holds media.
const longestRead = 16 * 1024 * 1024

function spoolAnswer({ spoolPlace }: RawPlace, bytes: Uint8Array): Promise<string | undefined> {
  return spoolPlace.spool(once(bytes), `${spoolPlace.name()}-answer`).catch(() => undefined)
}

/** Undefined where there is none in them. */
function withoutSecrets(bytes: Buffer, hide: (text: string) => string): Buffer | undefined {
  const charset = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = bytes.toString(charset)
  const clean = hide(text)
  return clean === text ? undefined : Buffer.from(clean, charset)
}

/** Makes files of outputs: links as they are, bytes into the spool. */
export async function keepOutputs(
  spoolPlace: SpoolPlace,
  origin: string,
  outputs: readonly Output[],
  received: Received,
): Promise<{ readonly files: readonly RemoteFile[] } | { readonly trouble: string }> {
  const stem = spoolPlace.name()
  const files: RemoteFile[] = []
  try {
    for (const [nth, output] of outputs.entries()) {
      files.push(await keepOutput({ spoolPlace, origin, name: `${stem}-${nth + 1}` }, output, received))
    }
    return { files }
  } catch (error) {
    return { trouble: networkErrorText(error) }
  }
}

interface SpoolTarget {
  readonly spoolPlace: SpoolPlace
  readonly origin: string
  readonly name: string
}

async function keepOutput(
  { spoolPlace, origin, name }: SpoolTarget,
  output: Output,
  { place }: Received,
): Promise<RemoteFile> {
  switch (output.is) {
    case 'link':
      return { from: 'link', url: output.url.startsWith('/') ? `${origin}${output.url}` : output.url }
    case 'base64':
      return {
        from: 'spool',
        path: await spoolPlace.spool(once(inlineBytes(output.text) ?? Buffer.alloc(0)), name),
      }
    case 'body':
      return {
        from: 'spool',
        path: 'path' in place ? place.path : await spoolPlace.spool(once(place.bytes), name),
      }
  }
}

export function isMedia({ headers }: Pick<Head, 'headers'>): boolean {
  return /^\s*(image|video|audio|model)\/|^\s*application\/(octet-stream|mp4|ogg|pdf|zip)\b/i.test(
    headers['content-type'] ?? '',
  )
}

/** A whole answer in memory, up to a cap. Of one that is free, no more is read than up to the first bound that it breaks. */
export async function inMemory(
  head: Head,
  body: AsyncIterable<Uint8Array>,
  cap: number,
  isPaid = false,
): Promise<Received> {
  const from = cappedBody(body, cap, head.headers['content-encoding'])
  const watch = watchJson()
  const bytes = await collectBytes(from, chunk => {
    watch.take(chunk)
    return isPaid || watch.flaw() === undefined
  })
  const flaw = from.flaw() ?? boundBroken(bytes, watch)
  return { answer: { ...head, body: readBody(bytes, flaw), flaw }, place: { bytes } }
}

function boundBroken(bytes: Uint8Array, watch: JsonWatch): string | undefined {
  return shapeOf(bytes.subarray(0, headBytes)) === 'json' ? watch.flaw() : undefined
}

async function spooled(
  { spoolPlace, limits }: Receiving,
  head: Head,
  body: AsyncIterable<Uint8Array>,
  cap: number,
): Promise<Received> {
  const from = cappedBody(body, cap, head.headers['content-encoding'])
  const watch = watchJson()
  const heard = remembering(from.chunks, watch)
  try {
    const path = await spoolPlace.spool(heard.chunks(), `${spoolPlace.name()}-answer`)
    const flaws = { brokenOff: from.flaw(), unbounded: watch.flaw() }
    const answer = { path, bytes: from.bytes(), beginning: heard.beginning, ...flaws }
    return { answer: { ...head, ...(await readSpooled(answer, limits.jsonBytes)) }, place: { path } }
  } catch (error) {
    // The disk takes no more. A short answer is read all the same: it names what was paid for.
    for await (const _ of heard.chunks()) if (from.bytes() > longestBeginning) break
    const bytes = heard.beginning()
    const isWhole = from.bytes() === bytes.byteLength && from.flaw() === undefined
    const unread = `the answer could not be kept (${networkErrorText(error)})`
    const flaw = isWhole ? boundBroken(bytes, watch) : unread
    return { answer: { ...head, body: readBody(bytes, flaw), flaw }, place: { bytes }, unkept: true }
  } finally {
    await heard.end()
  }
}

/**
 * Passes chunks on and keeps the first of them, so that a short answer need not be read back from the disk. Whoever stops
 * reading does not end it: another may go on.
 */
function remembering(from: AsyncIterable<Uint8Array>, watch: JsonWatch) {
  const source = from[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let left = longestBeginning
  const beginning = (most = longestBeginning) => Buffer.concat(first, Math.min(most, longestBeginning - left))
  return { chunks, beginning, end: async () => void (await source.return?.()) }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      const piece = next.value.subarray(0, left)
      if (left > 0) first.push(piece)
      left -= piece.byteLength
      watch.take(next.value)
      yield next.value
    }
  }
}

const longestBeginning = 65_536

interface Spooled {
  readonly path: string
  readonly bytes: number
  /** A copy of the whole answer, or of its first bytes: so many, `longestBeginning` at most. */
  readonly beginning: (most?: number) => Buffer
  /** Why it is not whole, and which bound it breaks if it is JSON. */
  readonly brokenOff: string | undefined
  readonly unbounded: string | undefined
}

/** Media stays where it is; JSON is read: of what is not whole, or past a bound, the beginning, which may name a run. */
async function readSpooled(spooled: Spooled, jsonBytes: number): Promise<Pick<Answer, 'body' | 'flaw'>> {
  const { path, bytes, beginning, brokenOff, unbounded } = spooled
  const shape = shapeOf(beginning(headBytes))
  const isMuch = bytes > jsonBytes && (shape === 'json' || shape === 'text')
  const tooLong = isMuch ? `an answer of ${bytes} bytes is too long to be read` : undefined
  const flaw = brokenOff ?? (shape === 'json' ? unbounded : undefined) ?? tooLong
  if (flaw !== undefined) {
    return { body: shape === 'json' ? readBody(beginning(), flaw) : { is: 'empty' }, flaw }
  }
  if (shape === 'empty' || shape === 'media') return { body: { is: shape } }
  return { body: readBody(bytes <= longestBeginning ? beginning() : await readPart(path)) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
