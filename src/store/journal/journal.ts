import { isAbsolute, join } from 'node:path'
import type { Digest, JobAddress, PurchaseId } from '../../base/names.ts'
import type { JournalRecord } from '../../base/purchase.ts'
import { type Disk, systemDisk } from '../files/disk.ts'
import { fileReader } from '../files/read-again.ts'
import { chainStart, decodeJournal, type JournalDamage, type JournalEntry } from './journal-text.ts'

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
  if (name === undefined) return noRecords
  const file = join(folder, name)
  const bytes = readBytes(disk, file)
  const decoded = decodeJournal(bytes)
  if (decoded.got !== 'records') return { ...decoded, file }
  const { whole } = decoded
  return { ...decoded, file, whole: bytes.subarray(0, whole), tail: bytes.subarray(whole) }
}

const readBytes = fileReader()

/** Of a folder without a journal. */
export const noRecords: JournalRecords = {
  got: 'records',
  file: undefined,
  entries: [],
  digest: chainStart,
  whole: new Uint8Array(),
  tail: new Uint8Array(),
}

/** What an older genrun left in the middle of a run only that one can tell. */
export function unfinished(file: string): JournalDamage & { readonly file: string } {
  const why = 'an older genrun wrote it, and its last run did not come to its end'
  return { got: 'damaged', file, offset: 0, why }
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

/** Where results went, by all runs that the journal still tells of. */
export function outputsIn(entries: readonly JournalRecord[]): string[] {
  const told = entries.flatMap(entry => {
    const output: unknown = entry.kind === 'OPEN' ? entry.output : undefined
    // Somebody else may have written it.
    return typeof output === 'string' && isAbsolute(output) ? [output] : []
  })
  return [...new Set(told)]
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

export type JournalRecords = JournalReading & { got: 'records' }

/** The number of the file that is the journal; 0 when there is none. */
export function highestJournal(folder: string, disk: Disk = systemDisk): number {
  return journalNumber(journalFiles(folder, disk).at(-1) ?? '')
}

/** Gives the journal the lowest number: whoever opens it next has a higher one. Throws StorageError. */
export function firstJournal(folder: string, disk: Disk = systemDisk): void {
  const name = journalFiles(folder, disk).at(-1)
  if (name === undefined || name === journalFileName(0)) return
  for (const older of journalFiles(folder, disk)) if (older !== name) disk.remove(join(folder, older))
  disk.rename(join(folder, name), join(folder, journalFileName(0)))
}

/** Journals that say nothing any more make room for one that comes here, which they would hide. Throws StorageError. */
export function retireJournals(folder: string, disk: Disk = systemDisk): void {
  for (const name of journalFiles(folder, disk))
    disk.rename(join(folder, name), join(folder, `${name}.before`))
}

/** The names of journals, in the order of their numbers. */
export function journalFiles(folder: string, disk: Disk): string[] {
  if (!disk.look(folder)) return []
  return disk
    .list(folder)
    .filter(name => /^\d+\.jnl$/.test(name))
    .toSorted((a, b) => journalNumber(a) - journalNumber(b))
}

/** Of the journal with a number. */
export function journalFileName(number: number): string {
  return `${String(number).padStart(6, '0')}.jnl`
}

/** Of a journal by the name of its file. */
export function journalNumber(file: string): number {
  return Number(/(\d+)\.jnl$/.exec(file)?.[1] ?? 0)
}
