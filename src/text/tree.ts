import type { Json } from '../base/names.ts'
import type { Span } from '../base/source.ts'

/**
 * A text with structure, wherever it came from. Every node is the span it was read from, so a problem can point at it.
 * Anchors are already followed: one node may hang in several places, and then lies outside the span of its parent.
 */
export type TextNode = TextMap | TextList | TextScalar

/** Keys are unique and in written order; what `<<` merged stands where the `<<` stood. */
export interface TextMap extends Span {
  readonly kind: 'map'
  readonly entries: readonly TextEntry[]
}

export interface TextEntry {
  /** Its `source` is the name: `007` stays `007`. */
  readonly key: TextScalar
  /** An empty scalar (value null, empty span) where nothing was written. */
  readonly value: TextNode
}

export interface TextList extends Span {
  readonly kind: 'list'
  readonly items: readonly TextNode[]
}

export interface TextScalar extends Span {
  readonly kind: 'scalar'
  /** By the YAML 1.2 core schema. Numbers are finite, and whole ones exact. */
  readonly value: null | boolean | number | string
  /** The scalar's text before it was given a type: `5`, `007`, `yes`. For quoted and block text the same as `value`. */
  readonly source: string
  readonly style: ScalarStyle
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded'

/** A text in another's place. Nodes may know their place by their class, so they are never spread. */
export function scalarAt(
  { file, start, end }: Span,
  value: TextScalar['value'],
  style: ScalarStyle = 'plain',
): TextScalar {
  return { kind: 'scalar', file, start, end, value, source: String(value ?? ''), style }
}

export function entryOf(map: TextMap, name: string): TextEntry | undefined {
  return entryIn(map.entries, name)
}

/** The entry of a name. A mapping has few of them, and a list of these is searched sooner than a Map is made of it. */
export function entryIn<Entry extends { readonly key: TextScalar }>(
  entries: readonly Entry[],
  name: string,
): Entry | undefined {
  for (const entry of entries) if (entry.key.source === name) return entry
  return undefined
}

/** Whether something stands there: `prompt:` alone has no value. */
export function isEmpty(node: TextNode): boolean {
  return node.kind === 'scalar' && node.value === null && node.source === ''
}

/** Where to point for an entry's value; at its key when nothing was written. */
export function valueSpan(entry: TextEntry): Span {
  return isEmpty(entry.value) ? entry.key : entry.value
}

/** The first node of a place inside the tree: map keys and list indexes. Undefined when there is none. */
export function nodeAt(node: TextNode, path: readonly (string | number)[]): TextNode | undefined {
  let here: TextNode | undefined = node
  for (const step of path) {
    if (here?.kind === 'map') here = entryOf(here, String(step))?.value
    else if (here?.kind === 'list') here = here.items[Number(step)]
    else return undefined
  }
  return here
}

/** The plain value. Keys that JavaScript treats specially never get into a tree. */
export function toJson(node: TextNode): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toJson)
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.source, toJson(value)]))
  }
}
