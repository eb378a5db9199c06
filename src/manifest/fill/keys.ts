import { createHash } from 'node:crypto'
import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import type { AxisValue } from '../shapes/coordinates.ts'
import type { Filled } from '../shapes/filled.ts'
import { entryLike } from './lookup.ts'

const longestKey = 40

/**
 * A text as part of an address and of a file name: NFKC; letters and digits of any script and `._-` stay, `:` between
 * digits becomes `x`, all else `-`; a long one is cut and gets six digits of its digest.
 */
export function keyText(text: string): string {
  const plain = text.normalize('NFKC').trim()
  const key = plain.replaceAll(/(?<=\d):(?=\d)/g, 'x').replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '-')
  const letters = [...key]
  if (letters.length <= longestKey) return key
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 6)
  return `${letters.slice(0, longestKey).join('')}-${digest}`
}

/** The key of a value: that of its `id` (or the named column), else its own text. */
export function keyedValue(value: Filled, axis: string, column: string | undefined): AxisValue | Diagnostic {
  if (value.kind === 'unfilled' || value.kind === 'reference') return { key: '', value, at: value }
  if (value.kind === 'list')
    return error(
      'bad-axis',
      value,
      `a value of the axis ${axis} is a list`,
      'write single values, or mappings with an id',
    )
  const named = value.kind === 'map' ? entryLike(value, column ?? 'id') : undefined
  if (value.kind === 'map' && !named) {
    const hint =
      'give it an `id`; rows of a file can be named by another column: { rows: file.csv, key: sku }'
    const word = column === undefined ? '`id`' : column
    return error('no-key', value, `this value of the axis ${axis} has no ${word} to be named by`, hint)
  }
  const scalar = named ? named.value : value
  if (scalar.kind !== 'scalar')
    return error('no-key', scalar, `the name of a value of the axis ${axis} is a single value`)
  const key = keyText(scalar.source)
  if (key !== '') return { key, value, at: scalar }
  const message = named
    ? `a value of the axis ${axis} has an empty ${named.key.source}`
    : `a value of the axis ${axis} is empty`
  const isThere = scalar.end > scalar.start || scalar.isUntyped
  const at = isThere ? scalar : (named?.key ?? value)
  return error('no-key', at, message, 'cells are named by it')
}

/** Values whose cells could not be told apart, at the later one. */
export function clashingKeys(values: readonly AxisValue[], axis: string): Diagnostic[] {
  const first = new Map<string, AxisValue>()
  return values.flatMap(value => {
    const folded = value.key.toLowerCase()
    const known = first.get(folded)
    if (!known) {
      first.set(folded, value)
      return []
    }
    return [clash(known, value, axis)]
  })
}

function clash(first: AxisValue, second: AxisValue, axis: string): Diagnostic {
  const notes = [{ message: 'the first of them', at: first.at }]
  const [a, b] = [textAt(first.at), textAt(second.at)]
  if (first.key !== second.key) {
    const message = `${a} and ${b} of the axis ${axis} differ by case only`
    return withNotes(
      error('same-key', second.at, message, 'files of their cells would be one file on many disks'),
      notes,
    )
  }
  if (a === b)
    return withNotes(
      error(
        'same-key',
        second.at,
        `${a} is twice on the axis ${axis}`,
        'for several results of one cell write takes: 2',
      ),
      notes,
    )
  const message = `${a} and ${b} of the axis ${axis} are both called ${first.key}`
  return withNotes(
    error('same-key', second.at, message, 'cells are called by letters, digits, `.`, `_` and `-` only'),
    notes,
  )
}

function textAt({ file, start, end }: Span): string {
  const text = file.text.slice(start, end).replaceAll(/^['"]|['"]$/g, '')
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
