import type { Damaged } from '../workspace/records/recorded.ts'
import { recordsAgainst } from './check-records.ts'
import type { Refused } from './make-plan.ts'
import { type SeeingOptions, type Seen, seePlan, type WorkspaceRequest } from './open-workspace.ts'

/** What would be done, where the records can be counted on: whatever is said of a manifest without them is not true. */
export function seeManifest(request: WorkspaceRequest, options?: SeeingOptions): Seen | Refused | Damaged {
  return seePlan(request, workspace => recordsAgainst(workspace, request), options)
}
