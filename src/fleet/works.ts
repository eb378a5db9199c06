import { counted } from '../base/measure.ts'
import type { JobAddress, Json, PurchaseId } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { JobState } from '../base/state.ts'
import type { AskStore } from './connections.ts'
import { asked, type Context, jsonValue } from './context.ts'
import { asPlanner, type Planner } from './planners.ts'
import { repeat } from './repeat.ts'
import type { FleetState, OrderStanding } from './right.ts'
import { FleetStoreError } from './trouble.ts'

/** What a batch has to make, and what became of it. One planner at a time keeps it (`Planners`). */
export interface Works {
  /**
   * Puts what is to be made in the place of what was; all of that has ended. Nothing is handed out yet. What another batch handed out that
   * comes to the same, and nobody plans or has ordered, is taken back there. Rejects with FleetStoreError when somebody has, or when
   * somebody else plans this batch by now; or when one of them is in doubt there, but for `resubmit`.
   */
  begin(
    planner: Pick<Planner, 'batch' | 'planner'>,
    works: readonly FleetWork[],
    options?: { readonly resubmit?: boolean },
  ): Promise<void>
  /** Hands out what waits for nothing and has not ended; what is handed out already is not disturbed. */
  handOut(batch: string, enqueue: EnqueueAt): Promise<void>
  /** Those of a batch, each with how its first order stands, and with what it is made from. */
  handed(batch: string, addresses: readonly JobAddress[]): Promise<readonly HandedWork[]>
  works(batch: string): Promise<readonly Followed[]>
  /** What ended within so many milliseconds. */
  endedWithin(batch: string, ms: number): Promise<readonly Pick<Followed, 'address' | 'ended'>[]>
  /** Nothing more will become of them; what has ended before stays as it did. */
  end(batch: string, addresses: readonly JobAddress[], state: JobState): Promise<void>
  /** Those of these identities that something may be paid for. */
  known(batch: string, identities: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Purchases that whoever keeps the lock has not heard of, as they stand, but for those that wait for their answer: some of them, the
   * oldest of those behind `after`. `isSoon`: and for those whose answer came within some seconds, as most of these end in a moment.
   */
  unheard(batch: string, after?: Unheard, isSoon?: boolean): Promise<readonly Unheard[]>
  /** Orders of a batch that were sent and are not answered. */
  sending(batch: string): Promise<readonly Sending[]>
  /** They stand in the lock. What changed since `unheard` told of it stays unheard. */
  hear(planner: Pick<Planner, 'batch' | 'planner'>, records: readonly Unheard[]): Promise<void>
}

/** One job that is to be made. `task` is all that a worker needs to know of it. */
export interface FleetWork {
  readonly address: JobAddress
  readonly identity: string
  /** Who is handed it. */
  readonly queue: string
  /** Jobs of the batch that have to be done before. */
  readonly needs: readonly JobAddress[]
  readonly task: Json
}

interface Ended {
  /** Null: not yet. */
  readonly ended: JobState | null
}

interface Begun {
  /** Null: nobody has ordered it. */
  readonly standing: OrderStanding | null
}

export type HandedWork = FleetWork & Ended & Begun & Fed

interface Fed {
  /** Results of the jobs that it needs, where they are there; null: there is none. */
  readonly made: { readonly [address: JobAddress]: DonePurchase } | null
  /** A job that it needs is still to be made. What is there of that was made for an earlier plan. */
  readonly waits: boolean
}

type Followed = Pick<FleetWork, 'address' | 'queue' | 'needs'> & Ended

export interface Unheard {
  readonly purchase: PurchaseId
  readonly state: FleetState
  readonly record: Purchase
  /** When the right was taken, as the server writes it. */
  readonly at: string
}

interface Sending {
  readonly address: JobAddress
  readonly purchase: PurchaseId
}

type EnqueueAt = (queue: string, ready: readonly JobAddress[], ask: AskStore) => Promise<void>

/** What a job becomes that is no longer to be made. */
export const takenBack: JobState = { is: 'skipped', because: { why: 'stopped' } }

/** So many rows in one statement. */
const block = 2_000

export function worksOf(context: Context): Works {
  const { connections } = context
  const { statements } = context.sql

  async function refuseOthers(
    batch: string,
    works: readonly FleetWork[],
    { ask, resubmit }: { readonly ask: AskStore; readonly resubmit: boolean },
  ): Promise<void> {
    const values = [batch, jsonValue(works), jsonValue(takenBack)]
    const [{ many, doubted } = { many: 0, doubted: 0 }] = await ask<Others>(statements.others, values)
    const lockOf = 'go on with the lock of that one'
    if (many > 0)
      throw new FleetStoreError(
        `from another checkout, or another manifest, ${counted(many, 'job')} of these ${many === 1 ? 'is' : 'are'} on the way in the fleet just now`,
        `${lockOf}; or let it end: its results come from the cache then`,
      )
    if (doubted > 0 && !resubmit)
      throw new FleetStoreError(
        `from another checkout, or another manifest, ${counted(doubted, 'order')} of these ${doubted === 1 ? 'is' : 'are'} in doubt: paid for, perhaps`,
        `${lockOf}, and settle them there (genrun resolve); or --resubmit, which may pay once more`,
      )
  }

  return {
    async begin(planner, works, { resubmit = false } = {}) {
      const { batch } = planner
      const rows = works.map(({ address, identity, queue, needs, task }, nth) => ({
        ...{ address, nth, identity, queue, needs, task },
      }))
      await repeat(
        () =>
          connections.together(async ask => {
            await asPlanner(ask, statements.isPlanner, planner)
            await ask(statements.beginAlone)
            for (const part of blocksOf(works)) await refuseOthers(batch, part, { ask, resubmit })
            for (const forget of [statements.forgetNeeds, statements.forgetWaits, statements.forgetWorks])
              while ((await ask(forget, [batch, block])).length === block);
            for (const part of blocksOf(rows)) {
              await ask(statements.addWork, [batch, jsonValue(part)])
              const pairs = part.flatMap(({ address, needs }) => needs.map(need => [address, need] as const))
              await ask(statements.waits, [batch, pairs.map(([each]) => each), pairs.map(([, need]) => need)])
            }
            return true
          }),
        context,
      )
    },
    async handOut(batch, enqueue) {
      for (let from = 0; ; ) {
        const rows = await asked<Ready>(context, statements.ready, [batch, from, block])
        const [first] = rows ?? []
        if (!rows || !first) return
        const addresses = rows.map(({ address }) => address)
        await repeat(
          () => connections.together(ask => enqueue(first.queue, addresses, ask).then(() => true)),
          context,
        )
        from = (rows.at(-1)?.nth ?? 0) + 1
      }
    },
    handed: async (batch, addresses) =>
      (await asked<HandedWork>(context, statements.handed, [batch, addresses])) ?? [],
    async works(batch) {
      const all: Followed[] = []
      for (let from = 0; ; ) {
        const rows = await asked<Followed & Ready>(context, statements.works, [batch, from, block])
        for (const row of rows ?? []) all.push(row)
        if (!rows || rows.length < block) return all
        from = (rows.at(-1)?.nth ?? 0) + 1
      }
    },
    endedWithin: async (batch, ms) => (await asked<Followed>(context, statements.ended, [batch, ms])) ?? [],
    async end(batch, addresses, state) {
      for (const part of blocksOf(addresses))
        await asked(context, statements.end, [batch, part, jsonValue(state)])
    },
    async known(batch, identities) {
      const known = new Set<string>()
      for (const part of blocksOf(identities)) {
        const rows = await asked<{ identity: string }>(context, statements.known, [batch, part])
        for (const { identity } of rows ?? []) known.add(identity)
      }
      return known
    },
    async unheard(batch, after, isSoon = false) {
      const { at = '-infinity', purchase = '' } = after ?? {}
      const values = [batch, at, purchase, block, isSoon]
      return (await asked<Unheard>(context, statements.unheard, values)) ?? []
    },
    sending: async batch => (await asked<Sending>(context, statements.sending, [batch])) ?? [],
    async hear({ batch, planner }, records) {
      for (const part of blocksOf(records)) {
        const columns = [
          part.map(each => each.at),
          part.map(each => each.purchase),
          part.map(each => each.state),
        ]
        await asked(context, statements.hear, [...columns, batch, planner])
      }
    },
  }
}

function* blocksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += block) yield items.slice(from, from + block)
}

interface Others {
  readonly many: number
  readonly doubted: number
}

interface Ready {
  readonly address: JobAddress
  readonly queue: string
  readonly nth: number
}
