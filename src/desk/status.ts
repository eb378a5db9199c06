import type { JobAddress } from '../base/names.ts'
import { type HolderSeen, seeHolder } from '../store/claim.ts'
import { findKept } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import type { Refused } from './draw/draw.ts'
import { damaged, type GroundRequest, type Seen } from './ground/ground.ts'
import { type SetAside, statesAside } from './ground/lineage.ts'
import type { Damaged } from './ground/recorded.ts'
import { seeManifest } from './lost/see.ts'
import { type OpenOrder, openOrders } from './open-orders.ts'
import { lockedGround, seeLocked } from './single/locked-ground.ts'

/** How a manifest stands between two runs. */
export interface StatusRecord {
  readonly manifest: string
  /** It is a lock of `generate --lock`: what is open is gone on with by the same call. */
  readonly isOfCalls?: true
  readonly jobs: number
  readonly done: number
  /** What the next run would order, were it to begin now. */
  readonly toBuy: number
  readonly open: readonly OpenOrder[]
  /** Paid for, and kept for the day that the manifest asks for it again; files with absolute paths. */
  readonly aside: readonly AsideResult[]
  /** State of other lineages, set aside with what it owes. */
  readonly foreign: readonly SetAside[]
  /** Another genrun at work: what is open may be closed a moment later. */
  readonly holder?: HolderSeen
}

export type StatusResult = Refused | Damaged | { readonly got: 'status'; readonly status: StatusRecord }

/** One that lies in the way still, and those that were set aside. */
function foreignStates({ recorded, ground }: Seen): SetAside[] {
  const { layout, machine } = ground
  const { foreign } = recorded
  const inTheWay = foreign ? [{ ...foreign, folder: layout.state }] : []
  return [...inTheWay, ...statesAside(layout.state, machine.disk)]
}

/** A result that nobody asks for now. */
export interface AsideResult {
  readonly address: JobAddress
  readonly prompt?: string
  readonly files: readonly string[]
}

function asideResults({ recorded, ground, drawn }: Seen): AsideResult[] {
  const asked = new Set(drawn.plan.steps.flatMap(step => ('entry' in step ? [step.entry.id] : [])))
  const { folders, machine } = ground
  return recorded.purchases.flatMap(each => {
    if (each.is !== 'done' || !each.aside || asked.has(each.id)) return []
    const { prompt } = each.recipe.params
    const files = each.files.flatMap(file => findKept(file, folders.kept, machine.disk) ?? [])
    return { address: each.address, ...(typeof prompt === 'string' && { prompt }), files }
  })
}

/** What is open, by lock and journal. No key, no request, no write; another genrun may be at work meanwhile. */
export function statusOf(request: GroundRequest): StatusResult {
  const locked = lockedGround(request)
  if (locked && 'got' in locked) return locked
  const seen = locked ? seeLocked(locked) : seeManifest(request)
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
        ...(locked && { isOfCalls: true }),
        jobs: drawn.jobs.length,
        done: steps.filter(step => step.do === 'keep' || step.do === 'adopt').length,
        toBuy: buys,
        open: openOrders(seen, { manifest: request.manifest, isOfCalls: locked !== undefined }),
        aside: asideResults(seen),
        foreign: foreignStates(seen),
        ...(holder && { holder }),
      },
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}
