import { error, withNotes } from '../../base/diagnostic.ts'
import { listed } from '../../base/nearest.ts'
import type { TextScalar } from '../../text/tree.ts'
import { keyedValue } from '../fill/keys.ts'
import {
  type AxisValue,
  type Coordinates,
  coordinates,
  type Grid,
  keysAt,
  mostJobs,
} from '../shapes/coordinates.ts'
import type { Filled, FilledMap } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readPattern, unknownAxis } from './patterns.ts'

/** A grid with the cells that `include` adds; undefined when they cannot be told, which is told. */
export function included(
  body: FilledMap,
  grid: Grid,
  at: TextScalar,
  report: ReportProblem,
): Grid | undefined {
  const entry = body.entries.find(({ key }) => key.source === 'include')
  if (!entry || entry.value.kind === 'unfilled') return grid
  if (entry.value.kind !== 'list') {
    const hint = `for instance \`include: [{ ${grid.axes.map(axis => `${axis}: …`).join(', ')} }]\``
    report(error('wrong-type', entry.value, '`include` is a list of whole cells', hint))
    return undefined
  }
  const known = new Map(grid.axes.map(axis => [axis, new Map<string, AxisValue>()]))
  for (const cell of grid.cells) remember(known, cell)
  const cells = new Map(grid.cells.map(cell => [keysAt(cell).join(','), cell]))
  for (const item of entry.value.items) {
    const cell = includedCell(item, grid.axes, known, report)
    if (!cell) continue
    const name = keysAt(cell).join(',')
    if (cells.has(name)) {
      const hint = 'other values for a cell that is there stand under `override`'
      report(error('same-key', item, `the cell ${name} is there already`, hint))
    }
    cells.set(name, cell)
    remember(known, cell)
  }
  if (cells.size <= mostJobs) return { axes: grid.axes, cells: [...cells.values()] }
  report(error('too-many-jobs', at, `a manifest comes to ${mostJobs} jobs at most`, 'split the manifest'))
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
  report: ReportProblem,
): Coordinates | undefined {
  if (item.kind !== 'map') {
    readPattern(item, 'include', axes, report)
    return undefined
  }
  const missing = axes.filter(axis => !item.entries.some(({ key }) => key.source === axis))
  if (missing.length > 0) {
    const slip = item.entries.find(({ key }) => !axes.includes(key.source))
    if (slip) report(unknownAxis(slip.key.source, slip.key, axes))
    else {
      const hint = 'for other values in cells that are there, there is `override`'
      report(error('bad-axis', item, `an included cell is whole; here ${listed(missing)} is missing`, hint))
    }
    return undefined
  }
  const values = axes.map(axis => includedValue(item, axis, known, report))
  if (values.some(value => value === undefined)) return undefined
  const more = item.entries.filter(({ key }) => !axes.includes(key.source))
  return coordinates(
    axes,
    values.filter(value => value !== undefined),
    more.length > 0 ? more : undefined,
  )
}

function includedValue(
  item: FilledMap,
  axis: string,
  known: KnownValues,
  report: ReportProblem,
): AxisValue | undefined {
  const written = item.entries.find(({ key }) => key.source === axis)?.value
  if (!written || written.kind === 'unfilled') return undefined
  const keyed = keyedValue(written, axis, undefined)
  if ('code' in keyed) {
    report(keyed)
    return undefined
  }
  const values = known.get(axis)
  const same = values?.get(keyed.key.toLowerCase())
  if (!same) {
    const hasRows = [...(values?.values() ?? [])].some(value => value.value.kind === 'map')
    if (!hasRows || written.kind === 'map') return keyed
    const message = `the axis ${axis} has no ${keyed.key}`
    report(error('unknown-axis', written, message, 'name a row that is there, or write a mapping with an id'))
    return undefined
  }
  if (same.key === keyed.key) return same
  const notes = [{ message: 'the first of them', at: same.at }]
  report(
    withNotes(
      error('same-key', written, `${same.key} and ${keyed.key} of the axis ${axis} differ by case only`),
      notes,
    ),
  )
  return undefined
}
