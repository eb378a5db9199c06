import { dirname } from 'node:path'
import { type Random, systemRandom } from '../../base/random.ts'
import { removeQuietly, temporaryName, writeSynced } from './atomic-write.ts'
import { type Disk, writeFully } from './disk.ts'
import { isStorageError } from './storage-error.ts'

/**
 * Gives a complete, synced file its final name, and takes the old one away where it can. Nothing that stands under the final name is
 * ever replaced: then it is `taken`, and both are left as they are. A crash at any point leaves the file whole under the
 * old name, the new one, or both; doing it again ends in the new one, or is `taken` by an equal file where the disk
 * cannot give one file two names. Rejects with StorageError.
 */
export async function publish(
  disk: Disk,
  part: string,
  final: string,
  random = systemRandom,
): Promise<Published> {
  const linked = linkNew(disk, part, final)
  if (linked === 'no-link') return publishCopy(disk, part, final, random)
  if (linked === 'published') {
    await disk.syncFolder(dirname(final))
    // A process that was paused here may find another's file under the old name.
    if (isSameFile(disk, part, final)) removeQuietly(disk, part)
  }
  return linked
}

export type Published = 'published' | 'taken'

/** Gives a file a second name in one step, unless something has it; `no-link` where the disk gives a file one name only. */
export function linkNew(disk: Disk, part: string, final: string): Published | 'no-link' {
  try {
    disk.link(part, final)
    return 'published'
  } catch (error) {
    // After a crash between the two names there are both.
    if (isStorageError(error, 'EEXIST')) return isSameFile(disk, part, final) ? 'published' : 'taken'
    if (isStorageError(error, ...noLinks)) return 'no-link'
    throw error
  }
}

// What systems answer across disks, where a file has as many names as it can, and where it can have one only: Android
// says EACCES, exFAT on Windows EISDIR. Where it is the folder that may not be written to, the copy is told the same.
const noLinks = [
  ...['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'],
  ...['EACCES', 'EISDIR', 'UNKNOWN'],
]

/** Whether two names are of one file. */
export function isSameFile(disk: Disk, one: string, other: string): boolean {
  const [a, b] = [disk.look(one), disk.look(other)]
  return a !== undefined && a.is === 'file' && a.identity === b?.identity
}

/**
 * The new name first: if only the removal of the old one outlived a power cut, the file would have none. It has what was
 * wanted by then, so that an old name that cannot be removed is no trouble.
 */
async function settle(disk: Disk, part: string, final: string): Promise<void> {
  await disk.syncFolder(dirname(final))
  removeQuietly(disk, part)
}

/** A copy beside the final name, linked or renamed in one step within the folder. */
async function publishCopy(disk: Disk, part: string, final: string, random: Random): Promise<Published> {
  if (disk.look(final)) return 'taken'
  const copy = temporaryName(final, random)
  try {
    await copyFile(disk, part, copy)
    const linked = linkNew(disk, copy, final)
    const outcome = linked === 'no-link' ? renameToFree(disk, copy, final) : linked
    if (outcome === 'published') await settle(disk, part, final)
    return outcome
  } finally {
    removeQuietly(disk, copy)
  }
}

/**
 * Between the look and the renaming another program could make the name, and it would be replaced. On a disk without
 * links there is no better way: making the name first would leave an empty file there after a crash.
 */
function renameToFree(disk: Disk, copy: string, final: string): Published {
  if (disk.look(final)) return 'taken'
  disk.rename(copy, final)
  return 'published'
}

/** Copies a file to a name that must not exist, and syncs it. */
async function copyFile(disk: Disk, from: string, to: string, mode = 0o644): Promise<void> {
  await writeSynced(disk, to, mode, async file => {
    for await (const piece of disk.readPieces(from)) writeFully(disk, file, piece)
  })
}
