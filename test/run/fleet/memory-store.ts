import type { Clock } from '../../../src/base/clock.ts'
import type { Random } from '../../../src/base/random.ts'
import type { RunRef } from '../../../src/base/state.ts'
import type { FleetStore } from '../../../src/fleet/fleet-store.ts'
import {
  type FleetState,
  freshness,
  type InAir,
  keyOf,
  type OrderIdentity,
  type OrderStanding,
  type SentOnce,
} from '../../../src/fleet/right.ts'

type Kept = 'right' | 'standing' | 'notSent' | 'refused' | 'doubt' | 'accepted' | 'result' | 'failed' | 'done'

/** As much of the store as a worker needs: what `order-functions.ts` says of the right, in memory and on a clock of a test's own. */
export interface MemoryStore extends Pick<FleetStore, Kept | 'declareDead'> {
  readonly rows: readonly Row[]
  beat(worker: string, air: readonly InAir[]): void
}

interface Row {
  sent: SentOnce
  state: FleetState
  run: RunRef | null
  files: OrderStanding['files']
  at: number
  seen: number
}

const leaseMs = 10_000

/** `away`: how long a question takes. What is asked happens at some moment of that. */
export function memoryStore(clock: Clock, random: Random, away: () => number): MemoryStore {
  const rows: Row[] = []
  const seen = new Map<string, number>()
  const rowOf = ({ batch, identity }: OrderIdentity) =>
    rows.find(({ sent }) => sent.batch === batch && sent.identity === identity)
  const isFree = ({ state }: Row) => state === 'NOTSENT' || state === 'REFUSED'

  /** There and back again. */
  async function asked<T>(work: () => T): Promise<T> {
    await clock.until(clock.now() + away() * random.next())
    const result = work()
    await clock.until(clock.now() + away() * random.next())
    return result
  }

  function become(sent: SentOnce, from: readonly FleetState[], change: Partial<Row>): boolean {
    const row = rows.find(each => each.sent.attempt === sent.attempt && from.includes(each.state))
    if (row) Object.assign(row, change)
    return row !== undefined
  }

  function take(worker: string, order: Parameters<FleetStore['right']>[1], attempt: string) {
    if ((seen.get(worker) ?? Number.NEGATIVE_INFINITY) <= clock.now() - leaseMs) return 'no lease'
    const last = rowOf(order)
    if (last && !isFree(last)) return 'taken'
    const sent: SentOnce = { ...order, attempt, worker, purchase: keyOf(order) }
    const row: Row = { sent, state: 'SENDING', run: null, files: null, at: clock.now(), seen: clock.now() }
    if (last) Object.assign(last, row)
    else rows.push(row)
    return sent
  }

  return {
    rows,
    beat(worker, air) {
      seen.set(worker, clock.now())
      for (const row of rows)
        if (row.state === 'SENDING' && air.some(({ attempt }) => attempt === row.sent.attempt))
          row.seen = clock.now()
    },
    async right(worker, order) {
      const { until, isGood } = freshness(clock)
      const attempt = random.token() + random.token()
      const got = await asked(() => take(worker, order, attempt))
      if (typeof got === 'string') return { got }
      if (clock.now() < until) return { got: 'right', right: { ...got, isGood } }
      // Its answer came too late to be of use.
      await asked(() => become(got, ['SENDING', 'DOUBT'], { state: 'NOTSENT' }))
      return { got: 'no answer' }
    },
    standing: order =>
      asked(() => {
        const row = rowOf(order)
        if (!row) return undefined
        const { sent, state, run, files } = row
        const its = { ...sent, record: sent.record ?? null, state, run, files }
        return { ...its, detail: null, failure: null, billed: null, near: true }
      }),
    notSent: async sent => {
      await asked(() => become(sent, ['SENDING', 'DOUBT'], { state: 'NOTSENT' }))
      return 'recorded'
    },
    refused: async sent => {
      await asked(() => become(sent, ['SENDING', 'DOUBT'], { state: 'REFUSED' }))
      return 'recorded'
    },
    doubt: async sent => {
      await asked(() => become(sent, ['SENDING', 'ACCEPTED', 'RESULT'], { state: 'DOUBT', sent }))
      return 'recorded'
    },
    accepted: async (sent, run) => {
      await asked(() => become(sent, ['SENDING', 'DOUBT'], { state: 'ACCEPTED', run, sent }))
      return 'recorded'
    },
    result: async (sent, { files }) => {
      await asked(() => become(sent, ['SENDING', 'DOUBT', 'ACCEPTED'], { state: 'RESULT', files, sent }))
      return 'recorded'
    },
    failed: async sent => {
      await asked(() => become(sent, ['SENDING', 'DOUBT', 'ACCEPTED', 'RESULT'], { state: 'FAILED', sent }))
      return 'recorded'
    },
    done: async (sent, { files }) => {
      const isDone = await asked(() =>
        become(sent, ['ACCEPTED', 'RESULT', 'DONE'], { state: 'DONE', files, sent }),
      )
      return isDone ? 'recorded' : 'unpaid'
    },
    declareDead: sent =>
      asked(() => {
        const row = rows.find(each => each.sent.attempt === sent.attempt)
        const isDead = row !== undefined && row.seen <= clock.now() - leaseMs
        return isDead && become(sent, ['SENDING'], { state: 'DOUBT' })
      }),
  }
}
