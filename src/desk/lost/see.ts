import type { Refused } from '../draw/draw.ts'
import { type GroundRequest, type Seen, seePlan } from '../ground/ground.ts'
import type { Damaged } from '../ground/recorded.ts'
import { recordsAgainst } from './before.ts'

/** What would be done, where the records can be counted on: whatever is said of a manifest without them is not true. */
export function seeManifest(request: GroundRequest): Seen | Refused | Damaged {
  return seePlan(request, ground => recordsAgainst(ground, request))
}
