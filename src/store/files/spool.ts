import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { type Digest, sha256Digest } from '../../base/names.ts'
import { type Disk, makeFolders, systemDisk, writeFully } from './disk.ts'
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
 * there: made anew in its old place nobody would look for it. It is found by its name.
 */
export function openSpool(folder: string, disk: Disk = systemDisk, refuge?: string): Spool {
  const written = new Map<string, Written>()
  const find = (path: string) =>
    [folder, ...(refuge === undefined ? [] : [refuge])]
      .map(place => join(place, basename(path)))
      .find(here => disk.look(here)?.is === 'file')
  const place = () => (refuge === undefined || disk.look(folder) ? folder : refuge)
  let broken: StorageError | undefined
  return {
    find,
    async sink(bytes, name) {
      try {
        const { path, ...its } = await sink(disk, place(), name, bytes)
        written.set(path, its)
        return path
      } catch (error) {
        if (error instanceof StorageError) broken ??= error
        throw error
      }
    },
    written: path => written.get(path),
    get broken() {
      return broken
    },
    remove: paths => {
      for (const path of paths) {
        written.delete(path)
        const here = find(path)
        if (here !== undefined) disk.remove(here)
      }
    },
    list: () => (disk.look(folder) ? disk.list(folder).map(name => join(folder, name)) : []),
  }
}

async function sink(
  disk: Disk,
  folder: string,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Written & { readonly path: string }> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) throw new Error(`not a name for a spool file: ${name}`)
  await makeFolders(disk, folder, 0o700)
  const file = create(disk, folder, name)
  const hash = createHash('sha256')
  let length = 0
  try {
    try {
      for await (const piece of bytes) {
        writeFully(disk, file, piece)
        hash.update(piece)
        length += piece.length
      }
    } finally {
      await disk.sync(file)
      await disk.syncFolder(folder)
    }
  } finally {
    disk.close(file)
  }
  return { path: file.path, bytes: length, digest: sha256Digest(hash.digest('hex')) }
}

/**
 * A name that is taken holds another paid answer: the next one gets a number. The folder is ours alone; the file has the
 * mode of a result, because it may become one under a second name.
 */
function create(disk: Disk, folder: string, name: string) {
  for (let number = 1; ; number++) {
    try {
      return disk.open(join(folder, number === 1 ? name : `${name}-${number}`), 'create', 0o644)
    } catch (error) {
      if (!isStorageError(error, 'EEXIST')) throw error
    }
  }
}
