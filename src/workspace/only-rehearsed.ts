import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { lockOf, stateOf } from './layout.ts'
import { type ProjectPlace, placeOf } from './read/place.ts'

/** Whether a rehearsal is all that was made of a manifest so far; looks at names only. */
export function isOnlyRehearsed(manifest: string, cwd: string): boolean {
  const place = placeIn(manifest, cwd)
  if (!place) return false
  const isThere = (rehearsal: boolean) =>
    existsSync(lockOf(place, rehearsal)) || existsSync(stateOf(place, rehearsal))
  return isThere(true) && !isThere(false)
}

/** Whether a lock tells of what a real service made of it; looks at names only. */
export function isBought(manifest: string, cwd: string): boolean {
  const place = placeIn(manifest, cwd)
  return place !== undefined && existsSync(lockOf(place, false))
}

function placeIn(manifest: string, cwd: string): ProjectPlace | undefined {
  const path = resolve(cwd, manifest)
  return existsSync(path) ? placeOf(realpathSync(path)) : undefined
}
