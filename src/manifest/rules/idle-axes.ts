import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { entryOf } from '../../text/tree.ts'
import type { CellFamily, Families } from '../expand/families.ts'
import { ownEntry } from '../read/shape.ts'
import type { SettledJob } from '../resolve/jobs.ts'
import { keysAt } from '../shapes/coordinates.ts'
import { recipeText } from './same-recipe.ts'

interface IdleAxis {
  readonly job: string
  readonly problem: Diagnostic
}

/** Axes whose values make no difference: their cells would be copies, each paid. `takes` is for that. */
export function idleAxes(families: Families, settled: readonly SettledJob[]): IdleAxis[] {
  const hasAxes = [...families.values()].some(family => family.axes.length > 0)
  if (!hasAxes) return []
  const byJob = new Map<string, SettledJob[]>()
  for (const one of settled) {
    const list = byJob.get(one.cell.draft.id)
    if (list) list.push(one)
    else byJob.set(one.cell.draft.id, [one])
  }
  return [...families.values()].flatMap(family => {
    const cells = byJob.get(family.draft.id) ?? []
    // A cell that could not be settled may be the one that differs.
    if (family.axes.length === 0 || cells.length < family.cells.length || cells.length < 2) return []
    // Mostly two cells already differ along every axis, and the other recipes are never looked at.
    const recipes: string[] = []
    const recipeOf = (nth: number, one: SettledJob) => (recipes[nth] ??= recipeText(one))
    return family.axes.flatMap((axis, index) => {
      const problem = idleAxis(family, axis, index, { cells, recipeOf })
      return problem ? [{ job: family.draft.id, problem }] : []
    })
  })
}

interface AxisCells {
  readonly cells: readonly SettledJob[]
  readonly recipeOf: (nth: number, one: SettledJob) => string
}

function idleAxis(
  family: CellFamily,
  axis: string,
  index: number,
  { cells, recipeOf }: AxisCells,
): Diagnostic | undefined {
  const groups = new Map<string, string>()
  let copies = 0
  for (const [nth, one] of cells.entries()) {
    const others = keysAt(one.cell.place)
      .filter((_, at) => at !== index)
      .join(',')
    const recipe = recipeOf(nth, one)
    const first = groups.get(others)
    if (first === undefined) groups.set(others, recipe)
    else if (first === recipe) copies++
    else return undefined
  }
  if (copies === 0) return undefined
  const each = cells.length / groups.size
  const matrix = ownEntry(family.draft.own, 'matrix')
  const named = matrix?.value.kind === 'map' ? entryOf(matrix.value, axis)?.key : undefined
  const at =
    named ??
    (axis === 'item' ? ownEntry(family.draft.own, 'forEach')?.key : undefined) ??
    matrix?.key ??
    family.draft.at
  const read = axis === 'item' ? '${{ item }}' : `\${{ matrix.${axis} }}`
  const takes = Number.isInteger(each) ? `takes: ${each}` : '`takes`'
  const hint = `read it with ${read}; if several results of the same are wanted, write ${takes} instead`
  return error(
    'idle-axis',
    at,
    `the axis ${axis} changes nothing: ${copies} of ${cells.length} jobs would be copies`,
    hint,
  )
}
