import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** A file that the user names outside of any project, as far as it matters. */
export type NamedFile =
  | { readonly got: 'text'; readonly text: string; readonly isPrivate: boolean }
  | { readonly got: 'trouble'; readonly reason: string }

export type ReadText = (path: string, cwd: string) => NamedFile

/** Reads the file that holds the key. */
export const readKeyFile: ReadText = (path, cwd) =>
  readSmall(path, cwd, 64 * 1024, 'it is far too long for a key')

/** Reads a text that the user names, outside of any project: certificates. */
export const readTextFile: ReadText = (path, cwd) =>
  readSmall(path, cwd, 16 * 1024 * 1024, 'it is larger than 16 MiB')

function readSmall(path: string, cwd: string, most: number, tooLong: string): NamedFile {
  try {
    const full = resolve(cwd, path)
    const stat = statSync(full)
    if (!stat.isFile()) return { got: 'trouble', reason: 'it is no regular file' }
    if (stat.size > most) return { got: 'trouble', reason: tooLong }
    // Where there are no such rights (Windows) every file would look open.
    const isPrivate = process.platform === 'win32' || (stat.mode & 0o007) === 0
    return { got: 'text', text: readFileSync(full, 'utf8'), isPrivate }
  } catch (cause) {
    return { got: 'trouble', reason: reasons[codeOf(cause)] ?? codeOf(cause) }
  }
}

const reasons: { readonly [code: string]: string | undefined } = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
