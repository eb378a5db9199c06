import type { Diagnostic } from '../base/diagnostic.ts'
import type { SourceFile } from '../base/source.ts'
import { type Anchors, anchorsOf, type Weighed } from './anchors.ts'
import { suspiciousText } from './suspects.ts'
import type { ScalarStyle, TextNode, TextScalar } from './tree.ts'

/** Where the plain reader stands in its text. Lines end in a line feed; there is no tab outside of brackets. */
export interface Cursor {
  readonly file: SourceFile
  readonly text: string
  readonly tell: (problem: Diagnostic) => void
  readonly anchors: Anchors
  /** Keys that were read: those of a thousand jobs are one text each. */
  readonly keys: Map<string, string>
  at: number
  lineStart: number
  /** Of the next content after `nextLine`: spaces before it; -1 at the end of the text. */
  column: number
  /** The column of the block collection being read; -1 outside of any. */
  innermost: number
  /** Behind the last thing read, a comment on the same line included: there the collections around it end. */
  full: number
  /** What was read so far: nodes with aliases written out, and the deepest collection. */
  nodes: number
  deepest: number
}

/** Thrown where the text is no plain case; the caller reads it again with the package, which decides. */
export const unsure = new Error('no plain case')

export function cursorOf(file: SourceFile, tell: (problem: Diagnostic) => void): Cursor {
  return {
    file,
    text: file.text,
    tell,
    anchors: anchorsOf(file, tell),
    keys: new Map(),
    at: 0,
    lineStart: 0,
    column: -1,
    innermost: -1,
    full: 0,
    nodes: 0,
    deepest: 0,
  }
}

export const code = {
  tab: 9,
  feed: 10,
  space: 32,
  double: 34,
  hash: 35,
  percent: 37,
  ampersand: 38,
  single: 39,
  star: 42,
  plus: 43,
  comma: 44,
  dash: 45,
  dot: 46,
  nine: 57,
  zero: 48,
  colon: 58,
  listOpen: 91,
  listClose: 93,
  mapOpen: 123,
  bar: 124,
  mapClose: 125,
  more: 62,
} as const

/** Space, line feed or the end of the text. */
export function isGap(unit: number): boolean {
  return unit === code.space || unit === code.feed || Number.isNaN(unit)
}

export function skipSpaces(c: Cursor): void {
  while (c.text.charCodeAt(c.at) === code.space) c.at++
}

/** From behind a value to the next content: the rest of its line may hold a comment and nothing else. */
export function endLine(c: Cursor): void {
  const { text } = c
  const from = c.at
  c.full = from
  skipSpaces(c)
  const unit = text.charCodeAt(c.at)
  if (unit === code.hash && c.at > from) c.full = commentEnd(c)
  else if (unit !== code.feed && !Number.isNaN(unit)) throw unsure
  c.at = lineEnd(text, c.at) + 1
  nextContent(c)
}

/** Comments on lines of their own belong to what is read or to what follows, by their column: see `parser.js`. */
export function nextContent(c: Cursor): void {
  const deepestComment = skipLines(c)
  const isInside = c.column >= c.innermost
  if (deepestComment > Math.max(c.column, 0) && !isInside) throw unsure
}

/** Goes over blank lines and comments; returns the column of the comment furthest in, -1 without any. */
export function skipLines(c: Cursor): number {
  const { text } = c
  let deepestComment = -1
  while (c.at < text.length) {
    c.lineStart = c.at
    skipSpaces(c)
    c.column = c.at - c.lineStart
    const unit = text.charCodeAt(c.at)
    if (unit === code.hash) {
      deepestComment = Math.max(deepestComment, c.column)
      c.at = lineEnd(text, c.at) + 1
    } else if (unit === code.feed) c.at++
    else if (!Number.isNaN(unit)) {
      if (c.column === 0 && isMarker(text, c.at)) throw unsure
      return deepestComment
    }
  }
  c.lineStart = text.length
  c.column = -1
  return deepestComment
}

/** `---`, `...` and directives, which the package knows. */
function isMarker(text: string, at: number): boolean {
  return text.startsWith('---', at) || text.startsWith('...', at) || text.charCodeAt(at) === code.percent
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function commentEnd(c: Cursor): number {
  let end = lineEnd(c.text, c.at)
  while (/\s/.test(c.text.charAt(end - 1))) end--
  return end
}

/** A scalar in a place of a value: weighed, and looked at for what is hardly ever meant. */
export function valued(c: Cursor, scalar: TextScalar): TextScalar {
  c.nodes++
  if (typeof scalar.value === 'string') for (const problem of suspiciousText(scalar)) c.tell(problem)
  return scalar
}

export function scalarOf(
  c: Cursor,
  start: number,
  end: number,
  value: TextScalar['value'],
  source: string,
  style: ScalarStyle,
): TextScalar {
  return { kind: 'scalar', file: c.file, start, end, value, source, style }
}

/** Where nothing was written. */
export function nothing(c: Cursor, at: number): TextScalar {
  c.nodes++
  return scalarOf(c, at, at, null, '', 'plain')
}

/** `&name` or `*name` at the cursor: the name; the cursor goes behind it. */
export function anchorName(c: Cursor): string {
  const name = /[\w-]+/y
  name.lastIndex = c.at + 1
  const found = name.exec(c.text)
  if (!found) throw unsure
  c.at = name.lastIndex
  return found[0]
}

/** What is read between, anchored and weighed as the package's way does. */
export function anchored(c: Cursor, name: string, depth: number, read: () => TextNode): TextNode {
  const { known } = c.anchors
  const before = c.nodes
  const deepest = c.deepest
  known.set(name, 'open')
  c.deepest = depth - 1
  const node = read()
  const weighed: Weighed = { node, nodes: c.nodes - before, height: c.deepest - depth + 1 }
  known.set(name, weighed)
  c.deepest = Math.max(deepest, c.deepest)
  return node
}
