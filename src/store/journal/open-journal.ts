import { join } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import type { Digest } from '../../base/names.ts'
import { type JournalRecord, journalFormat } from '../../base/purchase.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, makeFolders, systemDisk } from '../files/disk.ts'
import { compacted } from './compact.ts'
import {
  highestJournal,
  type JournalRecords,
  journalFileName,
  journalFiles,
  journalNumber,
  lineageOf,
  noRecords,
  readJournal,
  unfinished,
} from './journal.ts'
import { encodeJournal, type JournalDamage, type JournalEntry } from './journal-text.ts'
import { type Journal, journalWriter } from './journal-writer.ts'

interface JournalOptions {
  readonly folder: string
  /** Of the lock that this run goes with. */
  readonly lineage: string
  /** Of the lock's text as it is when the run begins. */
  readonly lock?: Digest | undefined
  /** Name and version, for whoever reads a journal later. */
  readonly tool: string
  /** Where results go, absolute. */
  readonly output?: string | undefined
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
  const reading = found.got === 'older' ? noRecords : found
  if (found.got === 'older')
    await writeAtomically(disk, `${found.file}.older`, disk.readAll(found.file), { mode: 0o600 })
  await makeFolders(disk, folder, 0o700)
  if (reading.tail.length > 0) await keepTail(disk, reading)
  const number = options.number ?? highestJournal(folder, disk) + 1
  const file = join(folder, journalFileName(number))
  const ready = reading.file === undefined ? reading : await begunAnew(disk, file, reading, compactAbove)
  await removeOlder(disk, folder, number)
  const { backed, output } = options
  const { digest, whole } = ready
  const journal = journalWriter({ disk, clock, file, digest, bytes: whole.length, backed })
  await disk.syncFolder(folder)
  await journal.append({ kind: 'OPEN', format: journalFormat, lineage, ...defined({ lock, output }), tool })
  return { got: 'journal', journal, entries: reading.entries }
}

function strange({ file = '' }: JournalRecords): JournalDamage & { readonly file: string } {
  return { got: 'damaged', file, offset: 0, why: 'it goes with another lock than the one that is there now' }
}

/** A cut record is worth nothing to us, but it is evidence: it is kept beside the journal. */
async function keepTail(disk: Disk, { file, tail, whole }: JournalRecords): Promise<void> {
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
  reading: JournalRecords,
  compactAbove: number,
): Promise<Pick<JournalRecords, 'digest' | 'whole'>> {
  const isLong = reading.whole.length > compactAbove && mayBecomeShort(reading.entries)
  const { whole, digest } = isLong ? encodeJournal(compacted(reading.entries)) : reading
  await writeAtomically(disk, file, whole, { mode: 0o600 })
  return { digest, whole }
}

/** One that was compacted before has about a record for each purchase: to do it again takes long, and gives the same. */
function mayBecomeShort(entries: readonly JournalEntry[]): boolean {
  const purchases = new Set(entries.map(entry => ('purchase' in entry ? entry.purchase : undefined)))
  return entries.length > 1.5 * purchases.size
}

async function removeOlder(disk: Disk, folder: string, number: number): Promise<void> {
  const older = journalFiles(folder, disk).filter(name => journalNumber(name) < number)
  for (const name of older) disk.remove(join(folder, name))
  if (older.length > 0) await disk.syncFolder(folder)
}
