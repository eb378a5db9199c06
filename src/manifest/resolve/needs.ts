import type { Diagnostic } from '../../base/diagnostic.ts'
import type { JobAddress } from '../../base/names.ts'
import type { Span } from '../../base/source.ts'
import type { Cell } from '../expand/expand.ts'
import type { Families } from '../expand/families.ts'
import { countJoin, isJoinedOut } from '../expand/joins.ts'
import { selectCells, takeAddress } from '../expand/select-cells.ts'
import { readSelector, unknownJob } from '../fill/job-path.ts'
import type { Word } from '../read/values.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** A need that `needs` names: the jobs it comes to, all takes unless one is named. */
export interface NamedNeed {
  readonly address: JobAddress
  readonly at: Span
}

/** `needs` by the same join as references: `still`, `still[AS-101,*]`, `still[product=AS-101]`, `hero#2`. */
export function namedNeeds(cell: Cell, families: Families, report: ReportProblem): readonly NamedNeed[] {
  if (cell.own.needs.length === 0 || isJoinedOut(families)) return none
  return cell.own.needs.flatMap(word => {
    const { id, chosen } = readNeed(word)
    const family = families.get(id)
    if (!family) {
      report(unknownJob(id, word.at, new Set(families.keys())))
      return []
    }
    if (!family.isWhole) return []
    if (chosen && 'code' in chosen) {
      report(chosen)
      return []
    }
    const found = selectCells(family, chosen, cell.place)
    if ('code' in found) {
      report(found)
      return []
    }
    const excess = countJoin(families, found.length, word.at)
    if (excess) {
      report(excess)
      return []
    }
    return found.flatMap(({ cell: needed, address }) =>
      chosen?.take !== undefined
        ? [{ address, at: word.at }]
        : Array.from({ length: needed.own.takes }, (_, index) => ({
            address: takeAddress(needed.address, index + 1),
            at: word.at,
          })),
    )
  })
}

const none: readonly NamedNeed[] = []

/** The job that a need names, and which of its cells. */
export function readNeed({ text, at }: Word): {
  readonly id: string
  readonly chosen?: ReturnType<typeof readSelector> | Diagnostic
} {
  const match = /^([^[#]*)(?:\[(.*)\])?(#\d+)?$/s.exec(text)
  const id = match?.[1]?.trim() ?? text
  const inner = `${match?.[2] ?? ''}${match?.[3] ?? ''}`
  return inner === '' ? { id } : { id, chosen: readSelector(inner, at) }
}
