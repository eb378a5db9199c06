import { completed } from '../plan/recipe.ts'
import type { Plan } from '../plan/step.ts'
import type { Journal } from '../store/journal.ts'
import { noteMove } from './adopt.ts'
import type { Book } from './book.ts'

/** Puts into recipes of adopted runs what they were made from, as soon as that is there. */
export async function completeRecipes({ steps }: Plan, book: Book, journal: Journal): Promise<void> {
  for (const step of steps) {
    const entry = step.do === 'drop' ? undefined : book.entries.get(step.job.address)
    if (step.do === 'drop' || entry?.state !== 'done' || journal.broken) continue
    const recipe = completed(entry.recipe, step.job, ref =>
      ref.from === 'job' && ref.nth !== 'pick' ? book.made(ref.address)?.[ref.nth]?.digest : undefined,
    )
    if (!recipe) continue
    await noteMove({ ...entry, recipe }, entry.address, journal)
    book.put({ ...entry, recipe })
  }
}
