import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'

/**
 * Whether a path lies in a folder, links followed: for callers that are not the user, who may name no manifest
 * elsewhere. What is not there is for the reader to tell.
 */
export function placeUnder(
  folder: string,
  path: string,
): { readonly got: 'inside' } | { readonly got: 'outside'; readonly message: string } {
  const inside = relative(real(folder), real(resolve(folder, path)))
  const isOutside = inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside
  return isOutside
    ? { got: 'outside', message: `${path} lies outside the folder of this server, and is not read` }
    : { got: 'inside' }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
