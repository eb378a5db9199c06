import { relative, resolve } from 'node:path'
import type { TextRead } from '../../manifest/shapes/job.ts'
import { decode } from './guarded.ts'
import { withInput } from './look.ts'
import type { ProjectPlace } from './place.ts'

export const longestFile = 64 * 1024 * 1024

/** Reads a text of the project. What may not be sent may not be read either. `cwd` is what its name counts from. */
export function readTextAt(path: string, place: ProjectPlace, cwd: string): TextRead {
  const read = withInput(path, place, file =>
    file.bytes > longestFile ? { isLarge: true } : file.readWhole(),
  )
  if (typeof read === 'string') return { is: read }
  if (!(read instanceof Uint8Array)) return { is: 'large' }
  const text = decode(read)
  const full = resolve(place.folder, path)
  return text === undefined
    ? { is: 'binary' }
    : { is: 'text', file: { name: relative(cwd, full) || path, text } }
}
