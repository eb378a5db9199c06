import { type Diagnostic, error, warning } from '../base/diagnostic.ts'
import { listed, nearest } from '../base/nearest.ts'
import { isEmpty, type TextScalar } from '../text/tree.ts'
import { type Axis, type AxisReading, readAxis, readForEach } from './axes.ts'
import type { Filled, FilledEntry, FilledMap } from './filled.ts'
import { type AxisValue, keyedValue, keyText } from './keys.ts'
import { fitsPattern, type Matched, readPattern, readPatterns, unknownAxis } from './patterns.ts'
import type { Tell } from './tell.ts'

/** All cells of a job before anything in them is filled, in the order of the axes. */
export interface Grid {
  readonly axes: readonly string[]
  readonly cells: readonly Coordinates[]
}

/** Where a cell is: its keys by axis, and what it reads there. */
export interface Coordinates extends Matched {
  readonly at: readonly AxisValue[]
}

/** The most jobs that a manifest may come to. */
export const mostJobs = 100_000

/** A job without axes is one cell. */
export const single: Grid = { axes: [], cells: [{ axes: [], keys: [], values: new Map(), at: [] }] }

/** The cells of `matrix` and `forEach`, filled already. Undefined when they cannot be told, which is told. */
export function readGrid(
  matrix: FilledEntry | undefined,
  forEach: FilledEntry | undefined,
  reading: AxisReading,
): Grid | undefined {
  const { tell } = reading
  const body = matrix && matrixBody(matrix, tell)
  if (matrix && !body) return undefined
  const entries = (body?.entries ?? []).filter(({ key }) => !listWords.includes(key.source))
  const axes = entries.map(entry => (axisName(entry.key, tell) ? readAxis(entry, reading) : undefined))
  if (forEach) axes.push(readForEach(forEach, reading))
  if (axes.some(axis => axis === undefined)) return undefined
  const known = axes.filter(axis => axis !== undefined)
  const at = matrix?.key ?? forEach?.key
  if (!at || !areApart(known, at, tell)) return undefined
  const grid = known.length > 0 ? product(known, at, tell) : onlyIncluded(body, at, tell)
  return grid && body ? included(body, excluded(body, grid, tell), at, tell) : grid
}

const listWords = ['exclude', 'include']

function matrixBody({ key, value }: FilledEntry, tell: Tell): FilledMap | undefined {
  if (value.kind === 'unfilled') return undefined
  if (value.kind === 'map' && value.entries.length > 0) return value
  const at = value.kind === 'scalar' && isEmpty(value) ? key : value
  const hint = 'for instance `matrix: { colour: [red, blue] }`'
  tell(error('wrong-type', at, '`matrix` is a mapping from axes to their values', hint))
  return undefined
}

function axisName(key: TextScalar, tell: Tell): boolean {
  if (/^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u.test(key.source)) return true
  const hint = 'expressions read it as matrix.<axis>'
  tell(error('bad-axis', key, 'the name of an axis is made of letters, digits, `_` and `-`', hint))
  return false
}

function areApart(axes: readonly Axis[], at: TextScalar, tell: Tell): boolean {
  const names = axes.flatMap(axis => axis.names)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return true
  const hint = 'an axis over the files of a job brings the axes of that job along'
  tell(error('same-key', at, `the axis ${twice} is there twice`, hint))
  return false
}

function product(axes: readonly Axis[], at: TextScalar, tell: Tell): Grid | undefined {
  const names = axes.flatMap(axis => axis.names)
  const count = axes.reduce((all, axis) => all * axis.points.length, 1)
  if (count > mostJobs) {
    const sizes = axes.map(axis => axis.points.length).join(' × ')
    const message = `${sizes} is ${count} cells; a manifest comes to ${mostJobs} jobs at most`
    tell(error('too-many-jobs', at, message, 'leave values out, or split the manifest'))
    return undefined
  }
  let points: AxisValue[][] = [[]]
  for (const axis of axes) points = points.flatMap(before => axis.points.map(point => [...before, ...point]))
  return { axes: names, cells: points.map(point => coordinates(names, point)) }
}

function coordinates(
  axes: readonly string[],
  at: readonly AxisValue[],
  more: readonly (readonly [string, Filled])[] = [],
): Coordinates {
  const values = new Map(axes.map((axis, index): [string, Filled] => [axis, valueAt(at, index)]))
  for (const [name, value] of more) values.set(name, value)
  return { axes, keys: at.map(value => value.key), values, at }
}

function valueAt(values: readonly AxisValue[], index: number): Filled {
  const value = values[index]?.value
  if (!value) throw new Error('a point without a value for one of its axes')
  return value
}

function excluded(body: FilledMap, grid: Grid, tell: Tell): Grid {
  const entry = body.entries.find(({ key }) => key.source === 'exclude')
  if (!entry) return grid
  const patterns = readPatterns(entry.value, 'exclude', grid.axes, tell)
  const used = new Set<FilledMap>()
  const cells = grid.cells.filter(cell => {
    const fitting = patterns.filter(pattern => fitsPattern(cell, pattern))
    for (const pattern of fitting) used.add(pattern)
    return fitting.length === 0
  })
  for (const pattern of patterns) if (!used.has(pattern)) tell(fitsNothing(pattern, 'exclude', grid))
  return { axes: grid.axes, cells }
}

export function fitsNothing(pattern: FilledMap, what: string, { axes, cells }: Grid): Diagnostic {
  const slips = pattern.entries.flatMap(({ key, value }) => {
    const axis = axes.indexOf(key.source)
    const keys = new Set(cells.map(cell => cell.keys[axis] ?? ''))
    return value.kind === 'scalar' && !keys.has(keyText(value.source)) ? [{ value, keys }] : []
  })
  const [slip] = slips
  const near = slip && nearest(slip.value.source, slip.keys)
  const some = slip && listed([...slip.keys].slice(0, 8))
  const hint = slip
    ? near
      ? `did you mean ${near}`
      : `there ${slip.keys.size === 1 ? 'is' : 'are'} ${some}`
    : 'no cell has all of its values together'
  return warning(
    'fits-no-cell',
    slip?.value ?? pattern,
    `no cell fits this, so \`${what}\` does nothing`,
    hint,
  )
}

/** Without axes of its own a matrix has those that all included cells share. */
function onlyIncluded(body: FilledMap | undefined, at: TextScalar, tell: Tell): Grid | undefined {
  const include = body?.entries.find(({ key }) => key.source === 'include')?.value
  const maps = include?.kind === 'list' ? include.items.filter(item => item.kind === 'map') : []
  const [first, ...others] = maps
  if (!first) {
    tell(error('empty-axis', at, 'this matrix has no axes', 'for instance `matrix: { colour: [red, blue] }`'))
    return undefined
  }
  const axes = first.entries
    .map(({ key }) => key.source)
    .filter(name => others.every(map => map.entries.some(({ key }) => key.source === name)))
  if (axes.length > 0) return { axes, cells: [] }
  tell(error('empty-axis', at, 'the cells of this matrix have no name in common', 'give all of them an axis'))
  return undefined
}

function included(body: FilledMap, grid: Grid, at: TextScalar, tell: Tell): Grid | undefined {
  const entry = body.entries.find(({ key }) => key.source === 'include')
  if (!entry || entry.value.kind === 'unfilled') return grid
  if (entry.value.kind !== 'list') {
    const hint = `for instance \`include: [{ ${grid.axes.map(axis => `${axis}: …`).join(', ')} }]\``
    tell(error('wrong-type', entry.value, '`include` is a list of whole cells', hint))
    return undefined
  }
  const known = new Map(grid.axes.map(axis => [axis, new Map<string, AxisValue>()]))
  for (const cell of grid.cells) remember(known, cell)
  const cells = new Map(grid.cells.map(cell => [cell.keys.join(','), cell]))
  for (const item of entry.value.items) {
    const cell = includedCell(item, grid.axes, known, tell)
    if (!cell) continue
    const name = cell.keys.join(',')
    if (cells.has(name)) {
      const hint = 'other values for a cell that is there stand under `override`'
      tell(error('same-key', item, `the cell ${name} is there already`, hint))
    }
    cells.set(name, cell)
    remember(known, cell)
  }
  if (cells.size <= mostJobs) return { axes: grid.axes, cells: [...cells.values()] }
  tell(error('too-many-jobs', at, `a manifest comes to ${mostJobs} jobs at most`, 'split the manifest'))
  return undefined
}

type KnownValues = ReadonlyMap<string, Map<string, AxisValue>>

function remember(known: KnownValues, { axes, at }: Coordinates): void {
  for (const [index, axis] of axes.entries()) {
    const value = at[index]
    if (value) known.get(axis)?.set(value.key.toLowerCase(), value)
  }
}

/** A word for an axis means the value of that key, a row for instance, and else is a value by itself. */
function includedCell(
  item: Filled,
  axes: readonly string[],
  known: KnownValues,
  tell: Tell,
): Coordinates | undefined {
  if (item.kind !== 'map') {
    readPattern(item, 'include', axes, tell)
    return undefined
  }
  const missing = axes.filter(axis => !item.entries.some(({ key }) => key.source === axis))
  if (missing.length > 0) {
    const slip = item.entries.find(({ key }) => !axes.includes(key.source))
    if (slip) tell(unknownAxis(slip.key.source, slip.key, axes))
    else {
      const hint = 'for other values in cells that are there, there is `override`'
      tell(error('bad-axis', item, `an included cell is whole; here ${listed(missing)} is missing`, hint))
    }
    return undefined
  }
  const values = axes.map(axis => includedValue(item, axis, known, tell))
  if (values.some(value => value === undefined)) return undefined
  const more = item.entries.filter(({ key }) => !axes.includes(key.source))
  return coordinates(
    axes,
    values.filter(value => value !== undefined),
    more.map(({ key, value }) => [key.source, value] as const),
  )
}

function includedValue(item: FilledMap, axis: string, known: KnownValues, tell: Tell): AxisValue | undefined {
  const written = item.entries.find(({ key }) => key.source === axis)?.value
  if (!written || written.kind === 'unfilled') return undefined
  const keyed = keyedValue(written, axis, undefined)
  if ('code' in keyed) {
    tell(keyed)
    return undefined
  }
  const values = known.get(axis)
  const same = values?.get(keyed.key.toLowerCase())
  if (!same) {
    const hasRows = [...(values?.values() ?? [])].some(value => value.value.kind === 'map')
    if (!hasRows || written.kind === 'map') return keyed
    const message = `the axis ${axis} has no ${keyed.key}`
    tell(error('unknown-axis', written, message, 'name a row that is there, or write a mapping with an id'))
    return undefined
  }
  if (same.key === keyed.key) return same
  const notes = [{ message: 'the first of them', at: same.at }]
  tell(
    error(
      'same-key',
      written,
      `${same.key} and ${keyed.key} of the axis ${axis} differ by case only`,
      undefined,
      notes,
    ),
  )
  return undefined
}
