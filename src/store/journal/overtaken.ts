import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { PurchaseId } from '../../base/names.ts'
import { fuller, type JournalRecord, journalFormat, type Purchase } from '../../base/purchase.ts'
import type { Random } from '../../base/random.ts'
import { removeQuietly, writeAtomically, writeNow } from '../files/atomic-write.ts'
import type { Disk } from '../files/disk.ts'
import { StorageError } from '../files/storage-error.ts'
import { type History, historyOf, isOver, recordOf } from './fold.ts'
import { decodeJournal, encodeJournal } from './journal-text.ts'

/**
 * What a process learns after another took its claim over. Its own journal nobody reads any more, and the lock is the other's: it
 * leaves what it knows beside the journal, in a file of its own, for whoever has the claim next.
 */
export interface Overtaken {
  /** Writes down how these stand, in place of what it wrote before. Rejects with StorageError. */
  leave(purchases: readonly Purchase[]): Promise<void>
  /** The same without waiting for the medium, for a process that ends now. Throws StorageError. */
  leaveNow(purchases: readonly Purchase[]): void
}

interface OvertakenOptions {
  /** Of the journal. */
  readonly folder: string
  /** Of the claim that was lost. */
  readonly number: number
  readonly lineage: string
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
}

const ending = '.overtaken'

export function openOvertaken(options: OvertakenOptions): Overtaken {
  const { folder, number, lineage, disk, clock, random } = options
  let path: string | undefined
  // Numbers begin anew in a folder that was wiped away.
  const place = () => (path ??= join(folder, `${String(number).padStart(6, '0')}-${random.token()}${ending}`))
  const textOf = (purchases: readonly Purchase[]): Uint8Array => {
    const records: JournalRecord[] = purchases.map(record => ({
      kind: 'STANDS',
      purchase: record.id,
      record,
    }))
    const at = clock.wall()
    const open: JournalRecord = { kind: 'OPEN', format: journalFormat, lineage, tool: 'genrun' }
    return encodeJournal([open, ...records].map(record => ({ ...record, at }))).whole
  }
  return {
    async leave(purchases) {
      if (purchases.length > 0) await writeAtomically(disk, place(), textOf(purchases), { mode: 0o600 })
    },
    leaveNow(purchases) {
      if (purchases.length > 0) writeNow(disk, place(), textOf(purchases), { mode: 0o600 })
    },
  }
}

/** What processes that were overtaken left, and the files that it stands in. */
interface Left {
  readonly files: readonly string[]
  readonly purchases: readonly Purchase[]
}

/** Of this lineage. Throws StorageError, also for a file that was altered. */
export function readOvertaken(folder: string, lineage: string, disk: Disk): Left {
  const names = disk.look(folder) ? disk.list(folder).filter(name => name.endsWith(ending)) : []
  const read = names
    .filter(name => !name.startsWith('.'))
    .map(name => ({ file: join(folder, name), entries: entriesIn(join(folder, name), disk) }))
  const ours = read.filter(({ entries: [open] }) => open?.kind === 'OPEN' && open.lineage === lineage)
  return {
    files: ours.map(({ file }) => file),
    purchases: ours.flatMap(({ entries }) =>
      entries.flatMap(entry => (entry.kind === 'STANDS' ? [entry.record] : [])),
    ),
  }
}

function entriesIn(file: string, disk: Disk) {
  const decoded = decodeJournal(disk.readAll(file))
  if (decoded.got === 'records') return decoded.entries
  const why =
    decoded.got === 'damaged' ? `${decoded.why}, at byte ${decoded.offset}` : 'an older genrun wrote it'
  throw new StorageError(file, 'read', why)
}

/** For the holder of the claim, once its journal knows all of it. Whoever was overtaken may yet write it again. */
export function removeOvertaken(files: readonly string[], disk: Disk): void {
  for (const file of files) removeQuietly(disk, file)
}

/** The histories with what was left: of each purchase the record that knows more. `news`: those that the journal does not know so. */
export function withOvertaken(
  histories: ReadonlyMap<PurchaseId, History>,
  left: readonly Purchase[],
): { readonly histories: ReadonlyMap<PurchaseId, History>; readonly news: ReadonlySet<PurchaseId> } {
  const joined = new Map(histories)
  const news = new Set<PurchaseId>()
  for (const record of left) {
    if (!isNews(record, joined.get(record.id))) continue
    joined.set(record.id, historyOf(record))
    news.add(record.id)
  }
  return { histories: joined, news }
}

function isNews(left: Purchase, history: History | undefined): boolean {
  if (!history) return true
  // Ordered anew for want of an answer, which there was: it is paid for, and fetched.
  if (isOver(history)) return left.is === 'under-way'
  const known = recordOf(history)
  if (!known) return true
  // Whoever took over may have sent it once more under its key: that one attempt was refused proves nothing about the other.
  if (known.is === 'doubt' && left.is === 'failed' && left.billed === 'no') return false
  const isSameRun = known.is === 'failed' && left.is === 'under-way' && known.run?.id === left.run?.id
  return !(isSameRun && known.run) && fuller(known, left) === left
}
