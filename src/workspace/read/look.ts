import { closeSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Look } from '../../manifest/shapes/job.ts'
import { movieSeconds, type ReadAt } from '../../media/movie-seconds.ts'
import { type PictureSize, pictureHeadBytes, pictureSize } from '../../media/picture-size.ts'
import { webmSeconds } from '../../media/webm-seconds.ts'
import { isBelow } from './guarded.ts'
import type { ProjectPlace } from './place.ts'

const headBytes = 4096

/**
 * Looks at a local input, reading only its head. Nothing outside the project and nothing in a folder that begins with
 * a dot is opened, wherever links lead (docs/contract.md section 5).
 */
export function lookAt(path: string, place: ProjectPlace): Look {
  const real = realPath(resolve(place.folder, path))
  if (real === undefined) return { is: 'missing' }
  if (!isBelow(real, place.root)) return { is: 'outside' }
  const inside = relative(place.root, real)
  if (inside.split(sep).some(step => step.startsWith('.') && step !== '.')) return { is: 'hidden' }
  let stat: Stats
  try {
    stat = statSync(real)
  } catch {
    return { is: 'unreadable' }
  }
  if (stat.isDirectory()) return { is: 'folder' }
  if (!stat.isFile()) return { is: 'special' }
  const head = readHead(real)
  return head ? { is: 'file', bytes: stat.size, head } : { is: 'unreadable' }
}

/** How long a local MP4, MOV or WebM lasts, by its header. */
export function secondsAt(path: string, place: ProjectPlace): number | undefined {
  return readInside(path, place, (readAt, bytes) => movieSeconds(readAt, bytes) ?? webmSeconds(readAt, bytes))
}

/** The pixels of a local picture, by its head. */
export function pixelsAt(path: string, place: ProjectPlace): PictureSize | undefined {
  return readInside(path, place, readAt => pictureSize(readAt(0, pictureHeadBytes)))
}

/** Reads in a file of the project; undefined where that is none, or cannot be read. */
function readInside<T>(
  path: string,
  place: ProjectPlace,
  read: (readAt: ReadAt, bytes: number) => T,
): T | undefined {
  const look = lookAt(path, place)
  if (look.is !== 'file') return undefined
  try {
    const handle = openSync(resolve(place.folder, path), 'r')
    const readAt = (start: number, length: number) => {
      const bytes = new Uint8Array(Math.min(length, Math.max(0, look.bytes - start)))
      return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, start))
    }
    try {
      return read(readAt, look.bytes)
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function readHead(path: string): Uint8Array | undefined {
  try {
    const handle = openSync(path, 'r')
    try {
      const head = Buffer.alloc(headBytes)
      return head.subarray(0, readSync(handle, head, 0, headBytes, 0))
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}
