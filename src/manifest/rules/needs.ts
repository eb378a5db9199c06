import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Cell } from '../expand.ts'
import { type Producers, unknownJob } from '../references.ts'

/** Jobs that `needs` names and that are not there. A take is named with `#`: `hero#2`. */
export function unknownNeeds(cells: readonly Cell[], producers: Producers): Diagnostic[] {
  const takes = new Map(cells.map(cell => [cell.draft.id, cell.own.takes]))
  return cells.flatMap(cell =>
    cell.own.needs.flatMap(({ text, at }) => {
      const { id, take } = readNeed(text)
      const known = takes.get(id)
      if (known === undefined) return [unknownJob(id, at, producers)]
      if (take === undefined || (take >= 1 && take <= known)) return []
      const has = known === 1 ? 'one take' : `${known} takes`
      return [error('unknown-job', at, `${id} has ${has}, there is no ${text}`)]
    }),
  )
}

/** `hero` means all of its takes, `hero#2` one. */
export function readNeed(text: string): { readonly id: string; readonly take?: number } {
  const match = /^(.*)#(\d+)$/.exec(text)
  return match ? { id: match[1] ?? '', take: Number(match[2]) } : { id: text }
}
