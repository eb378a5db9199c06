import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type Random, systemRandom } from '../base/random.ts'
import type { Billed, RemoteFile, RunRef, SavedFile } from '../base/state.ts'
import { type AskStore, type Connections, openConnections } from './connections.ts'
import { asked, type Context, jsonValue } from './context.ts'
import { repeat } from './repeat.ts'
import {
  type FleetState,
  freshness,
  type OrderIdentity,
  type OrderStanding,
  type Right,
  type SentOnce,
  type WantedOrder,
} from './right.ts'
import { type FleetSql, fleetSql, fleetVersion } from './schema.ts'
import { FleetStoreError } from './trouble.ts'
import { type Works, worksOf } from './works.ts'

/**
 * What many workers on one PostgreSQL share: the right to send, the budget, what became of orders, who waits for whom, the rate.
 * The row is the right to buy; whatever delivers work to workers only delivers. Connections that are lost or not to be had are trouble
 * that is waited out; anything else rejects with FleetStoreError.
 */
export interface FleetStore extends Works {
  /** A worker holds a lease from now on, for ten seconds from each heartbeat. Its name is its own: a new one each start. */
  join(worker: string): Promise<void>
  /** Keeps up its lease and those of the attempts that it has in the air. False: it has none, or cannot be heard. */
  beat(worker: string, attempts: readonly string[]): Promise<boolean>
  leave(worker: string): Promise<void>
  /** What a batch may spend; without a cap there is no end, without this nothing is sent. */
  allow(batch: string, caps: FleetCaps): Promise<void>
  /** Who waits for whom in a batch. A job that waits already is left as it is. */
  wait(batch: string, waits: readonly Wait[]): Promise<void>
  /** The right to send, the budget and the lease in one durable commit. Only `got: 'right'` lets a byte leave. */
  right(worker: string, order: WantedOrder): Promise<RightAnswer>
  /** How all generations of an order stand, the last one first. */
  standing(order: OrderIdentity): Promise<readonly OrderStanding[]>
  /** How the order with this key stands. */
  purchase(key: PurchaseId): Promise<OrderStanding | undefined>
  /** No byte left; the price is free again. */
  notSent(sent: SentOnce): Promise<Noted>
  /** The service definitely refused it; the price is free again. */
  refused(sent: SentOnce, detail: string): Promise<Noted>
  doubt(sent: SentOnce, detail: string): Promise<Noted>
  /**
   * The service has taken it. Like `result` and `failed` asked until it is durable, whatever goes wrong, and never rejects: until it
   * resolves with `recorded` the caller's own disk has to keep it. It lifts a doubt that was declared meanwhile.
   */
  accepted(sent: SentOnce, run: RunRef): Promise<PaidNoted>
  result(
    sent: SentOnce,
    outcome: { readonly files: readonly RemoteFile[]; readonly run?: RunRef },
  ): Promise<PaidNoted>
  failed(
    sent: SentOnce,
    outcome: { readonly failure: Failure; readonly billed: Billed; readonly run?: RunRef },
  ): Promise<PaidNoted>
  /**
   * Its files are saved, and its work has ended. Who waits for the address is counted down, and `enqueue` hears in the same transaction of those that wait for
   * nothing more; it may be asked again, when the transaction before came to nothing. What it throws takes everything back.
   */
  done(sent: SentOnce, result: FleetResult, enqueue: Enqueue): Promise<DoneNoted>
  /** By whoever is handed an order whose attempt seems dead. True: nobody kept it up for a lease, and it is in doubt now. */
  declareDead(sent: SentOnce): Promise<boolean>
  /** A person says that an order in doubt never left: a new generation of it may be sent. */
  resolveUnsent(order: OrderIdentity, generation: number): Promise<UnsentResolved>
  /** What an account bears, over all workers. */
  limit(account: string, rate: { readonly perSecond: number; readonly burst: number }): Promise<void>
  /** Waits until so many orders may begin. False: the signal came first. */
  take(account: string, many: number, signal: AbortSignal): Promise<boolean>
  status(batch: string): Promise<FleetStatus>
  /** Ends what is being repeated. */
  close(): Promise<void>
}

interface FleetCaps {
  readonly maxCost?: number
  readonly maxOrders?: number
}

/** A job, and the jobs that have to be done before it. */
interface Wait {
  readonly address: string
  readonly needs: readonly string[]
}

type RightAnswer =
  | { readonly got: 'right'; readonly right: Right }
  /** `taken`: it is under way, bought or in doubt already; `standing` says which. */
  | { readonly got: 'taken' | 'no lease' | 'over budget' }
  /** The store was not there for as long as a right lasts, or was closed. */
  | { readonly got: 'no answer' }

/** `unrecorded`: the store was closed first. */
type Noted = 'recorded' | 'unrecorded'

/** `disowned`: its generation belongs to another attempt. It has to be kept, and told to a person. */
type PaidNoted = Noted | 'disowned'

interface FleetResult {
  readonly files: readonly SavedFile[]
  readonly flaw?: Failure
  /** False: nothing is made from it, and nobody is counted down. */
  readonly isOfUse?: boolean
}

/** `unpaid`: nothing says that the order was ever taken. */
type DoneNoted = Noted | 'unpaid'

type UnsentResolved = 'resolved' | 'resolved before' | 'too early' | 'no doubt'

/** Hands jobs to whatever delivers them, by statements of the same transaction. */
export type Enqueue = (ready: readonly JobAddress[], ask: AskStore) => Promise<void>

export interface FleetStatus {
  /** Orders by their states. What a later generation follows counts no more. */
  readonly orders: { readonly [state in FleetState]?: number }
  /** Jobs whose needs are not done. */
  readonly waiting: number
  /** Of those of the last run, how many there are, and how many have ended. */
  readonly jobs: { readonly all: number; readonly ended: number }
  readonly workers: number
  readonly spent: { readonly cost: number; readonly orders: number }
}

interface FleetOptions {
  readonly clock?: Clock
  readonly random?: Pick<Random, 'next'>
  /** Hears of each trouble that is waited out. */
  readonly tell?: (trouble: unknown) => void
  readonly sql?: FleetSql
}

/** How long a server that cannot be reached is waited for at the beginning: a fleet that starts may find no connection free. */
const openingMs = 30_000

/** Makes what is missing of the schema. Rejects with FleetStoreError, also when the server is no safe place. */
export async function openFleetStore(url: string, options: FleetOptions = {}): Promise<FleetStore> {
  const { clock = systemClock, random = systemRandom, sql = fleetSql, tell } = options
  const connections = await openConnections(url)
  const closing = new AbortController()
  const context = { connections, clock, random, tell, sql, signal: closing.signal }
  try {
    const until = clock.now() + openingMs
    if (!(await repeat(() => prepare(connections, sql), { ...context, until }).then(() => true)))
      throw new FleetStoreError(
        'the fleet’s store cannot be reached',
        'look at its address, and at the server',
      )
  } catch (error) {
    await connections.close()
    throw error
  }
  return {
    ...workersOf(context),
    ...rightsOf(context),
    ...outcomesOf(context),
    ...batchesOf(context),
    ...worksOf(context),
    async close() {
      if (closing.signal.aborted) return
      closing.abort()
      await connections.close()
    },
  }
}

/** One at a time: two that make a table at once would disturb each other. */
async function prepare({ together }: Connections, { schema }: FleetSql): Promise<true> {
  await together(async ask => {
    await ask(`select pg_advisory_xact_lock(hashtext('genrun schema'))`)
    const [server] = await ask<{ fsync: string }>(`select current_setting('fsync') as fsync`)
    if (server?.fsync !== 'on')
      throw new FleetStoreError(
        'the fleet’s store keeps nothing through a crash: its fsync is off',
        'set fsync = on',
      )
    for (const text of schema) await ask(text)
    const [found] = await ask<{ version: number }>('select version from genrun.version')
    if (found?.version !== fleetVersion)
      throw new FleetStoreError(
        `the fleet’s store is of version ${found?.version}, and this genrun works with ${fleetVersion}`,
        'use the same genrun everywhere, or another database',
      )
  })
  return true
}

type Part<Name extends keyof FleetStore> = Pick<FleetStore, Name>

function workersOf(context: Context): Part<'join' | 'beat' | 'leave'> {
  const { connections, sql } = context
  const { join, beat, leave } = sql.statements
  return {
    async join(worker) {
      await asked(context, join, [worker])
    },
    // One that comes late is worth nothing: the next one is asked in its place.
    beat: (worker, attempts) =>
      connections.ask(beat, [worker, attempts]).then(
        rows => rows.length > 0,
        () => false,
      ),
    async leave(worker) {
      await asked(context, leave, [worker])
    },
  }
}

type Taken =
  | { readonly got: 'right'; readonly its_generation: number; readonly its_purchase: PurchaseId }
  | { readonly got: 'taken' | 'no lease' | 'over budget' }

function rightsOf(
  context: Context,
): Part<'right' | 'standing' | 'purchase' | 'notSent' | 'refused' | 'declareDead' | 'resolveUnsent'> {
  const { connections, clock } = context
  const { statements } = context.sql

  async function unsent(
    { batch, identity, attempt }: Attempt,
    state: FleetState,
    detail?: string,
  ): Promise<Noted> {
    return recorded(await asked(context, statements.unsent, [batch, identity, attempt, state, detail]))
  }

  return {
    async right(worker, order) {
      const { batch, identity, address, request, price, record } = order
      const attempt = randomUUID()
      // Counted from before it is asked for: it begins later at the server, and ends earlier here.
      const { until, isGood } = freshness(clock)
      let isTroubled = false
      const values = [batch, identity, attempt, worker, address, request, price, jsonValue(record)]
      const rows = await repeat(() => connections.ask<Taken>(statements.right, values), {
        ...context,
        until,
        tell(trouble) {
          isTroubled = true
          context.tell?.(trouble)
        },
      })
      const answer = rows?.[0]
      if (answer?.got === 'right') {
        const { its_generation: generation, its_purchase: purchase } = answer
        return { got: 'right', right: { ...order, generation, attempt, purchase, worker, isGood } }
      }
      // An answer that was lost may have been a right. Nothing left by it.
      if (isTroubled) await unsent({ batch, identity, attempt }, 'NOTSENT')
      return answer ?? { got: 'no answer' }
    },
    async standing({ batch, identity }) {
      const rows = await asked<OrderStanding>(context, statements.standing, [batch, identity])
      return (rows ?? []).map(row => ({ ...row, batch, identity }))
    },
    async purchase(key) {
      return (await asked<OrderStanding>(context, statements.purchase, [key]))?.[0]
    },
    notSent: sent => unsent(sent, 'NOTSENT'),
    refused: (sent, detail) => unsent(sent, 'REFUSED', detail),
    async declareDead({ batch, identity, attempt }) {
      const rows = await asked(context, statements.declareDead, [batch, identity, attempt])
      return rows !== undefined && rows.length > 0
    },
    async resolveUnsent({ batch, identity }, generation) {
      const values = [batch, identity, generation]
      const rows = await asked<{ got: UnsentResolved }>(context, statements.resolveUnsent, values)
      return rows?.[0]?.got ?? 'no doubt'
    },
  }
}

type Attempt = Pick<SentOnce, 'batch' | 'identity' | 'attempt'>

/** From which states a paid outcome is reached. Of what is said again after a later one nothing becomes. */
const before = {
  ACCEPTED: ['SENDING', 'DOUBT'],
  RESULT: ['SENDING', 'DOUBT', 'ACCEPTED'],
  FAILED: ['SENDING', 'DOUBT', 'ACCEPTED', 'RESULT'],
} as const

interface PaidOutcome {
  readonly run?: RunRef
  readonly files?: readonly RemoteFile[]
  readonly failure?: Failure
  readonly billed?: Billed
}

function outcomesOf(context: Context): Part<'accepted' | 'result' | 'failed' | 'doubt' | 'done'> {
  const { connections } = context
  const { statements } = context.sql

  async function paid(sent: SentOnce, state: keyof typeof before, outcome: PaidOutcome): Promise<PaidNoted> {
    const { batch, identity, generation, purchase, attempt, worker, address, request, price, record } = sent
    const { run, files, failure, billed } = outcome
    const values = [batch, identity, generation, purchase, attempt, worker, address, request, price]
    const more = [
      jsonValue(record),
      state,
      jsonValue(run),
      jsonValue(files),
      jsonValue(failure),
      billed,
      before[state],
    ]
    const whatever = { ...context, whatever: true }
    const rows = await repeat(() => connections.ask(statements.paid, [...values, ...more]), whatever)
    if (!rows || rows.length > 0) return recorded(rows)
    const standing = [batch, identity]
    const all = await repeat(() => connections.ask<OrderStanding>(statements.standing, standing), whatever)
    if (!all) return 'unrecorded'
    return all.some(each => each.attempt === attempt) ? 'recorded' : 'disowned'
  }

  return {
    accepted: (sent, run) => paid(sent, 'ACCEPTED', { run }),
    result: (sent, outcome) => paid(sent, 'RESULT', outcome),
    failed: (sent, outcome) => paid(sent, 'FAILED', outcome),
    async doubt({ batch, identity, attempt, record }, detail) {
      const values = [batch, identity, attempt, detail, jsonValue(record)]
      return recorded(await asked(context, statements.doubt, values))
    },
    async done({ batch, identity, generation, address, record }, { isOfUse = true, ...result }, enqueue) {
      const needed = isOfUse ? address : null
      const values = [batch, identity, generation, needed, jsonValue(result.files), jsonValue(record)]
      const transaction = () =>
        connections.together(async ask => {
          const [row] = await ask<{ done: boolean; ready: JobAddress[] }>(statements.done, values)
          if (row?.done) await ask(statements.end, [batch, [address], jsonValue({ is: 'done', ...result })])
          if (row && row.ready.length > 0) await enqueue(row.ready, ask)
          return row?.done ? 'recorded' : 'unpaid'
        })
      return (await repeat(transaction, context)) ?? 'unrecorded'
    },
  }
}

function batchesOf(context: Context): Part<'allow' | 'wait' | 'limit' | 'take' | 'status'> {
  const { clock } = context
  const { statements } = context.sql
  return {
    async allow(batch, { maxCost, maxOrders }) {
      await asked(context, statements.budget, [batch, maxCost, maxOrders])
    },
    async wait(batch, waits) {
      const pairs = waits.flatMap(({ address, needs }) => needs.map(need => [address, need] as const))
      const columns = [pairs.map(([address]) => address), pairs.map(([, need]) => need)]
      await asked(context, statements.waits, [batch, ...columns])
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
    async status(batch) {
      const counts = await asked<{ state: FleetState; many: number }>(context, statements.counts, [batch])
      const [row] = (await asked<StatusRow>(context, statements.status, [batch])) ?? []
      const { waiting, workers, all_jobs: all, ended, cost, orders } = row ?? nothing
      return {
        orders: Object.fromEntries((counts ?? []).map(({ state, many }) => [state, many])),
        waiting,
        jobs: { all, ended },
        workers,
        spent: { cost, orders },
      }
    },
  }
}

const nothing: StatusRow = { all_jobs: 0, ended: 0, waiting: 0, workers: 0, cost: 0, orders: 0 }

interface TakeAnswer {
  readonly taken: boolean
  readonly can_be: boolean
  readonly wait_ms: number
}

interface StatusRow {
  readonly all_jobs: number
  readonly ended: number
  readonly waiting: number
  readonly workers: number
  readonly cost: number
  readonly orders: number
}

function recorded(rows: readonly unknown[] | undefined): Noted {
  return rows ? 'recorded' : 'unrecorded'
}
