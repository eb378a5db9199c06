import type { Failure } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import type { Billed, RemoteFile, RunRef, SavedFile } from '../base/state.ts'
import type { AskStore } from './connections.ts'
import { asked, type Context, jsonValue } from './context.ts'
import { gather } from './gather.ts'
import { repeat } from './repeat.ts'
import type { FleetState, OrderStanding, SentOnce } from './right.ts'
import { type Noted, recorded } from './rights.ts'

/** What became of orders that were sent. */
export interface OrderOutcomes {
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
   * nothing more; it may be asked again, when the transaction before came to nothing. What it throws takes everything back. Several of a batch
   * that are told at once are one transaction, in which one of their `enqueue` hears of all.
   */
  done(sent: SentOnce, result: FleetResult, enqueue: Enqueue): Promise<DoneNoted>
}

/** `disowned`: the order belongs to another attempt. It has to be kept, and told to a person. */
type PaidNoted = Noted | 'disowned'

interface FleetResult {
  readonly files: readonly SavedFile[]
  readonly flaw?: Failure
  /** False: nothing is made from it, and nobody is counted down. */
  readonly isOfUse?: boolean
}

/** `unpaid`: nothing says that the order was ever taken. */
type DoneNoted = Noted | 'unpaid'

/** Hands jobs to whatever delivers them, by statements of the same transaction. */
export type Enqueue = (ready: readonly JobAddress[], ask: AskStore) => Promise<void>

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

/** As `genrun.paid` is told of it. */
interface PaidRow extends SentOnce, PaidOutcome {
  readonly state: keyof typeof before
  readonly before: readonly FleetState[]
}

export function orderOutcomesOf(context: Context): OrderOutcomes {
  const { connections, clock, signal } = context
  const { statements } = context.sql
  const tellEnd = gather(
    (ends: readonly End[]) => connections.together(ask => writeEnds(ends, ask, statements.done)),
    () => clock.until(clock.now() + togetherMs, signal),
  )

  const tellPaid = gather(async (these: readonly PaidRow[]) => {
    const values = [JSON.stringify(these.map((row, nth) => ({ ...row, nth })))]
    const [found] = await connections.ask<{ told: readonly number[] }>(statements.paid, values)
    return new Set(found?.told.flatMap(nth => these[nth] ?? []))
  })

  async function paid(sent: SentOnce, state: keyof typeof before, outcome: PaidOutcome): Promise<PaidNoted> {
    const { batch, identity, attempt } = sent
    const row = { ...sent, ...outcome, state, before: before[state] }
    const whatever = { ...context, whatever: true }
    const told = await repeat(() => tellPaid(row), whatever)
    if (!told) return 'unrecorded'
    if (told.has(row)) return 'recorded'
    const standing = [batch, identity]
    const all = await repeat(() => connections.ask<OrderStanding>(statements.standing, standing), whatever)
    if (!all) return 'unrecorded'
    return all[0]?.attempt === attempt ? 'recorded' : 'disowned'
  }

  return {
    accepted: (sent, run) => paid(sent, 'ACCEPTED', { run }),
    result: (sent, outcome) => paid(sent, 'RESULT', outcome),
    failed: (sent, outcome) => paid(sent, 'FAILED', outcome),
    async doubt({ batch, identity, attempt, record }, detail) {
      const values = [batch, identity, attempt, detail, jsonValue(record)]
      return recorded(await asked(context, statements.doubt, values))
    },
    async done(sent, result, enqueue) {
      const end: End = { sent, result, enqueue }
      const done = await repeat(() => tellEnd(end), context)
      if (!done) return 'unrecorded'
      return done.has(end) ? 'recorded' : 'unpaid'
    },
  }
}

/** Those of so long are one transaction: nobody waits for an end as for an answer. */
const togetherMs = 100

/** Of one order. */
interface End {
  readonly sent: SentOnce
  readonly result: FleetResult
  readonly enqueue: Enqueue
}

interface Ended {
  /** Those of the ends, by their places, that were paid for. */
  readonly done: readonly number[]
  readonly ready: readonly { readonly batch: string; readonly address: JobAddress }[]
}

/** Writes down ends, and hands out what waited for them. Tells those that were paid for. */
async function writeEnds(ends: readonly End[], ask: AskStore, statement: string): Promise<ReadonlySet<End>> {
  const rows = await ask<Ended>(statement, [JSON.stringify(ends.map(endRow))])
  const { done, ready } = rows[0] ?? { done: [], ready: [] }
  for (const batch of new Set(ready.map(each => each.batch))) {
    const its = ready.flatMap(each => (each.batch === batch ? [each.address] : []))
    await ends.find(({ sent }) => sent.batch === batch)?.enqueue(its, ask)
  }
  return new Set(done.flatMap(nth => ends[nth] ?? []))
}

function endRow({ sent, result: { isOfUse = true, ...result } }: End, nth: number) {
  const { batch, identity, address, record } = sent
  const needed = isOfUse ? address : null
  const state = { is: 'done', ...result }
  return { nth, batch, identity, address, needed, files: result.files, record, state }
}
