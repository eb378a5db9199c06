import type { Clock } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import type { DonePurchase, Purchase } from '../../base/purchase.ts'
import type { JobState, RemoteFile } from '../../base/state.ts'
import type { Task } from '../../engine/world.ts'
import type { Enqueue, FleetStore } from '../../fleet/fleet-store.ts'
import { keyOf, type OrderIdentity, type OrderStanding, type SentOnce } from '../../fleet/right.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Disk } from '../../store/files/disk.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { HeldOrders } from './held-orders.ts'

/** One order of a job that was handed to a worker. */
interface HandedOrder extends OrderIdentity {
  readonly job: Job
  readonly price: number
}

interface Hands {
  readonly store: Pick<FleetStore, 'declareDead' | 'done'>
  readonly orders: Pick<HeldOrders, 'want' | 'resume'>
  readonly ledger: Pick<Ledger, 'purchases' | 'stands'>
  readonly clock: Pick<Clock, 'now'>
  readonly disk: Pick<Disk, 'look'>
  readonly enqueue: Enqueue
}

const wentAway = 'its worker went away before there was an answer'

/**
 * From how an order stands, whoever had it: the task that goes on with it, or how it has ended. `again`: somebody else is at it, or has what
 * it takes. Nothing is bought but where nothing was, or what was is known to be harmless.
 */
export async function fromStanding(
  { batch, identity, job, price }: HandedOrder,
  standing: OrderStanding | undefined,
  { store, orders, ledger, clock, disk, enqueue }: Hands,
): Promise<Task | JobState | 'again'> {
  const now = clock.now()
  const waiting = { tries: 0, notBefore: now }
  if (!standing || standing.state === 'NOTSENT' || standing.state === 'REFUSED') {
    const purchase = keyOf({ batch, identity }, standing?.generation ?? 1)
    orders.want(purchase, { batch, identity, address: job.address, request: '', price })
    return { job, purchase, start: { is: 'ready', ...waiting } }
  }
  const { state, files, record, run: itsRun, ...rest } = standing
  const run = itsRun ?? undefined
  const known: Purchase | undefined = record ? { ...record, id: standing.purchase } : undefined
  const sent: SentOnce = { ...rest, ...defined({ record: known }) }
  switch (state) {
    case 'SENDING':
      return (await store.declareDead(sent)) ? { is: 'doubt', detail: wentAway } : 'again'
    case 'DOUBT':
      return { is: 'doubt', detail: standing.detail ?? '' }
    case 'FAILED': {
      const failure = standing.failure ?? ({ why: 'remote', detail: '' } as const)
      return { is: 'failed', failure, billed: standing.billed ?? 'unknown', run }
    }
    case 'DONE': {
      // Said once more: whoever said it may not have lived to count down who waits.
      const result = { files: (files ?? []) as DonePurchase['files'] } // those that are saved
      return (await store.done(sent, result, enqueue)) === 'recorded' ? { is: 'done', ...result } : 'again'
    }
    case 'ACCEPTED':
    case 'RESULT': {
      const here = ledger.purchases.get(standing.purchase)
      const paid = here?.is === 'under-way' ? here : known
      if (paid?.is !== 'under-way') return 'again'
      // What came in an answer lies on the disk of the worker that had it, which may be this one's, too.
      const isHere = (file: RemoteFile) => file.from === 'link' || disk.look(file.path)?.is === 'file'
      const remote = paid.files ?? []
      const isAtHand = remote.length > 0 && remote.every(isHere)
      if (!isAtHand && !run) return 'again'
      if (paid !== here) await ledger.stands({ ...paid, saved: [], parts: [] })
      orders.resume(sent)
      const { purchase } = standing
      if (isAtHand)
        return { job, purchase, recipe: paid.recipe, start: { is: 'made', files: remote, run, ...waiting } }
      if (!run) return 'again'
      const age = { since: now, acceptedAt: now }
      return { job, purchase, recipe: paid.recipe, start: { is: 'remote', run, ...age, ...waiting } }
    }
  }
}
