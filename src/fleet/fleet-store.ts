import { setMaxListeners } from 'node:events'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { type Batches, batchesOf } from './batches.ts'
import { type Connections, openConnections } from './connections.ts'
import { asked, type Context } from './context.ts'
import { type Manners, mannersOf } from './manners.ts'
import { type OrderOutcomes, orderOutcomesOf } from './outcomes.ts'
import { type Planners, plannersOf } from './planners.ts'
import { repeat } from './repeat.ts'
import type { InAir } from './right.ts'
import { type Rights, rightsOf } from './rights.ts'
import { type FleetSql, fleetSql } from './schema.ts'
import { fleetVersion } from './tables.ts'
import { FleetStoreError } from './trouble.ts'
import { type Works, worksOf } from './works.ts'

/**
 * What many workers on one PostgreSQL share: the right to send, the budget, what became of orders, who waits for whom, the rate.
 * The row is the right to buy; whatever delivers work to workers only delivers. Connections that are lost or not to be had are trouble
 * that is waited out; anything else rejects with FleetStoreError.
 */
export interface FleetStore extends Members, Rights, OrderOutcomes, Batches, Manners, Planners, Works {
  /** Ends what is being repeated. */
  close(): Promise<void>
}

/** Who works. */
interface Members {
  /** A worker holds a lease from now on, for ten seconds from each heartbeat. Its name is its own: a new one each start. */
  join(worker: string, queue: string): Promise<void>
  /** How many with a lease take their jobs from this queue, and how many from others. */
  workers(queue: string): Promise<{ readonly here: number; readonly elsewhere: number }>
  /** Keeps up its lease and those of the attempts that it has in the air. False: it has none, or cannot be heard. */
  beat(worker: string, air: readonly InAir[]): Promise<boolean>
  /** False: the store cannot be heard, and forgets it by itself. */
  leave(worker: string): Promise<boolean>
}

interface FleetOptions {
  readonly clock?: Clock
  readonly random?: Pick<Random, 'next'>
  /** Hears of each trouble that is waited out. */
  readonly tell?: (trouble: unknown) => void
  readonly sql?: FleetSql
  /** How long a server that cannot be reached is waited for at the beginning. */
  readonly patienceMs?: number
}

/** A fleet that starts may find no connection free. */
const openingMs = 30_000

/** Makes what is missing of the schema. Rejects with FleetStoreError, also when the server is no safe place. */
export async function openFleetStore(url: string, options: FleetOptions = {}): Promise<FleetStore> {
  const { clock = systemClock, random = systemRandom, sql = fleetSql, tell, patienceMs = openingMs } = options
  const connections = await openConnections(url)
  const closing = new AbortController()
  // Whoever is not answered waits by it, and when the server is away all do.
  setMaxListeners(0, closing.signal)
  const context = { connections, clock, random, tell, sql, signal: closing.signal }
  try {
    const until = clock.now() + patienceMs
    if (!(await repeat(() => prepare(connections, sql), { ...context, until })))
      throw new FleetStoreError(
        'the fleet’s store cannot be reached',
        'look at its address, and at the server',
      )
  } catch (error) {
    await connections.close()
    throw error
  }
  return {
    ...membersOf(context),
    ...rightsOf(context),
    ...orderOutcomesOf(context),
    ...batchesOf(context),
    ...mannersOf(context),
    ...plannersOf(context),
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

function membersOf(context: Context): Members {
  const { connections, sql } = context
  const { join, workers, beat, leave } = sql.statements
  return {
    async join(worker, queue) {
      await asked(context, join, [worker, queue])
    },
    async workers(queue) {
      const rows = await asked<{ here: number; elsewhere: number }>(context, workers, [queue])
      return rows?.[0] ?? { here: 0, elsewhere: 0 }
    },
    // One that comes late is worth nothing: the next one is asked in its place.
    beat(worker, air) {
      const columns = [air.map(({ purchase }) => purchase), air.map(({ attempt }) => attempt)]
      return connections.ask(beat, [worker, ...columns]).then(
        rows => rows.length > 0,
        () => false,
      )
    },
    leave: worker =>
      connections.ask(leave, [worker]).then(
        () => true,
        () => false,
      ),
  }
}
