import type { Filled } from './filled.ts'
import type { AxisValue } from './keys.ts'
import type { Matched } from './patterns.ts'

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

/** The cell at the values of all axes; `more` may be read in it beside them. */
export function coordinates(
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
