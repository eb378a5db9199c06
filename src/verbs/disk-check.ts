import { basename, dirname, join } from 'node:path'
import { asFarAsSeen, freeBytesAt, statAt } from '../disk/look.ts'
import { type MadeFolder, makeFolder } from '../disk/made.ts'
import { tryOut } from '../disk/trial.ts'
import { storageErrorOf } from '../store/files/storage-error.ts'
import { loadLock } from '../store/lock/lock.ts'
import { shellWord } from '../text/shell-word.ts'
import { tryPart } from '../wire/transfer/part.ts'

/** What a folder can do of all that keeps results safe (docs/contract.md section 3). */
export interface DiskSeen {
  /** The folder that was tried: the nearest that is there. */
  readonly folder: string
  /** Why nothing can be written; then nothing else is known. */
  readonly unwritable?: string
  /** Why a result cannot be saved as a download saves it; absent where it can. */
  readonly unsaved?: string
  /** Whether contents can be made durable; how long one small sync took. */
  readonly sync?: { readonly tasks: boolean; readonly ms: number }
  /** Whether one file can take another's place in one step. */
  readonly rename?: boolean
  /** Whether a second name fails when it is taken: what the claim and the publishing of files stand on. */
  readonly link?: boolean
  /** Whether `A` and `a` are two files. */
  readonly isCaseSensitive?: boolean
  readonly freeBytes?: number
}

/** Tries a folder out, and leaves nothing behind. Never throws. */
export async function checkDisk(options: string): Promise<DiskSeen> {
  const folder = nearestFolder(options)
  let trial: MadeFolder
  try {
    trial = makeFolder('.genrun-doctor-', folder)
  } catch (cause) {
    return { folder, unwritable: reasonOf(folder, cause) }
  }
  try {
    return { folder, ...tryOut(trial.path), ...(await trySaving(trial.path)), ...spaceIn(folder) }
  } catch (cause) {
    return { folder, unwritable: reasonOf(folder, cause) }
  } finally {
    trial.removeNow()
  }
}

/** Why no run can use the lock at a path, of a manifest by its file name; undefined where one can, or there is none. Never throws. */
export function checkLock(
  path: string,
  manifest: string,
): { readonly message: string; readonly remedy: string } | undefined {
  try {
    const loaded = loadLock(path, manifest)
    if (loaded.got !== 'damaged') return undefined
    const message = `${basename(path)} cannot be used: ${loaded.why}`
    return { message, remedy: `\`genrun recover ${shellWord(manifest)}\` mends what can be mended` }
  } catch (trouble) {
    const { message, remedy = 'mend its permissions' } = storageErrorOf(path, 'read', trouble)
    return { message, remedy }
  }
}

async function trySaving(trial: string): Promise<Pick<DiskSeen, 'unsaved'>> {
  const failure = await tryPart(join(trial, 'part'))
  return failure?.why === 'unsaved' ? { unsaved: failure.detail } : {}
}

function spaceIn(folder: string): Pick<DiskSeen, 'freeBytes'> {
  try {
    return { freeBytes: freeBytesAt(folder) }
  } catch {
    return {}
  }
}

function nearestFolder(options: string): string {
  for (let here = options; ; here = dirname(here))
    if (asFarAsSeen(() => statAt(here))?.isDirectory() || dirname(here) === here) return here
}

function reasonOf(folder: string, cause: unknown): string {
  return storageErrorOf(folder, 'write', cause).detail
}
