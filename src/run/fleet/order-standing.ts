import type { Clock } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import { type DonePurchase, orderOf, type RunningPurchase } from '../../base/purchase.ts'
import type { JobState, RemoteFile } from '../../base/state.ts'
import type { Task } from '../../engine/world.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import type { Enqueue } from '../../fleet/outcomes.ts'
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
  readonly store: Pick<FleetStore, 'declareDead' | 'done' | 'doubt'>
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
    const purchase = keyOf({ batch, identity })
    orders.want(purchase, { batch, identity, address: job.address, request: '', price })
    return { job, purchase, start: { is: 'ready', ...waiting } }
  }
  const { state, files, purchase, run: itsRun } = standing
  const run = itsRun ?? undefined
  const sent = sentOf(standing)
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
      const here = ledger.purchases.get(purchase)
      const paid = here?.is === 'under-way' ? here : paidOf(standing)
      const remote = paid?.files ?? []
      // What came in an answer lies on the disk of the worker that had it, which may be this one's, too.
      const isHere = (file: RemoteFile) => file.from === 'link' || disk.look(file.path)?.is === 'file'
      const isAtHand = remote.length > 0 && remote.every(isHere)
      if (!paid || (!isAtHand && !run)) return standing.near ? 'again' : lost(sent, remote, store)
      if (paid !== here) await ledger.stands({ ...paid, saved: [], parts: [] })
      orders.resume(sent)
      const { recipe } = paid
      if (isAtHand) return { job, purchase, recipe, start: { is: 'made', files: remote, run, ...waiting } }
      if (!run) return 'again'
      const age = { since: now, acceptedAt: now }
      return { job, purchase, recipe, start: { is: 'remote', run, ...age, ...waiting } }
    }
  }
}

export function sentOf({
  state: _state,
  files: _files,
  record,
  run: _run,
  ...rest
}: OrderStanding): SentOnce {
  return { ...rest, ...defined({ record: record ? { ...record, id: rest.purchase } : undefined }) }
}

/** What the store knows of an order that is paid for, whatever was known when its record was written. */
function paidOf({ record, purchase, run, files }: OrderStanding): RunningPurchase | undefined {
  if (!record) return undefined
  const waiting = (files ?? undefined) as RunningPurchase['files'] // those of a result are to be fetched
  const known = defined({ run: run ?? undefined, files: waiting })
  return { ...orderOf({ ...record, id: purchase }), ...known, is: 'under-way', saved: [], parts: [] }
}

/** Nobody who works has what it is paid for: a person decides, unless whoever has it comes back. */
async function lost(sent: SentOnce, files: readonly RemoteFile[], store: Hands['store']): Promise<JobState> {
  const [place] = files.flatMap(file => (file.from === 'spool' ? [file.path] : []))
  const where = place === undefined ? '' : `, at ${place}`
  const detail = `it was paid for, and its answer came to a worker that went away${where}: one that is started there again brings it`
  const record = sent.record && ({ ...orderOf(sent.record), is: 'doubt', detail, raws: [] } as const)
  await store.doubt({ ...sent, ...defined({ record }) }, detail)
  return { is: 'doubt', detail }
}
