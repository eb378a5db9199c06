import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

// Writes what a person has named on the command line, or what a program that called us has. All throw what the system says.

/** Makes a file with contents; what is there already, a link that leads nowhere too, is left alone (EEXIST). */
export function writeNewFile(path: string, contents: string | Uint8Array): void {
  fs.writeFileSync(path, contents, { flag: 'wx' })
}

/** Makes a folder with so many files, name and text; a folder that is there already is left alone (EEXIST). */
export function writeNewFolder(path: string, files: readonly (readonly [string, string])[]): void {
  fs.mkdirSync(path)
  for (const [name, text] of files) writeNewFile(join(path, name), text)
}

/**
 * Replaces a file as a whole: whoever reads it sees the old contents or the new ones. A link makes room for the file, and what it leads
 * to is left alone; a pipe or a device stays what it is, and is written to.
 */
export function replaceFile(path: string, contents: string | Uint8Array): void {
  if (isStream(path)) return fs.writeFileSync(path, contents)
  const temporary = hiddenName(path)
  try {
    const file = fs.openSync(temporary, 'wx', 0o644)
    try {
      fs.writeFileSync(file, contents)
      fs.fsyncSync(file)
    } finally {
      fs.closeSync(file)
    }
    fs.renameSync(temporary, path)
  } catch (cause) {
    fs.rmSync(temporary, { force: true })
    throw cause
  }
}

/** Makes the folder of a file and tries to make one in it. */
export function tryFolderOf(path: string): void {
  fs.mkdirSync(dirname(path), { recursive: true })
  if (isStream(path)) return
  const temporary = hiddenName(path)
  fs.writeFileSync(temporary, '', { flag: 'wx' })
  fs.rmSync(temporary)
}

/** Lines that are there as soon as they are written. */
export interface LineFile {
  /** Throws what the disk says. */
  write(line: string): void
  close(): void
}

/** Begins a file anew; in the place of a link that a checkout brought, whatever it leads to. */
export function openLineFile(path: string): LineFile {
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink && !isStream(path)) fs.rmSync(path)
  const file = fs.openSync(path, 'w', 0o644)
  return {
    write(line) {
      const bytes = Buffer.from(`${line}\n`)
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(file, bytes, done)
    },
    close: () => fs.closeSync(file),
  }
}

/** Adds to the end of a file, which is made where there is none: a page of the CI's, the attributes of a repository. */
export function appendText(path: string, text: string): void {
  fs.appendFileSync(path, text)
}

function isStream(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === false
}

function hiddenName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
}
