import { basename, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { PurchaseId } from '../../base/names.ts'
import { fuller, type JournalRecord, journalFormat, type Purchase, withRunOf } from '../../base/purchase.ts'
import type { Random } from '../../base/random.ts'
import { removeQuietly, writeAtomically, writeNow } from '../files/atomic-write.ts'
import { coalesce } from '../files/coalesce.ts'
import { digestBytes } from '../files/digest.ts'
import { type Disk, makeFolders } from '../files/disk.ts'
import { isOthersFolder, refuseForeign } from '../files/state-folder.ts'
import { ifReadable, StorageError } from '../files/storage-error.ts'
import { type History, historyOf, isOver, recordOf } from './fold.ts'
import { decodeJournal, encodeJournal } from './journal-text.ts'

/**
 * What a process learns after another took its claim over, or its journal's disk took no more. Its own journal nobody reads any
 * more, and the lock is the other's: it leaves what it knows beside the journal, or outside of the project, in a file of its own,
 * for whoever has the claim next.
 */
export interface Overtaken {
  /** Writes down how these stand, in place of what it wrote before. Rejects with StorageError. */
  leave(purchases: readonly Purchase[]): Promise<void>
  /** The same without waiting for the medium, for a process that ends now. Throws StorageError. */
  leaveNow(purchases: readonly Purchase[]): void
}

interface OvertakenOptions {
  /** Of the journal, or `refuge` below. */
  readonly folder: string
  /** What the name of its file begins with, in a folder that several projects have in common. */
  readonly prefix?: string
  /** Of the claim that was lost. */
  readonly number: number
  readonly lineage: string
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
}

const ending = '.overtaken'

export function openOvertaken(options: OvertakenOptions): Overtaken {
  const { folder, prefix = '', number, lineage, disk, clock, random } = options
  let path: string | undefined
  // Numbers begin anew in a folder that was wiped away.
  const name = () => `${prefix}${String(number).padStart(6, '0')}-${random.token()}${ending}`
  const place = () => (path ??= join(folder, name()))
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
      // What was in doubt may be proven not sent by now.
      if (purchases.length > 0 || path !== undefined)
        await writeAtomically(disk, place(), textOf(purchases), { mode: 0o600 })
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
  return together(namesIn(folder, disk).flatMap(file => leftIn(file, lineage, disk)))
}

function namesIn(folder: string, disk: Disk): string[] {
  const names = disk.look(folder) ? disk.list(folder) : []
  return names.filter(name => name.endsWith(ending) && !name.startsWith('.')).map(name => join(folder, name))
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

/**
 * For a journal that its disk does not take: the same in `refuge`, a folder of the user's outside of all projects. An answer that
 * came without a run lies there as well, and nothing else says whose it is. Never rejects: there may be no room there either.
 */
export function openOutside(
  { refuge, lock, ...options }: Omit<OvertakenOptions, 'folder' | 'prefix'> & Outside,
  told: () => readonly Purchase[],
): () => Promise<void> {
  const { disk } = options
  const overtaken = openOvertaken({ ...options, folder: refuge, prefix: prefixOf(lock) })
  // Several learn of it at once, and one file says it all.
  const leave = coalesce(async () => {
    await makeFolders(disk, refuge, 0o700)
    refuseForeign(disk, refuge)
    await overtaken.leave(told())
  })
  return () =>
    leave(refuge).catch(trouble => {
      if (!(trouble instanceof StorageError)) throw trouble
    })
}

interface Outside {
  readonly refuge: string
  /** Where the lock is, by which those of one project are told from those of a copy. Absolute. */
  readonly lock: string
}

/** `files`: those of this place; a copy has yet to read what was left in the other. What cannot be read is passed over. */
export function readOutside({ refuge, lock }: Outside, lineage: string, disk: Disk): Left {
  const found = ifReadable(() => (isOthersFolder(disk, refuge) ? [] : namesIn(refuge, disk))) ?? []
  const left = together(found.flatMap(file => ifReadable(() => leftIn(file, lineage, disk)) ?? []))
  return { ...left, files: left.files.filter(file => basename(file).startsWith(prefixOf(lock))) }
}

function prefixOf(lock: string): string {
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
