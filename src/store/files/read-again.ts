import type { Disk } from './disk.ts'
import { rememberLast } from './remember-last.ts'
import { StorageError } from './storage-error.ts'

/** The contents of a file; nobody writes into them. Throws StorageError. */
type Reader = (disk: Disk, path: string) => Buffer

/**
 * For files that one run reads several times, and that may be large. Where the contents are still those of the last time, byte by
 * byte, these are given again: looking needs no memory of its own, and what was made of the bytes before is known by them.
 */
export function fileReader(): Reader {
  const last = rememberLast<{ readonly path: string; readonly bytes: Buffer }>()
  return (disk, path) => {
    const known = last.get()
    if (known?.path === path && isStill(disk, path, known.bytes)) return known.bytes
    const bytes = disk.readAll(path)
    last.keep({ path, bytes })
    return bytes
  }
}

/** Why something cannot be read, reading it whole says. */
function isStill(disk: Disk, path: string, bytes: Buffer): boolean {
  let at = 0
  try {
    for (const piece of disk.readPiecesNow(path)) {
      const end = at + piece.length
      if (end > bytes.length || bytes.compare(piece, 0, piece.length, at, end) !== 0) return false
      at = end
    }
  } catch (trouble) {
    if (trouble instanceof StorageError) return false
    throw trouble
  }
  return at === bytes.length
}
