import type { JobAddress } from '../base/names.ts'
import type { LockEntry } from '../base/state.ts'
import { type Lock, type LockDamage, readLock, writeLock } from './lock-text.ts'

/** The contents of a lock on both sides of a merge, and where they parted. An empty base: there was none. */
export interface Sides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

export type Merged =
  /** Without `conflicts` the text is a whole lock; with them it holds git's marks, and nothing is bought by it. */
  | { readonly got: 'merged'; readonly text: string; readonly conflicts: readonly JobAddress[] }
  | (LockDamage & { readonly side: keyof Sides })

/** Merges two locks job by job, so that neighbouring jobs do not conflict. What was paid for is never given up. Pure. */
export function mergeLocks(sides: Sides): Merged {
  const base = sides.base.trim() === '' ? undefined : readLock(sides.base)
  if (base?.got === 'damaged') return { ...base, side: 'base' }
  const ours = readLock(sides.ours)
  if (ours.got === 'damaged') return { ...ours, side: 'ours' }
  const theirs = readLock(sides.theirs, ours.lock.manifest)
  if (theirs.got === 'damaged') return { ...theirs, side: 'theirs' }
  return merge(entriesOf(base?.lock), ours.lock, theirs.lock)
}

type Entries = ReadonlyMap<JobAddress, LockEntry>

function merge(base: Entries, ours: Lock, theirs: Lock): Merged {
  const [mine, other] = [entriesOf(ours), entriesOf(theirs)]
  const settled: LockEntry[] = []
  const open = new Map<JobAddress, readonly [LockEntry, LockEntry]>()
  for (const address of new Set([...mine.keys(), ...other.keys()])) {
    const verdict = mergeEntry(base.get(address), mine.get(address), other.get(address))
    if (verdict === 'conflict') {
      const both = [mine.get(address), other.get(address)] as const
      if (both[0] && both[1]) open.set(address, [both[0], both[1]])
    } else if (verdict) settled.push(verdict)
  }
  const marked = [...open.values()].map(([entry]) => entry)
  const text = writeLock({ ...ours, jobs: [...settled, ...marked] })
  return { got: 'merged', text: withMarks(text, open), conflicts: [...open.keys()] }
}

function mergeEntry(
  base: LockEntry | undefined,
  ours: LockEntry | undefined,
  theirs: LockEntry | undefined,
): LockEntry | 'conflict' | undefined {
  if (isSame(ours, theirs)) return ours
  if (isSame(ours, base)) return theirs
  if (isSame(theirs, base)) return ours
  // Taken out on one side and changed on the other: the change cost money.
  if (!ours || !theirs) return ours ?? theirs
  const isOneRun = ours.run !== undefined && ours.run.id === theirs.run?.id
  if (isOneRun && ours.state === 'done' && theirs.state !== 'done') return ours
  if (isOneRun && theirs.state === 'done' && ours.state !== 'done') return theirs
  return 'conflict'
}

function isSame(a: LockEntry | undefined, b: LockEntry | undefined): boolean {
  if (!a || !b) return a === b
  return lineOf(a) === lineOf(b)
}

/** A job's line as the lock has it. */
function lineOf(entry: LockEntry): string {
  return writeLock({ lineage: '', manifest: '', jobs: [entry] }).split('\n')[1] ?? ''
}

function withMarks(text: string, open: ReadonlyMap<JobAddress, readonly [LockEntry, LockEntry]>): string {
  if (open.size === 0) return text
  const marks = new Map(
    [...open.values()].map(([mine, other]) => {
      const [a, b] = [lineOf(mine), lineOf(other)]
      return [a, ['<<<<<<< ours', a, '=======', b, '>>>>>>> theirs'].join('\n')] as const
    }),
  )
  return text
    .split('\n')
    .map(line => marks.get(line) ?? line)
    .join('\n')
}

function entriesOf(lock: Lock | undefined): Entries {
  return new Map(lock?.jobs.map(entry => [entry.address, entry]))
}
