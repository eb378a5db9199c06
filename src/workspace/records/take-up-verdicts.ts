import type { Diagnostic } from '../../base/diagnostic.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { Disk } from '../../store/files/disk.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { verdictsFileOf } from '../layout.ts'
import type { Workspace } from '../workspace.ts'
import { findLeftVerdicts } from './left-verdicts.ts'

/**
 * Gives the manifest those that are its own, before anything is decided by them. Gives back what is said about the others.
 */
export async function takeUpVerdicts(
  workspace: Pick<Workspace, 'layout' | 'place' | 'machine'>,
  purchases: readonly Purchase[],
): Promise<readonly Diagnostic[]> {
  const { layout, place, machine } = workspace
  const { own, unclear } = findLeftVerdicts(workspace, purchases)
  await moveVerdicts(own, { path: verdictsFileOf(layout), manifest: place.manifest, disk: machine.disk })
  return unclear
}

/** Gives these to a manifest. Those that cannot be read or written stay. */
export async function moveVerdicts(
  left: readonly string[],
  to: { readonly path: string; readonly manifest: string; readonly disk: Disk },
): Promise<void> {
  if (left.length === 0) return
  const { takeOverVerdicts } = await import('../../store/verdicts/take-over-verdicts.ts')
  for (const path of left) {
    try {
      await takeOverVerdicts(path, to)
    } catch (trouble) {
      if (!(trouble instanceof StorageError)) throw trouble
    }
  }
}
