import { setMaxListeners } from 'node:events'
import { basename } from 'node:path'
import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import { type Plan, planJobs } from '../plan/plan.ts'
import { type HolderSeen, takeClaim } from '../store/claim.ts'
import { lineageOf, readJournal } from '../store/journal.ts'
import { loadLock, newLock } from '../store/lock.ts'
import { foldJournal } from '../store/memory.ts'
import { prepareState } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { checkBaseUrl } from '../wire/address.ts'
import { carryOutPlan } from './carry-out.ts'
import { checkFile } from './check.ts'
import { digestInputs, factsOf } from './facts.ts'
import { layoutOf } from './layout.ts'
import { findObstacles, settingProblem } from './obstacles.ts'
import { recall } from './recall.ts'
import { reconcile } from './reconcile.ts'
import type { Report } from './report.ts'
import type { Recorded, RunRequest, Setting } from './setting.ts'

export type RunResult =
  /** Nothing was sent: the text, the settings or the safety rules are against it. Exit 2. */
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  /** Another genrun is at work on this manifest. Exit 5. */
  | { readonly got: 'busy'; readonly message: string; readonly hint: string }
  /** State on disk is damaged or cannot be written. Exit 7. */
  | { readonly got: 'damaged'; readonly message: string; readonly hint: string }
  | { readonly got: 'report'; readonly problems: readonly Diagnostic[]; readonly report: Report }

/** Checks, plans and carries out a manifest. Never rejects for anything that a user, a disk or a service can cause. */
export async function runManifest(request: RunRequest): Promise<RunResult> {
  const checked = checkFile(request.manifest, request.cwd)
  const { manifest, place } = checked
  if (!manifest || !place) return { got: 'refused', problems: checked.problems }
  const address = checkBaseUrl(request.service.baseUrl)
  if ('problem' in address) {
    const problem = settingProblem(
      'GENRUN_BASE_URL',
      request.service.baseUrl,
      'bad-base-url',
      address.problem,
    )
    return { got: 'refused', problems: [problem] }
  }
  // Every waiting job listens to the stop.
  setMaxListeners(0, request.stop)
  const layout = layoutOf(place, manifest, request.output, request.service.rehearsal)
  try {
    const folders = await prepareState(layout.state)
    const claimed = await takeClaim(folders.claim)
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      const setting = { request, manifest, place, layout, folders, warnings: checked.problems }
      const recorded = readRecorded(setting)
      if ('got' in recorded) return recorded
      return await runPlan(setting, recorded, claimed.claim)
    } finally {
      await claimed.claim.release()
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return {
      got: 'damaged',
      message: trouble.message,
      hint: 'mend the disk or its permissions, then run again; nothing is paid twice',
    }
  }
}

function readRecorded({ layout, place, folders }: Setting): Recorded | (RunResult & { got: 'damaged' }) {
  const loaded = loadLock(layout.lock, basename(place.manifest))
  if (loaded.got === 'damaged') {
    const where = loaded.line === undefined ? '' : ` (line ${loaded.line})`
    return {
      got: 'damaged',
      message: `${layout.lock}: ${loaded.why}${where}`,
      hint: 'put it back from version control, so that nothing is bought twice',
    }
  }
  const reading = readJournal(folders.journal)
  if (reading.got === 'damaged') {
    return {
      got: 'damaged',
      message: `${reading.file}: ${reading.why}, at byte ${reading.offset}`,
      hint: 'nothing is bought until it is clear what was paid for; keep a copy of this file',
    }
  }
  const lineage = lineageOf(reading.entries)
  const lock =
    loaded.got === 'lock'
      ? loaded.lock
      : { ...newLock(basename(place.manifest)), ...(lineage && { lineage }) }
  const entries = new Map(lock.jobs.map(entry => [entry.address, entry]))
  const journal = reconcile(
    loaded.got === 'lock' ? lock.lineage : undefined,
    lineage,
    foldJournal(reading.entries),
  )
  return {
    lock,
    lockText: loaded.got === 'lock' ? loaded.text : undefined,
    entries,
    memories: recall(entries, journal),
  }
}

async function runPlan(
  setting: Setting,
  recorded: Recorded,
  claim: Parameters<typeof carryOutPlan>[2],
): Promise<RunResult> {
  const { manifest, place, layout, request, warnings } = setting
  const inputs = digestInputs(manifest, place)
  if (hasErrors(inputs.problems)) return { got: 'refused', problems: inputs.problems }
  const plan: Plan = planJobs(manifest.jobs, factsOf(recorded.memories, inputs, layout), request.wish)
  const obstacles = plan.buys > 0 ? findObstacles(plan, manifest, layout, recorded.entries.values()) : []
  if (obstacles.length > 0) return { got: 'refused', problems: obstacles }
  const report = await carryOutPlan(setting, { plan, ...recorded }, claim)
  return { got: 'report', problems: warnings, report }
}

function busy(holder: HolderSeen): RunResult {
  if (holder.is === 'unknown') {
    return {
      got: 'busy',
      message: `the claim ${holder.path} cannot be read`,
      hint: 'if no genrun is at work on this manifest, remove that file',
    }
  }
  const since = new Date(holder.since).toISOString()
  const who = `process ${holder.pid} on ${holder.host}, since ${since}`
  const hint =
    holder.is === 'alive'
      ? 'wait for it, or stop it'
      : 'that machine cannot be seen from here: make sure that it is not at work, then remove the claim'
  return { got: 'busy', message: `another genrun is at work on this manifest: ${who}`, hint }
}
