import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

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
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) return { is: 'missing', changedAt: 0 }
    // A pipe gives something else every time, and opening it again could wait forever.
    if (!stat.isFile() && !stat.isDirectory()) return { is: 'special', changedAt: Number.POSITIVE_INFINITY }
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = stat
    const is = [dev, ino, mode, size, mtimeNs, ctimeNs].join(' ')
    return { real: realpathSync.native(path), is, changedAt: latest(stat) }
  } catch (cause) {
    return { is: cause instanceof Error && 'code' in cause ? String(cause.code) : 'odd', changedAt: 0 }
  }
}

function latest({ mtimeMs, ctimeMs }: BigIntStats): number {
  return Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)
}

export function isSameStamp(one: Stamp, other: Stamp): boolean {
  return one.is === other.is && one.real === other.real
}

const pieceBytes = 1024 * 1024

/** The digest of a file, read piece by piece into one buffer: a lock may be larger than what we want to hold. Throws. */
export function contentsOf(path: string): string {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const bytes = readSync(file, piece, 0, pieceBytes, null)
      if (bytes === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytes))
    }
  } finally {
    closeSync(file)
  }
}

/** One digest for what a glob found. */
export function foundDigest(found: readonly string[]): string {
  return createHash('sha256').update(found.join('\n')).digest('hex')
}
