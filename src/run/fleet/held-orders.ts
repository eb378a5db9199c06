import type { Failure } from '../../base/failure.ts'
import type { PurchaseId } from '../../base/names.ts'
import type { DonePurchase, JournalRecord } from '../../base/purchase.ts'
import { isOfUse } from '../../engine/run-job.ts'
import type { Recorder, World } from '../../engine/world.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import type { Enqueue } from '../../fleet/outcomes.ts'
import type { InAir, SentOnce, WantedOrder } from '../../fleet/right.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { asCame } from '../planner/fleet-files.ts'

/** HeldOrders that a worker has in its hands. */
export interface HeldOrders {
  /** Known before its task begins: what is wanted, under the key that it will have. */
  want(purchase: PurchaseId, order: WantedOrder): void
  /** Taken up again where another attempt, or another worker, has left it. */
  resume(sent: SentOnce): void
  /** Says of a result that an earlier process left here, and nobody has heard of. False: the worker stops first. */
  finish(sent: SentOnce, record: DonePurchase): Promise<boolean>
  /** Why it was not let go, of what the engine calls stopped; of what it calls done, that the store has not heard of it. */
  why(purchase: PurchaseId): HeldWhy | undefined
  forget(purchase: PurchaseId): void
  /** Attempts that are on their way. */
  inAir(): readonly InAir[]
  readonly permit: World['permit']
  readonly recorder: Recorder
}

type HeldWhy = 'taken' | 'no lease' | 'no answer' | 'over budget' | 'unwanted'

interface HeldOptions {
  readonly store: Pick<
    FleetStore,
    'right' | 'notSent' | 'refused' | 'doubt' | 'accepted' | 'result' | 'failed' | 'done'
  >
  readonly worker: string
  readonly ledger: Pick<Ledger, 'append' | 'purchases'>
  /** Why nothing may leave now, for this worker's own reasons. */
  readonly gate: () => Failure | undefined
  /** What this worker may spend itself: takes it out, or says why not. */
  readonly pay: (job: Job) => Failure | undefined
  /** Puts a result where others find it; resolves when it is there. False: the worker stops first. */
  readonly share: (entry: DonePurchase) => Promise<boolean>
  readonly enqueue: (batch: string) => Enqueue
  /** Hears of what a person has to know. */
  readonly tell: (text: string) => void
}

/** What an order is called that was let go and not answered yet, whoever looks. */
const unanswered = 'its worker went away before there was an answer'

/**
 * The right to send is the store's, and so is the record of what became of it; the journal of the worker holds the same, and first: what
 * is paid for stands on its disk while the store cannot be reached.
 */
export function openHeldOrders({
  store,
  worker,
  ledger,
  gate,
  pay,
  share,
  enqueue,
  tell,
}: HeldOptions): HeldOrders {
  const wanted = new Map<PurchaseId, WantedOrder>()
  const held = new Map<PurchaseId, SentOnce>()
  const whys = new Map<PurchaseId, HeldWhy>()
  const air = new Map<PurchaseId, string>()

  async function say(record: JournalRecord): Promise<void> {
    const purchase = 'purchase' in record ? record.purchase : undefined
    const sent = purchase && held.get(purchase)
    if (!purchase || !sent) return
    const known = ledger.purchases.get(purchase)
    const its = known ? { ...sent, record: known } : sent
    switch (record.kind) {
      case 'NOTSENT':
        await store.notSent(its)
        break
      case 'REFUSED':
        await store.refused(its, record.detail)
        break
      case 'DOUBT':
        await store.doubt(its, record.detail)
        break
      case 'ACCEPTED':
        tellDisowned(await store.accepted(its, record.run), its)
        break
      case 'RESULT':
        tellDisowned(await store.result(its, record), its)
        break
      case 'FAILED': {
        const came = known?.is === 'failed' && asCame(known)
        if (came) await share(came)
        await store.failed(its, record)
        break
      }
      case 'DONE':
        if (known?.is !== 'done' || !(await finish(sent, known, record.flaw)))
          return void whys.set(purchase, 'no answer')
        break
      default:
        return
    }
    air.delete(purchase)
  }

  async function finish(sent: SentOnce, record: DonePurchase, flaw: Failure | undefined): Promise<boolean> {
    if (!(await share(record))) return false
    const { files } = record
    const result = { files, ...(flaw && { flaw }), isOfUse: isOfUse({ is: 'done', files, flaw }) }
    return (await store.done({ ...sent, record }, result, enqueue(sent.batch))) === 'recorded'
  }

  function tellDisowned(noted: string, { address, purchase }: SentOnce): void {
    if (noted === 'disowned')
      tell(
        `${address}: what was paid for under ${purchase} belongs to another attempt by now; this worker's journal has it`,
      )
  }

  return {
    want: (purchase, order) => void wanted.set(purchase, order),
    resume: sent => void held.set(sent.purchase, sent),
    finish(sent, record) {
      const { why, message: detail = '' } = record.flaw ?? {}
      // How grave it was stands nowhere any more: nothing is made from it until it is planned again.
      const flaw = why === 'unlike-asked' ? ({ why, detail, fails: true } as const) : undefined
      return finish(sent, record, flaw)
    },
    why: purchase => whys.get(purchase),
    forget(purchase) {
      for (const map of [wanted, held, whys, air]) map.delete(purchase)
    },
    inAir: () => [...air].map(([purchase, attempt]) => ({ purchase, attempt })),
    async permit({ job }, { purchase, attempt, tell: telling }) {
      const failure = gate() ?? pay(job)
      if (failure) return { got: 'held', failure }
      const order = wanted.get(purchase)
      if (!order) throw new Error(`an order that nobody wants: ${purchase}`)
      telling()
      const known = ledger.purchases.get(purchase)
      const record = known && ({ ...known, is: 'doubt', detail: unanswered, raws: [] } as const)
      const answer = await store.right(worker, { ...order, ...(record && { record }) })
      if (answer.got === 'over budget') {
        whys.set(purchase, 'over budget')
        return {
          got: 'held',
          failure: { why: 'budget', detail: 'what the fleet may spend together is spent' },
        }
      }
      if (answer.got !== 'right') {
        whys.set(purchase, answer.got)
        return { got: 'held', failure: { why: 'stopped' } }
      }
      const { right } = answer
      held.set(purchase, right)
      air.set(purchase, right.attempt)
      try {
        await ledger.append({ kind: 'SENDING', purchase, attempt })
      } catch (trouble) {
        return { got: 'held', failure: { why: 'unsaved', path: 'the journal', detail: String(trouble) } }
      }
      return {
        got: 'permit',
        lastWord() {
          const late = gate()
          if (late) return late
          if (right.isGood()) return undefined
          whys.set(purchase, 'no answer')
          return { why: 'stopped' }
        },
      }
    },
    recorder: {
      async append(record) {
        const trouble = await ledger.append(record).then(
          () => undefined,
          (error: unknown) => ({ error }),
        )
        // What is paid for is said, whatever the disk of this machine does.
        await say(record)
        if (trouble) throw trouble.error
      },
    },
  }
}
