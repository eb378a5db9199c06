import * as fs from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { looksAt } from './looked.ts'

/**
 * The gate to contents on the disk: with `store/files/disk.ts`, which keeps what was paid for, this room is the only one that
 * knows the file system (test/floors.ts). Each of its functions says what it may touch. All of them throw the system's
 * errors, and DiskRefusal for what is there and not taken.
 */
interface OpenRules {
  /** More is refused before a byte is read. */
  readonly mostBytes: number
  /** A folder by its real path: what is opened has to lie in it, wherever links lead and whoever swaps them meanwhile. */
  readonly within?: string
  /** The real path that was looked at: what is opened has to lie there still, and is not followed if it is a link by now. */
  readonly at?: string
}

/** What is there is not opened, or closed again before a byte of it was read. Its message continues a sentence. */
export class DiskRefusal extends Error {
  override readonly name = 'DiskRefusal'
  readonly is: 'folder' | 'special' | 'large' | 'outside'

  constructor(is: DiskRefusal['is'], message: string) {
    super(message)
    this.is = is
  }
}

/** A regular file that is open for reading. */
export interface OpenFile {
  readonly bytes: number
  /** Whether nobody but its owner and their group can read it. */
  readonly isPrivate: boolean
  /** Fewer bytes than asked for only at the end. */
  read(start: number, length: number): Uint8Array
  /** How many bytes came into what is given; fewer than it takes only at the end. */
  readInto(into: Uint8Array, start: number): number
  /** All of it; throws DiskRefusal when it has grown beyond its bound. */
  readWhole(): Uint8Array
}

/** Opens a regular file for one use: no folder, no device, and no pipe, which would keep us waiting. */
export function withOpenFile<T>(path: string, rules: OpenRules, use: (file: OpenFile) => T): T {
  const fd = openRegular(path, rules)
  try {
    return use(openFile(fd, rules.mostBytes))
  } finally {
    fs.closeSync(fd)
  }
}

/** The contents of a regular file. */
export function readRegular(path: string, rules: OpenRules): Uint8Array {
  return withOpenFile(path, rules, file => file.readWhole())
}

/** A regular file that is read piece by piece, for as long as somebody takes pieces of it. */
export interface OpenPieces {
  readonly bytes: number
  /** From `start` to `end`, exclusive; the file is closed after them, and when the stream is given up. */
  pieces(start: number, end: number): Readable
  /** For whoever takes none. */
  close(): void
}

/** Opens a file that is sent on. Whoever opened it takes pieces of it once, or closes it. */
export function openPieces(path: string, rules: OpenRules): OpenPieces {
  const fd = openRegular(path, rules)
  const close = () => fs.closeSync(fd)
  return {
    bytes: fs.fstatSync(fd).size,
    pieces(start, end) {
      if (end > start)
        return fs.createReadStream(path, { fd, start, end: end - 1, highWaterMark: 256 * 1024 })
      close()
      return Readable.from([])
    },
    close,
  }
}

/** A handle that the caller closes. */
function openRegular(path: string, { mostBytes, within, at }: OpenRules): number {
  looksAt(at ?? path)
  const fd = fs.openSync(at ?? path, fs.constants.O_RDONLY | noWait | (at === undefined ? 0 : noFollow))
  try {
    const stat = fs.fstatSync(fd)
    if (stat.isDirectory()) throw new DiskRefusal('folder', 'it is a folder')
    if (!stat.isFile()) throw new DiskRefusal('special', 'it is not a regular file')
    if (stat.size > mostBytes) throw tooLarge(mostBytes)
    if (at !== undefined) proveAt(fd, at)
    if (within !== undefined) proveWithin(fd, at ?? path, within)
    return fd
  } catch (refusal) {
    fs.closeSync(fd)
    throw refusal
  }
}

/**
 * Throws DiskRefusal unless an open file lies in a folder, given by its real path. Looked at after it was opened: whatever was
 * swapped in between, a link in the place of a folder above it too, this is the file that is read.
 */
export function proveWithin(fd: number, path: string, within: string): void {
  const real = realPathOf(fd, path)
  if (real === undefined || !isBelow(real, within)) throw swapped()
}

function proveAt(fd: number, at: string): void {
  const real = realPathOf(fd, at)
  // As Linux tells of a file that an editor has replaced since.
  if (real !== at && real !== `${at} (deleted)`) throw swapped()
}

function swapped(): DiskRefusal {
  return new DiskRefusal('outside', 'something that lies elsewhere was put in its place')
}

/** Linux tells where an open file lies. Elsewhere the path has to lead to this very file, before and after it is resolved. */
function realPathOf(fd: number, path: string): string | undefined {
  try {
    if (process.platform === 'linux') return fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // Not every container has it.
  }
  const real = fs.realpathSync(path)
  const [opened, now] = [fs.fstatSync(fd), fs.lstatSync(real)]
  const isSame = now.ino === opened.ino && now.dev === opened.dev && fs.realpathSync(path) === real
  return isSame ? real : undefined
}

// Windows has neither.
const { O_NOFOLLOW: noFollow = 0, O_NONBLOCK: noWait = 0 } = fs.constants as Partial<typeof fs.constants>

function openFile(fd: number, mostBytes: number): OpenFile {
  const { size, mode } = fs.fstatSync(fd)
  const read = (start: number, length: number) => {
    const bytes = new Uint8Array(Math.min(length, Math.max(0, size - start)))
    return bytes.subarray(0, fill(fd, bytes, start))
  }
  return {
    bytes: size,
    readInto: (into, start) => fill(fd, into.subarray(0, Math.max(0, size - start)), start),
    // Where there are no such rights (Windows) every file would look open.
    isPrivate: process.platform === 'win32' || (mode & 0o007) === 0,
    read,
    readWhole() {
      // Those of /proc say that they are empty.
      const whole = size === 0 ? Buffer.alloc(emptyBytes) : Buffer.allocUnsafe(size + 1)
      const bytes = fill(fd, whole, 0)
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      // One more than there was: it is being written, and whoever needs it whole looks at what it says.
      return whole.subarray(0, size === 0 ? bytes : Math.min(bytes, size))
    },
  }
}

const emptyBytes = 64 * 1024

function fill(fd: number, into: Uint8Array, start: number): number {
  let filled = 0
  while (filled < into.length) {
    const bytes = fs.readSync(fd, into, filled, into.length - filled, start + filled)
    if (bytes === 0) break
    filled += bytes
  }
  return filled
}

function tooLarge(mostBytes: number): DiskRefusal {
  const most = mostBytes >= mebi ? `${mostBytes / mebi} MiB` : `${mostBytes} bytes`
  return new DiskRefusal('large', `it is larger than ${most}`)
}

const mebi = 1024 * 1024

/** Whether a path lies in a folder, both without links. */
export function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && resolve(inside) !== inside
}
