import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { JobState } from '../../base/state.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import type { Planner } from '../../fleet/planners.ts'
import type { Unheard } from '../../fleet/works.ts'
import { allUnheard } from './follow-fleet.ts'

/** Orders of a fleet that may have been billed since its run began: each counts once, however often a job was ordered. */
export interface PaidOrders {
  /** How an order stands. */
  hear(order: Pick<Purchase, 'id' | 'address'> & Partial<Purchase>): void
  /** A job has ended, whether or not its order was heard of. */
  ended(address: JobAddress, state: JobState): void
  /** How many of each job. */
  many(): ReadonlyMap<JobAddress, number>
}

/** `before`: what is known of when the run begins was paid for by others. */
export function paidOrders(before: Iterable<{ readonly id: string }>): PaidOrders {
  const known = new Set<string>([...before].map(({ id }) => id))
  const heard = new Map<JobAddress, Set<PurchaseId>>()
  const ended = new Set<JobAddress>()
  return {
    hear({ id, address, is, ...more }) {
      const isFree = is === 'open' || (is === 'failed' && 'billed' in more && more.billed === 'no')
      const its = heard.get(address) ?? new Set()
      if (isFree) its.delete(id)
      else if (!known.has(id)) its.add(id)
      if (its.size > 0) heard.set(address, its)
      else heard.delete(address)
    },
    ended: (address, state) => void (mayBePaid(state) && ended.add(address)),
    many() {
      const unheard = [...ended].flatMap(each => (heard.has(each) ? [] : [[each, 1] as const]))
      return new Map([...[...heard].map(([address, ids]) => [address, ids.size] as const), ...unheard])
    },
  }
}

function mayBePaid(state: JobState): boolean {
  return state.is === 'failed' ? state.billed !== 'no' : state.is !== 'skipped'
}

/** What a fleet has under way when nobody follows it any more. */
interface LeftUnderWay {
  readonly news: readonly Unheard[]
  /** Sent, and not answered yet. */
  readonly sending: readonly { readonly address: JobAddress; readonly purchase: PurchaseId }[]
  /** How many are at work on it. */
  readonly workers: number
}

export async function leftUnderWay(
  { batch, queue }: Pick<Planner, 'batch' | 'queue'>,
  store: Pick<FleetStore, 'unheard' | 'sending' | 'workers'>,
): Promise<LeftUnderWay> {
  const news: Unheard[] = []
  for await (const some of allUnheard(batch, store)) news.push(...some)
  return { news, sending: await store.sending(batch), workers: (await store.workers(queue)).here }
}

/** What is to be told of a job that nobody follows any more; undefined where nothing of it is under way. */
export function leftAs(purchase: Purchase): JobState | undefined {
  switch (purchase.is) {
    case 'under-way':
    case 'done':
      return { is: 'detached', because: { why: 'stopped' }, run: purchase.run }
    case 'doubt':
      return { is: 'doubt', detail: purchase.detail }
    case 'open':
    case 'failed':
      return undefined
  }
}
