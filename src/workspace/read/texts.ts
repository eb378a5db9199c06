import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Read } from '../../manifest/shapes/job.ts'
import { decode } from './guarded.ts'
import { lookAt } from './look.ts'
import type { ProjectPlace } from './place.ts'

export const longestText = 64 * 1024 * 1024

/** Reads a text of the project. What may not be sent may not be read either. `cwd` is what its name counts from. */
export function readTextAt(path: string, place: ProjectPlace, cwd: string): Read {
  const look = lookAt(path, place)
  if (look.is !== 'file') return { is: look.is }
  if (look.bytes > longestText) return { is: 'large' }
  const full = resolve(place.folder, path)
  let bytes: Buffer
  try {
    bytes = readFileSync(full)
  } catch {
    return { is: 'unreadable' }
  }
  const text = decode(bytes)
  return text === undefined
    ? { is: 'binary' }
    : { is: 'text', file: { name: relative(cwd, full) || path, text } }
}
