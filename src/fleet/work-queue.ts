import { createHash } from 'node:crypto'
import { systemClock } from '../base/clock.ts'
import type { JobAddress } from '../base/names.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { type AskStore, steadyClient } from './connections.ts'
import { repeat } from './repeat.ts'
import { FleetStoreError, troubleOf } from './trouble.ts'

/**
 * Hands jobs to workers, each at least once and again until one of them says that it is settled: BullMQ on the fleet's own database, so
 * that its tools show what goes on. It only delivers. What may be bought the store decides, however often a job is handed out.
 */
export interface WorkQueue {
  /** By statements of the asker's transaction. What is handed out already, and not settled, is left as it is. */
  enqueue(queue: string, jobs: readonly Handed[], ask: AskStore): Promise<void>
  /**
   * Takes what is handed out until the signal comes; resolves when what is at hand has come back. `again`: it is handed out once more,
   * later each time.
   */
  work(
    queue: string,
    take: (job: Handed) => Promise<'settled' | 'again'>,
    options: {
      readonly atOnce: number
      readonly signal: AbortSignal
      readonly tell?: (trouble: unknown) => void
    },
  ): Promise<void>
}

/** Jobs of a batch that are handed out as one; mostly a single one. */
export interface Handed {
  readonly batch: string
  readonly addresses: readonly JobAddress[]
}

/** A worker that is heard no more has lost its jobs after so long. */
const lostMs = 10_000

const openingMs = 30_000

const again = { times: 1_000_000, firstMs: 1_000, longestMs: 30_000 }

/** For how long a job rests that came back so often: whatever is wrong with a worker, it does not take the same jobs without end. */
export function restMs(times: number, random: Pick<Random, 'next'>): number {
  const most = Math.min(again.longestMs, again.firstMs * 2 ** (times - 1))
  return Math.round(most * (1 + random.next()) * 0.5)
}

const options = {
  attempts: again.times,
  // Any name that is none of its own: the worker says how long.
  backoff: { type: 'rest' },
  removeOnComplete: true,
  removeOnFail: true,
}

/** Makes its tables where there are none. Rejects with FleetStoreError where the package is not there, or the server is not. */
export async function openWorkQueue(url: string, tell?: (trouble: unknown) => void): Promise<WorkQueue> {
  const { Queue, Worker, createPostgresBackend } = await loadPackage()
  const its = { max: 4, migrate: true, application_name: 'genrun delivery', Client: await steadyClient() }
  const connection = { connectionString: url, ...its }
  // What is forgotten of it in a crash of the server is handed out once more.
  const delivery = { ...connection, options: '-c synchronous_commit=off' }
  const open = async () => {
    const first = new Queue('genrun', { connection: connection as never }, createPostgresBackend as never)
    first.on('error', () => undefined)
    try {
      await first.waitUntilReady()
      return true
    } catch (trouble) {
      throw troubleOf(trouble)
    } finally {
      await first.close()
    }
  }
  const [clock, { signal }] = [systemClock, new AbortController()]
  // The server may be starting just now.
  const until = clock.now() + openingMs
  const isOpen = await repeat(open, { clock, random: systemRandom, signal, until, tell })
  if (!isOpen) throw new FleetStoreError('the fleet’s queue cannot be opened', 'look at the server')
  return {
    async enqueue(queue, jobs, ask) {
      const entries = jobs.map(data => ({
        id: idOf(data),
        name: nameOf(data),
        data,
        opts: options,
        attempts: options.attempts,
        timestamp: Math.floor(systemClock.wall()),
      }))
      await ask(entries.length > few ? addBulk : addEach, [queue, JSON.stringify(entries)])
    },
    async work(queue, take, { atOnce, signal, tell = () => undefined }) {
      const begin = async () => {
        const worker = new Worker<Handed>(
          queue,
          async ({ data }) => {
            // Half as many jobs again as are done at once: none of them has to wait for the slowest that it came with.
            const many = data.addresses.length
            worker.concurrency = many > 1 ? Math.ceil((1.5 * atOnce) / many) : atOnce
            if ((await take(data)) === 'again') throw new Error('to be handed out again')
          },
          {
            connection: delivery as never,
            autorun: false,
            concurrency: atOnce,
            lockDuration: lostMs,
            stalledInterval: lostMs / 2,
            runRetryDelay: again.firstMs,
            settings: { backoffStrategy: times => restMs(times, systemRandom) },
            // However many workers die with it in their hands.
            maxStalledCount: again.times,
          },
          createPostgresBackend as never,
        )
        // Its connections come back by themselves.
        worker.on('error', tell)
        try {
          // One whose first connection fails never gets another, and asks for it without a pause.
          await worker.waitUntilReady()
          return worker
        } catch (trouble) {
          await worker.close(true).catch(() => undefined)
          throw troubleOf(trouble)
        }
      }
      const worker = await repeat(begin, { clock, random: systemRandom, signal, tell })
      if (!worker) return
      void worker.run().catch(tell)
      await new Promise<void>(resolve => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await worker.close()
    },
  }
}

/** Making tables for a time, as `addBulk` does, costs more than so many jobs. */
const few = 20

// What its own `addBulk` and `add` ask, in the transaction of whoever has something to hand out.
const addBulk = 'select bullmq.add_jobs_bulk($1, $2::jsonb)'
const addEach = `select bullmq.add_job($1, j ->> 'id', j ->> 'name', j -> 'data', j -> 'opts', 0, 0, (j ->> 'timestamp')::bigint,
    (j ->> 'attempts')::int, null, null, null, null, null, false)
  from jsonb_array_elements($2::jsonb) as each (j)`

/** For who looks at the queue. */
function nameOf({ addresses }: Handed): string {
  const name = (addresses[0] ?? '').slice(0, 100)
  return addresses.length > 1 ? `${name} and ${addresses.length - 1} more` : name
}

function idOf({ batch, addresses }: Handed): string {
  return createHash('sha256')
    .update([batch, ...addresses].join(' '))
    .digest('hex')
    .slice(0, 32)
}

async function loadPackage() {
  try {
    return await import('bullmq')
  } catch {
    throw new FleetStoreError(
      'the package bullmq, which hands jobs to workers, is not installed',
      'npm install bullmq pg, beside genrun (npm install -g where genrun is global)',
    )
  }
}
