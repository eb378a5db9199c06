import { relative, resolve, sep } from 'node:path'
import { asFarAsSeen, realPathAt, statAt } from '../../disk/look.ts'
import { DiskRefusal, isBelow, type OpenFile, withOpenFile } from '../../disk/open.ts'
import type { InputLook } from '../../manifest/shapes/job.ts'
import { movieSeconds, type ReadAt } from '../../media/movie-seconds.ts'
import { type PictureSize, pictureHeadBytes, pictureSize } from '../../media/picture-size.ts'
import { webmSeconds } from '../../media/webm-seconds.ts'
import type { ProjectPlace } from './place.ts'

const headBytes = 4096

/**
 * Looks at a local input, reading only its head. Nothing outside the project and nothing in a folder that begins with
 * a dot is opened, wherever links lead (docs/contract.md section 5).
 */
export function lookAt(path: string, place: ProjectPlace): InputLook {
  const look = withInput(
    path,
    place,
    ({ bytes, read }): InputLook => ({ is: 'file', bytes, head: read(0, headBytes) }),
  )
  return typeof look === 'string' ? { is: look } : look
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
  use: (readAt: ReadAt, bytes: number) => T,
): T | undefined {
  const read = withInput(path, place, file => ({ got: use(file.read, file.bytes) }))
  return typeof read === 'string' ? undefined : read.got
}

/** Why an input is not opened. */
type NoInput = Exclude<InputLook['is'], 'file'>

/**
 * Opens an input for one use. What was looked at is what is opened: a file that is swapped in between for one that lies elsewhere is
 * not read. `use` does not throw what the system says.
 */
export function withInput<T extends object>(
  path: string,
  place: ProjectPlace,
  use: (file: OpenFile) => T,
): T | NoInput {
  const real = asFarAsSeen(() => realPathAt(resolve(place.folder, path)))
  if (real === undefined) return 'missing'
  if (!isBelow(real, place.root)) return 'outside'
  const inside = relative(place.root, real)
  if (inside.split(sep).some(step => step.startsWith('.') && step !== '.')) return 'hidden'
  try {
    return withOpenFile(real, { mostBytes: Number.POSITIVE_INFINITY, at: real }, use)
  } catch (cause) {
    if (cause instanceof DiskRefusal && cause.is !== 'large') return cause.is
    return unopened(real)
  }
}

/** What the system does not open: a folder or a socket on some, or what this user may not read. */
function unopened(real: string): NoInput {
  const stat = asFarAsSeen(() => statAt(real))
  if (stat?.isDirectory()) return 'folder'
  return stat && !stat.isFile() ? 'special' : 'unreadable'
}
