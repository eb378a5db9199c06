import { basename, join } from 'node:path'
import { removeQuietly, writeAtomically, writeNow } from '../files/atomic-write.ts'
import { digestBytes } from '../files/digest.ts'
import { type Disk, makeFolders } from '../files/disk.ts'
import { refuseForeign } from '../files/state-folder.ts'
import { ifReadable } from '../files/storage-error.ts'
import { type Lock, readLock } from './lock-text.ts'

/** A lock that could not be written to its place and lies outside the project. */
export interface RescuedLock {
  /** Absolute. */
  readonly file: string
  readonly lock: Lock
  /** Of the lock of this very path; others may be of the project as it was called before it was moved, or of a copy. */
  readonly isHere: boolean
}

/** Where a lock goes that its own place does not take. */
export interface RescuePlace {
  readonly file: string
  /** Rejects with StorageError. */
  write(text: string): Promise<void>
  /** For a process that ends now. Throws StorageError. */
  writeNow(text: string): void
  /** What it should say is in its place by now. */
  remove(): void
}

/** `refuge`: a folder of the user's outside of all projects; made where it is missing. `path`: of the lock. */
export function rescuePlace(refuge: string, path: string, disk: Disk): RescuePlace {
  const file = join(refuge, `${digestBytes(path).slice(-12)}-${basename(path)}`)
  return {
    file,
    async write(text) {
      await makeFolders(disk, refuge, 0o700)
      refuseForeign(disk, refuge)
      await writeAtomically(disk, file, text, { mode: 0o600 })
    },
    writeNow(text) {
      if (!disk.look(refuge)) disk.makeFolder(refuge, 0o700)
      refuseForeign(disk, refuge)
      writeNow(disk, file, text, { mode: 0o600 })
    },
    remove: () => removeQuietly(disk, file),
  }
}

/**
 * Those of a lock of this name, the one of this very path first: a full disk has people move a project. Others can write to the
 * folder above: what is a link, another user's or no lock is passed over, and so is what cannot be read.
 */
export function readRescued(refuge: string | undefined, path: string, disk: Disk): readonly RescuedLock[] {
  if (refuge === undefined) return []
  const here = rescuePlace(refuge, path, disk).file
  const files = (ifReadable(() => listed(refuge, basename(path), disk)) ?? []).toSorted(
    (a, b) => Number(b === here) - Number(a === here),
  )
  return files.flatMap(file => {
    const reading = ifReadable(() => {
      refuseForeign(disk, file)
      return readLock(disk.readAll(file).toString())
    })
    return reading?.got === 'lock' ? [{ file, lock: reading.lock, isHere: file === here }] : []
  })
}

function listed(refuge: string, lockName: string, disk: Disk): string[] {
  if (disk.look(refuge) === undefined) return []
  refuseForeign(disk, refuge)
  return disk
    .list(refuge)
    .filter(name => name.slice(13) === lockName && /^[0-9a-f]{12}-/.test(name))
    .map(name => join(refuge, name))
}
