import type { JobAddress } from '../base/names.ts'
import type { AskStore } from './connections.ts'
import { type FleetStore, openFleetStore } from './fleet-store.ts'
import { FleetStoreError } from './trouble.ts'
import { openWorkQueue, type WorkQueue } from './work-queue.ts'

/** What a planner and its workers share. */
export interface Fleet extends Pick<WorkQueue, 'work'> {
  readonly store: FleetStore
  /** Hands jobs of a batch to workers, within the asker's transaction. */
  enqueue(batch: string, queue: string, ready: readonly JobAddress[], ask: AskStore): Promise<void>
  close(): Promise<void>
}

/** `url` of a PostgreSQL: `postgres://user:password@host/database`. Rejects with FleetStoreError, whose words hold nothing of it. */
export async function openFleet(url: string, tell?: (trouble: unknown) => void): Promise<Fleet> {
  if (!/^postgres(ql)?:\/\/./.test(url))
    throw new FleetStoreError('GENRUN_STORE is no address of a PostgreSQL', 'postgres://user@host/database')
  const store = await openFleetStore(url, tell ? { tell } : {})
  try {
    const queues = await openWorkQueue(url)
    return {
      store,
      work: queues.work,
      enqueue: (batch, queue, ready, ask) =>
        queues.enqueue(
          queue,
          ready.map(address => ({ batch, address })),
          ask,
        ),
      close: store.close,
    }
  } catch (trouble) {
    await store.close()
    throw trouble
  }
}
