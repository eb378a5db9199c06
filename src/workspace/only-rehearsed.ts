import { resolve } from 'node:path'
import { isThere, realPathAt } from '../disk/look.ts'
import { lockOf, stateOf } from './layout.ts'
import { type ProjectPlace, placeOf } from './read/place.ts'

/** Whether a rehearsal is all that was made of a manifest so far; looks at names only. */
export function isOnlyRehearsed(manifest: string, cwd: string): boolean {
  const place = placeIn(manifest, cwd)
  if (!place) return false
  const isAnyThere = (rehearsal: boolean) =>
    isThere(lockOf(place, rehearsal)) || isThere(stateOf(place, rehearsal))
  return isAnyThere(true) && !isAnyThere(false)
}

/** Whether a lock tells of what a real service made of it; looks at names only. */
export function isBought(manifest: string, cwd: string): boolean {
  const place = placeIn(manifest, cwd)
  return place !== undefined && isThere(lockOf(place, false))
}

function placeIn(manifest: string, cwd: string): ProjectPlace | undefined {
  const path = resolve(cwd, manifest)
  return isThere(path) ? placeOf(realPathAt(path)) : undefined
}
