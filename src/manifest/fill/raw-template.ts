import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import { type Span, spanOf } from '../../base/source.ts'
import { hasExpressions } from '../../text/template.ts'
import type { Filled } from '../shapes/filled.ts'

/** The values of a data file, with those marked that look like templates. */
export function markRaw(rows: readonly Filled[]): readonly Filled[] {
  return rows.map(marked)
}

function marked(node: Filled): Filled {
  const { file, start, end } = node
  switch (node.kind) {
    case 'scalar': {
      if (typeof node.value !== 'string' || !hasExpressions(node.value)) return node
      const { value, source, style, isUntyped } = node
      return { kind: 'scalar', file, start, end, value, source, style, isUntyped, isRaw: true }
    }
    case 'list':
      return { kind: 'list', file, start, end, items: node.items.map(marked) }
    case 'map': {
      const entries = node.entries.map(({ key, value }) => ({ key, value: marked(value) }))
      return { kind: 'map', file, start, end, entries, ...(node.isRow && { isRow: true }) }
    }
    case 'reference':
    case 'unfilled':
      return node
  }
}

/** A marked value, or the first inside of one. */
export function rawIn(node: Filled): Span | undefined {
  switch (node.kind) {
    case 'scalar':
      return node.isRaw && node
    case 'list':
      return firstOf(node.items, rawIn)
    case 'map':
      return firstOf(node.entries, entry => rawIn(entry.value))
    case 'reference':
    case 'unfilled':
      return undefined
  }
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first template inside a text that nobody fills in; `usedAt` is where the manifest takes it in. */
export function rawTemplate({ file, start, end }: Span, usedAt: Span): Diagnostic {
  const from = Math.max(start, file.text.indexOf('${{', start))
  const close = file.text.indexOf('}}', from)
  const at = spanOf(file, from, close < 0 || close + 2 > end ? end : close + 2)
  const message = `nothing is filled in here: \`${file.text.slice(at.start, at.end)}\` would be sent as it is`
  const hint = 'an expression stands in the manifest; write the text there, or its value here'
  return withNotes(error('raw-template', at, message, hint), [{ message: 'it is used here', at: usedAt }])
}
