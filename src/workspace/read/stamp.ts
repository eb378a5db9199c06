import { createHash } from 'node:crypto'
import { exactStatAt, nameAt, nativeRealPathAt } from '../../disk/look.ts'
import { withOpenFile } from '../../disk/open.ts'

/** What a file was, without reading it. */
export interface Stamp {
  /** Where the path leads, links followed; absent where it leads nowhere. */
  readonly real?: string
  /** Device, inode, kind, size, and when contents and inode changed, in nanoseconds; or why it cannot be looked at. */
  readonly is: string
}

/** A stamp, and when the file last changed, in milliseconds since 1970; 0 where there is none, infinite for a pipe. */
export interface Stamped extends Stamp {
  readonly changedAt: number
}

/**
 * Looks at a file. A file that is replaced by another of the same size and date has another inode, and its inode's own
 * date cannot be set by hand.
 */
export function stampOf(path: string): Stamped {
  try {
    const stat = exactStatAt(path)
    if (!stat) return { is: 'missing', changedAt: 0 }
    // A pipe gives something else every time, and opening it again could wait forever.
    if (!stat.isFile() && !stat.isDirectory()) return { is: 'special', changedAt: Number.POSITIVE_INFINITY }
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = stat
    const is = [dev, ino, mode, size, mtimeNs, ctimeNs].join(' ')
    return { real: nativeRealPathAt(path), is, changedAt: latest(stat) }
  } catch (cause) {
    return { is: cause instanceof Error && 'code' in cause ? String(cause.code) : 'odd', changedAt: 0 }
  }
}

function latest({ mtimeMs, ctimeMs }: NonNullable<ReturnType<typeof exactStatAt>>): number {
  return Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)
}

/** Where a folder lies, whose it is and who may use it: what comes into it changes nothing. Throws what the system says. */
export function folderStampOf(path: string): Stamp {
  const name = nameAt(path)
  if (!name) return { is: 'missing' }
  const is = ['folder', name.dev, name.ino, name.mode, name.uid].join(' ')
  return { real: nativeRealPathAt(path), is }
}

export function isSameStamp(one: Stamp, other: Stamp): boolean {
  return one.is === other.is && one.real === other.real
}

const pieceBytes = 64 * 1024

/** The digest of a file, read piece by piece: a lock may be larger than what we want to hold. Throws. */
export function contentsOf(path: string): string {
  const hash = createHash('sha256')
  const piece = new Uint8Array(pieceBytes)
  // It was looked at before; what is a pipe by now is not waited for.
  return withOpenFile(path, { mostBytes: Number.POSITIVE_INFINITY }, ({ bytes, readInto }) => {
    for (let at = 0; at < bytes; at += pieceBytes) hash.update(piece.subarray(0, readInto(piece, at)))
    return hash.digest('hex')
  })
}

/** One digest for what a glob found. */
export function foundDigest(found: readonly string[]): string {
  return createHash('sha256').update(found.join('\n')).digest('hex')
}
