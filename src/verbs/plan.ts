import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { savedPlan } from '../planning/saved-plan.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { type PlanResult, planOf } from './plan-beside-fleet.ts'

/** What a run would do, why, and at what cost. No write, no request (docs/contract.md P11). */
export function planManifest(request: WorkspaceRequest): PlanResult {
  const seen = seeManifest(request)
  const result = planOf(seen, request)
  const { savedTo } = request
  if (savedTo === undefined || seen.got !== 'seen' || result.got !== 'plan') return result
  return { ...result, saved: savedPlan({ ...request, savedTo }, seen) }
}
