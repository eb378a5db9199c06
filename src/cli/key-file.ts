import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KeyFile } from './service.ts'

const longestKeyFile = 64 * 1024

/** Reads the file that holds the key. */
export function readKeyFile(path: string, cwd: string): KeyFile {
  try {
    const full = resolve(cwd, path)
    const stat = statSync(full)
    if (!stat.isFile()) return { got: 'trouble', reason: 'it is no regular file' }
    if (stat.size > longestKeyFile) return { got: 'trouble', reason: 'it is far too long for a key' }
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
