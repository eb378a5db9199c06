import type { Json } from '../base/names.ts'

/** One answer of the service, read as far as its status allows. Made by `client.ts`, understood by `dialect.ts`. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
  /** Why the body is not whole, when it broke off or was cut at its cap: then it proves nothing. */
  readonly flaw?: string
  /** When it came, by our clock, in milliseconds. */
  readonly at: number
}

/** Names are in lower case; what was sent twice is joined by commas. */
export type Headers = { readonly [name: string]: string | undefined }

/** What a body turned out to be by its bytes; declared media types are often wrong. */
export type AnswerBody =
  | { readonly is: 'empty' }
  | { readonly is: 'json'; readonly value: Json }
  | { readonly is: 'text'; readonly text: string }
  /** Bytes that are no text: the body itself is an output. */
  | { readonly is: 'media' }

/** How much of a body is looked at to tell text from media. */
export const headBytes = 4096

/** What these bytes are, without reading them as JSON. `head` is the whole body or its first `headBytes`. */
export function shapeOf(head: Uint8Array): 'empty' | 'json' | 'text' | 'media' {
  const text = decodedText(head)
  if (text === undefined) return 'media'
  const first = text.trimStart()[0]
  if (first === undefined) return 'empty'
  return first === '{' || first === '[' || first === '"' ? 'json' : 'text'
}

/** The body as it can be understood. Text that looks like JSON and is not stays text. */
export function readBody(bytes: Uint8Array): AnswerBody {
  const shape = shapeOf(bytes.subarray(0, headBytes))
  if (shape === 'empty' || shape === 'media') return { is: shape }
  const text = new TextDecoder().decode(bytes)
  if (shape === 'text') return { is: 'text', text }
  try {
    return { is: 'json', value: parseJson(text) }
  } catch {
    return { is: 'text', text }
  }
}

/** Undefined for bytes that are not UTF-8 or hold a NUL: no text of a service does, every media file does. */
function decodedText(head: Uint8Array): string | undefined {
  if (head.includes(0)) return undefined
  try {
    // As part of a stream: the head may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}

/** Whole numbers of sixteen digits and more become text: as a number, such a run id would be another id. */
function parseJson(text: string): Json {
  const isShort = text.length <= longestIdScan
  // `JSON.parse` yields nothing but JSON.
  return JSON.parse(
    isShort && /\d{16}/.test(text) ? text.replace(textOrLongNumber, quoteNumber) : text,
  ) as Json
}

// Bodies with base64 are larger, and ids do not stand in those alone.
const longestIdScan = 1_048_576

const textOrLongNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

function quoteNumber(match: string): string {
  return match.startsWith('"') ? match : `"${match}"`
}
