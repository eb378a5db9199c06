import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { hasErrors } from '../base/diagnostic.ts'
import { settleRecords } from '../planning/check-records.ts'
import { cannotUseUpToDateMark } from '../planning/up-to-date/key.ts'
import { noteRecords } from '../planning/up-to-date/remember.ts'
import { type RunResult, runUnderClaim } from '../run/run-under-claim.ts'
import { openCache } from '../store/cache/cache.ts'
import { stateFolder } from '../store/files/state-folder.ts'
import { absolute, layoutOf } from '../workspace/layout.ts'
import { thisMachine } from '../workspace/machine.ts'
import { checkFile } from '../workspace/read/check.ts'
import { type Notes, openNotes } from '../workspace/read/notes.ts'
import { openPrices } from '../workspace/read/prices.ts'
import { byProfile, openProfile, rehearsable, rehearsed } from '../workspace/service/profile.ts'
import { baseUrlProblems, originOf } from '../workspace/service/service.ts'
import type { RunRequest, Setting } from '../workspace/workspace.ts'

export type { RunResult } from '../run/run-under-claim.ts'

/** Checks, plans and carries out a manifest. Never rejects for anything that a user, a disk or a service can cause. */
export async function runManifest(request: RunRequest): Promise<RunResult> {
  const notes = cannotUseUpToDateMark(request) ? undefined : notesOn(request)
  const seen = { ...request, seen: notes }
  const { manifest, place, problems } = checkFile(request.manifest, request.cwd, seen)
  if (!manifest || !place) return { got: 'refused', problems }
  const { value: prices, problems: inPrices } = openPrices(request.prices, request.cwd)
  if (inPrices.length > 0) return { got: 'refused', problems: inPrices }
  const { rehearsal } = request.service
  const reach = rehearsal ? undefined : request.service
  const { value: profile, problems: inProfile } = openProfile(
    request.profile,
    request.cwd,
    reach,
    manifest.own,
  )
  if (!profile) return { got: 'refused', problems: inProfile }
  const inAddress = baseUrlProblems(request.service, 'GENRUN_BASE_URL')
  if (hasErrors(inAddress)) return { got: 'refused', problems: inAddress }
  // Every waiting job listens to the stop.
  setMaxListeners(0, request.stop)
  if (rehearsal) request.service.introduce?.([...new Set(manifest.jobs.map(({ model }) => model))])
  const layout = layoutOf(place, manifest, absolute(request, manifest), rehearsal)
  const folders = stateFolder(layout.state)
  const setting: Setting = {
    request,
    manifest: rehearsal ? rehearsable(manifest, profile) : byProfile(manifest, profile),
    place,
    layout,
    folders,
    warnings: [...problems, ...inProfile, ...inAddress],
    machine: thisMachine,
    profile: rehearsal ? rehearsed(profile) : profile,
    ...(prices && { prices }),
    ...(request.cache && { cache: openCache(request.cache) }),
    ...(notes && { notes }),
    ...(rehearsal ? {} : { origin: originOf(request.service) }),
  }
  const against = await settleRecords(setting, request)
  if (against) return against
  if (notes) noteRecords(notes, { layout, folders })
  return runUnderClaim(setting)
}

/** Begun before anything is read, with the files that the request names. */
function notesOn({ cwd, manifest, catalog = [], prices, profile }: RunRequest): Notes {
  const notes = openNotes(thisMachine.clock.wall())
  for (const path of [manifest, ...catalog, prices, profile])
    if (path !== undefined) notes.text(resolve(cwd, path))
  return notes
}
