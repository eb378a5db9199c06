import { join } from 'node:path'
import { type Disk, type Look, makeFolders } from './disk.ts'
import { StorageError } from './storage-error.ts'

/**
 * Whether a path as locks and manifests have it can only mean a file below its folder, and none of genrun's own or git's:
 * relative, forward slashes, no empty steps, no `.` or `..`, no control characters, no drive.
 */
export function isInside(path: string): boolean {
  const steps = path.split('/')
  const isPlain = steps.every(
    step => step !== '' && step !== '.' && step !== '..' && !/[\p{Cc}\\]/u.test(step),
  )
  const isOwned = steps[0] === ownFolder || steps.some(step => step.toLowerCase() === '.git')
  return isPlain && !isOwned && !/^[A-Za-z]:/.test(path)
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
  let here = realRoot(disk, root, disk.look(root))
  for (const step of steps) {
    const next = join(here, step)
    here = follow(disk, root, next, (await makeFolders(disk, next)) ?? disk.look(next))
  }
  return join(here, name)
}

/** The same for a file that may be there; undefined when a folder on the way is missing. Throws StorageError. */
export function findPlace(disk: Disk, root: string, path: string): string | undefined {
  const steps = safeSteps(root, path)
  const name = steps.pop() ?? ''
  const top = disk.look(root)
  if (!top) return undefined
  let here = realRoot(disk, root, top)
  for (const step of steps) {
    const next = join(here, step)
    const seen = disk.look(next)
    if (!seen) return undefined
    here = follow(disk, root, next, seen)
  }
  return join(here, name)
}

/**
 * Whether two names below a folder that differ in the case of letters only are proved to be two files. Where the case does not count,
 * the folder lists one of them, and both lead to it. Throws StorageError.
 */
export function areTwoFiles(disk: Disk, root: string, names: readonly [string, string]): boolean {
  const isListed = (path: string) => {
    const steps = safeSteps(root, path)
    return steps.every((step, nth) => disk.list(join(root, ...steps.slice(0, nth))).includes(step))
  }
  if (!names.every(isListed)) return false
  const [one, other] = names.map(path => disk.look(join(root, path))?.identity)
  return one !== undefined && other !== undefined && one !== other
}

/**
 * Asked for every file of a batch. A folder that was found to lie where its path says, without links, still does while the path
 * leads to that very folder.
 */
function realRoot(disk: Disk, root: string, seen: Look | undefined): string {
  const known = plainRoots.get(disk) ?? new Map<string, string>()
  plainRoots.set(disk, known)
  if (seen && known.get(root) === seen.identity) return root
  const real = disk.realPath(root)
  if (seen && real === root) known.set(root, seen.identity)
  return real
}

/** The identities of folders, by their paths. */
const plainRoots = new WeakMap<Disk, Map<string, string>>()

function safeSteps(root: string, path: string): string[] {
  if (!isInside(path)) throw new StorageError(join(root, path), 'open', 'it lies outside the output folder')
  return path.split('/')
}

const noLink = {
  remedy:
    'put a folder in its place, or make the place where it leads the output folder (--output); nothing is paid twice',
}

/** The real path of a folder below the root. */
function follow(disk: Disk, root: string, folder: string, seen: Look | undefined): string {
  if (seen?.is === 'folder') return folder
  if (seen?.is !== 'link')
    throw new StorageError(folder, 'open', 'it is in the way: a folder is needed there', 'ENOTDIR')
  const real = disk.realPath(folder)
  const isBelow = `${real}/`.startsWith(`${disk.realPath(root)}/`)
  if (!isBelow)
    throw new StorageError(folder, 'open', 'it is a link that leads out of the output folder', noLink)
  return real
}
