import type { Shown, ShownPage } from './shown.ts'

/** One family's results by two of its axes. */
export interface AxesBoard {
  readonly family: string
  readonly rowAxis: string
  /** Empty where the family has one axis only: its takes stand in columns then. */
  readonly columnAxis: string
  readonly columns: readonly string[]
  readonly lines: readonly { readonly key: string; readonly cells: readonly (readonly Shown[])[] }[]
}

/** Keys stand in the order in which the manifest has them. Of several families the one that is asked for, or the first. */
export function boardOf(
  results: readonly Shown[],
  axes: ShownPage['axes'],
  asked: { readonly family?: string; readonly rows?: string; readonly columns?: string },
): AxesBoard {
  const families = Object.keys(axes)
  const family =
    asked.family !== undefined && families.includes(asked.family) ? asked.family : (families[0] ?? '')
  const own = axes[family] ?? []
  const rowAxis = asked.rows !== undefined && own.includes(asked.rows) ? asked.rows : (own[0] ?? '')
  const others = own.filter(each => each !== rowAxis)
  const columnAxis =
    asked.columns !== undefined && others.includes(asked.columns) ? asked.columns : (others[0] ?? '')
  const cells = results.filter(each => each.family === family)
  const columnOf = (result: Shown) =>
    columnAxis === '' ? `take ${result.take}` : (result.cell[columnAxis] ?? '')
  const columns = [...new Set(cells.map(columnOf))]
  const keys = [...new Set(cells.map(each => each.cell[rowAxis] ?? ''))]
  const byPlace = new Map<string, Shown[]>()
  for (const each of cells) {
    const place = JSON.stringify([each.cell[rowAxis] ?? '', columnOf(each)])
    byPlace.set(place, [...(byPlace.get(place) ?? []), each])
  }
  const lines = keys.map(key => ({
    key,
    cells: columns.map(column => byPlace.get(JSON.stringify([key, column])) ?? []),
  }))
  return { family, rowAxis, columnAxis, columns, lines }
}
