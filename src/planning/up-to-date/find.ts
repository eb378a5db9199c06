import { resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { realPathAt } from '../../disk/look.ts'
import type { Planned } from '../../wording/report.ts'
import { placeOf } from '../../workspace/read/place.ts'
import { foundDigest } from '../../workspace/read/stamp.ts'
import type { RunRequest } from '../../workspace/workspace.ts'
import { cannotUseUpToDateMark, requestDigest } from './key.ts'
import { isUnchanged, plannedToKeep, recalled } from './recall.ts'

/** Nothing is to be done: what a run tells that has looked at everything, short of a line for every job. */
export interface UpToDate {
  readonly got: 'unchanged'
  readonly planned: Planned
}

/**
 * Whether an earlier run of this very request found nothing to do, and nothing that it stood on has changed since. Reads
 * and writes nothing else. Undefined says nothing at all: whatever differs, is missing, cannot be read or is odd, a run
 * that looks at everything has to tell.
 */
export async function findUpToDate(request: RunRequest): Promise<UpToDate | undefined> {
  if (cannotUseUpToDateMark(request)) return undefined
  try {
    return await recallNothing(request)
  } catch {
    return undefined
  }
}

async function recallNothing(request: RunRequest): Promise<UpToDate | undefined> {
  const place = placeOf(realPathAt(resolve(request.cwd, request.manifest)))
  const read = recalled(place, requestDigest(request))
  if (!read) return undefined
  const { globs } = read.memory
  // Most manifests have none, and are answered sooner without what finds them.
  if (globs.length > 0) {
    const { globFiles } = await import('../../workspace/read/globs.ts')
    const isSame = globs.every(({ pattern, found }) => foundDigest(globFiles(pattern, place)) === found)
    if (!isSame) return undefined
  }
  return isUnchanged(read, place)
    ? { got: 'unchanged', planned: plannedToKeep(read.memory, systemClock.now()) }
    : undefined
}
