import { asked, type Context } from './context.ts'
import type { FleetState, OrderStanding } from './right.ts'

/** What all workers may spend together, and how fast; how a batch stands. */
export interface Batches {
  /** What a batch may spend; without a cap there is no end, without this nothing is sent. */
  allow(batch: string, caps: FleetCaps): Promise<void>
  /** What an account bears, over all workers. */
  limit(account: string, rate: { readonly perSecond: number; readonly burst: number }): Promise<void>
  /** Waits until so many orders may begin. False: the signal came first. */
  take(account: string, many: number, signal: AbortSignal): Promise<boolean>
  status(batch: string): Promise<FleetStatus>
  /** Orders of jobs that have not ended, of workers that are not heard any more: some of them. Not waited for: of use now, or not at all. */
  silent(batch: string): Promise<readonly SilentOrder[]>
  /** Orders in doubt, the oldest first, `mostDoubts` at most. */
  doubts(batch: string): Promise<readonly Doubted[]>
}

interface FleetCaps {
  readonly maxCost?: number
  readonly maxOrders?: number
}

export interface SilentOrder extends Pick<OrderStanding, 'address' | 'worker'> {
  /** Since it was heard last; null: it has left. */
  readonly seconds: number | null
}

interface Doubted extends Pick<OrderStanding, 'purchase' | 'address' | 'detail'> {
  /** It stands in the lock, where a person may have settled it. */
  readonly heard: boolean
}

/** So many are told by name. */
export const mostDoubts = 1_000

export interface FleetStatus {
  /** Orders by their states. */
  readonly orders: { readonly [state in FleetState]?: number }
  /** Jobs that have not ended, and whose needs are not done. */
  readonly waiting: number
  /** Of those of the last run, how many there are, and how many have ended; of these, how many as nothing was ordered for them. */
  readonly jobs: { readonly all: number; readonly ended: number; readonly skipped: number }
  readonly workers: number
  readonly spent: { readonly cost: number; readonly orders: number }
}

export function batchesOf(context: Context): Batches {
  const { clock } = context
  const { statements } = context.sql
  return {
    async allow(batch, { maxCost, maxOrders }) {
      await asked(context, statements.budget, [batch, maxCost, maxOrders])
    },
    async limit(account, { perSecond, burst }) {
      await asked(context, statements.account, [account, perSecond, burst])
    },
    async take(account, many, signal) {
      while (!signal.aborted) {
        const rows = await asked<TakeAnswer>(context, statements.take, [account, many])
        const [answer] = rows ?? []
        if (answer?.taken) return true
        if (!rows) return false
        if (!answer?.can_be) throw new Error(`${many} orders are more than ${account} ever bears at once`)
        await clock.until(clock.now() + Math.max(1, Math.ceil(answer.wait_ms)), signal)
      }
      return false
    },
    silent: batch => context.connections.ask<SilentOrder>(statements.silent, [batch]).catch(() => []),
    doubts: async batch => (await asked<Doubted>(context, statements.doubts, [batch, mostDoubts])) ?? [],
    async status(batch) {
      const counts = await asked<{ state: FleetState; many: number }>(context, statements.counts, [batch])
      const [row] = (await asked<StatusRow>(context, statements.status, [batch])) ?? []
      const { waiting, workers, all_jobs: all, ended, skipped, cost, orders } = row ?? nothing
      return {
        orders: Object.fromEntries((counts ?? []).map(({ state, many }) => [state, many])),
        waiting,
        jobs: { all, ended, skipped },
        workers,
        spent: { cost, orders },
      }
    },
  }
}

const nothing: StatusRow = { all_jobs: 0, ended: 0, skipped: 0, waiting: 0, workers: 0, cost: 0, orders: 0 }

interface TakeAnswer {
  readonly taken: boolean
  readonly can_be: boolean
  readonly wait_ms: number
}

interface StatusRow {
  readonly all_jobs: number
  readonly ended: number
  readonly skipped: number
  readonly waiting: number
  readonly workers: number
  readonly cost: number
  readonly orders: number
}
