import { join } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Digest, JobAddress, PurchaseId } from '../../base/names.ts'
import { type JournalRecord, journalFormat } from '../../base/purchase.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, makeFolders, systemDisk } from '../files/disk.ts'
import { compacted } from './compact.ts'
import {
  chainStart,
  decodeJournal,
  encodeJournal,
  type JournalDamage,
  type JournalEntry,
} from './journal-text.ts'
import { type Journal, journalWriter } from './journal-writer.ts'

export type { JournalEntry } from './journal-text.ts'
export type { Journal } from './journal-writer.ts'

/** What a journal folder holds. */
export type JournalReading =
  | {
      readonly got: 'records'
      /** Undefined when there is no journal yet. */
      readonly file: string | undefined
      readonly entries: readonly JournalEntry[]
      readonly digest: string
      /** The records as they stand in the file, and what a crash left behind them. */
      readonly whole: Uint8Array
      readonly tail: Uint8Array
    }
  | (JournalDamage & { readonly file: string })
  | { readonly got: 'older'; readonly file: string; readonly isClosed: boolean }

/**
 * Reads a journal without touching it: for plans, and for whoever opens it to write. Compaction writes a new file with
 * a higher number and then removes the old one, so the highest is the journal. Throws StorageError.
 */
export function readJournal(folder: string, disk: Disk = systemDisk): JournalReading {
  const name = journalFiles(folder, disk).at(-1)
  if (name === undefined) return empty
  const file = join(folder, name)
  const bytes = disk.readAll(file)
  const decoded = decodeJournal(bytes)
  if (decoded.got !== 'records') return { ...decoded, file }
  const { whole } = decoded
  return { ...decoded, file, whole: bytes.subarray(0, whole), tail: bytes.subarray(whole) }
}

const empty: Records = {
  got: 'records',
  file: undefined,
  entries: [],
  digest: chainStart,
  whole: new Uint8Array(),
  tail: new Uint8Array(),
}

interface JournalOptions {
  readonly folder: string
  /** Of the lock that this run goes with. */
  readonly lineage: string
  /** Of the lock's text as it is when the run begins. */
  readonly lock?: Digest | undefined
  /** Name and version, for whoever reads a journal later. */
  readonly tool: string
  readonly disk?: Disk
  readonly clock?: Clock
  /** For tests: 16 MB. */
  readonly compactAbove?: number
  /**
   * Of the claim that it is written under, higher than all before it: the file's number. So a process that lost its
   * claim while it was opening the journal cannot put its own in the place of the new holder's. Default: one more than
   * the highest.
   */
  readonly number?: number
  /** Kinds that are durable in another place before anything is built on them: this disk has them a moment later. */
  readonly backed?: ReadonlySet<JournalRecord['kind']> | undefined
}

type OpenedJournal =
  | { readonly got: 'journal'; readonly journal: Journal; readonly entries: readonly JournalEntry[] }
  | (JournalDamage & { readonly file: string })

/**
 * Opens the journal to write: only for the holder of the claim. One of another lineage is never gone on with: what it owes
 * would count as this lock's from then on, and no lock would find it again. A cut tail is kept aside; the records are written to a
 * file of this run's own, compacted when there are many; OPEN is durable when it resolves. `entries` are those of the
 * runs before. Rejects with StorageError.
 */
export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const {
    folder,
    lineage,
    lock,
    tool,
    disk = systemDisk,
    clock = systemClock,
    compactAbove = 16_000_000,
  } = options
  const found = readJournal(folder, disk)
  if (found.got === 'damaged') return found
  if (found.got === 'older' && !found.isClosed) return unfinished(found.file)
  if (found.got === 'records' && (lineageOf(found.entries) ?? lineage) !== lineage) return strange(found)
  // What an older genrun came to the end of stands in the lock; its journal is kept beside ours as it was.
  const reading = found.got === 'older' ? empty : found
  if (found.got === 'older')
    await writeAtomically(disk, `${found.file}.older`, disk.readAll(found.file), { mode: 0o600 })
  await makeFolders(disk, folder, 0o700)
  if (reading.tail.length > 0) await keepTail(disk, reading)
  const number = options.number ?? highestJournal(folder, disk) + 1
  const file = join(folder, fileName(number))
  const ready = reading.file === undefined ? reading : await begunAnew(disk, file, reading, compactAbove)
  await removeOlder(disk, folder, number)
  const { backed } = options
  const { digest, whole } = ready
  const journal = journalWriter({ disk, clock, file, digest, bytes: whole.length, backed })
  await disk.syncFolder(folder)
  await journal.append({ kind: 'OPEN', format: journalFormat, lineage, ...(lock && { lock }), tool })
  return { got: 'journal', journal, entries: reading.entries }
}

/** What an older genrun left in the middle of a run only that one can tell. */
export function unfinished(file: string): JournalDamage & { readonly file: string } {
  const why = 'an older genrun wrote it, and its last run did not come to its end'
  return { got: 'damaged', file, offset: 0, why }
}

function strange({ file = '' }: Records): JournalDamage & { readonly file: string } {
  return { got: 'damaged', file, offset: 0, why: 'it goes with another lock than the one that is there now' }
}

/** The lineage that the journal's last run went with; undefined for a journal without runs. */
export function lineageOf(entries: readonly JournalRecord[]): string | undefined {
  return entries.findLast(entry => entry.kind === 'OPEN')?.lineage
}

/**
 * The lock that the last run left which came to its end, and those that runs since began with or wrote. An older one that lies there
 * was checked out: it was durable before the run ended that replaced it.
 */
export function lockDigestsIn(entries: readonly JournalRecord[]): Set<Digest> {
  const last = entries.findLastIndex(entry => entry.kind === 'CLOSE' && entry.lock !== undefined)
  return new Set(
    entries
      .slice(Math.max(0, last))
      .flatMap(entry =>
        (entry.kind === 'OPEN' || entry.kind === 'LOCK' || entry.kind === 'CLOSE') && entry.lock
          ? entry.lock
          : [],
      ),
  )
}

/**
 * Jobs that were not ordered because the buying had ended, in any of the runs, and those that a person has said are to be ordered
 * anew; by now some of them may be made.
 */
export function skippedIn(entries: readonly JournalRecord[]): Set<JobAddress> {
  const addresses = new Map<PurchaseId, JobAddress>()
  const found = new Set<JobAddress>()
  for (const entry of entries) {
    if (entry.kind === 'INTENT') addresses.set(entry.purchase, entry.address)
    if (entry.kind === 'STANDS') addresses.set(entry.purchase, entry.record.address)
    if (entry.kind === 'CLOSE') for (const address of entry.skipped ?? []) found.add(address)
    const address = entry.kind === 'RESOLVE' && entry.decision.is === 'over' && addresses.get(entry.purchase)
    if (address) found.add(address)
  }
  return found
}

/** A `redo` that the same words may go on with. */
export interface Redoing {
  readonly takes: ReadonlySet<JobAddress>
  /** No run has come to its end since it began: nobody may have been told what came of it. */
  readonly isCut: boolean
}

/** In their order: another one in between, about whatever jobs, ends none of them. */
export function redoingIn(entries: readonly JournalRecord[]): readonly Redoing[] {
  const closed = entries.findLastIndex(({ kind }) => kind === 'CLOSE')
  return entries.flatMap((entry, nth) =>
    entry.kind === 'REDO' ? [{ takes: new Set(entry.takes), isCut: nth > closed }] : [],
  )
}

type Records = JournalReading & { got: 'records' }

/** A cut record is worth nothing to us, but it is evidence: it is kept beside the journal. */
async function keepTail(disk: Disk, { file, tail, whole }: Records): Promise<void> {
  if (file !== undefined) await writeAtomically(disk, `${file}.tail-${whole.length}`, tail, { mode: 0o600 })
}

/**
 * A new file with what still matters. Until it has its name, the old one is the journal. Every run has a file of its own:
 * in the old one there may be bytes that the system wrongly takes for written (a sync failed), and a process that was
 * paused may wake and write on there.
 */
async function begunAnew(
  disk: Disk,
  file: string,
  reading: Records,
  compactAbove: number,
): Promise<Pick<Records, 'digest' | 'whole'>> {
  const isLong = reading.whole.length > compactAbove
  const { whole, digest } = isLong ? encodeJournal(compacted(reading.entries)) : reading
  await writeAtomically(disk, file, whole, { mode: 0o600 })
  return { digest, whole }
}

async function removeOlder(disk: Disk, folder: string, number: number): Promise<void> {
  const older = journalFiles(folder, disk).filter(name => numberOf(name) < number)
  for (const name of older) disk.remove(join(folder, name))
  if (older.length > 0) await disk.syncFolder(folder)
}

/** The number of the file that is the journal; 0 when there is none. */
export function highestJournal(folder: string, disk: Disk = systemDisk): number {
  return numberOf(journalFiles(folder, disk).at(-1) ?? '')
}

/** Gives the journal the lowest number: whoever opens it next has a higher one. Throws StorageError. */
export function firstJournal(folder: string, disk: Disk = systemDisk): void {
  const name = journalFiles(folder, disk).at(-1)
  if (name === undefined || name === fileName(0)) return
  for (const older of journalFiles(folder, disk)) if (older !== name) disk.remove(join(folder, older))
  disk.rename(join(folder, name), join(folder, fileName(0)))
}

/** Journals that say nothing any more make room for one that comes here, which they would hide. Throws StorageError. */
export function retireJournals(folder: string, disk: Disk = systemDisk): void {
  for (const name of journalFiles(folder, disk))
    disk.rename(join(folder, name), join(folder, `${name}.before`))
}

/** In the order of their numbers. */
function journalFiles(folder: string, disk: Disk): string[] {
  if (!disk.look(folder)) return []
  return disk
    .list(folder)
    .filter(name => /^\d+\.jnl$/.test(name))
    .toSorted((a, b) => numberOf(a) - numberOf(b))
}

function fileName(number: number): string {
  return `${String(number).padStart(6, '0')}.jnl`
}

function numberOf(file: string): number {
  return Number(/(\d+)\.jnl$/.exec(file)?.[1] ?? 0)
}
