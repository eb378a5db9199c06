import * as fs from 'node:fs'
import { copyFile, type FileHandle, lstat, open, readFile, rm, stat, truncate } from 'node:fs/promises'
import { promisify } from 'node:util'

// Parts of downloads, and answers in the spool: under names that genrun gave them, in a folder of its own. All of this rejects with
// what the system says.

/** A part that is being written. */
export type PartFile = FileHandle

/** Opens a file for writing; one that has the name already may have another one as well, and is not emptied under that. */
export async function openNewPart(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx')
  } catch (error) {
    if (!isTaken(error)) throw error
    if ((await lstat(path)).isFile()) await rm(path)
    return open(path, 'w')
  }
}

/** Goes on behind what is in a file. */
export function openOldPart(path: string): Promise<FileHandle> {
  return open(path, 'a')
}

/** Not `file.sync`: the handles of Yarn's Plug'n'Play, which takes the place of node:fs, have none. */
export function syncPart(file: FileHandle): Promise<void> {
  return sync(file.fd)
}

const sync = promisify(fs.fsync)

export async function partBytes(path: string): Promise<number> {
  return (await stat(path)).size
}

/** Copies a part to another name, in the place of what that was, and gives what is in the beginning of the copy. */
export async function copyPart(path: string, to: string, bytes: number): Promise<AsyncIterable<Uint8Array>> {
  await rm(to, { force: true })
  await copyFile(path, to, fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL)
  return fs.createReadStream(to, { end: bytes - 1 })
}

/** Cuts a copy to so many bytes, and removes what it was copied from. */
export async function replacePart(path: string, to: string, bytes: number): Promise<void> {
  await truncate(to, bytes)
  await rm(path, { force: true })
}

export async function removePart(path: string): Promise<void> {
  await rm(path, { force: true })
}

/** All of it; whoever asks has looked at its size. */
export function readPart(path: string): Promise<Buffer> {
  return readFile(path)
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
