import { type Span, spanOf } from '../base/source.ts'
import type { TextScalar } from './tree.ts'

/**
 * The source of a part of a scalar's text, `start` and `end` being offsets in its value. YAML changes only white space
 * (folded lines, stripped indentation) and escapes, so the n-th solid character of the value is the n-th of the source:
 * solid characters are found exactly, white space is placed behind the solid character before it.
 */
export function spanInside(scalar: TextScalar, start: number, end: number): Span {
  if (typeof scalar.value !== 'string') return scalar
  const places = solidPlaces(scalar)
  const from = placeOf(scalar.value, start, places, scalar)
  if (end <= start) return spanOf(scalar.file, from, from)
  // The end lies behind the last character, which may be longer in the source than in the value.
  const last = placeOf(scalar.value, end - 1, places, scalar)
  return spanOf(scalar.file, from, Math.max(last + 1, followingEnd(scalar.value, end - 1, places)))
}

interface Solid {
  readonly start: number
  readonly end: number
}

function placeOf(value: string, offset: number, places: readonly Solid[], scalar: TextScalar): number {
  const before = countSolid(value.slice(0, offset))
  const character = value[offset]
  const solid = places[before]
  if (character !== undefined && isSolid(character) && solid) return solid.start
  const previous = places[before - 1]
  if (!previous) return solid && offset > 0 ? solid.start : contentStart(scalar)
  // White space right behind a solid character keeps its distance, as far as the source goes.
  const distance = offset - lastSolidIndex(value, offset)
  const limit = solid?.start ?? scalar.end
  return Math.max(previous.end, Math.min(previous.end + distance - 1, limit))
}

function followingEnd(value: string, offset: number, places: readonly Solid[]): number {
  const character = value[offset]
  if (character === undefined || !isSolid(character)) return 0
  return places[countSolid(value.slice(0, offset))]?.end ?? 0
}

function lastSolidIndex(value: string, before: number): number {
  for (let index = before - 1; index >= 0; index--) if (isSolid(value[index] ?? ' ')) return index
  return -1
}

/** Where each solid UTF-16 unit of the value stands in the source, in order. */
function solidPlaces(scalar: TextScalar): Solid[] {
  const places: Solid[] = []
  const { text } = scalar.file
  let at = contentStart(scalar)
  const end = scalar.style === 'single' || scalar.style === 'double' ? scalar.end - 1 : scalar.end
  while (at < end) {
    const length = unitLength(text, at, scalar)
    const decoded = length === 1 ? text.charAt(at) : decode(text.slice(at, at + length))
    for (const unit of decoded.split('')) if (isSolid(unit)) places.push({ start: at, end: at + length })
    at += length
  }
  return places
}

/** How many source characters make one character of the value here. */
function unitLength(text: string, at: number, scalar: TextScalar): number {
  if (scalar.style === 'single') return text.startsWith("''", at) ? 2 : 1
  if (scalar.style !== 'double' || text[at] !== '\\') return 1
  return 2 + ({ x: 2, u: 4, U: 8 }[text.charAt(at + 1)] ?? 0)
}

function decode(escape: string): string {
  if (escape === "''") return "'"
  const digits = /^\\[xuU]([0-9a-fA-F]+)$/.exec(escape)?.[1]
  if (digits) return String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10ffff))
  return escapes[escape.charAt(1)] ?? escape.charAt(1)
}

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

function countSolid(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) if (isSolid(text[index] ?? ' ')) count++
  return count
}

function isSolid(unit: string): boolean {
  return unit !== ' ' && unit !== '\t' && unit !== '\n' && unit !== '\r'
}

// Of the escapes in YAML 1.2 section 5.7, those whose value is not the character behind the backslash. A control
// character counts as solid; what its value is does not matter then.
const escapes: { readonly [letter: string]: string } = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\t': '\t',
  '\n': '\n',
  '\r': '\r',
}
