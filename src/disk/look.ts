import * as fs from 'node:fs'
import { looksAt } from './looked.ts'

// Looks, of any path: nothing here opens a file or changes anything. Links are followed unless a function says otherwise.

/** Whether anything is there; a link that leads nowhere is nothing. */
export function isThere(path: string): boolean {
  looksAt(path)
  return fs.existsSync(path)
}

/** What is there; undefined where nothing is, also below a file. Throws what else the system says. */
export function statAt(path: string): fs.Stats | undefined {
  looksAt(path)
  return found(() => fs.statSync(path, { throwIfNoEntry: false }))
}

/** The same of the name itself: a link is a link. */
export function nameAt(path: string): fs.Stats | undefined {
  looksAt(path)
  return found(() => fs.lstatSync(path, { throwIfNoEntry: false }))
}

/** As `statAt`, with dates in nanoseconds. */
export function exactStatAt(path: string): fs.BigIntStats | undefined {
  looksAt(path)
  return found(() => fs.statSync(path, { bigint: true, throwIfNoEntry: false }))
}

/** What a look finds; undefined as well where this user may not look, as in the home of another. */
export function asFarAsSeen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Below a file there is nothing, as there is below a folder that is not there. */
function found<T>(look: () => T | undefined): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Whether this user may read what is there. */
export function mayRead(path: string): boolean {
  looksAt(path)
  try {
    fs.accessSync(path, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Whether this user may not read a file, by its owner and rights; the system is asked only where these leave it open. */
export function isClosed(
  path: string,
  { uid, mode }: { readonly uid: number; readonly mode: number },
): boolean {
  const isOpen = (mode & 0o444) === 0o444 || ((mode & 0o400) !== 0 && uid === process.getuid?.())
  return !isOpen && !mayRead(path)
}

/** The path without links; throws where it leads nowhere. */
export function realPathAt(path: string): string {
  looksAt(path)
  return fs.realpathSync(path)
}

/** The same in one call to the system, in its own spelling. */
export function nativeRealPathAt(path: string): string {
  looksAt(path)
  return fs.realpathSync.native(path)
}

/** The names in a folder, sorted by nobody; none where it is missing or may not be read. */
export function namesIn(folder: string): string[] {
  looksAt(folder, 'names')
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** The names of the regular files in a folder. Throws what the system says. */
export function filesIn(folder: string): string[] {
  looksAt(folder, 'names')
  const entries = fs.readdirSync(folder, { withFileTypes: true })
  return entries.flatMap(entry => (entry.isFile() ? [entry.name] : []))
}

/** Throws what the system says unless this user may put files into a folder. */
export function mustBeWritable(folder: string): void {
  looksAt(folder)
  fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK)
}

/** Whether a path is a program that this user may run. */
export function isProgram(path: string): boolean {
  looksAt(path)
  try {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  } catch {
    return false
  }
}

/** How many bytes this user may still write where a folder lies. Throws where the system does not tell. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder)
  return bavail * bsize
}
