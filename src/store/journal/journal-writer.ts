import type { Clock } from '../../base/clock.ts'
import type { Digest, JobAddress } from '../../base/names.ts'
import type { JournalRecord } from '../../base/purchase.ts'
import { removeQuietly, writeAtomically } from '../files/atomic-write.ts'
import { type Disk, type Handle, writeFully } from '../files/disk.ts'
import { StorageError, storageErrorOf } from '../files/storage-error.ts'
import { encodeJournal, encodeRecord, type JournalEntry, kinds } from './journal-text.ts'

/** An open journal. Records stand in the file in the order of the calls. */
export interface Journal {
  /**
   * Appends a record at once and resolves when it is as durable as its kind asks; many share one sync. Rejects with
   * StorageError: then the record may or may not be there, and nothing may be built on it.
   */
  append(record: JournalRecord): Promise<void>
  /** Set by the first write or sync that failed, for good: every further append rejects with it. */
  readonly broken: StorageError | undefined
  /** Whether the file still has its name: what is written to one that was taken away nobody will read. */
  isThere(): boolean
  /**
   * Appends CLOSE, syncs everything and closes the file. `lock`: the digest of the lock as it stands then; `skipped`: see
   * `JournalRecord`. Rejects with StorageError when the journal is broken.
   */
  close(lock?: Digest, skipped?: readonly JobAddress[]): Promise<void>
}

/**
 * What was there may be taken away right before (`git clean` while a run begins): then one is made that lacks it, and records that
 * go on with what it lacks would be no journal. Throws StorageError.
 */
function openBegun({ disk, file, bytes }: { disk: Disk; file: string; bytes: number }): Handle {
  const handle = disk.open(file, 'append', 0o600)
  const found = disk.look(file)?.bytes
  if (found === bytes) return handle
  disk.close(handle)
  if (found === 0) removeQuietly(disk, file)
  throw new StorageError(file, 'open', 'it was taken away while genrun began', 'ENOENT')
}

/** Longest time in milliseconds that a record of the kind `soon` waits for its sync. */
const soonMs = 100

/**
 * A failed sync is never tried again: the system may have dropped the bytes and would report success the second time.
 * For the same reason there is one handle and one sync at a time: a failure is reported once, and whoever waits for that
 * sync or a later one is told of it.
 */
export function journalWriter(at: {
  readonly disk: Disk
  readonly clock: Clock
  readonly file: string
  readonly digest: string
  /** So long is what the file holds by that digest: another one is not written on. */
  readonly bytes: number
  readonly backed?: ReadonlySet<JournalRecord['kind']> | undefined
}): Journal {
  const { disk, clock, file, backed } = at
  const handle = openBegun(at)
  let digest = at.digest
  let broken: StorageError | undefined
  // What it did not take: tried once more at the end. Nothing is bought any more, so that there is little of it.
  const missing: JournalEntry[] = []
  let end = disk.look(file)?.bytes ?? 0
  let hasFailedSync = false
  // Records written, and how many of them are known to be on the medium.
  let written = 0
  let synced = 0
  let syncing: Promise<void> | undefined
  let isSoonAsked = false
  let isClosed = false

  function write(record: JournalRecord): number {
    if (isClosed) throw new Error('the journal is closed')
    const entry = { ...record, at: clock.wall() }
    if (broken) {
      missing.push(entry)
      throw broken
    }
    const encoded = encodeRecord(digest, entry)
    try {
      writeFully(disk, handle, encoded.bytes)
    } catch (error) {
      missing.push(entry)
      throw fail(error)
    }
    digest = encoded.digest
    end += encoded.bytes.byteLength
    written += 1
    return written
  }

  function fail(error: unknown): StorageError {
    broken ??= storageErrorOf(file, 'write', error)
    return broken
  }

  async function syncUpTo(record: number): Promise<void> {
    while (synced < record) {
      if (broken) throw broken
      syncing ??= syncOnce()
      await syncing
    }
  }

  async function syncOnce(): Promise<void> {
    // What else is appended in this turn shares the sync.
    await Promise.resolve()
    const upTo = written
    try {
      await disk.sync(handle)
      synced = upTo
    } catch (error) {
      hasFailedSync = true
      throw fail(error)
    } finally {
      syncing = undefined
    }
  }

  function syncSoon(): void {
    if (isSoonAsked) return
    isSoonAsked = true
    const due = clock.until(clock.now() + soonMs).then(() => {
      isSoonAsked = false
      return isClosed ? undefined : syncUpTo(written)
    })
    // `broken` holds the trouble, and the next append tells it.
    due.catch(() => undefined)
  }

  /**
   * What a sync failed for may be lost in a power cut, in the middle of the file, though everybody still reads it: as a
   * file of its own it gets a second chance, with what the disk had no room for, above all that an order was not sent. Not
   * where another run has put its journal in the place of this one.
   */
  async function rescue(): Promise<void> {
    const mayReplace = () => disk.look(file) !== undefined
    const rest = encodeJournal(missing, digest).whole
    try {
      const whole = disk.readAll(file).subarray(0, end)
      await writeAtomically(disk, file, Buffer.concat([whole, rest]), { mode: 0o600, mayReplace })
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      // There may be room for the little that is missing, where there is none for all of it once more.
      if (!hasFailedSync) await extend(rest)
    }
  }

  async function extend(rest: Uint8Array): Promise<void> {
    if (!disk.look(file)) return
    const again = disk.open(file, 'append', 0o600)
    try {
      disk.truncate(again, end)
      writeFully(disk, again, rest)
      await disk.sync(again)
    } catch (error) {
      // What is cut in the middle is as good as not written.
      if (!(error instanceof StorageError)) throw error
    } finally {
      disk.close(again)
    }
  }

  return {
    async append(record) {
      const upTo = write(record)
      const when = backed?.has(record.kind) ? 'soon' : kinds[record.kind]
      if (when === 'soon') syncSoon()
      if (when === 'waited') await syncUpTo(upTo)
    },
    get broken() {
      return broken
    },
    isThere: () => disk.look(file) !== undefined,
    async close(lock, skipped = []) {
      if (isClosed) return
      try {
        await this.append({ kind: 'CLOSE', ...(lock && { lock }), ...(skipped.length > 0 && { skipped }) })
      } finally {
        isClosed = true
        await syncing?.catch(() => undefined)
        disk.close(handle)
        if (broken) await rescue()
      }
    },
  }
}
