import type { PurchaseId } from '../../base/names.ts'
import type { Turns } from '../../base/turns.ts'
import type { World } from '../../engine/world.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { sameRecipe } from '../../plan/recipe.ts'
import type { OrderReply, Wire } from '../../wire/http/wire.ts'
import type { FleetTask } from '../fleet-job.ts'

/** What is found to send has to be what was planned: a checkout may be another one. */
export function checked(
  prepare: World['prepare'],
  drafts: ReadonlyMap<PurchaseId, FleetTask['recipe']>,
): World['prepare'] {
  return async task => {
    const prepared = await prepare(task)
    const draft = drafts.get(task.purchase)
    if (prepared.got !== 'prepared' || !draft || sameRecipe(draft, prepared.recipe)) return prepared
    const detail = 'the files here are not those that it was planned with'
    return { got: 'held-back', failure: { why: 'bad-input', path: 'its inputs', detail } }
  }
}

interface Pacing {
  readonly turns: Turns
  readonly fleet: Fleet
  readonly stop: AbortSignal
  /** Orders of all workers together begin at a rate. */
  readonly isPaced: boolean
}

export function paced(wire: Wire, { turns, fleet, stop, isPaced }: Pacing): Wire {
  return {
    ...wire,
    async order(sent, beforeFirstByte): Promise<OrderReply> {
      return turns(async () => {
        if (isPaced) await fleet.store.take(wire.origin, 1, stop)
        return wire.order(sent, beforeFirstByte)
      })
    },
  }
}
