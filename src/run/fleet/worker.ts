import { dirname, join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Failure } from '../../base/failure.ts'
import { failureMessage } from '../../base/failure.ts'
import type { PurchaseId } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { JobState } from '../../base/state.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { openBudget } from '../../engine/gates/budget.ts'
import type { EngineLimits } from '../../engine/limits.ts'
import type { Task, World } from '../../engine/world.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Enqueue } from '../../fleet/fleet-store.ts'
import { keepLease } from '../../fleet/heartbeat.ts'
import type { SentOnce } from '../../fleet/right.ts'
import type { Handed } from '../../fleet/work-queue.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { sameRecipe } from '../../plan/recipe.ts'
import type { Claim } from '../../store/claim/claim.ts'
import { makeFolders } from '../../store/files/disk.ts'
import { publishOutput } from '../../store/files/outputs.ts'
import { openSpool } from '../../store/files/spool.ts'
import { keepFromGit, stateFolder } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { OrderReply, Wire } from '../../wire/http/wire.ts'
import { readRecords } from '../../workspace/records/beside.ts'
import type { Busy } from '../../workspace/records/busy.ts'
import { type Damaged, damaged } from '../../workspace/records/recorded.ts'
import { withClaim } from '../../workspace/records/with-claim.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { bringForFleet, putForFleet } from '../fleet-files.ts'
import { type FleetTask, jobOfTask } from '../fleet-job.ts'
import { queueOf } from '../fleet-tasks.ts'
import { gate } from '../gate.ts'
import { type Records, withRecords } from '../ledger/records.ts'
import { connectAll, type Line } from '../lines.ts'
import { partsOf } from '../results/parts.ts'
import { type Bench, sitesOf } from '../run-tasks.ts'
import { stopwatch } from '../stopwatch.ts'
import { type HeldOrders, openHeldOrders } from './held-orders.ts'
import { fromStanding } from './order-standing.ts'

/** What a worker came to: it was stopped, or stopped itself and says why. */
export type WorkEnded = { readonly got: 'ended'; readonly why?: string } | Busy | Damaged

interface Working {
  readonly fleet: Fleet
  /** For a person, a line each. */
  readonly tell: (text: string) => void
}

/** Runs that are alive at once, for one worker. */
const atOnce = 64

/** HeldOrders on their way at once: so many are in doubt at most when a worker dies. */
const inAir = 8

/**
 * Makes what is handed to it, until the stop. It has a folder for itself, with a journal of its own; what it makes goes through the
 * cache, and nothing else of the manifest's records is touched.
 */
export async function workForFleet(setting: Setting, working: Working): Promise<WorkEnded> {
  const { disk } = setting.machine
  const states = dirname(setting.layout.state)
  try {
    await makeFolders(disk, states)
    await keepFromGit(disk, states)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
  for (let nth = 1; ; nth++) {
    const own = ownPlace(setting, nth)
    const ended = await withClaim(own, claim => workThere(own, claim, working))
    if (ended.got !== 'busy') return ended
  }
}

/** Among the states of manifests, and none of them. */
const workersFolder = '.workers'

/** The folder of one worker of this machine: the first that nobody works in. */
function ownPlace(setting: Setting, nth: number): Setting {
  const { rehearsal } = setting.layout
  const state = join(dirname(setting.layout.state), workersFolder, `${setting.place.stem}-${nth}`)
  const layout = { rehearsal, state, lock: join(state, 'worker.lock.json'), output: join(state, 'out') }
  return { ...setting, layout, folders: stateFolder(state) }
}

async function workThere(setting: Setting, claim: Claim, working: Working): Promise<WorkEnded> {
  const recorded = readRecords(setting)
  if ('got' in recorded) return recorded
  return withRecords(setting, { recorded, claim }, records => {
    return workWith({ setting, claim, recorded, records, ...working })
  })
}

interface Desk extends Working {
  readonly setting: Setting
  readonly claim: Claim
  readonly recorded: Recorded
  readonly records: Records
}

async function workWith(desk: Desk): Promise<WorkEnded> {
  const { setting, claim, recorded, records, fleet, tell } = desk
  const { machine, folders, request, manifest, layout } = setting
  const { ledger, journal } = records
  const { clock } = machine
  const worker = machine.random.token()
  const stopping = new AbortController()
  const stop = AbortSignal.any([request.stop, stopping.signal])
  const spool = openSpool(folders.spool, machine.disk, machine.refuge)
  const orderable = manifest.jobs.map(job => ({ job }) as Task)
  const lines = await connectAll(setting, orderable, spool.sink)
  const budget = openBudget(request.caps ?? {}, setting.prices)
  const watched = (line: Line): Line => ({ ...line, wire: budget.watch(line.wire) })
  const [usual, ...named] = lines.all
  const bench: Bench = {
    setting: { ...setting, request: { ...request, stop } },
    tasks: orderable,
    ...{ recorded, claim, journal, ledger, spool },
    lines: [watched(usual), ...named.map(watched)],
    watch: stopwatch(),
    parts: partsOf(layout, machine),
    budget,
  }
  const orders = openHeldOrders({
    store: fleet.store,
    worker,
    ledger,
    gate: () => gate({ stop, claim, journal, ledger, spool }),
    pay: job => budget.take(job),
    share: entry => shareSurely(entry, desk, stop),
    enqueue: batch => enqueueIn(batch, desk),
    tell,
  })
  const drafts = new Map<PurchaseId, FleetTask['recipe']>()
  const turns = openTurns(inAir)
  const { world, limits, others } = sitesOf(bench)
  const own = (its: World, { perMinute, ...rest }: EngineLimits) => ({
    world: {
      ...its,
      ...{ journal: orders.recorder, permit: orders.permit },
      wire: paced(its.wire, { turns, fleet, stop, isPaced: perMinute !== undefined }),
      prepare: checked(its.prepare, drafts),
    },
    limits: rest,
  })
  const first = own(world, limits)
  const more = Object.entries(others).map(([name, site]) => [name, own(site.world, site.limits)] as const)
  const engine = openEngine(first.world, first.limits, Object.fromEntries(more))
  const leaving = new AbortController()
  const lease = keepLease(fleet.store, worker, { clock, attempts: orders.inAir, signal: leaving.signal })
  let why: string | undefined
  const hands: Hands = {
    ...{ desk, orders, engine, drafts, bench, at: new Set(), bringing: new Map() },
    giveUp(because) {
      why ??= failureMessage(because)
      stopping.abort()
    },
  }
  try {
    await tellLeftovers(desk)
    await fleet.work(queueOf(setting), handed => take(handed, hands), { atOnce, signal: stop })
    await fleet.store.leave(worker)
    await records.close()
    return { got: 'ended', ...defined({ why }) }
  } finally {
    leaving.abort()
    await lease
    engine.close()
    await lines.close()
  }
}

function enqueueIn(batch: string, { fleet, setting }: Desk): Enqueue {
  return (ready, ask) => fleet.enqueue(batch, queueOf(setting), ready, ask)
}

/** What an earlier worker in this folder wrote down and may not have said: it was killed, or had no store. */
async function tellLeftovers({ recorded, fleet: { store } }: Desk): Promise<void> {
  for (const record of recorded.purchases) {
    if (record.is !== 'under-way' && record.is !== 'failed') continue
    const standing = await store.purchase(record.id)
    if (!standing || (standing.state !== 'SENDING' && standing.state !== 'DOUBT')) continue
    const sent: SentOnce = { ...standing, record }
    if (record.is === 'failed')
      await store.failed(sent, {
        failure: { why: 'remote', detail: record.flaw.message },
        billed: record.billed,
      })
    else if (record.files) await store.result(sent, { files: record.files, ...defined({ run: record.run }) })
    else if (record.run) await store.accepted(sent, record.run)
  }
}

interface Hands {
  readonly desk: Desk
  readonly orders: HeldOrders
  readonly engine: Engine
  /** What is to be sent, as it was planned. */
  readonly drafts: Map<PurchaseId, FleetTask['recipe']>
  readonly bench: Bench
  /** Jobs that are at work: what is handed out twice is done once. */
  readonly at: Set<string>
  readonly bringing: Map<PurchaseId, Promise<boolean>>
  readonly giveUp: (because: Failure) => void
}

/** One job that was handed out: from how it stands to how it ends, as far as that is this worker's to do. */
async function take(handed: Handed, hands: Hands): Promise<'settled' | 'again'> {
  const { desk, at, bench } = hands
  const { store } = desk.fleet
  const { batch, address } = handed
  const name = `${batch} ${address}`
  if (at.has(name) || bench.setting.request.stop.aborted) return 'again'
  at.add(name)
  try {
    const work = await store.work(batch, address)
    if (!work || work.ended) return 'settled'
    const task = work.task as unknown as FleetTask // as `fleetTask` made it
    const job = jobOfTask(task, desk.setting.manifest)
    if (!job) {
      desk.tell(`${address}: no model is called ${task.job.model} here`)
      return 'again'
    }
    const state = await carryOut({ batch, identity: work.identity, job: { ...job, retries: 0 }, task }, hands)
    if (state === 'again') return 'again'
    if (state.is !== 'done') await store.end(batch, [address], state)
    return 'settled'
  } catch (bug) {
    desk.tell(`${address}: ${bug instanceof Error ? (bug.stack ?? bug.message) : String(bug)}`)
    return 'again'
  } finally {
    at.delete(name)
  }
}

interface Wanted {
  readonly batch: string
  readonly identity: string
  readonly job: Job
  readonly task: FleetTask
}

/** A run that failed at the service is another order, as often as the job's own `retries` say. */
async function carryOut(wanted: Wanted, hands: Hands): Promise<JobState | 'again'> {
  const { retries } = wanted.task.job
  for (let nth = 0; ; nth++) {
    const identity = nth === 0 ? wanted.identity : `${wanted.identity}~${nth}`
    const state = await orderOnce({ ...wanted, identity }, hands)
    const isAnother = state !== 'again' && state.is === 'failed' && state.failure.why === 'remote'
    if (!isAnother || nth >= retries) return state
  }
}

async function orderOnce(wanted: Wanted, hands: Hands): Promise<JobState | 'again'> {
  const { desk, orders, engine, drafts } = hands
  const { batch, identity, job, task } = wanted
  const { store } = desk.fleet
  const [standing] = await store.standing({ batch, identity })
  const { ledger } = desk.records
  const { clock, disk } = desk.setting.machine
  const enqueue = enqueueIn(batch, desk)
  const order = { batch, identity, job, price: task.price }
  const begin = await fromStanding(order, standing, { store, orders, ledger, clock, disk, enqueue })
  if (begin === 'again' || !('start' in begin)) return begin
  const { purchase } = begin
  if (begin.start.is === 'ready' && !(await bringNeeds(wanted, hands))) return 'again'
  drafts.set(purchase, task.recipe)
  try {
    const state = (await engine.run([begin])).get(job.address)
    return state ? endOf(state, purchase, hands) : 'again'
  } finally {
    drafts.delete(purchase)
    orders.forget(purchase)
  }
}

/** What the engine came to, as far as it is the end. */
function endOf(state: JobState, purchase: PurchaseId, { orders, giveUp }: Hands): JobState | 'again' {
  if (state.is === 'detached') return state.because.why === 'stopped' ? 'again' : state
  if (state.is === 'done') return state
  if (state.is !== 'skipped') return state
  const { because } = state
  if (orders.why(purchase) === 'over budget') return state
  if (because.why === 'bad-input') return state
  const isOthers = orders.why(purchase) !== undefined || because.why === 'stopped' || because.why === 'needs'
  // Whatever keeps this worker from buying keeps no other one.
  if (!isOthers) giveUp(because)
  return 'again'
}

/** Has the results at hand that a job is made from. False where they are not to be had now. */
async function bringNeeds({ batch, job, task }: Wanted, hands: Hands): Promise<boolean> {
  const { store } = hands.desk.fleet
  for (const need of job.needs) {
    const entry = task.made[need] ?? (await store.made(batch, need))
    if (!entry) return false
    const bringing = hands.bringing.get(entry.id) ?? bring(entry, hands)
    hands.bringing.set(entry.id, bringing)
    if (!(await bringing)) {
      hands.bringing.delete(entry.id)
      return false
    }
    hands.bench.ledger.give(need, entry.id)
  }
  return true
}

async function bring(entry: DonePurchase, { bench, desk }: Hands): Promise<boolean> {
  const { setting, ledger, parts } = bench
  const { cache, layout, folders, machine } = setting
  if (ledger.purchases.get(entry.id)?.is === 'done') return true
  if (!cache) return false
  const trouble = await bringForFleet(entry, cache)
  if (trouble) {
    desk.tell(`${entry.address}: ${trouble.message}`)
    return false
  }
  for (const [nth, { path, digest, ...file }] of entry.files.entries()) {
    const part = parts.path(`bring ${entry.id}`, nth)
    if (!(await cache.take({ path, digest, ...file }, part))) return false
    const isOurs = () => true
    const { disk } = machine
    await publishOutput({ root: layout.output, part, digest, path, isOurs, kept: folders.kept, disk })
  }
  await ledger.stands(entry)
  return true
}

/** Tried until it is there, or the stop. */
async function shareSurely(
  entry: DonePurchase,
  { setting, tell }: Desk,
  stop: AbortSignal,
): Promise<boolean> {
  const { cache, layout, machine } = setting
  if (!cache) return false
  const { clock, disk } = machine
  for (let nth = 0; !stop.aborted; nth++) {
    const trouble = await putForFleet([entry], { cache, output: layout.output, disk })
    if (!trouble) return true
    tell(`${entry.address}: ${trouble.message}`)
    await clock.until(clock.now() + Math.min(30_000, 500 * 2 ** nth), stop)
  }
  return false
}

/** What is found to send has to be what was planned: a checkout may be another one. */
function checked(
  prepare: World['prepare'],
  drafts: ReadonlyMap<PurchaseId, FleetTask['recipe']>,
): World['prepare'] {
  return async task => {
    const prepared = await prepare(task)
    const draft = drafts.get(task.purchase)
    if (prepared.got !== 'prepared' || !draft || sameRecipe(draft, prepared.recipe)) return prepared
    const detail = 'the files here are not those that it was planned with'
    return { got: 'held-back', failure: { why: 'bad-input', path: 'its inputs', detail } }
  }
}

interface Pacing {
  readonly turns: Turns
  readonly fleet: Fleet
  readonly stop: AbortSignal
  /** HeldOrders of all workers together begin at a rate. */
  readonly isPaced: boolean
}

function paced(wire: Wire, { turns, fleet, stop, isPaced }: Pacing): Wire {
  return {
    ...wire,
    async order(sent, beforeFirstByte): Promise<OrderReply> {
      return turns(async () => {
        if (isPaced) await fleet.store.take(wire.origin, 1, stop)
        return wire.order(sent, beforeFirstByte)
      })
    },
  }
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** So many at a time, in the order in which they came. */
function openTurns(many: number): Turns {
  const waiting: (() => void)[] = []
  let free = many
  return async work => {
    if (free === 0) await new Promise<void>(resolve => void waiting.push(resolve))
    else free--
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
