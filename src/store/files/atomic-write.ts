import { basename, dirname, join } from 'node:path'
import { type Random, systemRandom } from '../../base/random.ts'
import { type Disk, type Handle, type Look, writeFully } from './disk.ts'
import { eachInTurn } from './pieces.ts'
import { isStorageError, StorageError } from './storage-error.ts'

interface AtomicWriteOptions {
  readonly mode?: number
  readonly random?: Random
  /** Asked right before the new contents get the name; with false everything is left as it was. */
  readonly mayReplace?: () => boolean
}

/** What a file is to hold; in pieces where it need not be there as a whole. */
type Contents = Uint8Array | string | Iterable<string>

/**
 * Replaces a file as a whole: at every instant, a crash included, the old or the new contents stand under the name,
 * and the new ones are on the medium when it resolves, with how they looked when they got the name. Rejects with StorageError
 * and leaves the old ones.
 */
export async function writeAtomically(
  disk: Disk,
  path: string,
  contents: Contents,
  { mode = 0o644, random = systemRandom, mayReplace = () => true }: AtomicWriteOptions = {},
): Promise<Look | undefined> {
  const temporary = temporaryName(path, random)
  let look: Look | undefined
  try {
    await writeSynced(disk, temporary, mode, file =>
      eachInTurn(piecesOf(contents), piece => writePiece(disk, file, piece)),
    )
    if (!mayReplace()) {
      removeQuietly(disk, temporary)
      return undefined
    }
    look = disk.look(temporary)
    disk.rename(temporary, path)
  } catch (error) {
    removeQuietly(disk, temporary)
    throw error
  }
  await disk.syncFolder(dirname(path))
  return look
}

/** The same without a sync, for a process that has no time left: a power cut may leave the old contents. Throws StorageError. */
export function writeNow(
  disk: Disk,
  path: string,
  contents: Contents,
  { mode = 0o644, random = systemRandom }: Omit<AtomicWriteOptions, 'mayReplace'> = {},
): Look | undefined {
  const temporary = temporaryName(path, random)
  const file = disk.open(temporary, 'create', mode)
  try {
    for (const piece of piecesOf(contents)) writePiece(disk, file, piece)
  } finally {
    disk.close(file)
  }
  const look = disk.look(temporary)
  disk.rename(temporary, path)
  return look
}

function piecesOf(contents: Contents): Iterable<Uint8Array | string> {
  // A text is iterable too, by its characters.
  return typeof contents === 'string' || contents instanceof Uint8Array ? [contents] : contents
}

function writePiece(disk: Disk, file: Handle, piece: Uint8Array | string): void {
  writeFully(disk, file, typeof piece === 'string' ? Buffer.from(piece) : piece)
}

/** A name in the same folder, hidden, that nobody else has: `.teapots.lock.json.3f2a….tmp`. */
export function temporaryName(path: string, random: Random): string {
  return join(dirname(path), `.${basename(path)}.${random.token()}.tmp`)
}

/**
 * Takes away what processes that were killed in the middle of `writeAtomically` left in a folder: of files that `isOurs` names,
 * which nobody else may be writing now. Throws StorageError.
 */
export function sweepTemporary(disk: Disk, folder: string, isOurs: (name: string) => boolean): void {
  if (!disk.look(folder)) return
  for (const name of disk.list(folder)) {
    const [, of] = /^\.(.+)\.[0-9a-f]{32}\.tmp$/.exec(name) ?? []
    if (of !== undefined && isOurs(of)) removeQuietly(disk, join(folder, name))
  }
}

/** Makes a file that must not exist, lets it be written, and syncs it. Its name is not durable yet. */
export async function writeSynced(
  disk: Disk,
  path: string,
  mode: number,
  write: (file: Handle) => Promise<void>,
): Promise<void> {
  const file = disk.open(path, 'create', mode)
  try {
    await write(file)
    await disk.sync(file)
  } finally {
    disk.close(file)
  }
}

/** For what is left over when something else went wrong: that error is the one to tell. */
export function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path)
  } catch {
    // Not there, or not to be removed: the next run is not hindered by it.
  }
}

/** Undefined where nothing is. Throws StorageError. */
export function readIfThere(disk: Disk, path: string): Buffer | undefined {
  try {
    return disk.readAll(path)
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return undefined
    throw error
  }
}

/** A text that is as good as not there when it cannot be read. */
export function readTextOn(disk: Disk, path: string): string | undefined {
  try {
    return disk.readAll(path).toString()
  } catch (error) {
    if (error instanceof StorageError) return undefined
    throw error
  }
}
