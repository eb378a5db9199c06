import type { JobState } from '../base/state.ts'
import type { FleetStatus } from './batches.ts'
import type { AskStore } from './connections.ts'
import { asked, type Context, jsonValue } from './context.ts'
import { FleetStoreError } from './trouble.ts'

/** Who plans a batch: one at a time, whatever checkouts of it there are. */
export interface Planners {
  /** Of this store: a name of its own, made once. */
  name(): Promise<string>
  /**
   * Becomes the planner of a batch, with a lease as a worker has one. Where another checkout planned last, nothing counts as heard any
   * more: that stands in the other's records. False: from another checkout somebody plans it just now, or is at work on it by itself;
   * `own`: by whose name that was this checkout, where the claim sees to it that it is over.
   */
  plan(planner: Planner, own?: string): Promise<boolean>
  /**
   * Is at work on a batch by itself, with the same lease: nobody plans that meanwhile, from any checkout. False: somebody plans it, or is at
   * work on it, just now. `planOn` keeps it up, `leavePlan` ends it.
   */
  alone(run: Alone): Promise<boolean>
  /** Batches of this queue on which somebody is at work by itself. `own`: not by that name. */
  aloneOn(queue: string, own?: string): Promise<readonly string[]>
  /** Keeps the lease up. `lost`: somebody else has planned since, from this checkout or another. */
  planOn(planner: BatchLease): Promise<'kept' | 'lost' | 'unheard'>
  /** Never rejects: where the store cannot be heard the lease ends by itself. */
  leavePlan(planner: BatchLease): Promise<void>
  /** Nobody may order any more what nobody has ordered. */
  withdraw(planner: Planner, state: JobState): Promise<void>
  /** What a run beside the fleet has to know. */
  beside(batch: string): Promise<Beside>
  /** Orders of a batch that may be paid for: some of them, those behind `after`. */
  ordered(batch: string, after?: string): Promise<readonly { readonly purchase: string }[]>
  /** Batches of this queue of which something is open, or that somebody has by another name than `own`; the one that was planned last first. */
  openOn(queue: string, own?: string): Promise<readonly string[]>
}

export interface Planner {
  readonly batch: string
  /** Its own: a new one for each run. */
  readonly planner: string
  /** Of the folder with the records: what it heard stays there. */
  readonly checkout: string
  readonly queue: string
}

/** A lease on a batch. */
export type BatchLease = Pick<Planner, 'batch' | 'planner'>

/** A run that hands nothing out. Its name is that of its checkout: within one the claim sees to it that the one before is gone. */
export interface Alone extends Omit<Planner, 'checkout'> {
  /** By which it planned last, where it did. */
  readonly checkout?: string
}

/** A batch while it is planned. */
export interface FleetBatch {
  readonly planner: Planner
  /** What all of it had spent when the planner began. */
  readonly spentBefore: FleetStatus['spent']
  /** Aborted: somebody else plans it by now. */
  readonly lost: AbortSignal
}

interface Beside {
  /** Jobs that were handed out and have not ended. */
  readonly open: number
  /** Orders that may be paid for and that whoever planned last has not in its lock. */
  readonly unheard: number
  /** Who planned last; null: nobody did. */
  readonly checkout: string | null
  readonly isPlanned: boolean
}

/** So many rows in one statement. */
const block = 2_000

export function plannersOf(context: Context): Planners {
  const { connections } = context
  const { statements } = context.sql

  /** Some at a time: a statement may take as long as one may. */
  async function untilNone(text: string, values: readonly unknown[]): Promise<void> {
    for (;;) {
      const [row] = (await asked<{ many: number }>(context, text, values)) ?? []
      if (!row || row.many === 0) return
    }
  }

  return {
    async name() {
      return (await asked<{ name: string }>(context, statements.name, []))?.[0]?.name ?? ''
    },
    async plan({ batch, planner, checkout, queue }, own = '') {
      const values = [batch, planner, checkout, queue, own]
      const [row] = (await asked<{ got: string }>(context, statements.plan, values)) ?? []
      if (row?.got !== 'moved') return row?.got === 'planned'
      await untilNone(statements.unhear, [batch, planner, block])
      return (await asked(context, statements.moved, [batch, planner, checkout]))?.length === 1
    },
    async alone({ batch, planner, queue, checkout = '' }) {
      const values = [batch, planner, queue, checkout]
      return (await asked<{ taken: boolean }>(context, statements.alone, values))?.[0]?.taken === true
    },
    async aloneOn(queue, own = '') {
      const rows = await asked<{ batch: string }>(context, statements.aloneOn, [queue, own])
      return rows?.map(({ batch }) => batch) ?? []
    },
    planOn: ({ batch, planner }) =>
      connections.ask<{ kept: boolean }>(statements.planOn, [batch, planner]).then(
        ([row]) => (row?.kept ? 'kept' : 'lost'),
        () => 'unheard',
      ),
    leavePlan: ({ batch, planner }) =>
      connections.ask(statements.leavePlan, [batch, planner]).then(
        () => undefined,
        () => undefined,
      ),
    withdraw: ({ batch, planner }, state) =>
      untilNone(statements.withdraw, [batch, planner, jsonValue(state), block]),
    async beside(batch) {
      const nothing = { open: 0, unheard: 0, checkout: null, isPlanned: false }
      return (await asked<Beside>(context, statements.beside, [batch]))?.[0] ?? nothing
    },
    ordered: async (batch, after = '') =>
      (await asked<{ purchase: string }>(context, statements.ordered, [batch, after, block])) ?? [],
    async openOn(queue, own = '') {
      const rows = await asked<{ batch: string }>(context, statements.openOn, [queue, own])
      return rows?.map(({ batch }) => batch) ?? []
    },
  }
}

/** Part of a transaction that only its planner may make. Rejects with FleetStoreError. */
export async function asPlanner(
  ask: AskStore,
  text: string,
  { batch, planner }: Pick<Planner, 'batch' | 'planner'>,
): Promise<void> {
  if ((await ask(text, [batch, planner])).length === 0)
    throw new FleetStoreError(
      'another genrun run --fleet plans this by now',
      'it goes on with what there is; let it end, then run again',
    )
}
