import { basename, dirname, join } from 'node:path'
import { foldPath } from '../../base/output-name.ts'
import { writeAtomically } from './atomic-write.ts'
import { type Disk, makeFolders, systemDisk } from './disk.ts'
import { StorageError } from './storage-error.ts'

/** What lies in `.genrun/<manifest>/`: only this user's business, and never committed. */
export interface StateFolder {
  readonly journal: string
  readonly claim: string
  readonly spool: string
  /** Paid files that were replaced. */
  readonly kept: string
}

export function stateFolder(state: string): StateFolder {
  return {
    journal: join(state, 'journal'),
    claim: join(state, 'claim'),
    spool: join(state, 'spool'),
    kept: join(state, 'kept'),
  }
}

/** Where states of other lineages than their locks' lie. `states`: the folder with the states of all manifests. */
export function asideIn(states: string): string {
  return join(states, asideName)
}

/** No manifest's own state may lie there: whoever moved it would take along those of others. */
const asideName = '.aside'

/** Makes the folders, readable for their owner only, and keeps them out of git. Rejects with StorageError. */
export async function prepareState(state: string, disk: Disk = systemDisk): Promise<StateFolder> {
  const folders = stateFolder(state)
  refuseForeignState(disk, state)
  for (const folder of Object.values(folders)) await makeFolders(disk, folder, 0o700)
  // Somebody may have put a link in the place of one meanwhile.
  refuseForeignState(disk, state)
  await keepFromGit(disk, dirname(state))
  return folders
}

/** `refuseForeign` of a state folder with what lies in it, some of which need not be there. Throws StorageError. */
export function refuseForeignState(disk: Disk, state: string): void {
  if (foldPath(basename(state)) === asideName)
    throw new StorageError(
      state,
      'open',
      'what was set aside lies there, and no manifest can be called so: give it another name',
    )
  const states = dirname(state)
  for (const folder of [states, asideIn(states), state, ...Object.values(stateFolder(state))])
    refuseForeign(disk, folder)
}

/**
 * What is genrun's own was made by genrun: in a checkout that a stranger wrote a link in its place leads to what is somebody
 * else's, and would be swept; somebody else could write there what was bought, and see what is. Whoever owns the folder around it
 * could do that anyway, and so could root. Throws StorageError.
 */
export function refuseForeign(disk: Disk, path: string): void {
  const [found, around] = [disk.look(path), disk.look(dirname(path))]
  if (found?.is === 'link')
    throw new StorageError(path, 'open', "it is a link, and nothing in genrun's own folder is one: remove it")
  if (found?.owner === undefined || found.mode === undefined) return
  const ours = [process.getuid?.(), 0, around?.owner]
  if (!ours.includes(found.owner))
    throw new StorageError(
      path,
      'open',
      `it belongs to another user (${found.owner}): remove it, or make it yours`,
    )
  const isOpen = (found.mode & othersWrite) !== 0 && ((around?.mode ?? 0) & othersWrite) === 0
  if (isOpen)
    throw new StorageError(path, 'open', 'everybody can write to it: take that right away (chmod o-w)')
}

/** The same as an answer. Throws StorageError where it cannot be looked at. */
export function isOthersFolder(disk: Disk, path: string): boolean {
  try {
    refuseForeign(disk, path)
    return false
  } catch (refusal) {
    if (refusal instanceof StorageError && refusal.doing === 'open') return true
    throw refusal
  }
}

const othersWrite = 0o002

/** A folder that ignores itself: no project has to remember it. */
export async function keepFromGit(disk: Disk, folder: string): Promise<void> {
  const file = join(folder, '.gitignore')
  if (!disk.look(file)) await writeAtomically(disk, file, '*\n')
}

/** Removes a folder of ours with all that is in it, the journal's files in their order. Throws StorageError. */
export function removeFolders(disk: Disk, folder: string): void {
  if (disk.look(folder)?.is === 'link')
    throw new StorageError(folder, 'remove', 'it is a link, and what lies there is not genrun’s')
  for (const name of disk.list(folder).toSorted()) {
    const path = join(folder, name)
    if (disk.look(path)?.is === 'folder') removeFolders(disk, path)
    else disk.remove(path)
  }
  disk.removeFolder(folder)
}
