import type { LockEntry } from '../../base/state.ts'
import type { Job } from '../../manifest/job.ts'
import { completed } from '../../plan/recipe.ts'
import type { Journal } from '../../store/journal.ts'
import { noteMove } from './adopt.ts'
import type { Book } from './book.ts'

/**
 * Adopted results with what they were made from, for those whose recipe lacks it and can have it by now. Asked before
 * anything is made anew: afterwards it would be another file.
 */
export function completions(jobs: readonly Job[], book: Pick<Book, 'entries' | 'made'>): LockEntry[] {
  return jobs.flatMap(job => {
    const entry = book.entries.get(job.address)
    if (entry?.state !== 'done') return []
    const recipe = completed(entry.recipe, job, ref =>
      ref.from === 'job' && ref.nth !== 'pick' ? book.made(ref.address)?.[ref.nth]?.digest : undefined,
    )
    return recipe ? [{ ...entry, recipe }] : []
  })
}

/** Puts into recipes of adopted runs what they were made from, as soon as that is there. */
export async function completeRecipes(jobs: readonly Job[], book: Book, journal: Journal): Promise<void> {
  for (const entry of completions(jobs, book)) {
    if (journal.broken) return
    await noteMove(entry, entry.address, journal)
    book.put(entry)
  }
}
