import { anySignal } from '../../base/any-signal.ts'
import { withinGrace } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import type { Diagnostic } from '../../base/diagnostic.ts'
import { counted, totalOf } from '../../base/measure.ts'
import { fuller, type Purchase } from '../../base/purchase.ts'
import type { RunRef } from '../../base/state.ts'
import type { FleetStatus } from '../../fleet/batches.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { keepPlanning } from '../../fleet/heartbeat.ts'
import type { FleetBatch } from '../../fleet/planners.ts'
import { takenBack, type Unheard } from '../../fleet/works.ts'
import type { Caps } from '../../plan/budget.ts'
import { runCaps } from '../../planning/make-plan.ts'
import { prepareOutputs } from '../../store/files/outputs.ts'
import type { Parts } from '../../store/files/parts.ts'
import type { Busy } from '../../workspace/records/busy.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { partsOf } from '../results/parts.ts'
import { aloneNameOf } from './beside-fleet.ts'
import { asCame, placeForFleet } from './fleet-files.ts'
import { isOfJob } from './fleet-job.ts'
import { paidOrders } from './fleet-orders.ts'
import { batchOf, otherStore, queueOf, readMark, tellAlone, tellSilent, writeMark } from './fleet-records.ts'
import { allUnheard, followFleet, followingMs } from './follow-fleet.ts'

interface Heard {
  /** With all that the fleet's store knows. */
  readonly recorded: Recorded
  readonly batch: FleetBatch
  /** All of it stands in the records. */
  told(): Promise<void>
}

type NotHeard = Busy | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }

/**
 * Plans with a fleet: becomes its planner, takes back what nobody has ordered, waits for what somebody has, and takes in what the records
 * do not know of it. Throws StorageError, FleetStoreError.
 */
export async function withFleetHeard<T>(
  setting: Setting,
  recorded: Recorded,
  { store }: Fleet,
  work: (heard: Heard) => Promise<T>,
): Promise<T | NotHeard> {
  const { random, clock } = setting.machine
  const mark = readMark(setting)
  const name = await store.name()
  const other = otherStore(setting, mark, name)
  if (other) return { got: 'refused', problems: [other] }
  const [batch, checkout] = [batchOf(recorded), mark?.checkout ?? random.token()]
  const planner = { batch, checkout, planner: random.token(), queue: queueOf(setting) }
  const own = aloneNameOf(setting)
  if (!(await store.plan(planner, own))) return planned
  // Of another lineage, too: whoever buys by itself looks at what is planned once it has said so.
  if ((await store.aloneOn(planner.queue, own)).length > 0) {
    await store.leavePlan(planner)
    return planned
  }
  const [end, lost] = [new AbortController(), new AbortController()]
  const kept = keepPlanning(store, planner, { clock, signal: end.signal }).then(() => lost.abort())
  try {
    const told = mark?.told
    await writeMark(setting, {
      batch,
      checkout,
      store: name,
      open: mark?.open ?? false,
      ...defined({ told }),
    })
    const { spent } = await store.status(batch)
    await store.allow(batch, capsBeyond(spent, runCaps(setting, setting.request)))
    const session: FleetBatch = { planner, spentBefore: spent, lost: lost.signal }
    const heard = await heardFrom(setting, recorded, { store, session, toldBefore: told ?? [] })
    return 'got' in heard ? heard : await work(heard)
  } finally {
    end.abort()
    const left = Promise.all([kept, store.leavePlan(planner)])
    await withinGrace(left, { stop: setting.request.stop, clock, ms: leavingMs })
  }
}

/** After a stop: a store that does not answer must not keep the end of a run from being told. */
const leavingMs = 500

const planned: Busy = {
  got: 'busy',
  message: 'somebody runs it just now, from another checkout or with the fleet',
  hint: 'let that end, or use its lock; one that was killed is gone after ten seconds',
}

/** What a batch may have spent in the end. */
export function capsBeyond(
  spent: FleetStatus['spent'],
  { maxCost, maxPaid }: Caps = {},
  mine = { cost: 0, paid: 0 },
): { readonly maxCost?: number; readonly maxOrders?: number } {
  return defined({
    maxCost: maxCost === undefined ? undefined : spent.cost + Math.max(0, maxCost - mine.cost),
    maxOrders: maxPaid === undefined ? undefined : spent.orders + Math.max(0, maxPaid - mine.paid),
  })
}

async function heardFrom(
  setting: Setting,
  recorded: Recorded,
  {
    store,
    session,
    toldBefore,
  }: Pick<Fleet, 'store'> & { readonly session: FleetBatch; readonly toldBefore: readonly string[] },
): Promise<Heard | Busy> {
  const { request, machine } = setting
  const { planner, lost } = session
  const { batch, checkout } = planner
  const { clock } = machine
  const tell = (message: string) => request.emit({ at: clock.now(), event: 'warned', message })
  await store.withdraw(planner, takenBack)
  const { open } = await store.beside(batch)
  if (open > 0) tell(`waits for what workers have ordered already: ${counted(open, 'job')}`)
  const stop = anySignal([request.stop, lost])
  const following = followFleet(batch, {
    store,
    clock,
    stop,
    alone: left => tellAlone(left, setting),
    silent: orders => tellSilent(orders, setting),
  })
  await withinGrace(following, { stop: request.stop, clock, ms: followingMs })
  if (lost.aborted) return planned
  if (request.stop.aborted)
    return {
      got: 'busy',
      message: 'what workers of the fleet have ordered is on its way; nothing more is handed out',
      hint: 'the same command waits for it, and goes on',
    }
  const parts = partsOf(setting.layout, machine)
  const news: Unheard[] = []
  const here: Purchase[] = []
  for await (const some of allUnheard(batch, store))
    for (const each of some) {
      news.push(each)
      here.push(await asHere(each.record, setting, parts))
    }
  async function closeMark(): Promise<void> {
    await store.hear(planner, news)
    const { open, unheard } = await store.beside(batch)
    if (open > 0 || unheard > 0 || (await store.planOn(planner)) !== 'kept') return
    await writeMark(setting, { batch, checkout, store: await store.name(), open: false })
  }
  const found = paidOrders([...recorded.purchases, ...toldBefore.map(id => ({ id }))])
  for (const { record } of news) found.hear(record)
  const many = totalOf(found.many().values())
  if (many > 0)
    tell(
      `workers made ${counted(many, 'order')} since the last run ended: this one's end counts only its own`,
    )
  return {
    recorded: joined(recorded, here),
    batch: session,
    async told() {
      await withinGrace(closeMark(), { stop: request.stop, clock, ms: leavingMs })
    },
  }
}

function joined(recorded: Recorded, news: readonly Purchase[]): Recorded {
  const known = new Map(recorded.purchases.map(each => [each.id, each]))
  const told = news.filter(each => {
    const before = known.get(each.id)
    return !before || fuller(before, each) === each || isOver(before, each)
  })
  for (const each of told) known.set(each.id, each)
  return {
    ...recorded,
    purchases: [...known.values()],
    unwritten: new Set([...recorded.unwritten, ...told.map(({ id }) => id)]),
    untold: [...recorded.untold, ...told],
  }
}

/** The store tells of an order as it stands by now: a run that has failed since it was written down is not under way any more. */
function isOver(before: Purchase, { is, run }: Purchase & { readonly run?: RunRef }): boolean {
  return before.is === 'under-way' && is === 'failed' && (run === undefined || run.id === before.run?.id)
}

/**
 * A record with its files at their places, where a plan would not find them: those of a failure, of a result with a flaw,
 * and of a job that is not in the manifest any more, which no recipe leads to. What cannot be brought lies with the worker that fetched it.
 */
export async function asHere(record: Purchase, setting: Setting, parts: Parts): Promise<Purchase> {
  const isFoundByRecipe = record.is === 'done' && !record.flaw && isOfJob(record, setting.manifest)
  const came = record.is === 'failed' ? asCame(record) : record.is === 'done' && !isFoundByRecipe && record
  if (!came || !setting.cache) return record
  const { cache, layout, folders, machine } = setting
  await prepareOutputs(layout.output, machine.disk)
  const where = { cache, layout, folders, parts, disk: machine.disk, isOurs: () => false }
  const trouble = await placeForFleet(came, where)
  if (!trouble || record.is !== 'failed') return record
  const { files: _elsewhere, ...rest } = record
  return rest
}
