import { closeSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Look } from '../manifest/job.ts'
import type { ProjectPlace } from './place.ts'

const headBytes = 4096

/**
 * Looks at a local input, reading only its head. Nothing outside the project and nothing in a folder that begins with
 * a dot is opened, wherever links lead (RELIABILITY.md section 5).
 */
export function lookAt(path: string, place: ProjectPlace): Look {
  const real = realPath(resolve(place.folder, path))
  if (real === undefined) return { is: 'missing' }
  const inside = relative(place.root, real)
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) return { is: 'outside' }
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
