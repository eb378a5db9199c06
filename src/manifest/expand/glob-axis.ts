import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed } from '../../base/nearest.ts'
import { scalarAt, type TextScalar } from '../../text/tree.ts'
import { keyedValue } from '../fill/keys.ts'
import type { AxisValue } from '../shapes/coordinates.ts'
import type { FilledMap } from '../shapes/filled.ts'
import type { Axis, AxisReading } from './axis.ts'

/** Whether a path means several files. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** Where an axis of rows or files stands. */
export interface TablePlace {
  readonly name: string
  /** The column, or the word, that its cells are called by. */
  readonly column: TextScalar | undefined
  readonly at: TextScalar
}

/** The files that a glob fits, in the order of their paths; `column` is the word that they are called by. */
export function globAxis(
  { name, column, at }: TablePlace,
  glob: string,
  reading: AxisReading,
): Axis | undefined {
  const { report, sources } = reading
  const words = ['stem', 'name', 'path']
  if (column && !words.includes(column.source)) {
    report(error('no-key', column, `a file has no ${column.source}`, `a file has ${listed(words)}`))
    return undefined
  }
  if (/(^|\/)\.\.(\/|$)|^\/|\\/.test(glob)) {
    const hint = 'write it with forward slashes, from the folder of the manifest on'
    report(error('bad-path', at, 'a glob stays inside the project', hint))
    return undefined
  }
  const paths = sources.project.glob(glob)
  if (paths.length === 0) {
    report(
      error(
        'no-files',
        at,
        `no file fits ${glob}`,
        'a glob is read from the folder of the manifest on, and `**` is any folder',
      ),
    )
    return undefined
  }
  const key = column?.source ?? 'stem'
  const values = paths.map(path => ({ ...keyOfFile(fileValue(path, at), name, key), at }))
  const clash = clashingFiles(values, paths, { name, at, column })
  if (clash) {
    report(clash)
    return undefined
  }
  return { names: [name], points: values.map(value => [value]) }
}

function keyOfFile(value: FilledMap, name: string, key: string): AxisValue {
  const keyed = keyedValue(value, name, key)
  // Every file has all three words, and none of them is empty.
  if ('code' in keyed) throw new Error('a file without a name')
  return keyed
}

/** `photos/fox.jpg` is `{ path, stem: fox, name: fox.jpg }`. */
function fileValue(path: string, at: TextScalar): FilledMap {
  const name = path.split('/').at(-1) ?? path
  const words = { path, stem: name.replace(/(?<=.)\.[^.]*$/, ''), name }
  const entries = Object.entries(words).map(([word, text]) => ({
    key: scalarAt(at, word),
    value: scalarAt(at, text, at.style),
  }))
  return { kind: 'map', file: at.file, start: at.start, end: at.end, entries }
}

function clashingFiles(
  values: readonly AxisValue[],
  paths: readonly string[],
  { name, at, column }: TablePlace,
): Diagnostic | undefined {
  const first = new Map<string, string>()
  for (const [index, { key }] of values.entries()) {
    const path = paths[index] ?? ''
    const known = first.get(key.toLowerCase())
    if (known === undefined) {
      first.set(key.toLowerCase(), path)
      continue
    }
    const message = `${known} and ${path} of the axis ${name} would both be called ${key}`
    const hint =
      column?.source === 'path'
        ? 'rename one of them'
        : 'name cells by the whole path: { files: …, key: path }'
    return error('same-key', column ?? at, message, hint)
  }
  return undefined
}
