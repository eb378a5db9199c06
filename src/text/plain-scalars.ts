import { type Cursor, code, isGap, lineEnd, scalarOf, unsure, valued } from './plain-cursor.ts'
import { badNumber } from './refusals.ts'
import type { TextScalar } from './tree.ts'

/** A quoted text on one line, at the cursor; the cursor goes behind it. */
export function quotedScalar(c: Cursor): TextScalar {
  return c.text.charCodeAt(c.at) === code.double ? doubleQuoted(c) : singleQuoted(c)
}

function doubleQuoted(c: Cursor): TextScalar {
  const { text } = c
  const start = c.at
  let hasEscape = false
  for (let at = start + 1; ; at++) {
    const unit = text.charCodeAt(at)
    if (unit === backslash) {
      hasEscape = true
      at++
    } else if (unit === code.double) {
      c.at = at + 1
      break
    } else if (unit === code.feed || Number.isNaN(unit)) throw unsure
  }
  const value = hasEscape ? unescaped(text.slice(start, c.at)) : text.slice(start + 1, c.at - 1)
  return scalarOf(c, start, c.at, value, value, 'double')
}

const backslash = 92

/** The escapes that JSON has mean the same in YAML; others are left to the package. */
function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    throw unsure
  }
}

function singleQuoted(c: Cursor): TextScalar {
  const { text } = c
  const start = c.at
  let end = text.indexOf("'", start + 1)
  while (end >= 0 && text.charCodeAt(end + 1) === code.single) end = text.indexOf("'", end + 2)
  if (end < 0) throw unsure
  const value = text.slice(start + 1, end).replaceAll("''", "'")
  if (value.includes('\n')) throw unsure
  c.at = end + 1
  return scalarOf(c, start, c.at, value, value, 'single')
}

/** Where plain text that begins at the cursor ends on its line, outside of brackets: before `: ` or a comment. */
export function plainEnd(c: Cursor): { readonly end: number; readonly isKey: boolean } {
  const { text } = c
  if (!beginsPlain(c)) throw unsure
  let last = c.at
  for (let at = c.at; ; at++) {
    const unit = text.charCodeAt(at)
    if (unit === code.space) {
      if (text.charCodeAt(at + 1) === code.hash) return { end: last, isKey: false }
    } else if (unit === code.feed || Number.isNaN(unit)) return { end: last, isKey: false }
    else if (unit === code.colon && isGap(text.charCodeAt(at + 1))) return { end: last, isKey: true }
    else last = at + 1
  }
}

/** Letters, digits and most signs; what means something to YAML at the beginning is left to the package. */
export function beginsPlain(c: Cursor): boolean {
  const unit = c.text.charCodeAt(c.at)
  if (unit === code.dash) return !isGap(c.text.charCodeAt(c.at + 1))
  return unit > code.space && !special.has(unit)
}

const special = new Set([...'?:,[]{}#&*!|>\'"%@`'].map(sign => sign.charCodeAt(0)))

/** Plain text outside of brackets, over the lines that belong to it; the cursor goes behind it. */
export function blockPlain(c: Cursor, end: number): TextScalar {
  const start = c.at
  const first = c.text.slice(start, end)
  c.at = end
  let next = continuation(c)
  if (next < 0) return plainScalar(c, start, end, first)
  const lines = [first]
  for (; next >= 0; next = continuation(c)) {
    c.at = next
    const more = plainLine(c)
    lines.push(c.text.slice(next, more))
    c.at = more
  }
  return plainScalar(c, start, c.at, lines.join(' '))
}

/** Where the next line goes on with a plain text; -1 when it does not. Blank lines between are left to the package. */
function continuation(c: Cursor): number {
  const { text } = c
  let at = c.at
  while (text.charCodeAt(at) === code.space) at++
  if (text.charCodeAt(at) !== code.feed) return -1
  const lineStart = at + 1
  at = lineStart
  while (text.charCodeAt(at) === code.space) at++
  if (text.charCodeAt(at) === code.feed) return beyondBlank(c, at)
  if (Number.isNaN(text.charCodeAt(at)) || at - lineStart <= c.innermost) return -1
  if (text.charCodeAt(at) === code.hash) return beyondBlank(c, lineEnd(text, at))
  return at
}

/** A text that goes on behind a blank line or a comment is for the package. */
function beyondBlank(c: Cursor, from: number): -1 {
  const { text } = c
  let at = from
  while (text.charCodeAt(at) === code.feed) {
    const lineStart = at + 1
    at = lineStart
    while (text.charCodeAt(at) === code.space) at++
    if (text.charCodeAt(at) === code.hash) at = lineEnd(text, at)
    else if (!isGap(text.charCodeAt(at)) && at - lineStart > c.innermost) throw unsure
  }
  return -1
}

/** A further line of a plain text: what begins it means nothing, but a key or a comment there is an error. */
function plainLine(c: Cursor): number {
  const { text } = c
  let last = c.at
  for (let at = c.at; ; at++) {
    const unit = text.charCodeAt(at)
    if (unit === code.feed || Number.isNaN(unit)) return last
    if (unit === code.colon && isGap(text.charCodeAt(at + 1))) throw unsure
    if (unit === code.hash && text.charCodeAt(at - 1) === code.space) throw unsure
    if (unit !== code.space) last = at + 1
  }
}

/** Plain text as a value by the core schema; numbers that lose digits are told. */
export function plainScalar(c: Cursor, start: number, end: number, source: string): TextScalar {
  const scalar = scalarOf(c, start, end, typed(source), source, 'plain')
  const fault = typeof scalar.value === 'number' && badNumber(scalar, scalar.value)
  if (fault) {
    c.nodes++
    c.tell(fault)
    return scalar
  }
  return valued(c, scalar)
}

/** Plain text as a key: typed alike, told nothing. */
export function plainKey(c: Cursor, end: number): TextScalar {
  const written = c.text.slice(c.at, end)
  const known = c.keys.get(written)
  const source = known ?? written
  if (known === undefined && c.keys.size < mostKeys) c.keys.set(written, written)
  return scalarOf(c, c.at, end, typed(source), source, 'plain')
}

// Ids of jobs are keys too, and each is there once.
const mostKeys = 1000

/** YAML 1.2 core schema; the rare forms of numbers are left to the package. */
function typed(source: string): TextScalar['value'] {
  const first = source.charCodeAt(0)
  if (first <= code.nine) {
    if (decimal.test(source))
      return source.includes('.') ? Number.parseFloat(source) : Number.parseInt(source, 10)
    if (rareNumber.test(source)) throw unsure
    return source
  }
  return source.length <= 5 && words.has(source) ? (words.get(source) ?? null) : source
}

const decimal = /^[-+]?(?:\d+|\d*\.\d+|\d+\.)$/
const rareNumber = /^[-+]?(?:0[ox]|\.(?:inf|nan|\d)|\d[\d.]*[eE])/i
const words = new Map<string, boolean | null>([
  ...['~', 'null', 'Null', 'NULL'].map((word): [string, null] => [word, null]),
  ...['true', 'True', 'TRUE'].map((word): [string, boolean] => [word, true]),
  ...['false', 'False', 'FALSE'].map((word): [string, boolean] => [word, false]),
])
