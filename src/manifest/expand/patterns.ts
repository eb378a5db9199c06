import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { keyText } from '../fill/keys.ts'
import { entryLike } from '../fill/lookup.ts'
import { axisValue, type Coordinates } from '../shapes/coordinates.ts'
import type { Filled, FilledMap } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** Whether a cell has all that a pattern names: `{ product: AS-107, ratio: ['1:1', '4:3'] }`, `{ product: { colour: red } }`. */
export function fitsPattern(cell: Coordinates, pattern: FilledMap): boolean {
  return pattern.entries.every(({ key, value }) => {
    const index = cell.axes.indexOf(key.source)
    const own = axisValue(cell, key.source)
    return own !== undefined && fits(value, own, cell.at[index]?.key)
  })
}

// Each is asked of every cell.
const keys = new WeakMap<Filled, string>()

function keyOf(pattern: Filled & { kind: 'scalar' }): string {
  const known = keys.get(pattern)
  if (known !== undefined) return known
  const key = keyText(pattern.source)
  keys.set(pattern, key)
  return key
}

function fits(pattern: Filled, value: Filled, key: string | undefined): boolean {
  switch (pattern.kind) {
    case 'list':
      return pattern.items.some(item => fits(item, value, key))
    case 'map':
      return (
        value.kind === 'map' &&
        pattern.entries.every(entry => {
          const own = entryLike(value, entry.key.source)?.value
          return own !== undefined && fits(entry.value, own, undefined)
        })
      )
    case 'scalar':
      if (key !== undefined && keyOf(pattern) === key) return true
      return value.kind === 'scalar' && value.source === pattern.source
    case 'reference':
    case 'unfilled':
      return false
  }
}

/** Each pattern is held against each cell. */
const mostComparisons = 5_000_000

/** What is to be said when there are too many patterns for so many cells. */
export function tooManyPatterns(
  patterns: readonly FilledMap[],
  what: string,
  cells: number,
): Diagnostic | undefined {
  const values = patterns.reduce((sum, pattern) => sum + valuesIn(pattern), 0)
  const [first] = patterns
  if (!first || values * cells <= mostComparisons) return undefined
  const message = `\`${what}\` has ${values} values for ${cells} cells, and more than ${mostComparisons} comparisons are not made`
  return error('too-many', first, message, 'name fewer cells by more of their axes, or split the job')
}

function valuesIn(pattern: Filled): number {
  if (pattern.kind === 'map') return pattern.entries.reduce((sum, { value }) => sum + valuesIn(value), 0)
  return pattern.kind === 'list' ? pattern.items.reduce((sum, item) => sum + valuesIn(item), 0) : 1
}

/** Patterns as a list of mappings from axes to values; what is none is told and left out. */
export function readPatterns(
  value: Filled,
  what: string,
  axes: readonly string[],
  report: ReportProblem,
): FilledMap[] {
  if (value.kind === 'unfilled') return []
  if (value.kind !== 'list') {
    const hint = `for instance \`${what}: [{ ${axes[0] ?? 'colour'}: … }]\``
    report(error('wrong-type', value, `\`${what}\` is a list of mappings from axes to values`, hint))
    return []
  }
  return value.items.flatMap(item => readPattern(item, what, axes, report) ?? [])
}

export function readPattern(
  item: Filled,
  what: string,
  axes: readonly string[],
  report: ReportProblem,
): FilledMap | undefined {
  if (item.kind === 'unfilled') return undefined
  if (item.kind !== 'map' || item.entries.length === 0) {
    const hint = `for instance \`{ ${axes[0] ?? 'colour'}: … }\``
    report(error('wrong-type', item, `\`${what}\` goes by mappings from axes to values`, hint))
    return undefined
  }
  for (const { key } of item.entries)
    if (!axes.includes(key.source)) report(unknownAxis(key.source, key, axes))
  return item.entries.every(({ key }) => axes.includes(key.source)) ? item : undefined
}

export function unknownAxis(name: string, at: Diagnostic['at'], axes: readonly string[]): Diagnostic {
  const near = nearest(name, axes)
  const there =
    axes.length === 0 ? 'there are none' : `there ${axes.length === 1 ? 'is' : 'are'} ${listed(axes)}`
  return error('unknown-axis', at, `there is no axis ${name}`, near ? `did you mean ${near}` : there)
}
