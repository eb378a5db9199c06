import { type Clock, systemClock } from '../base/clock.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { type Disk, systemDisk } from './disk.ts'
import { type Lock, type LockDamage, readLock, writeLock } from './lock-text.ts'
import { isTrouble, type StorageTrouble, troubleOf } from './trouble.ts'
import { writeWhole } from './whole.ts'

export { type Lock, type LockDamage, type LockReading, readLock, writeLock } from './lock-text.ts'

export type LoadedLock =
  | { readonly got: 'none' }
  /** `text` as it stands on disk, for whoever saves next. */
  | { readonly got: 'lock'; readonly lock: Lock; readonly text: string }
  | LockDamage

/** Reads the lock of a manifest (its file name). Throws StorageTrouble when it is there and cannot be read. */
export function loadLock(path: string, manifest: string, disk: Disk = systemDisk): LoadedLock {
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
  /** Resolves when the lock is on disk as it stands. Rejects with StorageTrouble; the old document is whole then. */
  flush(): Promise<void>
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
}

// At most a tenth of the time goes into saving; but a disk that hangs once must not keep the lock old for long.
const pauseTimes = 9
const longestPauseMs = 30_000

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
  let earliest = 0
  let hurry = new AbortController()

  async function writeAll(): Promise<void> {
    while (wanted) {
      await clock.until(earliest, hurry.signal)
      const began = clock.now()
      const next = writeLock(wanted())
      wanted = undefined
      if (next !== written && !isSame(next)) await writeOne(next)
      // A large lock takes its time: it must not be all that is done.
      const pauseMs = Math.min(longestPauseMs, pauseTimes * (clock.now() - began))
      earliest = clock.now() + Math.max(everyMs, pauseMs)
    }
    writing = undefined
  }

  /** Read again only when the texts differ: mostly they do not. */
  function isSame(next: string): boolean {
    return written !== undefined && written === text && next === rewritten(written)
  }

  async function writeOne(next: string): Promise<void> {
    try {
      await writeWhole(disk, path, next, { mayReplace })
      written = next
      trouble = undefined
    } catch (error) {
      // Told by `flush`. The journal holds everything, and the next save may find room again.
      trouble = troubleOf(path, 'write', error)
    }
  }

  return {
    save(compose) {
      wanted = compose
      writing ??= writeAll()
    },
    async flush() {
      hurry.abort()
      await writing
      hurry = new AbortController()
      if (trouble) throw trouble
    },
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
