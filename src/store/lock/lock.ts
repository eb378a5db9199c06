import { type Random, systemRandom } from '../../base/random.ts'
import { readIfThere } from '../files/atomic-write.ts'
import { digestFileNow, digestText } from '../files/digest.ts'
import { type Disk, systemDisk } from '../files/disk.ts'
import { rememberLast } from '../files/remember-last.ts'
import { StorageError } from '../files/storage-error.ts'
import { type Lock, type LockDamage, readLock } from './lock-text.ts'

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

/**
 * Reads the lock of a manifest (its file name). Throws StorageError when it is there and cannot be read, and where it is a link: a save
 * takes the place of the link, and whoever shares what it leads to would never hear of what is bought.
 */
export function loadLock(path: string, manifest: string | undefined, disk: Disk = systemDisk): LoadedLock {
  if (disk.look(path)?.is === 'link')
    throw new StorageError(path, 'open', 'it is a link, and a lock is none', {
      remedy:
        'put a copy of what it leads to in its place; checkouts share locks by version control, and files by --cache',
    })
  const found = readLockText(disk, path)
  return found === undefined ? { got: 'none' } : lockIn(found, manifest)
}

export function lockIn({ text, isWide }: LockText, manifest: string | undefined): LoadedLock {
  if (isWide) return { got: 'damaged', damage: 'encoding', why: 'it is UTF-16 text, not UTF-8' }
  const reading = readLock(text, manifest)
  return reading.got === 'lock' ? { ...reading, text } : reading
}

interface LockText {
  readonly path: string
  readonly text: string
  readonly isWide: boolean
}

const lastText = rememberLast<LockText>()

/** Undefined where nothing is. A run reads its lock several times: that it is still the same is known by its digest. */
export function readLockText(disk: Disk, path: string): LockText | undefined {
  const last = lastText.get()
  if (last?.path === path && isStill(disk, last)) return last
  const bytes = readIfThere(disk, path)
  if (!bytes) return undefined
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const read = { path, text: bytes.toString(), isWide }
  lastText.keep(read)
  return read
}

/** Why it cannot be read, reading it whole says. */
function isStill(disk: Disk, { path, text }: LockText): boolean {
  try {
    return digestFileNow(disk, path) === digestText(text)
  } catch (trouble) {
    if (trouble instanceof StorageError) return false
    throw trouble
  }
}

/** A lock without jobs and with a lineage of its own: for a first run. */
export function newLock(manifest: string, random: Random = systemRandom): Lock {
  return { lineage: random.token(), manifest, jobs: [] }
}
