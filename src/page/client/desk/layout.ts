import type { Shown, ShownPage } from '../../data/shown.ts'

/** One line of the list: a title, or cards beside each other. */
export type ListRow<T> =
  | {
      readonly is: 'title'
      readonly text: string
      readonly count: number
      readonly top: number
      readonly height: number
    }
  | { readonly is: 'cards'; readonly items: readonly T[]; readonly top: number; readonly height: number }

interface Sizes {
  readonly columns: number
  readonly cardHeight: number
  readonly titleHeight: number
  readonly gap: number
}

/**
 * How many cards stand beside each other, and how wide they are, where one of about that width is wanted. Where no row has as many as
 * would fit (`most`: of the longest), they share the room, up to twice that width, and leave less of it empty.
 */
export function columnsIn(
  width: number,
  { wanted, gap, most }: { readonly wanted: number; readonly gap: number; readonly most: number },
): { readonly columns: number; readonly cardWidth: number } {
  const fitting = Math.max(1, Math.floor((width + gap) / (wanted + gap)))
  const columns = Math.min(fitting, Math.max(1, most))
  const shared = Math.floor((width - gap * (columns - 1)) / columns)
  return { columns, cardWidth: columns < fitting ? Math.min(shared, 2 * wanted) : shared }
}

/** Sections laid out below each other. Heights are known, so that only what is in sight has to be there. */
export function rowsOf<T>(
  sections: readonly { readonly title: string; readonly items: readonly T[] }[],
  { columns, cardHeight, titleHeight, gap }: Sizes,
): ListRow<T>[] {
  const rows: ListRow<T>[] = []
  let top = 0
  for (const { title, items } of sections) {
    if (title !== '') {
      rows.push({ is: 'title', text: title, count: items.length, top, height: titleHeight })
      top += titleHeight
    }
    for (let at = 0; at < items.length; at += columns) {
      rows.push({ is: 'cards', items: items.slice(at, at + columns), top, height: cardHeight })
      top += cardHeight + gap
    }
  }
  return rows
}

export function heightOf(rows: readonly ListRow<unknown>[]): number {
  const last = rows.at(-1)
  return last ? last.top + last.height : 0
}

/** Those that lie between two heights, found by halving. */
export function rowsBetween<T>(rows: readonly ListRow<T>[], from: number, to: number): readonly ListRow<T>[] {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row && row.top + row.height < from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < rows.length && (rows[end]?.top ?? 0) <= to) end++
  return rows.slice(low, end)
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last'

/** Where an arrow leads, by rows and places in them; where it leads nowhere, here. */
export function moved<T>(
  rows: readonly ListRow<T>[],
  here: T | undefined,
  direction: Direction,
): T | undefined {
  const lines = rows.flatMap(row => (row.is === 'cards' ? [row.items] : []))
  const all = lines.flat()
  const at = here === undefined ? -1 : all.indexOf(here)
  if (at < 0 || direction === 'first') return all[0]
  if (direction === 'last') return all.at(-1)
  if (direction === 'left' || direction === 'right') return all[at + (direction === 'left' ? -1 : 1)] ?? here
  const line = lines.findIndex(items => items.includes(all[at] as T)) // it is one of them
  const place = lines[line]?.indexOf(all[at] as T) ?? 0
  const next = lines[line + (direction === 'up' ? -1 : 1)]
  return next?.[Math.min(place, next.length - 1)] ?? here
}

/**
 * How far a frame is scrolled, across or down, so that what stands there from one place to another is in sight, or its beginning where
 * it is longer than the frame. What is in sight already moves nothing.
 */
export function scrolledTo(
  { from, to }: { readonly from: number; readonly to: number },
  {
    scroll,
    size,
    before,
    after,
  }: {
    readonly scroll: number
    readonly size: number
    /** Covered by what sticks there, and room that is left beside it. */
    readonly before: number
    readonly after: number
  },
): number {
  const first = Math.max(0, from - before)
  if (scroll > first) return first
  return Math.max(scroll, Math.min(first, to + after - size))
}

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

/**
 * How wide a card of a grid is, and how many of a cell stand beside each other: as many as there is room for, and then as wide as the
 * room makes them, within reason. Where not even one of each column fits, they are as wide as wanted, and the grid is wider than its frame.
 */
export function gridCards({
  room,
  columns,
  most,
  wanted,
  gap,
}: {
  /** Beside the heads of the rows, in pixels. */
  readonly room: number
  readonly columns: number
  /** So many results share the fullest cell. */
  readonly most: number
  readonly wanted: number
  readonly gap: number
}): { readonly width: number; readonly across: number } {
  const fit = Math.floor(room / (Math.max(1, columns) * (wanted + gap)))
  const across = Math.max(1, Math.min(most, fit))
  const filling = Math.floor(room / (Math.max(1, columns) * across)) - gap
  return { across, width: Math.max(wanted, Math.min(filling, Math.floor(wanted * 1.6))) }
}
