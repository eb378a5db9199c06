import { defined } from '../../base/defined.ts'
import type { Span } from '../../base/source.ts'
import { entryIn } from '../../text/tree.ts'
import type { Filled, FilledEntry } from './filled.ts'

/** All cells of a job before anything in them is filled, in the order of the axes. */
export interface Grid {
  readonly axes: readonly string[]
  readonly cells: readonly Coordinates[]
}

/** One value of an axis: what its cells are called by, and what they read. */
export interface AxisValue {
  readonly key: string
  readonly value: Filled
  readonly at: Span
}

/** Where a cell is, and what it reads there. */
export interface Coordinates {
  readonly axes: readonly string[]
  /** By axis, in their order. */
  readonly at: readonly AxisValue[]
  /** What a cell that `include` added reads beside its axes. */
  readonly more?: readonly FilledEntry[]
}

/** The most jobs that a manifest may come to. */
export const mostJobs = 100_000

/** A job without axes is one cell. */
export const single: Grid = { axes: [], cells: [{ axes: [], at: [] }] }

/** The cell at the values of all axes. */
export function coordinates(
  axes: readonly string[],
  at: readonly AxisValue[],
  more?: readonly FilledEntry[],
): Coordinates {
  return { axes, at, ...defined({ more }) }
}

/** What the values of a cell are called by, in the order of its axes. */
export function keysAt({ at }: Coordinates): string[] {
  return at.map(value => value.key)
}

/** What a cell reads under a name. */
export function axisValue({ axes, at, more }: Coordinates, name: string): Filled | undefined {
  const axis = axes.indexOf(name)
  return axis >= 0 ? at[axis]?.value : more && entryIn(more, name)?.value
}

/** Every name that a cell may read. */
export function namesAt({ axes, more = [] }: Coordinates): string[] {
  return [...axes, ...more.map(({ key }) => key.source)]
}
