import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import { settleRecords } from '../planning/go-on.ts'
import { openWorkspace } from '../planning/open-workspace.ts'
import { cannotUseUpToDateMark } from '../planning/up-to-date/key.ts'
import { noteRecords } from '../planning/up-to-date/remember.ts'
import { type RunResult, runUnderClaim } from '../run/run-under-claim.ts'
import { thisMachine } from '../workspace/machine.ts'
import { type Notes, openNotes } from '../workspace/read/notes.ts'
import { isUsable } from '../workspace/service/named.ts'
import type { RunRequest, Setting } from '../workspace/workspace.ts'

export type { RunResult } from '../run/run-under-claim.ts'

/** Checks, plans and carries out a manifest. Never rejects for anything that a user, a disk or a service can cause. */
export async function runManifest(request: RunRequest): Promise<RunResult> {
  const notes = cannotUseUpToDateMark(request) ? undefined : notesOn(request)
  const { service } = request
  const { rehearsal } = service
  const opened = openWorkspace({ ...request, rehearsal, ...defined({ seen: notes }) })
  if ('got' in opened) return opened
  // Every waiting job listens to the stop.
  setMaxListeners(0, request.stop)
  const { manifest, layout, folders } = opened
  if (rehearsal) service.introduce?.([...new Set(manifest.jobs.map(({ model }) => model))])
  const setting: Setting = { ...opened, request, ...defined({ notes }) }
  const against = await settleRecords(setting, request)
  if (against) return against
  if (notes) noteRecords(notes, { layout, folders })
  return runUnderClaim(setting)
}

/** Begun before anything is read, with the files that the request names. */
function notesOn({ cwd, manifest, catalog = [], prices, profile, service }: RunRequest): Notes {
  const notes = openNotes(thisMachine.clock.wall())
  const profiles = Object.values(service.others ?? {}).map(each =>
    isUsable(each) ? each.profile : undefined,
  )
  for (const path of [manifest, ...catalog, prices, profile, ...profiles])
    if (path !== undefined) notes.text(resolve(cwd, path))
  return notes
}
