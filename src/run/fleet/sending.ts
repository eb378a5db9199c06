import type { Clock } from '../../base/clock.ts'
import type { PurchaseId } from '../../base/names.ts'
import type { Turns } from '../../base/turns.ts'
import type { World } from '../../engine/world.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { sameRecipe } from '../../plan/shapes/recipe.ts'
import type { OrderReply, Wire } from '../../wire/http/wire.ts'
import type { FleetTask } from '../planner/fleet-job.ts'

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
  readonly worker: string
  readonly clock: Clock
  readonly stop: AbortSignal
  /** Orders of all workers together begin at a rate. */
  readonly isPaced: boolean
}

const canaryMs = 500

/** Sends as all workers do together: in turns, at their rate, and after the first of a workflow was taken. */
export function paced(wire: Wire, { turns, fleet, worker, clock, stop, isPaced }: Pacing): Wire {
  const { store } = fleet
  const { origin } = wire
  const proven = new Set<string>()

  async function isCanary(workflow: string): Promise<boolean> {
    while (!proven.has(workflow) && !stop.aborted) {
      const word = await store.canary(origin, workflow, worker)
      if (word === 'test') return true
      if (word === 'go') proven.add(workflow)
      else await clock.until(clock.now() + canaryMs, stop)
    }
    return false
  }

  return {
    ...wire,
    async order(sent, beforeFirstByte): Promise<OrderReply> {
      const { workflow } = sent
      const tests = await isCanary(workflow)
      const reply = await turns(async () => {
        if (isPaced) await store.take(origin, 1, stop)
        return wire.order(sent, beforeFirstByte)
      })
      // Not waited for: what came has to be written down first.
      const tell = (said: Promise<void>) => void said.catch(() => undefined)
      if (reply.got === 'refused' && reply.canRetry) tell(store.busy(origin))
      const isTaken = reply.got === 'run' || reply.got === 'files' || reply.got === 'failure'
      if (isTaken) proven.add(workflow)
      if (tests) tell(store.tested(origin, workflow, worker, isTaken))
      return reply
    },
  }
}
