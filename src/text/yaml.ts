import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml'
import { type Checked, type Diagnostic, hasErrors, sortProblems } from '../base/diagnostic.ts'
import { type SourceFile, spanOf } from '../base/source.ts'
import { wordTable } from '../base/word-table.ts'
import {
  type Anchors,
  anchorsOf,
  followAlias,
  nothingAt,
  tellUnusedAnchors,
  type Weighed,
  weigh,
} from './anchors.ts'
import { compose } from './compose.ts'
import { readJson } from './json.ts'
import { collectEntries } from './mapping.ts'
import { syntaxProblem } from './syntax.ts'
import type { ScalarStyle, TextEntry, TextNode, TextScalar } from './tree.ts'
import * as refusal from './yaml-errors.ts'
import { suspiciousText } from './yaml-lint.ts'

/**
 * Reads one YAML 1.2 document (core schema) or JSON, with the place of everything. Refused are: a `%YAML 1.1` line,
 * a second document, duplicate and dangerous keys, keys that are not text, numbers that are not finite or lose digits,
 * and whatever goes past the limits. What YAML cuts or reinterprets without a word is a warning. There is no value
 * where there is an error.
 */
export function readYaml(file: SourceFile): Checked<TextNode> {
  const early = refusal.refusedAtSight(file)
  if (early) return { value: undefined, problems: [early] }
  return readJson(file) ?? readByPackage(file)
}

function readByPackage(file: SourceFile): Checked<TextNode> {
  const { documents, faults, refused } = compose(file)
  if (refused) return { value: undefined, problems: [refused] }
  // A broken text breaks everything behind the first fault, so the first is the only one worth telling.
  const [broken] = faults.filter(fault => !fault.isWarning).toSorted((a, b) => a.pos[0] - b.pos[0])
  if (broken) return { value: undefined, problems: [syntaxProblem(file, broken)] }
  const [document, second] = documents
  if (!document?.contents) return { value: undefined, problems: [refusal.emptyFile(file)] }

  const mark = refusal.byteOrderMark(file)
  const problems = [...(mark ? [mark] : []), ...faults.map(fault => syntaxProblem(file, fault))]
  if (second) problems.push(refusal.secondDocument(file, document.range[2]))
  const value = convert(file, document.contents, problem => problems.push(problem))
  if (isNothing(value)) problems.push(refusal.emptyFile(file))
  return { value: hasErrors(problems) ? undefined : value, problems: sortProblems(problems) }
}

function isNothing(value: TextNode): boolean {
  return value.kind === 'scalar' && value.value === null && value.source === ''
}

/** From the package's nodes to ours, in the order of the text, so that an alias finds the anchor before it. */
function convert(file: SourceFile, root: Node, report: (problem: Diagnostic) => void): TextNode {
  const anchors = anchorsOf(file, report)
  const { node } = convertNode(anchors, root, 1)
  tellUnusedAnchors(anchors)
  return node
}

function convertNode(anchors: Anchors, node: Node, depth: number): Weighed {
  if (isAlias(node)) {
    const [start, end] = rangeOf(node)
    return followAlias(anchors, node.source, spanOf(anchors.file, start, end), depth)
  }
  if (node.anchor) anchors.known.set(node.anchor, 'open')
  const weighed = convertContent(anchors, node, depth)
  if (node.anchor) anchors.known.set(node.anchor, weighed)
  return weighed
}

function convertContent(anchors: Anchors, node: Node, depth: number): Weighed {
  if (isScalar(node)) {
    const scalar = convertScalar(anchors.file, node)
    const fault = typeof node.value === 'number' && refusal.badNumber(scalar, node.value)
    for (const problem of fault ? [fault] : suspiciousText(scalar)) anchors.report(problem)
    return { node: scalar, nodes: 1, height: 0 }
  }
  const [start] = rangeOf(node)
  if (depth > refusal.textLimits.depth)
    anchors.report(refusal.tooDeep(spanOf(anchors.file, start, start + 1)))
  else if (isMap(node)) return convertMap(anchors, node, depth)
  else if (isSeq(node)) return convertList(anchors, node, depth)
  return nothingAt(anchors.file, start)
}

function rangeOf({ range }: Node): readonly [start: number, end: number, ...rest: unknown[]] {
  return range ?? [0, 0]
}

function convertList(anchors: Anchors, node: YAMLSeq, depth: number): Weighed {
  const [start, end] = rangeOf(node)
  const children = node.items.map(item => convertNode(anchors, item as Node, depth + 1)) // Parsed lists hold nodes.
  const items = children.map(child => child.node)
  return weigh({ kind: 'list', ...trimmed(anchors.file, start, end), items }, children)
}

function convertMap(anchors: Anchors, node: YAMLMap, depth: number): Weighed {
  const [start, end] = rangeOf(node)
  const written: TextEntry[] = []
  const children: Weighed[] = []
  for (const pair of node.items) {
    const key = convertKey(anchors, pair.key as Node) // Parsed pairs hold nodes; a value may be missing in `{ a, b }`.
    const value = pair.value
      ? convertNode(anchors, pair.value as Node, depth + 1)
      : nothingAt(anchors.file, key?.end ?? start)
    children.push(value)
    if (key) written.push({ key, value: value.node })
  }
  const entries = collectEntries(written, anchors.report)
  return weigh({ kind: 'map', ...trimmed(anchors.file, start, end), entries }, children)
}

/** Block collections reach over the blank lines behind them. */
function trimmed(file: SourceFile, start: number, end: number) {
  let last = end
  while (last > start && /\s/.test(file.text.charAt(last - 1))) last--
  return { file, start, end: last }
}

function convertKey(anchors: Anchors, node: Node): TextScalar | undefined {
  const [start, end] = node.range ?? [0, 0]
  if (isScalar(node)) {
    const scalar = convertScalar(anchors.file, node)
    if (node.anchor) anchors.known.set(node.anchor, { node: scalar, nodes: 1, height: 0 })
    if (scalar.source !== '') return scalar
  }
  if (isAlias(node)) {
    const target = followAlias(anchors, node.source, spanOf(anchors.file, start, end), 1).node
    if (target.kind === 'scalar' && target.source !== '') return { ...target, start, end, style: 'plain' }
  }
  anchors.report(refusal.badKey(spanOf(anchors.file, start, Math.max(end, start + 1)), isScalar(node)))
  return undefined
}

function convertScalar(file: SourceFile, node: Scalar): TextScalar {
  const [start, end] = node.range ?? [0, 0]
  const value = node.value
  const isPlainValue =
    value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number'
  return {
    kind: 'scalar',
    file,
    start,
    end,
    value: isPlainValue ? value : String(value),
    source: node.source ?? '',
    style: styles[node.type ?? 'PLAIN'] ?? 'plain',
  }
}

const styles: { readonly [type: string]: ScalarStyle } = wordTable({
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
})
