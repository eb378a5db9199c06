import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { proveWithin } from '../../disk/open.ts'
import { coalesce } from './coalesce.ts'
import { type Doing, isStorageError, StorageError, storageErrorOf } from './storage-error.ts'

/**
 * Everything the store does to a disk. Each function does one system call and throws (or rejects with) StorageError
 * and nothing else. Tests give one that fails at a chosen call; a simulation, one that forgets what was not synced.
 *
 * Metadata calls and short writes are synchronous: they are quick, and the order of records in the journal is the
 * order of the calls. What waits for the medium (`sync`) is not.
 */
export interface Disk {
  open(path: string, how: 'read' | 'append' | 'create', mode?: number): Handle
  close(file: Handle): void
  /** How many bytes were taken; may be fewer than given. */
  write(file: Handle, bytes: Uint8Array): number
  /** All contents written so far are on the medium afterwards. */
  sync(file: Handle): Promise<void>
  /** The names made, changed and removed in a folder are on the medium afterwards. */
  syncFolder(folder: string): Promise<void>
  truncate(file: Handle, length: number): void
  /** `within`, a folder by its real path: what is opened lies in it, wherever links lead by now. */
  readAll(path: string, within?: string): Buffer
  /** The contents in pieces; `within` as above. */
  readPieces(path: string, within?: string): AsyncIterable<Uint8Array>
  /** The same for whoever cannot wait; a piece holds until the next is taken. */
  readPiecesNow(path: string): Iterable<Uint8Array>
  /** Replaces what is at `to`. */
  rename(from: string, to: string): void
  /** A second name for a file; EEXIST when anything is at `to`. */
  link(from: string, to: string): void
  remove(path: string): void
  makeFolder(path: string, mode?: number): void
  /** Of an empty one. */
  removeFolder(path: string): void
  list(folder: string): string[]
  /** Of the name itself: links are not followed. Undefined when nothing is there. */
  look(path: string): Look | undefined
  /** The path without links. */
  realPath(path: string): string
  /**
   * Whether a folder gets another date (`touched`) with every name that is made or removed in it, at once and for every process:
   * dates of network shares are remembered for a while, and not every disk has such dates.
   */
  datesNames(folder: string): boolean
}

export interface Handle {
  readonly path: string
  readonly fd: number
}

export interface Look {
  readonly is: 'file' | 'folder' | 'link' | 'special'
  readonly bytes: number
  /** The same for two names of one file. */
  readonly identity: string
  /** When its contents were last written, in milliseconds since 1970; where the disk tells. */
  readonly changed?: number
  /** When anything about it changed, its names too: nobody can set that date. Where the disk tells. */
  readonly touched?: number
  /** The number of its owner, and its rights; where the disk knows of such. */
  readonly owner?: number
  readonly mode?: number
  /** How many names the file has; where the disk tells. */
  readonly names?: number
}

/** Whether these are one file that nobody has written to in between, as far as a disk tells. */
export function looksTheSame(a: Look | undefined, b: Look | undefined): boolean {
  if (!a || !b) return a === b
  return a.is === b.is && a.bytes === b.bytes && a.identity === b.identity && a.changed === b.changed
}

export const systemDisk: Disk = {
  open: (path, how, mode) => attempt(path, 'open', () => ({ path, fd: fs.openSync(path, flags[how], mode) })),
  close: file => attempt(file.path, 'write', () => fs.closeSync(file.fd)),
  write: (file, bytes) => attempt(file.path, 'write', () => fs.writeSync(file.fd, bytes)),
  sync: file => finish(file.path, done => fs.fdatasync(file.fd, done)),
  syncFolder: coalesce(syncFolder),
  truncate: (file, length) => attempt(file.path, 'write', () => fs.ftruncateSync(file.fd, length)),
  readAll: (path, within) => attempt(path, 'read', () => readWhole(path, within)),
  readPieces,
  readPiecesNow,
  rename: (from, to) => attempt(to, 'rename', () => fs.renameSync(from, to)),
  link: (from, to) => attempt(to, 'link', () => fs.linkSync(from, to)),
  remove: path => attempt(path, 'remove', () => fs.unlinkSync(path)),
  makeFolder: (path, mode) => attempt(path, 'make the folder', () => fs.mkdirSync(path, mode)),
  removeFolder: path => attempt(path, 'remove', () => fs.rmdirSync(path)),
  list: folder => attempt(folder, 'list', () => fs.readdirSync(folder)),
  look: path => attempt(path, 'look at', () => lookAt(path)),
  realPath: path => attempt(path, 'look at', () => fs.realpathSync.native(path)),
  datesNames: folder => attempt(folder, 'look at', () => isDating(folder)),
}

// Windows has neither of the last two.
const {
  O_RDONLY,
  O_WRONLY,
  O_CREAT,
  O_EXCL,
  O_APPEND,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
} = fs.constants as typeof fs.constants & Partial<Pick<typeof fs.constants, 'O_NOFOLLOW' | 'O_NONBLOCK'>>

// 'create' never opens what is there; 'append' makes the file when there is none. What a checkout put in the place of a file
// that we write to is not followed (ELOOP), and a pipe that nobody reads is not waited for (ENXIO).
const flags = {
  read: O_RDONLY,
  append: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  create: O_WRONLY | O_CREAT | O_EXCL,
} as const

function attempt<T>(path: string, doing: Doing, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw storageErrorOf(path, doing, error)
  }
}

function finish(path: string, call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call(error => (error ? reject(storageErrorOf(path, 'sync', error)) : resolve()))
  })
}

async function syncFolder(folder: string): Promise<void> {
  // There a folder cannot be opened, and names need no sync of their own.
  if (process.platform === 'win32') return
  const fd = attempt(folder, 'sync', () => fs.openSync(folder, 'r'))
  try {
    await finish(folder, done => fs.fsync(fd, done))
  } catch (error) {
    // Shares of other machines have no such sync; one that was tried and failed has another word (EIO, ENOSPC).
    if (!isStorageError(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOTTY')) throw error
  } finally {
    fs.closeSync(fd)
  }
}

/** More is no text of ours, and would be held in memory whole. */
const longestBytes = 512 * 1024 * 1024

/** A checkout may bring a pipe or a device under any of our names: those are not waited for. */
function readWhole(path: string, within: string | undefined): Buffer {
  const fd = openHandle(path, within)
  try {
    if (fs.fstatSync(fd).size > longestBytes)
      throw new StorageError(path, 'read', 'it is larger than 512 MiB')
    return fs.readFileSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Throws StorageError for what is neither a file nor a folder, which says itself that it cannot be read. */
function openHandle(path: string, within?: string): number {
  const fd = fs.openSync(path, O_RDONLY | O_NONBLOCK)
  const stat = fs.fstatSync(fd)
  try {
    if (!stat.isFile() && !stat.isDirectory()) throw new StorageError(path, 'read', 'it is no regular file')
    if (within !== undefined) proveWithin(fd, path, within)
    return fd
  } catch (refusal) {
    fs.closeSync(fd)
    throw refusal
  }
}

// Reading so much at once blocks less than each of the four waits of a stream costs.
const smallBytes = 1024 * 1024

async function* readPieces(path: string, within?: string): AsyncGenerator<Uint8Array> {
  try {
    if (within !== undefined) {
      const fd = openHandle(path, within)
      return yield* fs.createReadStream(path, { fd, highWaterMark: 256 * 1024 })
    }
    const seen = fs.statSync(path)
    if (!seen.isFile() && !seen.isDirectory()) throw new StorageError(path, 'read', 'it is no regular file')
    if (seen.isFile() && seen.size <= smallBytes) return yield fs.readFileSync(path)
    yield* fs.createReadStream(path, { highWaterMark: 256 * 1024 })
  } catch (error) {
    throw storageErrorOf(path, 'read', error)
  }
}

function* readPiecesNow(path: string): Generator<Uint8Array> {
  const fd = attempt(path, 'open', () => openHandle(path))
  try {
    const piece = Buffer.allocUnsafe(256 * 1024)
    for (;;) {
      const bytes = attempt(path, 'read', () => fs.readSync(fd, piece))
      if (bytes === 0) return
      yield piece.subarray(0, bytes)
    }
  } finally {
    fs.closeSync(fd)
  }
}

function lookAt(path: string): Look | undefined {
  const stat = statOf(path)
  if (!stat) return undefined
  const is = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'folder'
      : stat.isSymbolicLink()
        ? 'link'
        : 'special'
  const rights = process.getuid && { owner: stat.uid, mode: stat.mode }
  const dates = { changed: stat.mtimeMs, touched: stat.ctimeMs }
  const identity = `${stat.dev}:${stat.ino}`
  return { is, bytes: stat.size, identity, ...dates, ...rights, names: stat.nlink }
}

function isDating(folder: string): boolean {
  return process.platform === 'linux' && datingKinds.has(fs.statfsSync(folder).type >>> 0)
}

/** Disks of this machine alone, by statfs(2): ext2 to ext4, xfs, btrfs, f2fs, tmpfs, and the layers of a container. */
const datingKinds: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630],
])

/** Below a file there is nothing, as there is below a folder that is not there. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isStorageError(storageErrorOf(path, 'look at', error), 'ENOTDIR')) return undefined
    throw error
  }
}

/** Writes every byte, however few the disk takes at a time. */
export function writeFully(disk: Disk, file: Handle, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) {
    const taken = disk.write(file, bytes.subarray(at))
    if (taken <= 0) throw new StorageError(file.path, 'write', 'the disk takes no bytes')
    at += taken
  }
}

/**
 * At the end of a file, which is opened for it: who writes the file anew meanwhile is not written past. How many bytes. Throws
 * StorageError.
 */
export function writeAtEnd(disk: Disk, path: string, text: string, mode: number): number {
  const file = disk.open(path, 'append', mode)
  const bytes = Buffer.from(text)
  try {
    writeFully(disk, file, bytes)
    return bytes.length
  } finally {
    disk.close(file)
  }
}

/**
 * Makes a folder and those above it, each durable in its parent. Those that are there keep their mode. One that is there
 * may have been made by a process that was killed before its name was durable: each is synced once a process. Gives what was
 * there before.
 */
export async function makeFolders(disk: Disk, folder: string, mode?: number): Promise<Look | undefined> {
  const seen = disk.look(folder)
  if (seen && durableOn(disk).has(folder)) return seen
  if (!seen) {
    await makeFolders(disk, dirname(folder), mode)
    makeFolder(disk, folder, mode)
  }
  try {
    await disk.syncFolder(dirname(folder))
  } catch (error) {
    // Above the folders that we make there may be one that others may pass through and not open.
    if (!seen || !isStorageError(error, 'EACCES', 'EPERM')) throw error
  }
  durableOn(disk).add(folder)
  return seen
}

function makeFolder(disk: Disk, folder: string, mode: number | undefined): void {
  try {
    disk.makeFolder(folder, mode)
  } catch (error) {
    // Another process was faster.
    if (!isStorageError(error, 'EEXIST')) throw error
  }
}

const durable = new WeakMap<Disk, Set<string>>()

/** Folders whose names are known to be on the medium. */
function durableOn(disk: Disk): Set<string> {
  const known = durable.get(disk) ?? new Set()
  durable.set(disk, known)
  return known
}
