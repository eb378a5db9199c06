import { realPathAt } from '../disk/look.ts'
import { DiskRefusal, type OpenPieces, openPieces } from '../disk/open.ts'
import { systemDisk } from '../store/files/disk.ts'
import { findPlace } from '../store/files/safe-path.ts'
import { StorageError } from '../store/files/storage-error.ts'

/** A file of a result: its place comes from the lock, and from nowhere else. */
export interface ServedFile {
  readonly output: string
  /** Relative to the output folder, as the lock has it. */
  readonly path: string
  readonly type: string
}

/**
 * Opens a file that the lock names, through the one gate: a path that leads out of the output folder, by whatever link, is none.
 * Undefined where nothing can be opened.
 */
export function openServed({ output, path }: ServedFile): OpenPieces | undefined {
  try {
    const place = findPlace(systemDisk, output, path)
    if (place === undefined) return undefined
    return openPieces(place, { mostBytes: Number.POSITIVE_INFINITY, within: realPathAt(output) })
  } catch (cause) {
    const isNone = cause instanceof StorageError || cause instanceof DiskRefusal || isOfSystem(cause)
    if (isNone) return undefined
    throw cause
  }
}

function isOfSystem(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause
}
