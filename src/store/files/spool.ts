import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { type Digest, sha256Digest } from '../../base/names.ts'
import { type Disk, type Handle, makeFolders, systemDisk, writeFully } from './disk.ts'
import { isOthersFolder } from './state-folder.ts'
import { isStorageError, StorageError } from './storage-error.ts'

/** Where answers that were paid for are put before anyone looks at them. */
export interface Spool {
  /**
   * Writes a stream of bytes to a new file, syncs it and gives its path. When the stream fails, what came before is
   * kept and synced, and the stream's error is thrown: the bytes may hold a run id. Rejects with StorageError when
   * the disk fails. `name` is ours (an attempt's token), never the server's.
   */
  readonly sink: (bytes: AsyncIterable<Uint8Array>, name: string) => Promise<string>
  /** What this process wrote to a file, so that it need not be read for it. */
  readonly written: (path: string) => Written | undefined
  /** Set by the first file that the disk did not take whole: the next paid answer might be lost there, too. */
  readonly broken: StorageError | undefined
  /** Where a spooled file is now: the project may have been moved since. Undefined when it is gone. */
  readonly find: (path: string) => string | undefined
  /** Takes files away that are no longer needed. Paths outside the spool, and files that are gone, are passed over. */
  readonly remove: (paths: readonly string[]) => void
  /** All spooled files. */
  readonly list: () => string[]
}

export interface Written {
  readonly bytes: number
  readonly digest: Digest
}

/**
 * `refuge`: a folder outside of the project. When the spool was taken away with all else while genrun is at work, what comes is put
 * there: made anew in its old place nobody would look for it. So is what the spool's disk has no room for: it may be all that
 * there is of what was paid for. It is found by its name.
 */
export function openSpool(folder: string, disk: Disk = systemDisk, refuge?: string): Spool {
  const written = new Map<string, Written>()
  // Where it was put comes first: a power cut may bring back what had no room in the other place, and was removed.
  const all = (path: string) => {
    const places = refuge === undefined ? [folder] : [folder, refuge]
    const inOrder = dirname(path) === refuge ? places.toReversed() : places
    return inOrder.map(place => join(place, basename(path))).filter(here => disk.look(here)?.is === 'file')
  }
  const find = (path: string) => all(path)[0]
  const places = () => {
    if (refuge === undefined || isOthersFolder(disk, refuge)) return [folder]
    return disk.look(folder) ? [folder, refuge] : [refuge]
  }
  let broken: StorageError | undefined
  return {
    find,
    async sink(bytes, name) {
      const { path, ...its } = await sink(bytes, places(), {
        disk,
        name,
        onTrouble(trouble) {
          broken ??= trouble
        },
      })
      written.set(path, its)
      return path
    },
    written: path => written.get(path),
    get broken() {
      return broken
    },
    remove: paths => {
      for (const path of paths) {
        written.delete(path)
        for (const here of all(path)) disk.remove(here)
      }
    },
    list: () => (disk.look(folder) ? disk.list(folder).map(name => join(folder, name)) : []),
  }
}

/** How bytes are put somewhere. */
interface Sinking {
  readonly disk: Disk
  readonly name: string
  /** Hears that a disk did not take what came. */
  readonly onTrouble: (trouble: StorageError) => void
}

/** A file that is written, and how much of it is. `left`: where else there may be room. */
interface Target {
  readonly file: Handle
  readonly bytes: number
  readonly left: readonly string[]
}

async function sink(
  bytes: AsyncIterable<Uint8Array>,
  places: readonly string[],
  sinking: Sinking,
): Promise<Written & { readonly path: string }> {
  const { disk, name, onTrouble } = sinking
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) throw new Error(`not a name for a spool file: ${name}`)
  const hash = createHash('sha256')
  let target = await begin(places, sinking)
  try {
    try {
      for await (const piece of bytes) {
        target = await put(piece, target, sinking)
        hash.update(piece)
      }
    } finally {
      await disk.sync(target.file)
      await disk.syncFolder(dirname(target.file.path))
    }
  } catch (error) {
    if (error instanceof StorageError) onTrouble(error)
    throw error
  } finally {
    disk.close(target.file)
  }
  return { path: target.file.path, bytes: target.bytes, digest: sha256Digest(hash.digest('hex')) }
}

/** A file in the first of the places that takes one. */
async function begin([folder = '', ...left]: readonly string[], sinking: Sinking): Promise<Target> {
  try {
    return { file: await create(sinking.disk, folder, sinking.name), bytes: 0, left }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    sinking.onTrouble(error)
    if (left.length === 0) throw error
    return begin(left, sinking)
  }
}

/** The file that has the piece, and all that came before it: another where that one's disk takes no more. */
async function put(piece: Uint8Array, target: Target, sinking: Sinking): Promise<Target> {
  const { disk, onTrouble } = sinking
  const bytes = target.bytes + piece.length
  try {
    writeFully(disk, target.file, piece)
    return { ...target, bytes }
  } catch (error) {
    if (!(error instanceof StorageError) || target.left.length === 0) throw error
    onTrouble(error)
    const next = await begin(target.left, sinking)
    try {
      await copyBeginning(target, next.file, disk)
      writeFully(disk, next.file, piece)
    } catch (trouble) {
      disk.close(next.file)
      throw trouble
    }
    disk.close(target.file)
    disk.remove(target.file.path)
    return { ...next, bytes }
  }
}

/** Without what of the last piece was written before there was no more room. */
async function copyBeginning({ file, bytes }: Target, to: Handle, disk: Disk): Promise<void> {
  let missing = bytes
  for await (const piece of disk.readPieces(file.path)) {
    if (missing > 0) writeFully(disk, to, piece.subarray(0, missing))
    missing -= piece.length
  }
}

/**
 * A name that is taken holds another paid answer: the next one gets a number. The folder is ours alone; the file has the
 * mode of a result, because it may become one under a second name.
 */
async function create(disk: Disk, folder: string, name: string): Promise<Handle> {
  await makeFolders(disk, folder, 0o700)
  for (let number = 1; ; number++) {
    try {
      return disk.open(join(folder, number === 1 ? name : `${name}-${number}`), 'create', 0o644)
    } catch (error) {
      if (!isStorageError(error, 'EEXIST')) throw error
    }
  }
}
