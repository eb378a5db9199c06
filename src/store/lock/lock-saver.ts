import { type Clock, systemClock } from '../../base/clock.ts'
import type { Digest } from '../../base/names.ts'
import { writeAtomically, writeNow } from '../files/atomic-write.ts'
import { digestFileNow, digestInTurns, digestPieces, digestText } from '../files/digest.ts'
import { type Disk, type Look, looksTheSame, systemDisk } from '../files/disk.ts'
import { isStorageError, StorageError, storageErrorOf } from '../files/storage-error.ts'
import { type LoadedLock, lockIn, readLockText } from './lock.ts'
import { inOrder, type Lock, type Locked, lineOf, lockPieces, readLock, writeLock } from './lock-text.ts'
import { type RescuePlace, rescuePlace } from './rescued.ts'

/** The lock as it is to stand. `news`: purchases that somebody else put into the one on disk meanwhile; they shall stand in it. */
export type Compose = (news: readonly Locked[]) => Lock

/**
 * Saves a lock many times, and writes it as often as it is worth it. The file may change while a run is at work, by `git pull`
 * above all: what another side bought is taken in, and what is no lock of this lineage is left alone.
 */
export interface LockSaver {
  /** Has the lock written soon, as it will stand then; asked again before, it is written once. */
  save(compose: Compose): void
  /**
   * Resolves when all that was asked for so far is on disk, or could not be written: then `flush` tells why. Whoever asks at
   * the same time shares a write.
   */
  soon(): Promise<void>
  /** Resolves when the lock is on disk as it stands. Rejects with StorageError; the old document is whole then. */
  flush(): Promise<void>
  /** Writes at once what is wanted, without waiting for the medium: for a process that ends now. Throws StorageError. */
  saveAtExit(): void
  /** Of the lock as it stands on disk by all that is known; undefined when there is none. */
  digest(): Digest | undefined
  /** Set while something else lies in its place that may not be replaced. */
  readonly displaced: StorageError | undefined
}

export interface LockSaverOptions {
  readonly path: string
  /** As `loadLock` gave it. A lock that says the same is not written: an unchanged run leaves the file alone. */
  readonly text?: string
  readonly disk?: Disk
  readonly clock?: Clock
  /** Shortest time in milliseconds between two saves; `flush` does not wait for it. */
  readonly everyMs?: number
  /** Asked at each save: a lock that another process keeps by now is left alone. May throw StorageError. */
  readonly mayReplace?: () => boolean
  /** Where `mayReplace` says no: what is known is written elsewhere. `now`: without waiting. May fail with StorageError. */
  readonly elsewhere?: { leave(): Promise<void>; leaveNow(): void }
  /** Hears the digest of each new lock before it is on disk, so that a run that dies in between is not a stranger to it. */
  readonly writes?: (lock: Digest) => void
  /** A folder for a lock that cannot be written to its place: better there than nowhere. Absolute. */
  readonly refuge?: string | undefined
}

// At most a tenth of the time goes into saving, a quarter while somebody waits for it; but a disk that hangs once must
// not keep the lock old for long.
const pauseTimes = { usual: 9, awaited: 3 }
const longestPauseMs = { usual: 30_000, awaited: 2_000 }

// Of one save, while another program writes the same file.
const mostTries = 5

export function lockSaver(options: LockSaverOptions): LockSaver {
  const {
    path,
    text,
    disk = systemDisk,
    clock = systemClock,
    everyMs = 500,
    mayReplace = () => true,
    refuge,
    elsewhere,
    writes,
  } = options
  const rescue: RescuePlace | undefined = refuge === undefined ? undefined : rescuePlace(refuge, path, disk)
  let wanted: Compose | undefined
  let latest: Compose | undefined
  // The lock on disk as this run loaded or left it: its text may be long, and is not held.
  const loaded = text === undefined ? undefined : knownAs(text)
  let written: Written | undefined = loaded
  let left: Look | undefined
  // It may be there although writing it failed.
  let tried: Written | undefined
  let writing: Promise<void> | undefined
  let trouble: StorageError | undefined
  let displaced: StorageError | undefined
  // How often a save was asked for, and up to which of them the lock is on disk.
  let asked = 0
  let saved = 0
  let earliest = { usual: 0, awaited: 0 }
  let awaiting = 0
  let isFlushing = false
  let isRescued = false
  let changed = new AbortController()
  let ended: (() => void)[] = []

  function hurry(): void {
    changed.abort()
    changed = new AbortController()
  }

  async function untilDue(): Promise<void> {
    for (;;) {
      const due = isFlushing ? 0 : awaiting > 0 ? earliest.awaited : earliest.usual
      if (due <= clock.now()) return
      await clock.until(due, changed.signal)
    }
  }

  async function writeAll(): Promise<void> {
    while (wanted) {
      await untilDue()
      const began = clock.now()
      const upTo = asked
      const compose = wanted
      wanted = undefined
      await writeOne(compose)
      saved = upTo
      tellEnd()
      // A large lock takes its time: it must not be all that is done.
      const now = clock.now()
      const pause = (how: 'usual' | 'awaited') =>
        Math.min(longestPauseMs[how], pauseTimes[how] * (now - began))
      earliest = { usual: now + Math.max(everyMs, pause('usual')), awaited: now + pause('awaited') }
    }
    writing = undefined
  }

  /** What was written may have been taken away since. Throws StorageError. */
  function isOnDisk(next: Written): boolean {
    return (next.digest === written?.digest || isAsLoaded(next)) && disk.look(path) !== undefined
  }

  /** Line ends that git changed are no change. */
  function isAsLoaded(next: Written): boolean {
    return (
      written === loaded &&
      loaded?.lock !== undefined &&
      next.digest === digestPieces(lockPieces(loaded.lock))
    )
  }

  function isAsLeft(): boolean {
    return looksTheSame(disk.look(path), left)
  }

  /** The lock with what somebody else bought meanwhile. Throws StorageError where something lies that is no such lock. */
  function composed(compose: Compose): Lock {
    const ours = compose([])
    displaced = undefined
    const there = disk.look(path)
    if (!there || looksTheSame(there, left)) return ours
    const onDisk = digestIfThere(disk, path)
    const same = [written, tried].find(each => each && each.digest === onDisk)
    const read = same ? undefined : readLockText(disk, path)
    if (read === undefined) {
      left = there
      if (same) written = same
      return ours
    }
    const found = lockIn(read, ours.manifest)
    const why = whyNotOurs(found, ours)
    if (why !== undefined || found.got !== 'lock') {
      displaced = new StorageError(path, 'write', `another text has its place: ${why}`)
      throw displaced
    }
    left = there
    const known = new Map(written?.lock?.jobs.map(entry => [entry.id, lineOf(entry)]))
    written = { digest: digestText(read.text), lock: found.lock }
    const news = found.lock.jobs.filter(entry => known.get(entry.id) !== lineOf(entry))
    return news.length === 0 ? ours : compose(news)
  }

  async function writeOne(compose: Compose): Promise<void> {
    try {
      await writeUntilKept(compose)
      if (isRescued) rescue?.remove()
      isRescued = false
      trouble = undefined
    } catch (error) {
      // Told by `flush`. The journal holds everything, and the next save may find room again.
      trouble = await rescued(writeLock(compose([])), storageErrorOf(path, 'write', error))
      displaced &&= trouble
    }
  }

  /** Somebody may put another one there while it is written, but not for ever. */
  async function writeUntilKept(compose: Compose): Promise<void> {
    for (let tries = 0; tries < mostTries; tries++) {
      const lock = sortedLock(composed(compose))
      if (await isWritten({ digest: await digestInTurns(lockPieces(lock)), lock })) return
    }
    throw new StorageError(path, 'write', 'another text takes its place again and again')
  }

  /** False when the lock on disk is another one by now. */
  async function isWritten(next: Written & { readonly lock: Lock }): Promise<boolean> {
    if (isOnDisk(next)) return true
    writes?.(next.digest)
    tried = next
    let isChanged = false
    let isOthers = false
    const look = await writeAtomically(disk, path, lockPieces(next.lock), {
      mayReplace() {
        isOthers = !mayReplace()
        if (isOthers) return false
        isChanged = disk.look(path) !== undefined && !isAsLeft()
        return !isChanged
      },
    })
    if (isChanged) return false
    if (isOthers) await elsewhere?.leave()
    written = next
    if (look) left = look
    return true
  }

  /** What is bought shall be known somewhere, also when project and journal are gone. */
  async function rescued(next: string, cause: StorageError): Promise<StorageError> {
    if (!rescue) return cause
    try {
      await rescue.write(next)
      isRescued = true
      const detail = `${cause.detail}; what it should say is in ${rescue.file}, where the next run looks for it`
      return new StorageError(path, 'write', detail, cause.code)
    } catch {
      return cause
    }
  }

  function nextWrite(): Promise<void> {
    return new Promise(resolve => ended.push(resolve))
  }

  function tellEnd(): void {
    const told = ended
    ended = []
    for (const resolve of told) resolve()
  }

  return {
    save(compose) {
      wanted = latest = compose
      asked++
      writing ??= writeAll()
    },
    async soon() {
      const upTo = asked
      awaiting++
      hurry()
      // A write that was under way may have been composed before.
      while (saved < upTo && writing) await nextWrite()
      awaiting--
    },
    async flush() {
      isFlushing = true
      hurry()
      try {
        await writing
        // Another may lie there since the last save, without what stands in ours.
        if (latest && !isAsLeft()) {
          wanted = latest
          await (writing = writeAll())
        }
      } finally {
        isFlushing = false
      }
      if (trouble) throw trouble
    },
    saveAtExit() {
      if (!wanted) return
      if (!mayReplace()) return elsewhere?.leaveNow()
      try {
        const lock = sortedLock(composed(wanted))
        const next = { digest: digestPieces(lockPieces(lock)), lock }
        if (isOnDisk(next)) return
        writes?.(next.digest)
        left = writeNow(disk, path, lockPieces(next.lock))
        written = next
      } catch (error) {
        rescue?.writeNow(writeLock(wanted([])))
        throw error
      }
    },
    get displaced() {
      return displaced
    },
    digest: () => written?.digest,
  }
}

function whyNotOurs(loaded: LoadedLock, ours: Lock): string | undefined {
  if (loaded.got === 'damaged')
    return `${loaded.why}${loaded.line === undefined ? '' : ` (line ${loaded.line})`}`
  const isOurs = loaded.got === 'lock' && loaded.lock.lineage === ours.lineage
  return isOurs ? undefined : 'it is a lock of another lineage'
}

/** Undefined where nothing is. Throws StorageError. */
function digestIfThere(disk: Disk, path: string): Digest | undefined {
  try {
    return digestFileNow(disk, path)
  } catch (trouble) {
    if (isStorageError(trouble, 'ENOENT')) return undefined
    throw trouble
  }
}

/** A text by its digest, and by what it says where it is a lock. */
interface Written {
  readonly digest: Digest
  readonly lock?: Lock
}

function knownAs(text: string): Written {
  const reading = readLock(text)
  return { digest: digestText(text), ...(reading.got === 'lock' && { lock: reading.lock }) }
}

/** Put in order once: each time that its text is wanted it is by then. */
function sortedLock({ jobs, ...head }: Lock): Lock {
  return { ...head, jobs: inOrder(jobs) }
}
