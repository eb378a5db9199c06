import { spanOf } from '../base/source.ts'
import { followAlias } from './anchors.ts'
import { collectEntries } from './mapping.ts'
import { anchored, anchorName, type Cursor, code, nothing, unsure, valued } from './plain-cursor.ts'
import { beginsPlain, plainKey, plainScalar, quotedScalar } from './plain-scalars.ts'
import type { TextEntry, TextNode, TextScalar } from './tree.ts'

/** Deeper texts are left to the package, which knows the limit. */
export const mostDepth = 40

/** A list or a mapping in brackets, at the cursor; the cursor goes behind it. JSON is this and nothing else. */
export function flowCollection(c: Cursor, depth: number): TextNode {
  if (depth > mostDepth) throw unsure
  c.nodes++
  c.deepest = Math.max(c.deepest, depth)
  return c.text.charCodeAt(c.at) === code.mapOpen ? flowMap(c, depth) : flowList(c, depth)
}

function flowMap(c: Cursor, depth: number): TextNode {
  const start = c.at++
  const written: TextEntry[] = []
  skipGaps(c)
  while (c.text.charCodeAt(c.at) !== code.mapClose) {
    const key = flowKey(c)
    written.push({ key, value: flowEntryValue(c, key, depth) })
    betweenItems(c, code.mapClose)
  }
  c.at++
  return { kind: 'map', file: c.file, start, end: c.at, entries: collectEntries(written, c.tell) }
}

function flowList(c: Cursor, depth: number): TextNode {
  const start = c.at++
  const items: TextNode[] = []
  skipGaps(c)
  while (c.text.charCodeAt(c.at) !== code.listClose) {
    items.push(flowNode(c, depth + 1))
    betweenItems(c, code.listClose)
  }
  c.at++
  return { kind: 'list', file: c.file, start, end: c.at, items: items.slice() }
}

/** A comma, or the end. Anything else, a `:` in a list for one, is left to the package. */
function betweenItems(c: Cursor, close: number): void {
  skipGaps(c)
  const unit = c.text.charCodeAt(c.at)
  if (unit === code.comma) {
    c.at++
    skipGaps(c)
  } else if (unit !== close) throw unsure
}

function flowKey(c: Cursor): TextScalar {
  const unit = c.text.charCodeAt(c.at)
  if (unit === code.double || unit === code.single) {
    const key = quotedScalar(c)
    if (key.source === '') throw unsure
    return key
  }
  const end = flowPlainEnd(c)
  const key = plainKey(c, end)
  c.at = end
  return key
}

function flowEntryValue(c: Cursor, key: TextScalar, depth: number): TextNode {
  while (c.text.charCodeAt(c.at) === code.space) c.at++
  const unit = c.text.charCodeAt(c.at)
  if (unit === code.comma || unit === code.mapClose) return nothing(c, key.end)
  if (unit !== code.colon) throw unsure
  c.at++
  if (key.style === 'plain' && !isWhite(c.text.charCodeAt(c.at))) throw unsure
  skipGaps(c)
  return flowNode(c, depth + 1)
}

function flowNode(c: Cursor, depth: number): TextNode {
  switch (c.text.charCodeAt(c.at)) {
    case code.mapOpen:
    case code.listOpen:
      return flowCollection(c, depth)
    case code.double:
    case code.single:
      return valued(c, quotedScalar(c))
    case code.star:
      return alias(c, depth)
    case code.ampersand: {
      const name = anchorName(c)
      if (c.text.charCodeAt(c.at) !== code.space) throw unsure
      skipGaps(c)
      if (isFlowSign(c.text.charCodeAt(c.at), true)) throw unsure
      return anchored(c, name, depth, () => flowNode(c, depth))
    }
    default: {
      const start = c.at
      c.at = flowPlainEnd(c)
      return plainScalar(c, start, c.at, c.text.slice(start, c.at))
    }
  }
}

/** `*name` at the cursor. */
export function alias(c: Cursor, depth: number): TextNode {
  const start = c.at
  const name = anchorName(c)
  const { node, nodes, height } = followAlias(c.anchors, name, spanOf(c.file, start, c.at), depth)
  c.nodes += nodes
  c.deepest = Math.max(c.deepest, depth + height - 1)
  return node
}

/** Where plain text inside brackets ends; over one line. */
function flowPlainEnd(c: Cursor): number {
  const { text } = c
  if (!beginsPlain(c) || isFlowSign(text.charCodeAt(c.at + 1), text.charCodeAt(c.at) === code.dash))
    throw unsure
  let last = c.at
  for (let at = c.at; ; at++) {
    const unit = text.charCodeAt(at)
    if (isFlowSign(unit, true) || unit === code.feed) return last
    if (Number.isNaN(unit) || unit === code.tab) throw unsure
    if (unit === code.colon) {
      const next = text.charCodeAt(at + 1)
      if (isWhite(next)) return last
      if (isFlowSign(next, true) || Number.isNaN(next)) throw unsure
    }
    if (unit === code.hash && text.charCodeAt(at - 1) === code.space) throw unsure
    if (unit !== code.space) last = at + 1
  }
}

function isFlowSign(unit: number, matters: boolean): boolean {
  return (
    matters &&
    (unit === code.comma ||
      unit === code.listOpen ||
      unit === code.listClose ||
      unit === code.mapOpen ||
      unit === code.mapClose)
  )
}

function isWhite(unit: number): boolean {
  return unit === code.space || unit === code.feed || unit === code.tab
}

/** White space inside brackets; every line must stand further in than the collection around the brackets. */
function skipGaps(c: Cursor): void {
  const { text } = c
  let unit = text.charCodeAt(c.at)
  let feed = -1
  for (; isWhite(unit); unit = text.charCodeAt(++c.at)) {
    if (unit === code.feed) feed = c.at
    else if (unit === code.tab && c.innermost >= 0) throw unsure
  }
  if (feed >= 0 && c.at - feed - 1 <= c.innermost) throw unsure
  if (unit === code.hash) throw unsure
}
