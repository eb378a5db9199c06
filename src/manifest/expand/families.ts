import { error } from '../../base/diagnostic.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { jobPath } from '../fill/job-path.ts'
import { type FillScope, fillEntry } from '../fill/template.ts'
import type { Defaults } from '../read/defaults.ts'
import type { Draft } from '../read/draft.ts'
import { ownEntry } from '../read/shape.ts'
import { type Grid, mostJobs, single } from '../shapes/coordinates.ts'
import type { Reference } from '../shapes/filled.ts'
import type { AxisReading, FileCells } from './axis.ts'
import { type Cell, fillCells } from './expand.ts'
import { readGrid, tellIdle } from './grid.ts'
import { readOverrides } from './override.ts'
import { tooManyPatterns } from './patterns.ts'
import { selectCells } from './select-cells.ts'

/** All cells of one job. */
export interface CellFamily {
  readonly draft: Draft
  readonly axes: readonly string[]
  readonly cells: readonly Cell[]
  /** False when its cells could not be told: nothing more is said about them. */
  readonly isWhole: boolean
}

export type Families = ReadonlyMap<string, CellFamily>

interface Expanding {
  readonly drafts: ReadonlyMap<string, Draft>
  readonly defaults: Defaults
  readonly modelSet: ModelSet
  readonly scope: FillScope
}

/** The cells of all jobs, in written order. A job whose cells come from another is expanded behind that one. */
export function expandAll(given: Expanding): Families {
  const work: Work = { ...given, done: new Map(), open: [], cells: 0 }
  const families = new Map<string, CellFamily>()
  for (const draft of given.drafts.values()) families.set(draft.id, familyOf(work, draft))
  return families
}

interface Work extends Expanding {
  readonly done: Map<string, CellFamily>
  readonly open: string[]
  cells: number
}

function familyOf(work: Work, draft: Draft): CellFamily {
  const known = work.done.get(draft.id)
  if (known) return known
  work.open.push(draft.id)
  const family = expandDraft(work, draft)
  work.open.pop()
  work.done.set(draft.id, family)
  work.cells += family.cells.length
  return family
}

function expandDraft(work: Work, draft: Draft): CellFamily {
  const { defaults, modelSet, scope } = work
  const broken: CellFamily = { draft, axes: [], cells: [], isWhole: false }
  // Past the limit, which is told at its end, nothing more is made.
  if (work.cells > mostJobs) return broken
  const grid = gridOf(work, draft)
  if (!grid) return broken
  const override = ownEntry(draft.own, 'override')
  const overrides = override ? readOverrides(override, grid.axes, scope) : []
  const excess = tooManyPatterns(
    overrides.map(each => each.match),
    'override',
    grid.cells.length,
  )
  if (excess) {
    scope.report(excess)
    return broken
  }
  const cells = fillCells({ draft, grid, overrides, defaults, modelSet, scope })
  const idle = overrides.filter(({ hits }) => hits.length === 0)
  tellIdle(
    idle.map(({ match }) => match),
    'override',
    grid,
    scope.report,
  )
  return { draft, axes: grid.axes, cells, isWhole: true }
}

function gridOf(work: Work, draft: Draft): Grid | undefined {
  const { report } = work.scope
  const written = ownEntry(draft.own, 'matrix')
  const each = ownEntry(draft.own, 'forEach')
  if (!written && !each) return single
  const matrix = written && fillEntry(written, { ...work.scope, takesMatrix: true })
  const reading: AxisReading = {
    sources: work.scope.sources,
    filesOf: ref => filesOf(work, ref),
    report,
  }
  if (matrix?.value.kind === 'reference') return gridLike(work, matrix.value, each?.key !== undefined)
  return readGrid(matrix, each && fillEntry(each, work.scope), reading)
}

/** `matrix: ${{ jobs.still.matrix }}`: the same cells. */
function gridLike(work: Work, ref: Reference, hasForEach: boolean): Grid | undefined {
  const { report } = work.scope
  if (ref.files.which !== 'matrix' || ref.selector || hasForEach) {
    const hint =
      hasForEach && ref.files.which === 'matrix'
        ? 'the cells of another job stand alone, without `forEach`'
        : `write \${{ ${jobPath(ref.job)}.matrix }} for its cells, or an axis: { file: \${{ ${jobPath(ref.job)}.outputs }} }`
    report(
      error('bad-axis', ref, '`matrix` is a mapping from axes to values, or the cells of another job', hint),
    )
    return undefined
  }
  const family = producerOf(work, ref)
  if (!family) return undefined
  if (family.axes.length > 0) return { axes: family.axes, cells: family.cells.map(cell => cell.place) }
  report(error('empty-axis', ref, `the job ${ref.job} has no axes`, 'leave `matrix` out'))
  return undefined
}

/** Another job, expanded first. */
function producerOf(work: Work, ref: Reference): CellFamily | undefined {
  const draft = work.drafts.get(ref.job)
  if (!draft) return undefined
  if (work.open.includes(ref.job)) {
    const circle = [...work.open.slice(work.open.indexOf(ref.job)), ref.job].join(' → ')
    const hint = 'give one of them axes of its own'
    work.scope.report(
      error('circular-needs', ref, `these jobs take their cells from each other: ${circle}`, hint),
    )
    return undefined
  }
  const family = familyOf(work, draft)
  return family.isWhole ? family : undefined
}

function filesOf(work: Work, ref: Reference): FileCells | undefined {
  const family = producerOf(work, ref)
  if (!family) return undefined
  const chosen = selectCells(family, ref.selector, undefined)
  if ('code' in chosen) {
    work.scope.report(chosen)
    return undefined
  }
  if (chosen.some(({ cell }) => !cell.makes)) return undefined
  const files = chosen.flatMap(({ cell, address }) =>
    Array.from({ length: cell.makes?.count ?? 0 }, (_, nth) => {
      const value: Reference = { ...ref, files: { which: 'cell', address, nth } }
      return { values: cell.place.at, nth, value }
    }),
  )
  if (files.length > 0) return { axes: family.axes, files }
  work.scope.report(error('empty-axis', ref, `the job ${ref.job} has no cells`, 'its `if` leaves none'))
  return undefined
}
