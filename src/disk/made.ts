import * as fs from 'node:fs'
import * as promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that this process has made for itself alone. Nothing else is ever removed with all that lies in it. */
export interface MadeFolder {
  readonly path: string
  remove(): Promise<void>
  /** For a process that has no time left. */
  removeNow(): void
}

/** Makes a folder under a name that nobody else has; where no folder is named, among the system's temporary ones. */
export function makeFolder(prefix: string, parent: string = tmpdir()): MadeFolder {
  const path = fs.mkdtempSync(join(parent, prefix))
  // Others of genrun know by it later that genrun has made the folder, and not somebody who calls theirs alike.
  fs.writeFileSync(join(path, madeMark), '', { flag: 'wx' })
  const options = { recursive: true, force: true }
  return {
    path,
    remove: () => promises.rm(path, options),
    removeNow: () => fs.rmSync(path, options),
  }
}

/** A folder of that name in one that this process has made; what is there already is refused (EEXIST). */
export function makeFolderIn(made: string, name: string): void {
  fs.mkdirSync(join(made, name))
}

/** In every folder that `makeFolder` made. */
export const madeMark = '.made-by-genrun'

/**
 * Removes a folder that an earlier process has made with `makeFolder`, and nobody has used for so long: it bears the mark, belongs to
 * this user, and is no link. What cannot be removed stays.
 */
export async function removeLeftFolder(path: string, now: number, idleMs: number): Promise<void> {
  try {
    const found = await promises.lstat(path)
    const isOwn = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)
    if (!isOwn || now - found.mtimeMs <= idleMs) return
    const mark = await promises.lstat(join(path, madeMark))
    if (mark.isFile() && mark.uid === found.uid) await promises.rm(path, { recursive: true, force: true })
  } catch {
    // Gone, not ours, or in use.
  }
}

/**
 * Removes the state of a single job with all that lies in it. It is genrun's own: a folder, no link, right below a `.genrun`
 * that is none either. Throws what the system says, and an error for any other folder.
 */
export function removeOwnState(state: string): void {
  const own = join(state, '..')
  if (!/[\\/]\.genrun[\\/]once-[^\\/]+$/.test(state))
    throw new Error(`not the state of a single job: ${state}`)
  const found = [own, state].map(path => fs.lstatSync(path, { throwIfNoEntry: false }))
  if (found.every(each => each?.isDirectory() === true)) fs.rmSync(state, { recursive: true, force: true })
}
