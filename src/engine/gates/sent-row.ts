/**
 * What became of orders, in the order in which they were let go. A failure is often known at once, and a success only when
 * its file is saved: judged by when the news come, failures stand in rows that never were. Kept are the stretches between
 * good ones in which something is still out, and the last one, which goes on. Pure.
 */
export interface SentRow {
  readonly stretches: readonly (readonly SentOrder[])[]
  /** No order of this run was good: what earlier runs left stands before its first one. */
  readonly isFresh: boolean
}

interface SentOrder {
  readonly nth: number
  /** Or its end is not known. */
  readonly isBad: boolean
}

/** Stands for an order of an earlier run. */
export const beforeAll = -1

export const emptyRow: SentRow = { stretches: [[]], isFresh: true }

export function afterSent({ stretches, isFresh }: SentRow, nth: number): SentRow {
  const last = stretches.at(-1) ?? []
  return { stretches: [...stretches.slice(0, -1), [...last, { nth, isBad: false }]], isFresh }
}

/** It parts what was sent before it from what was sent after it. */
export function afterGood(row: SentRow, nth: number): SentRow {
  if (nth === beforeAll) return without(row, nth)
  const parted = row.stretches.flatMap(stretch => {
    const at = stretch.findIndex(order => order.nth === nth)
    return at < 0 ? [stretch] : [stretch.slice(0, at), stretch.slice(at + 1)]
  })
  const isOpen = (stretch: readonly SentOrder[]) => stretch.some(({ isBad }) => !isBad)
  return {
    stretches: parted.filter((stretch, at) => at === parted.length - 1 || isOpen(stretch)),
    isFresh: false,
  }
}

export function afterBad(row: SentRow, nth: number): SentRow {
  const bad = { nth, isBad: true }
  if (nth !== beforeAll) {
    const stretches = row.stretches.map(stretch => stretch.map(order => (order.nth === nth ? bad : order)))
    return { ...row, stretches }
  }
  const [first = [], ...rest] = row.stretches
  return row.isFresh ? { ...row, stretches: [[bad, ...first], ...rest] } : row
}

/** It was not sent after all, or what came of it says nothing. */
export function afterNothing(row: SentRow, nth: number): SentRow {
  return nth === beforeAll ? row : without(row, nth)
}

function without(row: SentRow, nth: number): SentRow {
  return { ...row, stretches: row.stretches.map(stretch => stretch.filter(order => order.nth !== nth)) }
}

/** The most bad ones in a row. One whose end is not known yet stands between those before and after it. */
export function longestRow({ stretches }: SentRow): number {
  let longest = 0
  for (const stretch of stretches) {
    let present = 0
    for (const { isBad } of stretch) {
      present = isBad ? present + 1 : 0
      longest = Math.max(longest, present)
    }
  }
  return longest
}

/**
 * How many bad ones in a row end the buying, after so many good ones: `first` before there was any, and one more for each
 * doubling of them. Where one order in five fails by chance, such a row comes in one run of two thousand, however long it
 * is: each doubling has twice as many places for one, and each place a fifth of the chance.
 */
export function rowLimit(first: number, good: number): number {
  return first + Math.ceil(Math.log2(good + 1))
}
