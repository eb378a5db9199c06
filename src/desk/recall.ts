import { failureMessage } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import type { LockEntry, Recipe } from '../base/state.ts'
import type { Memory } from '../plan/plan.ts'
import { sameRecipe } from '../plan/recipe.ts'
import type { JobMemory } from '../store/memory.ts'

/**
 * What is known of every address: the lock, corrected by the journal, which is the truth between two saves of the lock.
 * An address of which nothing was ever bought has no memory.
 */
export function recall(
  lock: ReadonlyMap<JobAddress, LockEntry>,
  journal: ReadonlyMap<JobAddress, JobMemory>,
): Map<JobAddress, Memory> {
  const memories = new Map<JobAddress, Memory>()
  for (const address of new Set([...lock.keys(), ...journal.keys()])) {
    const entry = lock.get(address)
    const memory = fromJournal(address, journal.get(address), entry) ?? (entry && fromLock(entry))
    if (memory) memories.set(address, memory)
  }
  return memories
}

/** Undefined where the journal has nothing to add. */
function fromJournal(
  address: JobAddress,
  known: JobMemory | undefined,
  entry: LockEntry | undefined,
): Memory | undefined {
  if (!known || known.is === 'planned') return undefined
  const recipe = known.intent?.recipe ?? entry?.recipe ?? unknownRecipe
  switch (known.is) {
    case 'doubt':
      return { is: 'doubt', recipe, detail: known.detail }
    case 'accepted':
    case 'result': {
      // Another checkout finished the same run, and its lock came here.
      if (entry?.state === 'done' && known.run && entry.run?.id === known.run.id) return undefined
      const files = known.is === 'result' && known.files.length > 0 ? { files: known.files } : {}
      return {
        is: 'under-way',
        recipe,
        key: known.intent?.key ?? '',
        ...(known.run && { run: known.run }),
        ...files,
      }
    }
    case 'done': {
      const made: LockEntry = {
        address,
        state: 'done',
        recipe,
        files: known.files,
        ...(known.run && { run: known.run }),
      }
      if (entry?.state !== 'done') return { is: 'done', entry: made }
      return { is: 'done', entry, ...(sameRecipe(entry.recipe, recipe) ? {} : { other: made }) }
    }
    case 'failed': {
      if (entry?.state === 'done' && sameRecipe(entry.recipe, recipe)) return undefined
      const { failure, billed, run } = known
      return { is: 'failed', recipe, message: failureMessage(failure), billed, ...(run && { run }) }
    }
  }
}

function fromLock(entry: LockEntry): Memory {
  const { recipe, run } = entry
  switch (entry.state) {
    case 'done':
      return { is: 'done', entry }
    case 'running':
      // Without an id the result waited in this machine's spool, which is gone with the journal.
      if (!run)
        return {
          is: 'doubt',
          recipe,
          detail: 'it was paid for, and the journal that knew its result is gone',
        }
      return { is: 'under-way', recipe, key: '', run }
    case 'doubt':
      return { is: 'doubt', recipe, detail: entry.flaw?.message ?? '' }
    case 'failed':
      return {
        is: 'failed',
        recipe,
        message: entry.flaw?.message ?? '',
        billed: 'unknown',
        ...(run && { run }),
      }
  }
}

/** For a job of which neither lock nor journal tells what it was made from: it equals no wanted recipe. */
const unknownRecipe: Recipe = { version: 1, model: '', params: {}, defaults: {}, inputs: {}, take: 1 }
