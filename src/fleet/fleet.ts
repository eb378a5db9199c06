import type { JobAddress } from '../base/names.ts'
import type { AskStore } from './connections.ts'
import { type FleetStore, openFleetStore } from './fleet-store.ts'
import { FleetStoreError } from './trouble.ts'
import { type Handed, openWorkQueue, type WorkQueue } from './work-queue.ts'

/** What a planner and its workers share. */
export interface Fleet extends Pick<WorkQueue, 'work'> {
  readonly store: FleetStore
  /** Hands jobs of a batch to workers, within the asker's transaction. Of a batch that is known to be big, several as one. */
  enqueue: EnqueueOf
  close(): Promise<void>
}

type EnqueueOf = (
  batch: string,
  queue: string,
  ready: readonly JobAddress[],
  options: { readonly ask: AskStore; readonly isBig?: boolean },
) => Promise<void>

/** So many at once are of a big batch: all workers have enough to do. */
const big = 256

/** What is handed out as one is taken by one worker, and costs the server no more than a single job. */
const bundle = 4

/** `url` of a PostgreSQL: `postgres://user:password@host/database`. Rejects with FleetStoreError, whose words hold nothing of it. */
export async function openFleet(url: string, tell?: (trouble: unknown) => void): Promise<Fleet> {
  if (!/^postgres(ql)?:\/\/./.test(url))
    throw new FleetStoreError('GENRUN_STORE is no address of a PostgreSQL', 'postgres://user@host/database')
  const store = await openFleetStore(url, tell ? { tell } : {})
  try {
    const queues = await openWorkQueue(url, tell)
    return {
      store,
      work: queues.work,
      enqueue: (batch, queue, ready, { ask, isBig = ready.length >= big }) =>
        queues.enqueue(queue, handed(batch, ready, isBig ? bundle : 1), ask),
      close: store.close,
    }
  } catch (trouble) {
    await store.close()
    throw trouble
  }
}

function handed(batch: string, ready: readonly JobAddress[], size: number): Handed[] {
  const all: Handed[] = []
  for (let from = 0; from < ready.length; from += size)
    all.push({ batch, addresses: ready.slice(from, from + size) })
  return all
}
