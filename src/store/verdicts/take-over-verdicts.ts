import { basename, dirname } from 'node:path'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, looksTheSame } from '../files/disk.ts'
import { StorageError } from '../files/storage-error.ts'
import { loadAll } from './verdicts-file.ts'
import { writeVerdicts } from './verdicts-lines.ts'
import { mergeVerdicts } from './verdicts-merge.ts'

/**
 * Gives the verdicts of a manifest that was renamed to its new name, with the picks that wait; with those that are there already they
 * are merged as the two sides of a branch. The former file goes when all it says is on the medium under the new name, so that after a
 * crash the same is done once more, and comes to the same. Rejects with StorageError, and leaves both alone where one is damaged.
 */
export async function takeOverVerdicts(
  from: string,
  { path, manifest, disk }: { readonly path: string; readonly manifest: string; readonly disk: Disk },
): Promise<void> {
  if (from === path) return
  for (let tries = 0; tries < mostTries; tries++) {
    const [former, own] = [disk.look(from), disk.look(path)]
    if (former === undefined) return
    const [theirs, ours] = [from, path].map(file =>
      writeVerdicts({ ...loadAll(file, disk), manifest: basename(manifest) }),
    )
    const merged = mergeVerdicts({ base: '', ours: ours ?? '', theirs: theirs ?? '' })
    if (merged.got === 'damaged') throw new StorageError(path, 'read', merged.why)
    const isAsRead = () => looksTheSame(disk.look(from), former)
    const mayReplace = () => isAsRead() && looksTheSame(disk.look(path), own)
    if (!(await writeAtomically(disk, path, merged.text, { mayReplace }))) continue
    // Whoever writes there still, a page that is open, is heard as well.
    if (!isAsRead()) continue
    disk.remove(from)
    return disk.syncFolder(dirname(from))
  }
  throw new StorageError(from, 'read', 'another text takes its place again and again')
}

const mostTries = 20
