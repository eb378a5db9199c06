import type { Sources } from '../fill/sources.ts'
import type { AxisValue } from '../shapes/coordinates.ts'
import type { Filled, Reference } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** An axis, or several that go together: every point has one value for each name. */
export interface Axis {
  readonly names: readonly string[]
  readonly points: readonly (readonly AxisValue[])[]
}

/** What reading axes needs. */
export interface AxisReading {
  readonly sources: Sources
  /** The cells of another job with their files; undefined where nothing can be said about them. */
  readonly filesOf: (ref: Reference) => FileCells | undefined
  readonly report: ReportProblem
}

/** Every file of a job, with the cell that it comes from. */
export interface FileCells {
  readonly axes: readonly string[]
  readonly files: readonly {
    readonly values: readonly AxisValue[]
    readonly nth: number
    readonly value: Filled
  }[]
}
