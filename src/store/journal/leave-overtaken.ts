import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { type JournalRecord, journalFormat, type Purchase } from '../../base/purchase.ts'
import type { Random } from '../../base/random.ts'
import { writeAtomically, writeNow } from '../files/atomic-write.ts'
import { coalesce } from '../files/coalesce.ts'
import { type Disk, makeFolders } from '../files/disk.ts'
import { refuseForeign } from '../files/state-folder.ts'
import { StorageError } from '../files/storage-error.ts'
import { encodeJournal } from './journal-text.ts'
import { type Outside, overtakenEnding, overtakenPrefix } from './overtaken.ts'

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

export function openOvertaken(options: OvertakenOptions): Overtaken {
  const { folder, prefix = '', number, lineage, disk, clock, random } = options
  let path: string | undefined
  // Numbers begin anew in a folder that was wiped away.
  const name = () => `${prefix}${String(number).padStart(6, '0')}-${random.token()}${overtakenEnding}`
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

/**
 * For a journal that its disk does not take: the same in `refuge`, a folder of the user's outside of all projects. An answer that
 * came without a run lies there as well, and nothing else says whose it is. Never rejects: there may be no room there either.
 */
export function openOutside(
  { refuge, lock, ...options }: Omit<OvertakenOptions, 'folder' | 'prefix'> & Outside,
  told: () => readonly Purchase[],
): () => Promise<void> {
  const { disk } = options
  const overtaken = openOvertaken({ ...options, folder: refuge, prefix: overtakenPrefix(lock) })
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
