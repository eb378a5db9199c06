import { setMaxListeners } from 'node:events'
import { dirname } from 'node:path'
import { anySignal } from '../../base/any-signal.ts'
import { defined } from '../../base/defined.ts'
import { openTurns } from '../../base/turns.ts'
import { openEngine } from '../../engine/engine.ts'
import { openBudget } from '../../engine/gates/budget.ts'
import type { EngineLimits } from '../../engine/limits.ts'
import type { Task, World } from '../../engine/world.ts'
import { keepLease } from '../../fleet/heartbeat.ts'
import type { Claim } from '../../store/claim/claim.ts'
import { makeFolders } from '../../store/files/disk.ts'
import { neededParts } from '../../store/files/parts.ts'
import { openSpool } from '../../store/files/spool.ts'
import { keepFromGit, stateFolder } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { readRecords } from '../../workspace/records/beside.ts'
import type { Busy } from '../../workspace/records/busy.ts'
import { workerLayout } from '../../workspace/records/left-by-workers.ts'
import { type Damaged, damaged } from '../../workspace/records/recorded.ts'
import { withClaim } from '../../workspace/records/with-claim.ts'
import { ownService } from '../../workspace/service/named.ts'
import type { Setting } from '../../workspace/workspace.ts'
import { gate } from '../gate.ts'
import { withRecords } from '../ledger/records.ts'
import { connectAll, type Line } from '../lines.ts'
import { queueOf, workerName } from '../planner/fleet-records.ts'
import { partsOf } from '../results/parts.ts'
import { type Bench, sitesOf } from '../run-tasks.ts'
import { stopwatch } from '../stopwatch.ts'
import { enqueueIn, type Hands, type WorkDesk, type Working } from './desk.ts'
import { openHeldOrders } from './held-orders.ts'
import { deliverLeftovers, sweepWorker, tellLeftovers } from './leftovers.ts'
import { checked, paced } from './sending.ts'
import { takeAll } from './take-all.ts'
import { shareSurely } from './travel.ts'

/** What a worker came to: it was stopped, or stopped itself and says why. */
export type WorkEnded = { readonly got: 'ended'; readonly why?: string } | Busy | Damaged

/** Runs that are alive at once, for one worker. */
const atOnce = 64

/** Its journal and the store have every record before anything is done on it; the lock beside the journal is for whoever looks at it. */
const savesEveryMs = 30_000

/**
 * Before anything is built on these the store has them: that an order left, by its right; what was made of it, with the cache, as its end;
 * and what is taken up from another. What the service took is on this disk first.
 */
const backed = new Set(['SENDING', 'SAVED', 'DONE', 'STANDS'] as const)

/** Orders on their way at once: so many are in doubt at most when a worker dies. */
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

/** The folder of one worker of this machine: the first that nobody works in. */
function ownPlace(setting: Setting, nth: number): Setting {
  const { layout: its, request, services, machine } = setting
  const layout = workerLayout(its, `${setting.place.stem}-${nth}`)
  const { rehearsal, state } = layout
  const originOf = (service: string) => ownService(services ?? {}, service)?.origin
  // What is fetched waits beside the state: whoever sweeps there must not be another process.
  const where = { rehearsal, state, disk: machine.disk, originOf, stop: request.stop }
  const cache = request.cache && 'open' in request.cache ? request.cache.open(where) : setting.cache
  return { ...setting, layout, folders: stateFolder(state), ...defined({ cache }) }
}

async function workThere(setting: Setting, claim: Claim, working: Working): Promise<WorkEnded> {
  await sweepWorker(setting, working)
  const recorded = readRecords(setting)
  if ('got' in recorded) return recorded
  const ended = await withRecords(
    setting,
    { recorded, claim, saves: { everyMs: savesEveryMs, backed } },
    records => {
      return workWith({ setting, claim, recorded, records, big: new Set(), ...working })
    },
  )
  if (ended.isHeard) await sweepWorker(setting, working)
  return ended.came
}

async function workWith(desk: WorkDesk): Promise<{ readonly came: WorkEnded; readonly isHeard: boolean }> {
  const { setting, claim, recorded, records, fleet, tell } = desk
  const { machine, folders, request, manifest, layout } = setting
  const { ledger, journal } = records
  const { clock } = machine
  const worker = workerName(machine.self(), machine.random.token())
  const stopping = new AbortController()
  const stop = anySignal([request.stop, stopping.signal])
  // Each job at hand waits by it.
  setMaxListeners(0, stop, request.stop)
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
  bench.parts.sweep(neededParts(ledger.purchases.values()))
  const bringing: Hands['bringing'] = new Map()
  const orders = openHeldOrders({
    store: fleet.store,
    worker,
    ledger,
    gate: () => gate({ stop, claim, journal, ledger, spool }),
    pay: job => budget.take(job),
    async share(entry) {
      const isShared = await shareSurely(entry, desk, stop)
      if (isShared) bringing.set(entry.id, Promise.resolve(true))
      return isShared
    },
    enqueue: batch => enqueueIn(batch, desk),
    tell,
  })
  const drafts: Hands['drafts'] = new Map()
  let room = inAir
  const turns = openTurns(() => room)
  const { world, limits, others } = sitesOf(bench)
  // What the store has needs no lock before it is asked for.
  const own = ({ secured: _lock, ...its }: World, { perMinute, ...rest }: EngineLimits) => ({
    world: {
      ...its,
      ...{ journal: orders.recorder, permit: orders.permit },
      wire: paced(its.wire, { turns, fleet, worker, clock, stop, isPaced: perMinute !== undefined }),
      prepare: checked(its.prepare, drafts),
    },
    limits: rest,
  })
  const first = own(world, limits)
  const more = Object.entries(others).map(([name, site]) => [name, own(site.world, site.limits)] as const)
  const engine = openEngine(first.world, first.limits, Object.fromEntries(more))
  const leaving = new AbortController()
  // The busiest of its services counts for all that it sends.
  const beaten = async () => {
    const rooms = await Promise.all(lines.all.map(({ wire }) => fleet.store.room(wire.origin)))
    room = Math.min(inAir, ...rooms.map(each => each ?? inAir))
  }
  let why: string | undefined
  const hands: Hands = {
    ...{ desk, orders, engine, drafts, bench, at: new Set(), bringing, turns: openTurns(() => atOnce) },
    giveUp(because) {
      why ??= because
      stopping.abort()
    },
  }
  const queue = queueOf(setting)
  await fleet.store.join(worker, queue)
  let gone: unknown
  // A store that is another by now gives no right any more: what is on its way comes back, and that is all.
  const lease = keepLease(fleet.store, worker, {
    queue,
    clock,
    inAir: orders.inAir,
    signal: leaving.signal,
    beaten,
  }).catch((trouble: unknown) => {
    gone = trouble
    stopping.abort()
  })
  try {
    await tellLeftovers(desk)
    desk.begun?.()
    const work = fleet.work(queue, handed => takeAll(handed, hands), { atOnce, signal: stop })
    await Promise.all([deliverLeftovers(hands), work])
    const isHeard = await fleet.store.leave(worker)
    await records.close()
    if (gone !== undefined) throw gone
    return { came: { got: 'ended', ...defined({ why }) }, isHeard }
  } finally {
    leaving.abort()
    await lease
    engine.close()
    await lines.close()
  }
}
