import type { Diagnostic } from '../base/diagnostic.ts'
import { withCacheAsked } from '../planning/ask-cache.ts'
import { guardsAgainst } from '../planning/guards.ts'
import type { Refused } from '../planning/make-plan.ts'
import { type WorkspaceRequest } from '../planning/open-workspace.ts'
import { type PlanRecord, planRecord } from '../planning/plan-record.ts'
import type { SavedPlan } from '../planning/saved-plan.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { fleetMarkOf } from '../workspace/layout.ts'
import { busy } from '../workspace/records/busy.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'
import type { RunRequest } from '../workspace/workspace.ts'

export type PlanResult =
  | Refused
  | Damaged
  | {
      readonly got: 'plan'
      readonly plan: PlanRecord
      /** What a run would refuse to begin with, as it is now. */
      readonly obstacles: readonly Diagnostic[]
      readonly warnings: readonly Diagnostic[]
      /** To be written to where the request says, and carried out by `apply`. */
      readonly saved?: SavedPlan
    }

/** What a run would do, with those asked that a run asks: the cache, and the fleet's store, where one is named, whether workers are at it or bought more. */
export async function planBesideFleet(
  request: WorkspaceRequest & Pick<RunRequest, 'store'>,
): Promise<PlanResult> {
  const planned = await withCacheAsked(request, () => {
    const seen = seeManifest(request)
    return { seen, result: planOf(seen, request) }
  })
  if ('got' in planned) return planned
  const { seen } = planned
  const result = await savedIfAsked(planned, request)
  if (seen.got !== 'seen' || result.got !== 'plan' || request.rehearsal) return result
  const { layout, machine } = seen.workspace
  // Most manifests have nothing to do with a fleet, and what knows of one is not loaded for them.
  if (request.store === undefined && !machine.disk.look(fleetMarkOf(layout))) return result
  const { seenBesideFleet } = await import('../run/planner/beside-fleet.ts')
  try {
    const beside = await seenBesideFleet(seen.workspace, seen.recorded, {
      url: request.store,
      buys: seen.planned.plan.buys,
    })
    return beside ? { ...result, obstacles: [...result.obstacles, beside] } : result
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** Most plans are not saved, and do without what knows how. */
async function savedIfAsked(
  { seen, result }: { readonly seen: ReturnType<typeof seeManifest>; readonly result: PlanResult },
  request: WorkspaceRequest,
): Promise<PlanResult> {
  const { savedTo } = request
  if (savedTo === undefined || seen.got !== 'seen' || result.got !== 'plan') return result
  const { savedPlan } = await import('../planning/saved-plan.ts')
  return { ...result, saved: savedPlan({ ...request, savedTo }, seen) }
}

/** The plan of what was seen, without what is saved of it. */
export function planOf(seen: ReturnType<typeof seeManifest>, request: WorkspaceRequest): PlanResult {
  if (seen.got !== 'seen') return seen
  const { planned, warnings, holder } = seen
  // Where nothing may be written a plan is still a plan: that a run could write nothing is only said.
  const isClosed = ({ code }: Diagnostic) => code === 'output-folder'
  const closed = planned.obstacles.filter(isClosed).map(({ message }) => `a run would stop: ${message}`)
  const plan = planRecord(request, seen)
  const remarks = [...plan.remarks, ...closed, ...(holder ? [busy(holder).message] : [])]
  return {
    got: 'plan',
    plan: { ...plan, remarks },
    obstacles: [...planned.obstacles.filter(each => !isClosed(each)), ...guardsAgainst(planned, request)],
    warnings,
  }
}
