import { type Checked, type Diagnostic, hasErrors, sortProblems } from '../base/diagnostic.ts'
import type { SourceFile } from '../base/source.ts'
import { tellUnusedAnchors } from './anchors.ts'
import { collectEntries } from './mapping.ts'
import { beginsBlockScalar, blockScalar } from './plain-block-scalar.ts'
import {
  anchored,
  anchorName,
  type Cursor,
  code,
  cursorOf,
  endLine,
  isGap,
  lineEnd,
  nextContent,
  nothing,
  skipSpaces,
  unsure,
  valued,
} from './plain-cursor.ts'
import { alias, flowCollection, mostDepth } from './plain-flow.ts'
import { blockPlain, plainEnd, plainKey, quotedScalar } from './plain-scalars.ts'
import type { TextEntry, TextList, TextMap, TextNode, TextScalar } from './tree.ts'

/**
 * Reads the plain cases of YAML, which nearly all manifests are, some thirty times as fast as the package: mappings
 * and lists by columns, brackets and JSON, quotes, block texts, comments, anchors. Whatever is not certainly one of
 * these (an error above all) is undefined, and the package reads it. What is read has the very tree and problems that
 * the package's way gives; a test compares the two.
 */
export function readPlain(file: SourceFile): Checked<TextNode> | undefined {
  const { text } = file
  const isJson = /^[ \n]*[{[]/.test(text)
  if (text.includes('\r') || text.startsWith('\ufeff') || (!isJson && text.includes('\t'))) return undefined
  const problems: Diagnostic[] = []
  const cursor = cursorOf(file, problem => problems.push(problem))
  try {
    const value = readRoot(cursor)
    tellUnusedAnchors(cursor.anchors)
    return { value: hasErrors(problems) ? undefined : value, problems: sortProblems(problems) }
  } catch (cause) {
    if (cause === unsure) return undefined
    throw cause
  }
}

function readRoot(c: Cursor): TextNode {
  nextContent(c)
  if (c.column < 0) throw unsure
  const root = blockNode(c, 1)
  if (root.kind === 'scalar' || c.column >= 0) throw unsure
  return root
}

/** What begins at the cursor, the first content of its line or behind a dash; the cursor goes to the next content. */
function blockNode(c: Cursor, depth: number): TextNode {
  if (beginsItem(c)) return blockList(c, depth)
  const key = keyAt(c)
  return key ? blockMap(c, key, depth) : inlineValue(c, depth)
}

function beginsItem(c: Cursor): boolean {
  return c.text.charCodeAt(c.at) === code.dash && isGap(c.text.charCodeAt(c.at + 1))
}

/** The key at the cursor, which goes to its `:`. Without one the cursor stays. */
function keyAt(c: Cursor): TextScalar | undefined {
  const { text, at: start } = c
  const unit = text.charCodeAt(start)
  if (unit === code.listOpen || unit === code.mapOpen) return undefined
  if (unit === code.double || unit === code.single) {
    const key = quotedScalar(c)
    if (text.charCodeAt(c.at) === code.colon && isGap(text.charCodeAt(c.at + 1))) {
      if (key.source === '') throw unsure
      return key
    }
    c.at = start
    return undefined
  }
  const { end, isKey } = plainEnd(c)
  if (!isKey) return undefined
  const key = plainKey(c, end)
  c.at = end
  skipSpaces(c)
  return key
}

const longestKey = 500

function blockMap(c: Cursor, firstKey: TextScalar, depth: number): TextMap {
  const { start } = firstKey
  const around = enter(c, start - c.lineStart, depth)
  const written: TextEntry[] = []
  let key: TextScalar | undefined = firstKey
  while (key) {
    if (c.at - key.start > longestKey) throw unsure
    c.at++
    written.push({ key, value: valueOfKey(c, depth + 1) })
    key = undefined
    if (c.column === c.innermost) {
      key = keyAt(c)
      if (!key) throw unsure
    }
  }
  const end = leave(c, around)
  return { kind: 'map', file: c.file, start, end, entries: collectEntries(written, c.tell) }
}

function blockList(c: Cursor, depth: number): TextList {
  const start = c.at
  const around = enter(c, start - c.lineStart, depth)
  const items: TextNode[] = []
  do {
    c.at++
    items.push(valueOfItem(c, depth + 1))
  } while (c.column === c.innermost && beginsItem(c))
  const end = leave(c, around)
  return { kind: 'list', file: c.file, start, end, items }
}

/** Returns the column of the collection around, for `leave`. */
function enter(c: Cursor, column: number, depth: number): number {
  const around = c.innermost
  if (depth > mostDepth) throw unsure
  c.nodes++
  c.deepest = Math.max(c.deepest, depth)
  c.innermost = column
  return around
}

/** Returns where the collection ends. */
function leave(c: Cursor, around: number): number {
  if (c.column > c.innermost) throw unsure
  c.innermost = around
  // A block text may end in blanks, which are not the collection's.
  let end = c.full
  while (/\s/.test(c.text.charAt(end - 1))) end--
  return end
}

/** Behind a key's `:`. */
function valueOfKey(c: Cursor, depth: number): TextNode {
  skipSpaces(c)
  if (!isRestEmpty(c)) return inlineValue(c, depth)
  const isBelow = () => c.column > c.innermost || (c.column === c.innermost && beginsItem(c))
  return below(c, isBelow, depth)
}

/** Behind a dash. */
function valueOfItem(c: Cursor, depth: number): TextNode {
  skipSpaces(c)
  if (isRestEmpty(c)) return below(c, () => c.column > c.innermost, depth)
  const unit = c.text.charCodeAt(c.at)
  const isMarked = unit === code.ampersand || unit === code.star
  return isMarked || beginsBlockScalar(c) ? inlineValue(c, depth) : blockNode(c, depth)
}

function isRestEmpty(c: Cursor): boolean {
  const unit = c.text.charCodeAt(c.at)
  return unit === code.hash || isGap(unit)
}

/** A value on the lines below its key or dash, or none at all. */
function below(c: Cursor, isBelow: () => boolean, depth: number): TextNode {
  const place = c.at
  const hasComment = c.text.charCodeAt(place) === code.hash
  endLineOfNone(c)
  const end = c.full
  if (isBelow()) return blockNode(c, depth)
  // The package counts comments behind nothing to the nothing.
  const isLast = c.column < c.innermost || c.column < 0
  if (isLast && c.text.slice(end, c.at).includes('#')) throw unsure
  if (hasComment && c.text.charCodeAt(place - 1) !== code.space) throw unsure
  return nothing(c, place)
}

/** As `endLine`, where the line may end at once. */
function endLineOfNone(c: Cursor): void {
  if (c.text.charCodeAt(c.at) === code.hash) {
    if (c.text.charCodeAt(c.at - 1) !== code.space) throw unsure
    c.at--
  }
  endLine(c)
  // Without a comment the line ended behind the `:` or the dash.
  while (c.text.charCodeAt(c.full - 1) === code.space) c.full--
}

/** A value that begins at the cursor, and is no block collection unless an anchor stands before it. */
function inlineValue(c: Cursor, depth: number): TextNode {
  switch (c.text.charCodeAt(c.at)) {
    case code.mapOpen:
    case code.listOpen:
      return ended(c, flowCollection(c, depth))
    case code.double:
    case code.single:
      return ended(c, valued(c, quotedScalar(c)))
    case code.star:
      return ended(c, alias(c, depth))
    case code.ampersand:
      return anchoredValue(c, depth)
    case code.bar:
    case code.more:
      if (!beginsBlockScalar(c)) throw unsure
      return ended(c, blockScalar(c))
    default: {
      const { end, isKey } = plainEnd(c)
      if (isKey) throw unsure
      return ended(c, blockPlain(c, end))
    }
  }
}

function ended<Node extends TextNode>(c: Cursor, node: Node): Node {
  endLine(c)
  return node
}

/** `&name value`, or `&name` with a collection on the lines below. */
function anchoredValue(c: Cursor, depth: number): TextNode {
  const name = anchorName(c)
  if (!isGap(c.text.charCodeAt(c.at))) throw unsure
  skipSpaces(c)
  const unit = c.text.charCodeAt(c.at)
  if (unit === code.star || unit === code.ampersand) throw unsure
  if (!isRestEmpty(c)) return anchored(c, name, depth, () => inlineValue(c, depth))
  c.at = lineEnd(c.text, c.at) + 1
  nextContent(c)
  if (c.column <= c.innermost || c.text.charCodeAt(c.at) === code.ampersand) throw unsure
  return anchored(c, name, depth, () => collectionBelow(c, depth))
}

function collectionBelow(c: Cursor, depth: number): TextNode {
  const node = blockNode(c, depth)
  if (node.kind === 'scalar') throw unsure
  return node
}
