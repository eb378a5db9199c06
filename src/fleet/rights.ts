import { randomUUID } from 'node:crypto'
import type { PurchaseId } from '../base/names.ts'
import { asked, type Context } from './context.ts'
import { gather } from './gather.ts'
import { repeat } from './repeat.ts'
import {
  type FleetState,
  freshness,
  keyOf,
  type OrderIdentity,
  type OrderStanding,
  type Right,
  type SentOnce,
  type WantedOrder,
} from './right.ts'

/** Who may send, and what is known of orders. */
export interface Rights {
  /** The right to send, the budget and the lease in one durable commit. Only `got: 'right'` lets a byte leave. */
  right(worker: string, order: WantedOrder): Promise<RightAnswer>
  /** How an order stands. */
  standing(order: OrderIdentity): Promise<OrderStanding | undefined>
  /** Those of these orders that were sent and have not come to an end. */
  open(keys: readonly PurchaseId[]): Promise<readonly OrderStanding[]>
  /** Those of these orders that have come to an end here, as far as this store knows them. */
  settled(keys: readonly PurchaseId[]): Promise<ReadonlySet<PurchaseId>>
  /** No byte left; the price is free again. */
  notSent(sent: SentOnce): Promise<Noted>
  /** The service definitely refused it; the price is free again. */
  refused(sent: SentOnce, detail: string): Promise<Noted>
  /** By whoever is handed an order whose attempt seems dead. True: nobody kept it up for a lease, and it is in doubt now. */
  declareDead(sent: SentOnce): Promise<boolean>
}

type RightAnswer =
  | { readonly got: 'right'; readonly right: Right }
  /** `taken`: it is under way, bought or in doubt already; `standing` says which. */
  | { readonly got: 'taken' | 'no lease' | 'over budget' }
  /** It was withdrawn, or another plan has been handed out since. */
  | { readonly got: 'unwanted' }
  /** The store was not there for as long as a right lasts, or was closed. */
  | { readonly got: 'no answer' }

/** `unrecorded`: the store was closed first. */
export type Noted = 'recorded' | 'unrecorded'

export function rightsOf(context: Context): Rights {
  const { connections, clock } = context
  const { statements } = context.sql
  const askRights = gather((wanted: readonly SentOnce[]) =>
    connections.ask<Taken>(statements.right, [JSON.stringify(wanted)]),
  )

  async function unsent(
    { batch, identity, attempt }: Pick<SentOnce, 'batch' | 'identity' | 'attempt'>,
    state: FleetState,
    detail?: string,
  ): Promise<Noted> {
    return recorded(await asked(context, statements.unsent, [batch, identity, attempt, state, detail]))
  }

  return {
    async right(worker, order) {
      const { batch, identity } = order
      const [attempt, purchase] = [randomUUID(), keyOf(order)]
      // Counted from before it is asked for: it begins later at the server, and ends earlier here.
      const { until, isGood } = freshness(clock)
      let isTroubled = false
      const sent: SentOnce = { ...order, attempt, purchase, worker }
      const rows = await repeat(() => askRights(sent), {
        ...context,
        until,
        tell(trouble) {
          isTroubled = true
          context.tell?.(trouble)
        },
      })
      const got = rows?.find(each => each.attempt === attempt)?.got
      if (got === 'right') return { got, right: { ...sent, isGood } }
      // An answer that was lost may have been a right. Nothing left by it.
      if (isTroubled) await unsent({ batch, identity, attempt }, 'NOTSENT')
      return { got: got ?? 'no answer' }
    },
    async standing({ batch, identity }) {
      return (await asked<OrderStanding>(context, statements.standing, [batch, identity]))?.[0]
    },
    open: async keys => (await asked<OrderStanding>(context, statements.open, [keys])) ?? [],
    async settled(keys) {
      const rows = await asked<Pick<OrderStanding, 'purchase'>>(context, statements.settled, [keys])
      return new Set(rows?.map(({ purchase }) => purchase))
    },
    notSent: sent => unsent(sent, 'NOTSENT'),
    refused: (sent, detail) => unsent(sent, 'REFUSED', detail),
    async declareDead({ batch, identity, attempt }) {
      const rows = await asked(context, statements.declareDead, [batch, identity, attempt])
      return rows !== undefined && rows.length > 0
    },
  }
}

interface Taken extends Pick<SentOnce, 'attempt'> {
  readonly got: 'right' | 'taken' | 'no lease' | 'over budget' | 'unwanted'
}

export function recorded(rows: readonly unknown[] | undefined): Noted {
  return rows ? 'recorded' : 'unrecorded'
}
