import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import type { Families } from './families.ts'

/** The most pairs of a cell and a cell it needs, all jobs together: ten thousand times ten thousand fill any memory. */
const mostPairs = 1_000_000

const made = new WeakMap<Families, number>()

/** Whether the manifest has had all the pairs it may have: then none is looked for any more. */
export function isJoinedOut(families: Families): boolean {
  return (made.get(families) ?? 0) > mostPairs
}

/** Counts the cells that one cell needs by one word; what is wrong when they are too many. */
export function countJoin(families: Families, cells: number, at: Span): Diagnostic | undefined {
  if (cells < 2) return undefined
  const all = (made.get(families) ?? 0) + cells
  made.set(families, all)
  if (all <= mostPairs) return undefined
  const message = `here every cell needs ${cells.toLocaleString('en')} others, which is more than ${mostPairs.toLocaleString('en')} needs in all`
  const hint =
    'give both jobs an axis in common, so that each cell needs its own, or choose cells in brackets'
  return error('too-many-needs', at, message, hint)
}
