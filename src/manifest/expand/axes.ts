import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { scalarAt, type TextScalar } from '../../text/tree.ts'
import { clashingKeys, keyedValue } from '../fill/keys.ts'
import { entryLike } from '../fill/lookup.ts'
import { readSource } from '../fill/sources.ts'
import type { AxisValue } from '../shapes/coordinates.ts'
import type { Filled, FilledEntry, FilledMap, Reference } from '../shapes/filled.ts'
import type { Axis, AxisReading } from './axis.ts'
import { globAxis, isGlob, type TablePlace } from './glob-axis.ts'
import { formOfRows, readRows, rowFormsText } from './rows.ts'

/** An axis from a list, the rows of a file, the files of a glob or of a job. Undefined when it cannot be read. */
export function readAxis({ key, value }: FilledEntry, reading: AxisReading): Axis | undefined {
  const name = key.source
  switch (value.kind) {
    case 'list':
      return valueAxis({ name, at: key }, value.items, reading)
    case 'map':
      return tableAxis(name, key, value, reading)
    case 'reference':
      return fileAxis(name, value, reading)
    case 'unfilled':
      return undefined
    case 'scalar': {
      const path = typeof value.value === 'string' ? value.value : undefined
      const hint =
        path && formOfRows(path)
          ? `for the rows of a file write { rows: ${path} }`
          : path && isGlob(path)
            ? `for the files of a glob write { files: ${path} }`
            : `write ${name}: [${value.source || '…'}]`
      const at = value.source === '' ? key : value
      reading.report(error('bad-axis', at, `the axis ${name} is a list of values`, hint))
      return undefined
    }
  }
}

/** The axis of `forEach`: as above, and a path stands for the rows of a data file or the files of a glob. */
export function readForEach({ key, value }: FilledEntry, reading: AxisReading): Axis | undefined {
  const item = scalarAt(key, 'item')
  if (value.kind !== 'scalar') return readAxis({ key: item, value }, reading)
  const path = typeof value.value === 'string' ? value.value.trim() : ''
  if (isGlob(path)) return globAxis({ name: 'item', column: undefined, at: value }, path, reading)
  if (formOfRows(path)) return rowAxis({ name: 'item', column: undefined, at: value }, path, reading)
  const hint = `for instance lines.csv, or photos/*.jpg; ${rowFormsText}`
  const at = value.source === '' ? key : value
  reading.report(error('bad-axis', at, '`forEach` takes a data file, a glob or a list', hint))
  return undefined
}

interface ValuePlace {
  readonly name: string
  /** The column that the values are called by. */
  readonly column?: string
  readonly at: Diagnostic['at']
}

function valueAxis(
  { name, column, at }: ValuePlace,
  items: readonly Filled[],
  { report }: AxisReading,
): Axis | undefined {
  if (items.length === 0) {
    report(error('empty-axis', at, `the axis ${name} has no values`, 'without values there are no cells'))
    return undefined
  }
  const keyed = items.map(item => {
    if (item.kind !== 'reference') return keyedValue(item, name, column)
    const hint = 'an axis over the files of a job is written alone: `${{ jobs.hero.outputs }}`'
    return error('bad-axis', item, `the file of a job has no name to be a value of the axis ${name}`, hint)
  })
  const wrong = keyed.filter((value): value is Diagnostic => 'code' in value)
  wrong.slice(0, 20).forEach(report)
  if (wrong.length > 0 || items.some(item => item.kind === 'unfilled')) return undefined
  const values = keyed.filter((value): value is AxisValue => !('code' in value))
  const clashes = clashingKeys(values, name)
  clashes.slice(0, 20).forEach(report)
  return clashes.length > 0 ? undefined : { names: [name], points: values.map(value => [value]) }
}

const tableWords = ['rows', 'files', 'key']

/** `{ rows: products.csv, key: sku }` or `{ files: photos/*.jpg }`. */
function tableAxis(name: string, at: TextScalar, value: FilledMap, reading: AxisReading): Axis | undefined {
  const { report } = reading
  for (const { key } of value.entries) {
    if (tableWords.includes(key.source)) continue
    const near = nearest(key.source, tableWords)
    const hint = near
      ? `did you mean ${near}`
      : 'an axis is a list, { rows: file.csv, key: column } or { files: photos/*.jpg }'
    report(error('unknown-key', key, `\`${key.source}\` is no key of an axis`, hint))
    return undefined
  }
  const rows = entryLike(value, 'rows')
  const files = entryLike(value, 'files')
  const source = rows ?? files
  if (!source || (rows && files)) {
    const message = source ? `the axis ${name} has \`rows\` and \`files\`` : `the axis ${name} has no values`
    report(
      error(
        'bad-axis',
        source?.key ?? at,
        message,
        'write a list, { rows: file.csv } or { files: photos/*.jpg }',
      ),
    )
    return undefined
  }
  const key = entryLike(value, 'key')
  const column = key?.value.kind === 'scalar' ? key.value : undefined
  const path = source.value
  if (path.kind === 'unfilled' || key?.value.kind === 'unfilled') return undefined
  if (path.kind !== 'scalar' || typeof path.value !== 'string' || path.value.trim() === '') {
    report(error('wrong-type', source.key, `\`${source.key.source}\` is a path in the project`))
    return undefined
  }
  const text = path.value.trim()
  return rows
    ? rowAxis({ name, column, at: path }, text, reading)
    : globAxis({ name, column, at: path }, text, reading)
}

function rowAxis({ name, column, at }: TablePlace, path: string, reading: AxisReading): Axis | undefined {
  const { report, sources } = reading
  const form = formOfRows(path)
  if (!form) {
    report(error('not-rows', at, `${path} is no data file`, rowFormsText))
    return undefined
  }
  const file = readSource(sources, path, at)
  if ('code' in file) {
    report(file)
    return undefined
  }
  const { rows, problems } = readRows(file, form)
  problems.forEach(report)
  if (problems.some(problem => problem.severity === 'error')) return undefined
  const columns = columnsOf(rows)
  const wanted = column?.source ?? 'id'
  if (columns.length > 0 && !columns.some(known => known.toLowerCase() === wanted.toLowerCase())) {
    report(noColumn({ path, wanted, columns, axis: name, isChosen: column !== undefined }, column ?? at))
    return undefined
  }
  return valueAxis({ name, column: wanted, at }, rows, reading)
}

function columnsOf(rows: readonly Filled[]): string[] {
  const first = rows.find(row => row.kind === 'map')
  return first?.kind === 'map' ? first.entries.map(entry => entry.key.source) : []
}

interface ColumnAsked {
  readonly path: string
  readonly wanted: string
  readonly columns: readonly string[]
  readonly axis: string
  readonly isChosen: boolean
}

function noColumn({ path, wanted, columns, axis, isChosen }: ColumnAsked, at: Diagnostic['at']): Diagnostic {
  const near = nearest(wanted, columns)
  const there = `it has ${listed(columns.slice(0, 12))}`
  if (isChosen)
    return error('no-key', at, `${path} has no column ${wanted}`, near ? `did you mean ${near}` : there)
  const form = axis === 'item' ? 'forEach' : axis
  const hint = `name the column that cells are called by: ${form}: { rows: ${path}, key: ${near ?? columns[0]} }`
  return error('no-key', at, `${path} has no column id; ${there}`, hint)
}

/** One cell per file of a job, bringing the axes of that job along. */
function fileAxis(name: string, ref: Reference, reading: AxisReading): Axis | undefined {
  if (ref.files.which !== 'all') {
    const hint =
      'an axis over files is ${{ jobs.hero.outputs }}; the cells of another job stand alone behind `matrix:`'
    reading.report(error('bad-axis', ref, `the axis ${name} is a list of values`, hint))
    return undefined
  }
  const cells = reading.filesOf(ref)
  if (!cells) return undefined
  const points = cells.files.map(({ values, nth, value }) => [
    ...values,
    { key: String(nth + 1), value, at: ref },
  ])
  return { names: [...cells.axes, name], points }
}
