import { basename, join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Digest } from '../base/names.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { digestBytes } from './digest.ts'
import { type Disk, makeFolders, systemDisk } from './disk.ts'
import { type Lock, type LockDamage, readLock, writeLock } from './lock-text.ts'
import { isTrouble, StorageTrouble, troubleOf } from './trouble.ts'
import { writeNow, writeWhole } from './whole.ts'

export {
  type Lock,
  type LockDamage,
  type Locked,
  type LockReading,
  readLock,
  writeLock,
} from './lock-text.ts'

export type LoadedLock =
  | { readonly got: 'none' }
  /** `text` as it stands on disk, for whoever saves next. */
  | { readonly got: 'lock'; readonly lock: Lock; readonly text: string }
  | LockDamage

/** Reads the lock of a manifest (its file name). Throws StorageTrouble when it is there and cannot be read. */
export function loadLock(path: string, manifest: string | undefined, disk: Disk = systemDisk): LoadedLock {
  const bytes = readIfThere(disk, path)
  if (bytes === undefined) return { got: 'none' }
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isWide) return { got: 'damaged', damage: 'encoding', why: 'it is UTF-16 text, not UTF-8' }
  const text = Buffer.from(bytes).toString()
  const reading = readLock(text, manifest)
  return reading.got === 'lock' ? { ...reading, text } : reading
}

/** A lock without jobs and with a lineage of its own: for a first run. */
export function newLock(manifest: string, random: Random = systemRandom): Lock {
  return { lineage: random.token(), manifest, jobs: [] }
}

/** Saves a lock many times, and writes it as often as it is worth it. */
export interface LockSaver {
  /** Has the lock written soon, as it will stand then; asked again before, it is written once. */
  save(compose: () => Lock): void
  /**
   * Resolves when all that was asked for so far is on disk, or could not be written: then `flush` tells why. Whoever asks at
   * the same time shares a write.
   */
  soon(): Promise<void>
  /** Resolves when the lock is on disk as it stands. Rejects with StorageTrouble; the old document is whole then. */
  flush(): Promise<void>
  /** Writes at once what is wanted, without waiting for the medium: for a process that ends now. Throws StorageTrouble. */
  saveAtExit(): void
  /** Of the lock as it stands on disk by all that is known; undefined when there is none. */
  digest(): Digest | undefined
}

export interface LockSaverOptions {
  readonly path: string
  /** As `loadLock` gave it. A lock that says the same is not written: an unchanged run leaves the file alone. */
  readonly text?: string
  readonly disk?: Disk
  readonly clock?: Clock
  /** Shortest time in milliseconds between two saves; `flush` does not wait for it. */
  readonly everyMs?: number
  /** Asked at each save: a lock that another process keeps by now is left alone. May throw StorageTrouble. */
  readonly mayReplace?: () => boolean
  /** Hears the digest of each new lock before it is on disk, so that a run that dies in between is not a stranger to it. */
  readonly writes?: (lock: Digest) => void
  /** A folder for a lock that cannot be written to its place: better there than nowhere. Absolute. */
  readonly refuge?: string | undefined
}

// At most a tenth of the time goes into saving, a quarter while somebody waits for it; but a disk that hangs once must
// not keep the lock old for long.
const pauseTimes = { usual: 9, awaited: 3 }
const longestPauseMs = { usual: 30_000, awaited: 2_000 }

export function lockSaver(options: LockSaverOptions): LockSaver {
  const {
    path,
    text,
    disk = systemDisk,
    clock = systemClock,
    everyMs = 500,
    mayReplace = () => true,
  } = options
  let wanted: (() => Lock) | undefined
  let written = text
  let writing: Promise<void> | undefined
  let trouble: StorageTrouble | undefined
  // How often a save was asked for, and up to which of them the lock is on disk.
  let asked = 0
  let saved = 0
  let earliest = { usual: 0, awaited: 0 }
  let awaiting = 0
  let isFlushing = false
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
      const next = writeLock(wanted())
      wanted = undefined
      await writeOne(next)
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

  /** What was written may have been taken away since. Throws StorageTrouble. */
  function isOnDisk(next: string): boolean {
    return (next === written || isAsLoaded(next)) && disk.look(path) !== undefined
  }

  /** Read again only when the texts differ: mostly they do not. */
  function isAsLoaded(next: string): boolean {
    return written !== undefined && written === text && next === rewritten(written)
  }

  async function writeOne(next: string): Promise<void> {
    try {
      if (isOnDisk(next)) return
      options.writes?.(digestBytes(next))
      await writeWhole(disk, path, next, { mayReplace })
      written = next
      trouble = undefined
    } catch (error) {
      // Told by `flush`. The journal holds everything, and the next save may find room again.
      trouble = await rescued(next, troubleOf(path, 'write', error))
    }
  }

  /** What is bought shall be known somewhere, also when project and journal are gone. */
  async function rescued(next: string, cause: StorageTrouble): Promise<StorageTrouble> {
    if (options.refuge === undefined) return cause
    const place = join(options.refuge, `${digestBytes(path).slice(-12)}-${basename(path)}`)
    try {
      await makeFolders(disk, options.refuge, 0o700)
      await writeWhole(disk, place, next, { mode: 0o600 })
      return new StorageTrouble(
        path,
        'write',
        `${cause.detail}; what it should say is in ${place}`,
        cause.code,
      )
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
      wanted = compose
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
      await writing
      isFlushing = false
      if (trouble) throw trouble
    },
    saveAtExit() {
      if (!wanted || !mayReplace()) return
      const next = writeLock(wanted())
      if (isOnDisk(next)) return
      options.writes?.(digestBytes(next))
      writeNow(disk, path, next)
      written = next
    },
    digest: () => (written === undefined ? undefined : digestBytes(written)),
  }
}

/** What we would have written ourselves: line ends that git changed are no change. */
function rewritten(text: string): string {
  const reading = readLock(text)
  return reading.got === 'lock' ? writeLock(reading.lock) : text
}

function readIfThere(disk: Disk, path: string): Uint8Array | undefined {
  try {
    return disk.readAll(path)
  } catch (error) {
    if (isTrouble(error, 'ENOENT')) return undefined
    throw error
  }
}
