import * as fs from 'node:fs'

// Empty files that say something by their names, in a folder of the user's own among the system's temporary ones. None is ever
// opened, as somebody else may have put it there. All throw what the system says.

/** Makes a folder for this user alone. False when what is there is a link, or somebody else's, or others can write to it. */
export function isOwnFolder(path: string): boolean {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const found = fs.lstatSync(path)
  if (!found.isDirectory()) return false
  // Where there are no such numbers, the system's temporary folder is the user's own.
  const user = process.getuid?.()
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0)
}

export function noteNames(folder: string): string[] {
  return fs.readdirSync(folder)
}

/** Whether it was there: one of several who rename a file is the one that did. */
export function moveNote(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to)
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Makes an empty file; one that is there stays. */
export function leaveNote(path: string): void {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
}

export function removeNote(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch {
    // Somebody else has done it, or nobody can.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
