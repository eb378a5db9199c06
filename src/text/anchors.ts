import type { Diagnostic } from '../base/diagnostic.ts'
import { type SourceFile, type Span, spanOf } from '../base/source.ts'
import type { TextNode, TextScalar } from './tree.ts'
import { aliasBomb, textLimits, tooDeep, unknownAnchor } from './yaml-errors.ts'
import { unusedAnchor } from './yaml-lint.ts'

/** A node with what it weighs when every alias in it is written out. */
export interface Weighed {
  readonly node: TextNode
  readonly nodes: number
  /** Collections inside each other, its own included; 0 for a scalar. */
  readonly height: number
}

/** The anchors of one text, gathered and followed in the order of the text. */
export interface Anchors {
  readonly file: SourceFile
  readonly report: (problem: Diagnostic) => void
  /** `open` while the anchored value is still being read. */
  readonly known: Map<string, Weighed | 'open'>
  readonly used: Set<string>
  aliasedNodes: number
}

export function anchorsOf(file: SourceFile, report: (problem: Diagnostic) => void): Anchors {
  return { file, report, known: new Map(), used: new Set(), aliasedNodes: 0 }
}

/** What `*name` at a place and depth stands for; nothing when it names no anchor or is too much, which is told. */
export function followAlias(anchors: Anchors, name: string, at: Span, depth: number): Weighed {
  const target = anchors.known.get(name)
  anchors.used.add(name)
  if (!target || target === 'open') {
    anchors.report(unknownAnchor(at, name, target === 'open'))
    return nothingAt(at.file, at.start)
  }
  const wasOver = anchors.aliasedNodes > textLimits.aliasedNodes
  anchors.aliasedNodes += target.nodes
  if (anchors.aliasedNodes > textLimits.aliasedNodes) {
    if (!wasOver) anchors.report(aliasBomb(at))
    return nothingAt(at.file, at.start)
  }
  if (depth + target.height - 1 > textLimits.depth) anchors.report(tooDeep(at))
  return target
}

/** An anchor without alias may be meant as text; on a collection it may be there for later. */
export function tellUnusedAnchors(anchors: Anchors): void {
  for (const [name, anchored] of anchors.known) {
    if (anchors.used.has(name) || anchored === 'open' || anchored.node.kind !== 'scalar') continue
    anchors.report(unusedAnchor(name, anchored.node))
  }
}

export function nothingAt(file: SourceFile, start: number): Weighed {
  const at = spanOf(file, start, start)
  const node: TextScalar = { kind: 'scalar', ...at, value: null, source: '', style: 'plain' }
  return { node, nodes: 1, height: 0 }
}

export function weigh(node: TextNode, children: readonly Weighed[]): Weighed {
  let nodes = 1
  let height = 0
  for (const child of children) {
    nodes += child.nodes
    height = Math.max(height, child.height)
  }
  return { node, nodes, height: height + 1 }
}
