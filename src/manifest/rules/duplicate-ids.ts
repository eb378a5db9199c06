import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import type { Draft } from '../read/draft.ts'

/** Jobs of one name: only a list can hold them, a mapping tells duplicate keys by itself. */
export function duplicateIds(drafts: readonly Draft[]): Diagnostic[] {
  const first = new Map<string, Draft>()
  return drafts.flatMap(draft => {
    const known = first.get(draft.id)
    if (!known) {
      first.set(draft.id, draft)
      return []
    }
    const notes = [{ message: 'the first of them', at: known.at }]
    return [
      withNotes(
        error('duplicate-id', draft.at, `two jobs are called ${draft.id}`, 'rename one of them'),
        notes,
      ),
    ]
  })
}
