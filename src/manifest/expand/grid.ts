import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { isEmpty, type TextScalar } from '../../text/tree.ts'
import { keyText } from '../fill/keys.ts'
import { type AxisValue, coordinates, type Grid, mostJobs } from '../shapes/coordinates.ts'
import type { FilledEntry, FilledMap } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readAxis, readForEach } from './axes.ts'
import type { Axis, AxisReading } from './axis.ts'
import { included } from './included-cells.ts'
import { fitsPattern, readPatterns, tooManyPatterns } from './patterns.ts'

/** The cells of `matrix` and `forEach`, filled already. Undefined when they cannot be told, which is told. */
export function readGrid(
  matrix: FilledEntry | undefined,
  forEach: FilledEntry | undefined,
  reading: AxisReading,
): Grid | undefined {
  const { report } = reading
  const body = matrix && matrixBody(matrix, report)
  if (matrix && !body) return undefined
  const entries = (body?.entries ?? []).filter(({ key }) => !listWords.includes(key.source))
  const axes = entries.map(entry => (axisName(entry.key, report) ? readAxis(entry, reading) : undefined))
  if (forEach) axes.push(readForEach(forEach, reading))
  if (axes.some(axis => axis === undefined)) return undefined
  const known = axes.filter(axis => axis !== undefined)
  const at = matrix?.key ?? forEach?.key
  if (!at || !areApart(known, at, report)) return undefined
  const grid = known.length > 0 ? product(known, at, report) : onlyIncluded(body, at, report)
  return grid && body ? included(body, excluded(body, grid, report), at, report) : grid
}

const listWords = ['exclude', 'include']

function matrixBody({ key, value }: FilledEntry, report: ReportProblem): FilledMap | undefined {
  if (value.kind === 'unfilled') return undefined
  if (value.kind === 'map' && value.entries.length > 0) {
    const extra = value.entries[mostAxes]
    if (!extra) return value
    report(error('too-many', extra.key, `a matrix has ${mostAxes} axes at most`))
    return undefined
  }
  const at = value.kind === 'scalar' && isEmpty(value) ? key : value
  const hint = 'for instance `matrix: { colour: [red, blue] }`'
  report(error('wrong-type', at, '`matrix` is a mapping from axes to their values', hint))
  return undefined
}

const mostAxes = 100

function axisName(key: TextScalar, report: ReportProblem): boolean {
  if (/^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u.test(key.source)) return true
  const hint = 'expressions read it as matrix.<axis>'
  report(error('bad-axis', key, 'the name of an axis is made of letters, digits, `_` and `-`', hint))
  return false
}

function areApart(axes: readonly Axis[], at: TextScalar, report: ReportProblem): boolean {
  const names = axes.flatMap(axis => axis.names)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return true
  const hint =
    twice === 'item'
      ? '`forEach` is an axis called item; give the other one another name'
      : 'an axis over the files of a job brings the axes of that job along'
  report(error('same-key', at, `the axis ${twice} is there twice`, hint))
  return false
}

function product(axes: readonly Axis[], at: TextScalar, report: ReportProblem): Grid | undefined {
  const names = axes.flatMap(axis => axis.names)
  const count = axes.reduce((all, axis) => all * axis.points.length, 1)
  if (count > mostJobs) {
    const sizes = axes.map(axis => axis.points.length).join(' × ')
    const message = `${sizes} is ${count} cells; a manifest comes to ${mostJobs} jobs at most`
    report(error('too-many-jobs', at, message, 'leave values out, or split the manifest'))
    return undefined
  }
  let points: AxisValue[][] = [[]]
  for (const axis of axes) points = points.flatMap(before => axis.points.map(point => before.concat(point)))
  return { axes: names, cells: points.map(point => coordinates(names, point)) }
}

function excluded(body: FilledMap, grid: Grid, report: ReportProblem): Grid {
  const entry = body.entries.find(({ key }) => key.source === 'exclude')
  if (!entry) return grid
  const patterns = readPatterns(entry.value, 'exclude', grid.axes, report)
  const excess = tooManyPatterns(patterns, 'exclude', grid.cells.length)
  if (excess) {
    report(excess)
    return grid
  }
  const used = new Set<FilledMap>()
  const cells = grid.cells.filter(cell => {
    const fitting = patterns.filter(pattern => fitsPattern(cell, pattern))
    for (const pattern of fitting) used.add(pattern)
    return fitting.length === 0
  })
  tellIdle(
    patterns.filter(pattern => !used.has(pattern)),
    'exclude',
    grid,
    report,
  )
  return { axes: grid.axes, cells }
}

/** Patterns that fit no cell: the first of them, as each is looked for among all values of all cells. */
export function tellIdle(
  patterns: readonly FilledMap[],
  what: string,
  grid: Grid,
  report: ReportProblem,
): void {
  for (const pattern of patterns.slice(0, 20)) report(fitsNothing(pattern, what, grid))
}

function fitsNothing(pattern: FilledMap, what: string, { axes, cells }: Grid): Diagnostic {
  const slips = pattern.entries.flatMap(({ key, value }) => {
    const axis = axes.indexOf(key.source)
    const keys = new Set(cells.map(cell => cell.at[axis]?.key ?? ''))
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
function onlyIncluded(body: FilledMap | undefined, at: TextScalar, report: ReportProblem): Grid | undefined {
  const include = body?.entries.find(({ key }) => key.source === 'include')?.value
  const maps = include?.kind === 'list' ? include.items.filter(item => item.kind === 'map') : []
  const [first, ...others] = maps
  if (!first) {
    report(
      error('empty-axis', at, 'this matrix has no axes', 'for instance `matrix: { colour: [red, blue] }`'),
    )
    return undefined
  }
  const names = others.map(map => new Set(map.entries.map(({ key }) => key.source)))
  const axes = first.entries
    .map(({ key }) => key.source)
    .filter(name => names.every(those => those.has(name)))
    .slice(0, mostAxes)
  if (axes.length > 0) return { axes, cells: [] }
  report(
    error('empty-axis', at, 'the cells of this matrix have no name in common', 'give all of them an axis'),
  )
  return undefined
}
