import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { lockOf, stateOf } from './layout.ts'
import { placeOf } from './read/place.ts'

/** Whether a rehearsal is all that was made of a manifest so far; looks at names only. */
export function isOnlyRehearsed(manifest: string, cwd: string): boolean {
  const path = resolve(cwd, manifest)
  if (!existsSync(path)) return false
  const place = placeOf(realpathSync(path))
  const isThere = (rehearsal: boolean) =>
    existsSync(lockOf(place, rehearsal)) || existsSync(stateOf(place, rehearsal))
  return isThere(true) && !isThere(false)
}
