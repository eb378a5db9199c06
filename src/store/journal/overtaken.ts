import { basename, join } from 'node:path'
import type { PurchaseId } from '../../base/names.ts'
import { fuller, type Purchase, withRunOf } from '../../base/purchase.ts'
import { removeQuietly } from '../files/atomic-write.ts'
import { digestBytes } from '../files/digest.ts'
import type { Disk } from '../files/disk.ts'
import { isOthersFolder } from '../files/state-folder.ts'
import { ifReadable, StorageError } from '../files/storage-error.ts'
import { type History, historyOf, isOver, recordOf } from './fold.ts'
import { decodeJournal } from './journal-text.ts'

/** Of the name of a file in which a process left what it learnt after another took its claim over. */
export const overtakenEnding = '.overtaken'

/** What processes that were overtaken left, and the files that it stands in. */
interface Left {
  readonly files: readonly string[]
  readonly purchases: readonly Purchase[]
}

/** Of this lineage. Throws StorageError, also for a file that was altered. */
export function readOvertaken(folder: string, lineage: string, disk: Disk): Left {
  return together(namesIn(folder, disk).flatMap(file => leftIn(file, lineage, disk)))
}

function namesIn(folder: string, disk: Disk): string[] {
  const names = disk.look(folder) ? disk.list(folder) : []
  return names
    .filter(name => name.endsWith(overtakenEnding) && !name.startsWith('.'))
    .map(name => join(folder, name))
}

function leftIn(file: string, lineage: string, disk: Disk): Left[] {
  const entries = entriesIn(file, disk)
  const [open] = entries
  if (open?.kind !== 'OPEN' || open.lineage !== lineage) return []
  const purchases = entries.flatMap(entry => (entry.kind === 'STANDS' ? [entry.record] : []))
  return [{ files: [file], purchases }]
}

function together(left: readonly Left[]): Left {
  return {
    files: left.flatMap(({ files }) => files),
    purchases: left.flatMap(({ purchases }) => purchases),
  }
}

export interface Outside {
  readonly refuge: string
  /** Where the lock is, by which those of one project are told from those of a copy. Absolute. */
  readonly lock: string
}

/** `files`: those of this place; a copy has yet to read what was left in the other. What cannot be read is passed over. */
export function readOutside({ refuge, lock }: Outside, lineage: string, disk: Disk): Left {
  const found = ifReadable(() => (isOthersFolder(disk, refuge) ? [] : namesIn(refuge, disk))) ?? []
  const left = together(found.flatMap(file => ifReadable(() => leftIn(file, lineage, disk)) ?? []))
  return { ...left, files: left.files.filter(file => basename(file).startsWith(overtakenPrefix(lock))) }
}

/** What the names of a project's files begin with, in the folder that several have in common. */
export function overtakenPrefix(lock: string): string {
  return `${digestBytes(lock).slice(-12)}-`
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
    const history = joined.get(record.id)
    const known = history && recordOf(history)
    const counts = isNews(record, history) ? record : known && withRunOf(known, record)
    if (!counts || counts === known) continue
    joined.set(record.id, historyOf(counts))
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
