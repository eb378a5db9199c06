import type { Damaged } from '../workspace/records/recorded.ts'
import { recordsAgainst } from './check-records.ts'
import type { Refused } from './draw.ts'
import { type GroundRequest, type Seen, seePlan } from './see-plan.ts'

/** What would be done, where the records can be counted on: whatever is said of a manifest without them is not true. */
export function seeManifest(request: GroundRequest): Seen | Refused | Damaged {
  return seePlan(request, ground => recordsAgainst(ground, request))
}
