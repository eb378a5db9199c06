import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Makes sure that a report can be written there, before anything is bought; in words why not. */
export function whyUnwritable(path: string): string | undefined {
  try {
    const there = statOf(path)
    if (there?.isDirectory()) return 'it is a folder'
    mkdirSync(dirname(path), { recursive: true })
    if (isStream(there)) return undefined
    const temporary = temporaryName(path)
    writeFileSync(temporary, '', { flag: 'wx' })
    rmSync(temporary)
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  }
}

/** Replaces a file as a whole: whoever reads it sees the old report or the new one. Throws what the disk says. */
export function replaceFile(path: string, text: string): void {
  // A pipe or a device stays what it is.
  if (isStream(statOf(path))) return writeFileSync(path, text)
  const temporary = temporaryName(path)
  try {
    const file = openSync(temporary, 'wx', 0o644)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}

/** Lines that are there as soon as they are written. */
export interface LineFile {
  /** Throws what the disk says. */
  write(line: string): void
  close(): void
}

/** Begins a file anew; in the place of a link that a checkout brought, whatever it leads to. Throws what the disk says. */
export function openLineFile(path: string): LineFile {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && !isStream(statOf(path))) rmSync(path)
  const file = openSync(path, 'w', 0o644)
  return {
    write(line) {
      const bytes = Buffer.from(`${line}\n`)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    },
    close: () => closeSync(file),
  }
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function isStream(stats: Stats | undefined): boolean {
  return stats !== undefined && !stats.isFile()
}

function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
