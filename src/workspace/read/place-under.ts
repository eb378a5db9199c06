import { resolve } from 'node:path'
import { realPathAt } from '../../disk/look.ts'
import { isBelow } from '../../disk/open.ts'

/**
 * Whether a path lies in a folder, links followed: for callers that are not the user, who may name no manifest
 * elsewhere. What is not there is for the reader to tell.
 */
export function placeUnder(
  folder: string,
  path: string,
): { readonly got: 'inside' } | { readonly got: 'outside'; readonly message: string } {
  return isBelow(real(resolve(folder, path)), real(folder))
    ? { got: 'inside' }
    : { got: 'outside', message: `${path} lies outside the folder of this server, and is not read` }
}

function real(path: string): string {
  try {
    return realPathAt(path)
  } catch {
    return path
  }
}
