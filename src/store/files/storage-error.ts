import { wordTable } from '../../base/word-table.ts'
/** What was being done when the disk failed. */
export type Doing =
  | 'open'
  | 'read'
  | 'write'
  | 'sync'
  | 'rename'
  | 'link'
  | 'remove'
  | 'make the folder'
  | 'list'
  | 'look at'

/**
 * The one error of the store: something on the disk did not work. An Error so that it can be thrown through code
 * that knows nothing of it; it is caught where a Failure or an exit code is made of it, and is never a bug.
 */
export class StorageError extends Error {
  override readonly name = 'StorageTrouble'
  readonly path: string
  readonly doing: Doing
  /** The cause in words: `no space left on the disk`. */
  readonly detail: string
  /** The system's code, where there is one: `ENOENT`. */
  readonly code: string | undefined
  /** What to do about it, where that is something else than to mend the disk. */
  readonly remedy: string | undefined

  /** `more`: the system's code, or what to do about it. */
  constructor(path: string, doing: Doing, detail: string, more?: string | { readonly remedy: string }) {
    super(`could not ${doing} ${path}: ${detail}`)
    this.path = path
    this.doing = doing
    this.detail = detail
    this.code = typeof more === 'string' ? more : undefined
    this.remedy = typeof more === 'object' ? more.remedy : undefined
  }
}

/** Any error of the system as a StorageError; one that is one already is given back. */
export function storageErrorOf(path: string, doing: Doing, error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  return new StorageError(
    path,
    doing,
    words[code ?? ''] ?? (error instanceof Error ? error.message : String(error)),
    code,
  )
}

/** Why a file of ours does not get its name. */
export const otherHasName = 'a file that genrun did not make, or that was altered since, has this name'

/** What is read; undefined where the disk does not give it. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return undefined
  }
}

/** Whoever is at work there may put a new journal in the place of the old one while it is read. */
export function readAtWork<T>(read: () => T, times = 3): T {
  try {
    return read()
  } catch (trouble) {
    if (times === 0 || !isStorageError(trouble, 'ENOENT')) throw trouble
    return readAtWork(read, times - 1)
  }
}

export function isStorageError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof StorageError && codes.includes(error.code ?? '')
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

const words: { readonly [code: string]: string | undefined } = wordTable({
  EACCES: 'permission denied',
  EBUSY: 'in use',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'something is there already',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it is not there',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
  EXDEV: 'it lies on another disk',
})
