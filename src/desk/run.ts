import { setMaxListeners } from 'node:events'
import { openCache } from '../store/cache.ts'
import { stateFolder } from '../store/state-folder.ts'
import { checkBaseUrl } from '../wire/address.ts'
import { checkFile } from './check.ts'
import { absolute, layoutOf } from './layout.ts'
import { thisMachine } from './machine.ts'
import { settingProblem } from './obstacles.ts'
import { openPrices } from './prices.ts'
import { byProfile, openProfile, rehearsed } from './profile.ts'
import type { RunRequest } from './setting.ts'
import { type RunResult, runUnderClaim } from './under-claim.ts'

export type { RunResult } from './under-claim.ts'

/** Checks, plans and carries out a manifest. Never rejects for anything that a user, a disk or a service can cause. */
export async function runManifest(request: RunRequest): Promise<RunResult> {
  const { manifest, place, problems } = checkFile(request.manifest, request.cwd, request.vars)
  if (!manifest || !place) return { got: 'refused', problems }
  const { value: prices, problems: inPrices } = openPrices(request.prices, request.cwd)
  if (inPrices.length > 0) return { got: 'refused', problems: inPrices }
  const { baseUrl, rehearsal } = request.service
  const reach = rehearsal ? undefined : request.service
  const { value: profile, problems: inProfile } = openProfile(request.profile, request.cwd, reach)
  if (!profile) return { got: 'refused', problems: inProfile }
  const address = checkBaseUrl(baseUrl)
  if ('problem' in address) {
    return {
      got: 'refused',
      problems: [settingProblem('GENRUN_BASE_URL', baseUrl, 'bad-base-url', address.problem)],
    }
  }
  // Every waiting job listens to the stop.
  setMaxListeners(0, request.stop)
  const layout = layoutOf(place, manifest, absolute(request), rehearsal)
  const folders = stateFolder(layout.state)
  return runUnderClaim({
    request,
    manifest: byProfile(manifest, profile),
    place,
    layout,
    folders,
    warnings: [...problems, ...inProfile],
    machine: thisMachine,
    profile: rehearsal ? rehearsed(profile) : profile,
    ...(prices && { prices }),
    ...(request.cache && { cache: openCache(request.cache) }),
  })
}
