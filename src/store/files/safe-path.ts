import { join } from 'node:path'
import { type Disk, makeFolders } from './disk.ts'
import { StorageError } from './storage-error.ts'

/**
 * Whether a path as locks and manifests have it can only mean a file below its folder, and none of genrun's own:
 * relative, forward slashes, no empty steps, no `.` or `..`, no control characters, no drive.
 */
export function isInside(path: string): boolean {
  const steps = path.split('/')
  const isPlain = steps.every(
    step => step !== '' && step !== '.' && step !== '..' && !/[\p{Cc}\\]/u.test(step),
  )
  return isPlain && steps[0] !== ownFolder && !/^[A-Za-z]:/.test(path)
}

/** Inside an output folder: parts of downloads. Beside a manifest: its state. */
export const ownFolder = '.genrun'

/**
 * The place of a file below a folder, with the folders on the way made; links that lead out of the folder are refused.
 * Rejects with StorageError.
 */
export async function makePlace(disk: Disk, root: string, path: string): Promise<string> {
  const steps = safeSteps(root, path)
  const name = steps.pop() ?? ''
  let here = disk.realPath(root)
  for (const step of steps) {
    const next = join(here, step)
    await makeFolders(disk, next)
    here = follow(disk, root, next)
  }
  return join(here, name)
}

/** The same for a file that may be there; undefined when a folder on the way is missing. Throws StorageError. */
export function findPlace(disk: Disk, root: string, path: string): string | undefined {
  const steps = safeSteps(root, path)
  const name = steps.pop() ?? ''
  if (!disk.look(root)) return undefined
  let here = disk.realPath(root)
  for (const step of steps) {
    const next = join(here, step)
    if (!disk.look(next)) return undefined
    here = follow(disk, root, next)
  }
  return join(here, name)
}

function safeSteps(root: string, path: string): string[] {
  if (!isInside(path)) throw new StorageError(join(root, path), 'open', 'it lies outside the output folder')
  return path.split('/')
}

/** The real path of a folder below the root. */
function follow(disk: Disk, root: string, folder: string): string {
  const seen = disk.look(folder)
  if (seen?.is === 'folder') return folder
  if (seen?.is !== 'link')
    throw new StorageError(folder, 'open', 'it is in the way: a folder is needed there', 'ENOTDIR')
  const real = disk.realPath(folder)
  const isBelow = `${real}/`.startsWith(`${disk.realPath(root)}/`)
  if (!isBelow) throw new StorageError(folder, 'open', 'it is a link that leads out of the output folder')
  return real
}
