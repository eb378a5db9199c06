import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { OrderStanding, SentOnce } from '../../fleet/right.ts'
import { removeFolders } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { readRecords } from '../../workspace/records/beside.ts'
import type { Setting } from '../../workspace/workspace.ts'
import { enqueueIn, type Hands, type WorkDesk, type Working } from './desk.ts'
import { fromStanding, sentOf } from './order-standing.ts'
import { atWork } from './take.ts'

/** What earlier workers in this folder wrote down and may not have said: they were killed, or had no store. */
export async function tellLeftovers({ recorded, fleet: { store } }: WorkDesk): Promise<void> {
  for (const [record, standing] of await leftOpen(recorded.purchases, store)) {
    if (standing.state !== 'SENDING' && standing.state !== 'DOUBT') continue
    const sent: SentOnce = { ...sentOf(standing), record }
    if (record.is === 'failed') {
      const failure = { why: 'remote', detail: record.flaw.message } as const
      await store.failed(sent, { failure, billed: record.billed })
    }
    if (record.is === 'done') await store.result(sent, { files: [], ...defined({ run: record.run }) })
    if (record.is !== 'under-way') continue
    if (record.files) await store.result(sent, { files: record.files, ...defined({ run: record.run }) })
    else if (record.run) await store.accepted(sent, record.run)
  }
}

/** Brings to an end what no other worker can, as only this disk has it. Until that is done, or the stop. */
export async function deliverLeftovers(hands: Hands): Promise<void> {
  const { recorded, fleet } = hands.desk
  for (const [record, standing] of await leftOpen(recorded.purchases, fleet.store)) {
    if (hands.bench.setting.request.stop.aborted) return
    const name = atWork(standing)
    if (hands.at.has(name)) continue
    hands.at.add(name)
    try {
      await deliver(record, standing, hands)
    } catch (bug) {
      hands.desk.tell(`${record.address}: ${String(bug)}`)
    } finally {
      hands.at.delete(name)
    }
  }
}

async function deliver(record: Purchase, standing: OrderStanding, hands: Hands): Promise<void> {
  const { desk, orders, engine } = hands
  if (record.is === 'done') {
    orders.resume(sentOf(standing))
    await orders.finish(sentOf(standing), record)
    return orders.forget(record.id)
  }
  // What has a run is asked for by whoever is handed the job.
  if (record.is !== 'under-way' || record.run || standing.state !== 'RESULT') return
  const { address } = record
  const job = desk.setting.manifest.jobs.find(each => each.address === address)
  if (!job) return desk.tell(`${address}: its answer is here (${record.id}), and no job has this name now`)
  const { fleet, records, setting } = desk
  const { clock, disk } = setting.machine
  const its = { store: fleet.store, orders, ledger: records.ledger, clock, disk }
  const enqueue = enqueueIn(standing.batch, desk)
  const begin = await fromStanding({ ...standing, job }, standing, { ...its, enqueue })
  if (begin === 'again' || !('start' in begin)) return
  await engine.run([{ ...begin, job: { ...job, retries: 0 } }])
  orders.forget(record.id)
}

/**
 * Takes away what lies in a worker's folder when the store and the cache have all of it. While something is open the records stay,
 * and with them answers that no other machine has. Trouble with the disk harms nothing.
 */
export async function sweepWorker(setting: Setting, { fleet }: Pick<Working, 'fleet'>): Promise<void> {
  const recorded = readRecords(setting)
  if ('got' in recorded || recorded.purchases.length === 0) return
  const { layout, folders, machine } = setting
  const settled = await fleet.store.settled(recorded.purchases.map(({ id }) => id))
  // What this store does not know another one may wait for.
  const left = recorded.purchases.filter(({ is, id }) => is !== 'open' && !settled.has(id))
  if (left.some(({ is }) => is === 'done' || is === 'failed')) return
  const inState = [folders.journal, folders.spool, folders.kept, join(layout.state, 'fetched')]
  try {
    for (const folder of [layout.output, ...(left.length === 0 ? inState : [])])
      if (machine.disk.look(folder)?.is === 'folder') removeFolders(machine.disk, folder)
    if (left.length === 0 && machine.disk.look(layout.lock)) machine.disk.remove(layout.lock)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}

/** Those of these purchases that are open as far as the store knows. */
async function leftOpen(
  purchases: readonly Purchase[],
  store: Working['fleet']['store'],
): Promise<(readonly [Purchase, OrderStanding])[]> {
  const known = new Map(purchases.map(each => [each.id, each]))
  const open = known.size > 0 ? await store.open([...known.keys()]) : []
  return open.flatMap(standing => {
    const record = known.get(standing.purchase)
    return record ? [[record, standing] as const] : []
  })
}
