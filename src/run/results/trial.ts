import { join } from 'node:path'
import { removeQuietly, writeSynced } from '../../store/files/atomic-write.ts'
import { type Disk, makeFolders, writeFully } from '../../store/files/disk.ts'
import type { Parts } from '../../store/files/parts.ts'
import { publish } from '../../store/files/publish.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Machine } from '../../workspace/machine.ts'

/**
 * Takes a small file the way of a result: into the spool, and as a part, synced, read again, under another name. What does not work here does not
 * work for what is paid for either. Leaves nothing behind; what a crash leaves is swept as parts are. Rejects with
 * StorageError.
 */
export async function trySaving(
  parts: Parts,
  spool: string,
  { disk, random, tryPart }: Machine,
): Promise<void> {
  if (!tryPart) return
  await trySpool(spool, disk)
  const [part, final] = [parts.path('a trial', 0), parts.path('a trial', 1)]
  try {
    const failure = await tryPart(part)
    if (failure?.why === 'unsaved') throw new StorageError(failure.path, 'write', failure.detail)
    await publish(disk, part, final, random)
  } finally {
    removeQuietly(disk, part)
    removeQuietly(disk, final)
  }
}

/** An answer that has no room there goes elsewhere; none is asked for that would. */
async function trySpool(spool: string, disk: Disk): Promise<void> {
  const trial = join(spool, 'a trial')
  await makeFolders(disk, spool, 0o700)
  try {
    removeQuietly(disk, trial)
    await writeSynced(disk, trial, 0o600, async file => writeFully(disk, file, Buffer.from('a trial')))
  } finally {
    removeQuietly(disk, trial)
  }
}
