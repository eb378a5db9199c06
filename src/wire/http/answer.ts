import type { Json } from '../../base/names.ts'
import { sniff } from '../../media/sniff.ts'
import { type JsonWatch, watchJson } from './json-watch.ts'

/** One answer of the service, read as far as its status allows. Made by `transfer/receive-answer.ts` and `send-order.ts`, understood by `answers/dialect.ts`. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
  /** Why the body is not whole, when it broke off or was cut at its cap: then it proves nothing. */
  readonly flaw?: string | undefined
  /** When it came, by this machine's wall clock: what a date in it is compared with where it has none of its own. */
  readonly at: number
}

/** Names are in lower case; what was sent twice is joined by commas. */
export type Headers = { readonly [name: string]: string | undefined }

/** What a body turned out to be by its bytes; declared media types are often wrong. */
export type AnswerBody =
  | { readonly is: 'empty' }
  | { readonly is: 'json'; readonly value: Json }
  | { readonly is: 'text'; readonly text: string }
  /** Bytes that are no text in any charset: the body itself is an output. */
  | { readonly is: 'media' }

/** How much of a body is looked at to tell text from media. */
export const headBytes = 4096

/** What these bytes are, without reading them as JSON. `head` is the whole body or its first `headBytes`. */
export function shapeOf(head: Uint8Array): 'empty' | 'json' | 'text' | 'media' {
  const charset = charsetOf(head)
  if (charset === undefined) return 'media'
  const first = new TextDecoder(charset).decode(head, { stream: true }).trimStart()[0]
  if (first === undefined) return 'empty'
  return first === '{' || first === '[' || first === '"' ? 'json' : 'text'
}

/**
 * The body as it can be understood. Text that looks like JSON and is not stays text. Of JSON that is past a bound or not whole
 * (`flaw`), what came before is read: it may name a run.
 */
export function readBody(bytes: Uint8Array, flaw?: string): AnswerBody {
  const head = bytes.subarray(0, headBytes)
  const shape = shapeOf(head)
  if (shape === 'empty' || shape === 'media') return { is: shape }
  const charset = charsetOf(head)
  const decoder = new TextDecoder(charset)
  if (shape === 'text') return { is: 'text', text: decoder.decode(bytes) }
  const watch = watchJson()
  watch.take(bytes)
  const whole = watch.flaw() ?? flaw
  const text = whole === undefined ? decoder.decode(bytes) : soundText(bytes, watch, charset)
  try {
    return { is: 'json', value: parseJson(text) }
  } catch {
    return { is: 'text', text: whole === undefined ? text : decoder.decode(head) }
  }
}

/** What is whole of JSON that is not, closed where it ends. */
function soundText(bytes: Uint8Array, watch: JsonWatch, charset: string | undefined): string {
  const sound = watch.sound()
  return `${new TextDecoder(charset).decode(bytes.subarray(0, sound.bytes))}${sound.closing}`
}

/**
 * How bytes are read as text; undefined for those that are none. An order's answer may come in an old charset and hold a
 * run's id all the same: it is UTF-16 by its mark, or whatever is neither UTF-8 nor media nor holds what no text holds.
 */
function charsetOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe && head[3] === 0) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff && head[2] === 0) return 'utf-16be'
  // A document may have nothing but letters in it.
  if (head.includes(0) || Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-') return undefined
  try {
    // As part of a stream: the head may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    const isText = sniff(head) === undefined && head.every(byte => byte >= 0x20 || blanks.has(byte))
    return isText ? 'windows-1252' : undefined
  }
}

const blanks = new Set([0x09, 0x0a, 0x0c, 0x0d])

/** Whole numbers of sixteen digits and more become text: as a number, such a run id would be another id. */
function parseJson(text: string): Json {
  // `JSON.parse` yields nothing but JSON. It comes first: in what is no JSON, the search for numbers could take for ever.
  const value = JSON.parse(text) as Json
  if (text.length > longestIdScan || !/\d{16}/.test(text)) return value
  return JSON.parse(text.replace(textOrLongNumber, quoteNumber)) as Json
}

// Bodies with base64 are larger, and ids do not stand in those alone.
const longestIdScan = 1_048_576

const textOrLongNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

function quoteNumber(match: string): string {
  return match.startsWith('"') ? match : `"${match}"`
}
