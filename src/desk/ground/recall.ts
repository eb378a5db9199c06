import { type Failure, failureMessage } from '../../base/failure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { LockEntry, Recipe, RemoteFile, RunRef, SavedFile } from '../../base/state.ts'
import type { Memory, SentOrder } from '../../plan/facts.ts'
import { sameRecipe } from '../../plan/recipe.ts'
import type { JobMemory } from '../../store/memory.ts'

/** What of the recorded is on disk. */
export interface Sight {
  /** Where a spooled answer is now; undefined when it is gone. */
  readonly findSpooled: (path: string) => string | undefined
  /** Whether these very files are in their places. */
  readonly areThere: (files: readonly SavedFile[]) => boolean
}

const unseen: Sight = { findSpooled: path => path, areThere: () => false }

/**
 * What is known of every address: the lock, corrected by the journal, which is the truth between two saves of the lock.
 * An address of which nothing was ever bought has no memory.
 */
export function recall(
  lock: ReadonlyMap<JobAddress, LockEntry>,
  journal: ReadonlyMap<JobAddress, JobMemory>,
  sight: Sight = unseen,
): Map<JobAddress, Memory> {
  const memories = new Map<JobAddress, Memory>()
  for (const address of new Set([...lock.keys(), ...journal.keys()])) {
    const entry = lock.get(address)
    const known = journal.get(address)
    const memory = (known && fromJournal(address, known, entry, sight)) ?? (entry && fromLock(entry))
    if (memory) memories.set(address, memory)
  }
  return memories
}

/**
 * The lock's lines as they should stand by all that is known. A crash can keep the last of them from being saved, and a
 * lock can be lost or rolled back: then the journal knows more, and whoever has the lock alone must know it too.
 */
export function caughtUp(
  lock: ReadonlyMap<JobAddress, LockEntry>,
  memories: ReadonlyMap<JobAddress, Memory>,
  journal: ReadonlyMap<JobAddress, Pick<JobMemory, 'older'>> = new Map(),
): Map<JobAddress, LockEntry> {
  const entries = new Map(lock)
  for (const [address, memory] of memories) {
    const entry = entryOf(address, memory, lock.get(address), journal.get(address)?.older)
    if (entry) entries.set(address, entry)
  }
  return entries
}

/** Undefined for what the lock need not remember. Files of an older result stay named: they are ours. */
function entryOf(
  address: JobAddress,
  memory: Memory,
  locked: LockEntry | undefined,
  older: readonly SavedFile[] | undefined,
): LockEntry | undefined {
  const files = older ?? locked?.files ?? []
  switch (memory.is) {
    case 'done':
      return memory.entry
    case 'under-way': {
      const { recipe, run } = memory
      if (locked?.state === 'running' && locked.run?.id === run?.id) return locked
      return { address, state: 'running', recipe, files, ...(run && { run }) }
    }
    case 'doubt': {
      if (locked?.state === 'doubt') return locked
      const flaw = { why: 'in-doubt', message: memory.detail } as const
      return { address, state: 'doubt', recipe: memory.recipe, files, flaw }
    }
    case 'failed': {
      if (memory.billed === 'no') return undefined
      if (locked?.state === 'failed') return locked
      const { recipe, run, message } = memory
      const flaw = { why: 'remote', message } as const
      return { address, state: 'failed', recipe, files, ...(run && { run }), flaw }
    }
  }
}

/** Undefined where the journal has nothing to add. */
function fromJournal(
  address: JobAddress,
  known: JobMemory,
  entry: LockEntry | undefined,
  { findSpooled, areThere }: Sight,
): Memory | undefined {
  if (known.is === 'planned') return undefined
  const recipe = known.intent?.recipe ?? entry?.recipe ?? unknownRecipe
  switch (known.is) {
    case 'doubt':
      return { is: 'doubt', recipe, detail: known.detail, ...sentOrder(known) }
    case 'accepted':
    case 'result': {
      const { run } = known
      // Another checkout finished the same run, and its lock came here.
      if (entry?.state === 'done' && run && entry.run?.id === run.id) return undefined
      const saved = allSaved(known)
      if (saved && areThere(saved.files)) return { is: 'done', entry: madeOf(address, recipe, saved, run) }
      const files = known.is === 'result' ? presentFiles(known.files, findSpooled) : []
      if (files.length === 0 && !run) return withoutResult(recipe, entry)
      const key = known.intent?.key ?? ''
      return { is: 'under-way', recipe, key, ...(run && { run }), ...(files.length > 0 && { files }) }
    }
    case 'done': {
      const made = madeOf(address, recipe, known, known.run)
      if (entry?.state !== 'done') return { is: 'done', entry: made }
      // Which of two is newer nobody has written down: it is the one whose files lie there.
      const isOld = !sameFiles(made, entry) && areThere(made.files) && !areThere(entry.files)
      if (isOld) return { is: 'done', entry: made }
      return { is: 'done', entry, ...(sameRecipe(entry.recipe, recipe) ? {} : { other: made }) }
    }
    case 'failed': {
      const { failure, billed, run, made: last } = known
      // An order that bought nothing changes nothing.
      if (entry && billed === 'no') return undefined
      if (entry?.state === 'done' && sameRecipe(entry.recipe, recipe)) return undefined
      return {
        is: 'failed',
        recipe,
        message: failureMessage(failure),
        billed,
        ...(run && { run }),
        ...lastMade(address, last, entry),
      }
    }
  }
}

/** What is there besides an order that failed. A lock that says "done" may know of a newer result from elsewhere. */
function lastMade(
  address: JobAddress,
  known: (JobMemory & { is: 'done' }) | undefined,
  entry: LockEntry | undefined,
): { readonly made?: LockEntry } {
  if (entry?.state === 'done') return { made: entry }
  return known ? { made: madeOf(address, known.intent?.recipe ?? unknownRecipe, known, known.run) } : {}
}

/** The files of a result of which every one was verified: once they have their names, only DONE is missing. */
function allSaved({ saved, ...known }: JobMemory): Made | undefined {
  if (known.is !== 'result' || saved.length < known.files.length) return undefined
  const { flaw } = saved.at(-1) ?? {}
  return { files: saved.map(({ file }) => file), ...(flaw && { flaw }) }
}

interface Made {
  readonly files: readonly SavedFile[]
  readonly flaw?: Failure
}

function madeOf(
  address: JobAddress,
  recipe: Recipe,
  { files, flaw }: Made,
  run: RunRef | undefined,
): LockEntry {
  return {
    address,
    state: 'done',
    recipe,
    files,
    ...(run && { run }),
    ...(flaw && { flaw: { why: flaw.why, message: failureMessage(flaw) } }),
  }
}

/** The result waited in the spool and is not there any more. It was published if the lock says so. */
function withoutResult(recipe: Recipe, entry: LockEntry | undefined): Memory | undefined {
  if (entry?.state === 'done' && sameRecipe(entry.recipe, recipe)) return undefined
  return { is: 'doubt', recipe, detail: 'it was paid for, and its result is gone from the spool' }
}

function sameFiles(one: LockEntry, other: LockEntry): boolean {
  return one.files.map(file => file.digest).join() === other.files.map(file => file.digest).join()
}

/** All of the files or none: with one of them gone the result has to be read again. */
function presentFiles(files: readonly RemoteFile[], findSpooled: Sight['findSpooled']): RemoteFile[] {
  const found = files.map(file => {
    if (file.from === 'link') return file
    const path = findSpooled(file.path)
    return path === undefined ? undefined : { ...file, path }
  })
  return found.every(file => file !== undefined) ? found : []
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
export const unknownRecipe: Recipe = { version: 1, model: '', params: {}, defaults: {}, inputs: {}, take: 1 }

/** Of one order only: with two in doubt, an answer to one would hide the other. */
function sentOrder({ intent, doubts }: JobMemory): { readonly sent?: SentOrder } {
  if (!intent || doubts.some(doubt => doubt.key !== intent.key)) return {}
  const { key, request, origin, at } = intent
  return { sent: { key, request, origin, at } }
}
