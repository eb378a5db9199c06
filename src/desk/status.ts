import { type HolderSeen, seeHolder } from '../store/claim.ts'
import { StorageTrouble } from '../store/trouble.ts'
import type { Refused } from './draw/draw.ts'
import { damaged, type GroundRequest, seePlan } from './ground/ground.ts'
import type { Damaged } from './ground/recorded.ts'
import { type OpenOrder, openOrders } from './open-orders.ts'

/** How a manifest stands between two runs. */
export interface StatusRecord {
  readonly manifest: string
  readonly jobs: number
  readonly done: number
  /** What the next run would order, were it to begin now. */
  readonly toBuy: number
  readonly open: readonly OpenOrder[]
  /** Another genrun at work: what is open may be closed a moment later. */
  readonly holder?: HolderSeen
}

export type StatusResult = Refused | Damaged | { readonly got: 'status'; readonly status: StatusRecord }

/** What is open, by lock and journal. No key, no request, no write; another genrun may be at work meanwhile. */
export function statusOf(request: GroundRequest): StatusResult {
  const seen = seePlan(request)
  if (seen.got !== 'seen') return seen
  const { ground, drawn } = seen
  const { steps, buys } = drawn.plan
  const { disk, self } = ground.machine
  try {
    const holder = seeHolder(ground.folders.claim, { disk, self: self() })
    return {
      got: 'status',
      status: {
        manifest: request.manifest,
        jobs: drawn.jobs.length,
        done: steps.filter(step => step.do === 'keep' || step.do === 'adopt').length,
        toBuy: buys,
        open: openOrders(seen, request.manifest),
        ...(holder && { holder }),
      },
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}
