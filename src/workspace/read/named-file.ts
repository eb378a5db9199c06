import { resolve } from 'node:path'
import { wordTable } from '../../base/word-table.ts'
import { DiskRefusal, withOpenFile } from '../../disk/open.ts'

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
    return withOpenFile(resolve(cwd, path), { mostBytes: most }, file => ({
      got: 'text',
      text: Buffer.from(file.readWhole()).toString('utf8'),
      isPrivate: file.isPrivate,
    }))
  } catch (cause) {
    if (cause instanceof DiskRefusal)
      return { got: 'trouble', reason: cause.is === 'large' ? tooLong : 'it is no regular file' }
    return { got: 'trouble', reason: reasons[codeOf(cause)] ?? codeOf(cause) }
  }
}

const reasons: { readonly [code: string]: string | undefined } = wordTable({
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
})

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
