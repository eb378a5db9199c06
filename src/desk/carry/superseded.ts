import type { JobAddress } from '../../base/names.ts'
import { foldPath } from '../../base/output-name.ts'
import type { LockEntry, SavedFile } from '../../base/state.ts'
import type { Disk } from '../../store/disk.ts'
import { keepSaved } from '../../store/outputs.ts'
import type { StateFolder } from '../../store/state-folder.ts'
import type { Layout } from '../ground/layout.ts'

type Entries = ReadonlyMap<JobAddress, LockEntry>

/** Files of jobs that were made anew, under names that nothing has any more. */
export function supersededFiles(before: Entries, now: Entries, made: ReadonlySet<JobAddress>): SavedFile[] {
  const named = new Set([...now.values()].flatMap(entry => entry.files.map(file => foldPath(file.path))))
  return [...made]
    .flatMap(address => before.get(address)?.files ?? [])
    .filter(file => !named.has(foldPath(file.path)))
}

/**
 * Moves them to `kept`, where those are whose names were taken (DESIGN.md section 5): nobody would know later that they
 * are genrun's, and they would be in the way. What was altered or is gone is left alone. Rejects with StorageTrouble.
 */
export async function keepSuperseded(
  files: readonly SavedFile[],
  { layout, folders, disk }: { readonly layout: Layout; readonly folders: StateFolder; readonly disk: Disk },
): Promise<void> {
  for (const file of files) await keepSaved(file, { root: layout.output, kept: folders.kept, disk })
}
