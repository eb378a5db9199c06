import { failureMessage } from '../../base/failure.ts'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { JobState } from '../../base/state.ts'
import type { OrderStanding } from '../../fleet/right.ts'
import type { HandedWork } from '../../fleet/works.ts'
import { type FleetTask, jobOfTask } from '../planner/fleet-job.ts'
import { enqueueIn, type Hands, type Wanted } from './desk.ts'
import { fromStanding } from './order-standing.ts'
import { bringNeeds } from './travel.ts'

/** One job that was handed out: from how it stands to how it ends, as far as that is this worker's to do. */
export async function take(
  batch: string,
  work: HandedWork | undefined,
  hands: Hands,
): Promise<'settled' | 'again'> {
  const { desk, at, bench } = hands
  if (!work || work.ended) return 'settled'
  const { address } = work
  const name = atWork({ batch, address })
  if (at.has(name) || bench.setting.request.stop.aborted) return 'again'
  at.add(name)
  try {
    const task = work.task as unknown as FleetTask // as `fleetTask` made it
    const job = jobOfTask(task, desk.setting.manifest)
    if (!job) {
      desk.tell(`${address}: no model is called ${task.job.model} here`)
      return 'again'
    }
    const made = { ...work.made, ...task.made }
    const { identity, waits } = work
    const wanted = { batch, identity, job: { ...job, retries: 0 }, task, made, waits }
    const state = await carryOut(wanted, work.standing ?? undefined, hands)
    if (state === 'again') return 'again'
    if (state.is !== 'done') await desk.fleet.store.end(batch, [address], state)
    return 'settled'
  } catch (bug) {
    desk.tell(`${address}: ${bug instanceof Error ? (bug.stack ?? bug.message) : String(bug)}`)
    return 'again'
  } finally {
    at.delete(name)
  }
}

/** The name of a job in `Hands.at`. */
export function atWork({ batch, address }: { readonly batch: string; readonly address: string }): string {
  return `${batch} ${address}`
}

/** A run that failed at the service is another order, as often as the job's own `retries` say. */
async function carryOut(
  wanted: Wanted,
  first: OrderStanding | undefined,
  hands: Hands,
): Promise<JobState | 'again'> {
  const { retries } = wanted.task.job
  let state = await orderOnce(wanted, first, hands)
  for (let nth = 1; nth <= retries && isFailedRun(state); nth++) {
    const another = { ...wanted, identity: `${wanted.identity}~${nth}`, isRetry: true as const }
    const next = await orderOnce(another, await hands.desk.fleet.store.standing(another), hands)
    // What may not be ordered any more takes nothing back: the one before was sent, is billed, and has failed.
    if (next !== 'again' && next.is === 'skipped') return state
    state = next
  }
  return state
}

function isFailedRun(state: JobState | 'again'): boolean {
  return state !== 'again' && state.is === 'failed' && state.failure.why === 'remote'
}

async function orderOnce(
  wanted: Wanted,
  standing: OrderStanding | undefined,
  hands: Hands,
): Promise<JobState | 'again'> {
  const { desk, orders, engine, drafts } = hands
  const { batch, identity, job, task } = wanted
  const { store } = desk.fleet
  const { ledger } = desk.records
  const { clock, disk } = desk.setting.machine
  const enqueue = enqueueIn(batch, desk)
  const order = { batch, identity, job, price: task.price }
  const begin = await fromStanding(order, standing, { store, orders, ledger, clock, disk, enqueue })
  if (begin === 'again' || !('start' in begin)) return begin
  const { purchase } = begin
  if (begin.start.is === 'ready') {
    if (wanted.waits) return 'again'
    const need = shortNeed(wanted)
    if (need !== undefined) {
      orders.forget(purchase)
      return { is: 'skipped', because: { why: 'needs', address: need } }
    }
    if (!(await bringNeeds(wanted, hands))) return 'again'
  }
  drafts.set(purchase, task.recipe)
  try {
    const state = (await engine.run([begin])).get(job.address)
    return state ? endOf(state, { purchase, isRetry: wanted.isRetry === true }, hands) : 'again'
  } finally {
    drafts.delete(purchase)
    orders.forget(purchase)
  }
}

/** A need that is done without the file that is asked of it. Of what is not done yet nobody knows. */
export function shortNeed({ job, made }: Pick<Wanted, 'job' | 'made'>): JobAddress | undefined {
  for (const ref of Object.values(job.files).flat()) {
    if (ref.from !== 'job' || ref.nth === 'pick') continue
    const entry = made[ref.address]
    if (entry && ref.nth >= entry.files.length) return ref.address
  }
  return undefined
}

/** What the engine came to, as far as it is the end. */
function endOf(
  state: JobState,
  { purchase, isRetry }: { readonly purchase: PurchaseId; readonly isRetry: boolean },
  { orders, giveUp }: Hands,
): JobState | 'again' {
  if (state.is === 'detached') {
    if (state.because.why === 'stopped') return 'again'
    if (state.because.why !== 'unsaved') return state
    // It is paid for, and another one's disk takes it.
    giveUp(failureMessage(state.because))
    return 'again'
  }
  if (state.is === 'done') return orders.why(purchase) ? 'again' : state
  if (state.is !== 'skipped') return state
  const { because } = state
  if (orders.why(purchase) === 'over budget') return state
  // Somebody has planned another text since: what failed stays failed.
  if (isRetry && orders.why(purchase) === 'unwanted') return state
  if (because.why === 'bad-input') return state
  const isOthers = orders.why(purchase) !== undefined || because.why === 'stopped' || because.why === 'needs'
  // Whatever keeps this worker from buying keeps no other one.
  if (!isOthers) giveUp(failureMessage(because))
  return 'again'
}
