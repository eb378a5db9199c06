import { type SourceFile, type Span, spanOf } from '../base/source.ts'
import { wordTable } from '../base/word-table.ts'
import type { TextScalar } from './tree.ts'

/**
 * The source of a part of a scalar's text, `start` and `end` being offsets in its value. YAML changes only white space
 * (folded lines, stripped indentation) and escapes, so the n-th solid character of the value is the n-th of the source:
 * solid characters are found exactly, white space is placed behind the solid character before it.
 */
export function spanInside(scalar: TextScalar, start: number, end: number): Span {
  if (typeof scalar.value !== 'string') return scalar
  const { starts, ends } = placesOf(scalar, scalar.value)
  const from = starts[start] ?? scalar.end
  return spanOf(scalar.file, from, end > start ? (ends[end - 1] ?? scalar.end) : from)
}

/** The same, looked for when somebody asks: what is worked out for a hundred thousand cells is hardly ever pointed at. Not to be spread. */
export function spanLater(scalar: TextScalar, start: number, end: number): Span {
  return new SpanLater(scalar, start, end)
}

class SpanLater implements Span {
  readonly #scalar: TextScalar
  readonly #start: number
  readonly #end: number

  constructor(scalar: TextScalar, start: number, end: number) {
    this.#scalar = scalar
    this.#start = start
    this.#end = end
  }

  get file(): SourceFile {
    return this.#scalar.file
  }

  get start(): number {
    return spanInside(this.#scalar, this.#start, this.#end).start
  }

  get end(): number {
    return spanInside(this.#scalar, this.#start, this.#end).end
  }
}

/** Where each UTF-16 unit of a value begins and ends in the source; the last start is the end of the value. */
interface Places {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

const known = new WeakMap<TextScalar, Places>()

function placesOf(scalar: TextScalar, value: string): Places {
  const places = known.get(scalar) ?? align(scalar, value)
  known.set(scalar, places)
  return places
}

function align(scalar: TextScalar, value: string): Places {
  const starts = new Uint32Array(value.length + 1)
  const ends = new Uint32Array(value.length)
  const solids = solidUnits(scalar)
  let next = solids.next()
  let behind = contentStart(scalar)
  for (let index = 0; index < value.length; index++) {
    const limit = next.done ? contentEnd(scalar) : next.value.start
    if (isSolid(value.charAt(index)) && !next.done) {
      starts[index] = next.value.start
      behind = next.value.end
      next = solids.next()
    } else {
      // White space keeps its distance from what stands before it, as far as the source goes.
      starts[index] = Math.min(behind, limit)
      behind = Math.min(behind + 1, limit)
    }
    ends[index] = behind
  }
  starts[value.length] = behind
  return { starts, ends }
}

/** The units of a scalar's source that are no white space in its value, escapes decoded. */
function* solidUnits(
  scalar: TextScalar,
): Generator<{ readonly start: number; readonly end: number }, undefined> {
  const { text } = scalar.file
  const end = contentEnd(scalar)
  let at = contentStart(scalar)
  while (at < end) {
    const length = sourceLength(text, at, scalar)
    const decoded = length === 1 ? text.charAt(at) : decode(text.slice(at, at + length))
    for (const unit of decoded.split('')) if (isSolid(unit)) yield { start: at, end: at + length }
    at += length
  }
  return undefined
}

/** How many source characters make one character of the value here. */
function sourceLength(text: string, at: number, scalar: TextScalar): number {
  if (scalar.style === 'single') return text.startsWith("''", at) ? 2 : 1
  if (scalar.style !== 'double' || text[at] !== '\\') return 1
  return 2 + ({ x: 2, u: 4, U: 8 }[text.charAt(at + 1)] ?? 0)
}

function decode(escape: string): string {
  if (escape === "''") return "'"
  const digits = /^\\[xuU]([0-9a-fA-F]+)$/.exec(escape)?.[1]
  if (digits) return String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10ffff))
  return whiteEscapes[escape.charAt(1)] ?? escape.charAt(1)
}

// Of the escapes in YAML 1.2 section 5.7, those whose value is white space and not the character behind the backslash.
// What the others stand for does not matter here: they are one solid character each.
const whiteEscapes: { readonly [letter: string]: string } = wordTable({ n: '\n', r: '\r', t: '\t' })

function contentStart(scalar: TextScalar): number {
  switch (scalar.style) {
    case 'plain':
      return scalar.start
    case 'single':
    case 'double':
      return scalar.start + 1
    case 'literal':
    case 'folded': {
      const headerEnd = scalar.file.text.indexOf('\n', scalar.start)
      return headerEnd < 0 || headerEnd >= scalar.end ? scalar.end : headerEnd + 1
    }
  }
}

function contentEnd(scalar: TextScalar): number {
  return scalar.style === 'single' || scalar.style === 'double' ? scalar.end - 1 : scalar.end
}

function isSolid(unit: string): boolean {
  return unit !== ' ' && unit !== '\t' && unit !== '\n' && unit !== '\r'
}
