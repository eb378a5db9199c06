import { findSaved, keepSaved } from '../../store/files/outputs.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Where it is done, and whether files may still be moved. */
interface StrayMeans {
  readonly setting: Pick<Setting, 'layout' | 'folders' | 'machine'>
  readonly recorded: Pick<Recorded, 'lock'>
  readonly ledger: Ledger
  readonly mayMove: () => boolean
}

/**
 * What the lock of another checkout has put aside or does not know, and what lies here under a name that nothing has: it is put aside
 * here as well. Its record stays as that lock has it, so that a run with nothing to do leaves the lock alone. Rejects with StorageError.
 */
export async function keepStrays({ setting, recorded, ledger, mayMove }: StrayMeans): Promise<void> {
  const { layout, folders, machine } = setting
  const { disk } = machine
  const root = layout.output
  const aside = [...ledger.purchases.values()].flatMap(each =>
    each.is === 'done' && each.aside ? [each] : [],
  )
  // As in most projects: there may be a hundred thousand jobs.
  if (aside.length === 0) return
  const locked = new Map(recorded.lock.jobs.map(each => [each.id, each]))
  for (const known of aside) {
    const its = locked.get(known.id)
    // What the lock gives to a job is on its way there.
    if (its && !(its.is === 'done' && its.aside)) continue
    const strays = known.files.filter(
      file => ledger.ownerOfPath(file.path) === undefined && findSaved(file, root, disk) === 'same',
    )
    if (strays.length === 0) continue
    if (!mayMove()) return
    for (const file of strays) await keepSaved(file, { root, kept: folders.kept, disk })
    await ledger.stands({ ...known, files: its?.files ?? known.files })
  }
}
