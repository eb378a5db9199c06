import { failureMessage } from '../../base/failure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { JobState, LockEntry, Recipe, SavedFile } from '../../base/state.ts'
import type { Job } from '../../manifest/job.ts'
import type { Lock, LockSaver } from '../../store/lock.ts'

/** The lock while a run goes on: what is known of every address, saved as it changes. */
export interface Book {
  readonly entries: ReadonlyMap<JobAddress, LockEntry>
  /** The files of a job that is done. */
  readonly made: (address: JobAddress) => readonly SavedFile[] | undefined
  /** What the engine tells when a job is accepted and when it settles. */
  readonly keep: (job: Job, state: JobState, recipe: Recipe) => void
  readonly put: (entry: LockEntry) => void
  /** Puts what the plan found to be the truth, unless it is there. */
  readonly know: (entry: LockEntry) => void
  /** Takes an entry out. */
  readonly drop: (address: JobAddress) => void
  readonly move: (from: JobAddress, to: LockEntry) => void
  readonly flush: () => Promise<void>
}

/** `unfetched` are locked results that are only fetched again: what goes wrong with that does not unmake them. */
export function openBook(
  lock: Lock,
  entries: Map<JobAddress, LockEntry>,
  saver: LockSaver,
  unfetched: ReadonlySet<JobAddress>,
): Book {
  const save = () => saver.save(() => ({ ...lock, jobs: [...entries.values()] }))
  function put(entry: LockEntry): void {
    entries.set(entry.address, entry)
    save()
  }
  // The entries may know more than the lock. One that says the same is not even composed.
  if (!saysTheSame(lock, entries)) save()
  return {
    entries,
    made: address => {
      const entry = entries.get(address)
      return entry?.state === 'done' ? entry.files : undefined
    },
    keep(job, state, recipe) {
      const before = entries.get(job.address)
      if (unfetched.has(job.address) && state.is !== 'done') return
      const entry = entryOf(job.address, state, recipe, before?.files ?? [])
      // Fetched again it is the same result, and stays the one that was chosen.
      const isSame = unfetched.has(job.address) && before?.picked
      if (entry) put(isSame ? { ...entry, picked: true } : entry)
    },
    put,
    know(entry) {
      if (entries.get(entry.address) !== entry) put(entry)
    },
    drop(address) {
      entries.delete(address)
      save()
    },
    move(from, to) {
      entries.delete(from)
      put(to)
    },
    flush: () => saver.flush(),
  }
}

/** Whatever the journal adds to an entry makes another one of it: see `caughtUp`. */
function saysTheSame({ jobs }: Lock, entries: ReadonlyMap<JobAddress, LockEntry>): boolean {
  return jobs.length === entries.size && jobs.every(entry => entries.get(entry.address) === entry)
}

/**
 * A job's line after a change; nothing when the lock has nothing to remember. Files of an older result stay named until
 * new ones take their place: they are ours, and would otherwise be in the way.
 */
function entryOf(
  address: JobAddress,
  state: JobState,
  recipe: Recipe,
  before: readonly SavedFile[],
): LockEntry | undefined {
  switch (state.is) {
    case 'ready':
    case 'skipped':
      return undefined
    case 'remote':
    case 'made':
    case 'detached':
      return { address, state: 'running', recipe, files: before, ...(state.run && { run: state.run }) }
    case 'doubt':
      return {
        address,
        state: 'doubt',
        recipe,
        files: before,
        flaw: { why: 'in-doubt', message: state.detail },
      }
    case 'done': {
      const flaw = state.flaw && { why: state.flaw.why, message: failureMessage(state.flaw) }
      return {
        address,
        state: 'done',
        recipe,
        files: state.files,
        ...(state.run && { run: state.run }),
        ...(flaw && { flaw }),
      }
    }
    case 'failed': {
      // Nothing was bought: what was there before is still the truth.
      if (state.billed === 'no') return undefined
      const flaw = { why: state.failure.why, message: failureMessage(state.failure) }
      return { address, state: 'failed', recipe, files: before, ...(state.run && { run: state.run }), flaw }
    }
  }
}
