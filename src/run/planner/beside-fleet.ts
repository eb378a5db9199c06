import { anySignal } from '../../base/any-signal.ts'
import { withinGrace } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import type { Diagnostic } from '../../base/diagnostic.ts'
import { counted } from '../../base/measure.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import { keepAlone } from '../../fleet/heartbeat.ts'
import type { Alone } from '../../fleet/planners.ts'
import { alone } from '../../fleet/tables.ts'
import { thisProcess } from '../../store/claim/process.ts'
import { digestOf } from '../../store/files/digest.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Recorded, Setting, Workspace } from '../../workspace/workspace.ts'
import {
  batchOf,
  type FleetMark,
  fleetTrouble,
  otherStore,
  queueOf,
  readMark,
  storeGoneHint,
  writeMark,
} from './fleet-records.ts'

/** How long the end of a run waits until the store has heard of it. */
const leavingMs = 2_000

/** How long a run that asks the store beside its own work waits for one that cannot be reached. */
const patienceMs = 5_000

/**
 * A run without a fleet, unless it would buy beside one: workers may be at work on it, or have bought what these records do not know. Its
 * mark tells so in the folder of whoever handed out; anywhere else the store does, where GENRUN_STORE names one. There it is told as
 * well that somebody is at work, until that ends: nobody hands the same out meanwhile, nor buys it in another checkout. `work` gets a stop
 * that comes, too, when the store may think otherwise. While another lineage has the same text on its way, `work` may order nothing. Throws
 * StorageError.
 */
export async function unlessBesideFleet<T>(
  setting: Setting,
  recorded: Recorded,
  work: (setting: Setting) => Promise<T>,
): Promise<T | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }> {
  const { request } = setting
  if (request.service.rehearsal) return work(setting)
  const mark = readMark(setting)
  if (request.store === undefined) {
    const against = seenByMark(setting, mark)
    return against ? { got: 'refused', problems: [against] } : work(setting)
  }
  const done = await asked(setting, mark, request.store, async store => {
    const held: Alone = {
      batch: batchOf(recorded),
      planner: aloneNameOf(setting),
      queue: queueOf(setting),
      ...(mark && { checkout: mark.checkout }),
    }
    // A shard is one of several that are at work on the same, each for itself.
    if (!setting.shard && !(await store.alone(held))) return atWork(setting)
    try {
      const found = await against(setting, recorded, { mark, isHeld: !setting.shard }, store)
      if (found) return found
      // A mark of another lineage tells of orders that this store was not asked for.
      if (mark?.open && mark.batch === batchOf(recorded)) await writeMark(setting, { ...mark, open: false })
      const unbuyable = await elsewhere(setting, recorded, mark, store)
      return { ended: await whileHeld({ ...setting, ...defined({ unbuyable }) }, held, store, work) }
    } finally {
      // A store that is away must not keep the end of a run from being told: the lease ends by itself.
      const left = setting.shard ? Promise.resolve() : store.leavePlan(held)
      await withinGrace(left, { stop: AbortSignal.abort(), clock: setting.machine.clock, ms: leavingMs })
    }
  })
  return 'ended' in done ? done.ended : { got: 'refused', problems: [done] }
}

async function whileHeld<T>(
  setting: Setting,
  held: Alone,
  store: FleetStore,
  work: (setting: Setting) => Promise<T>,
): Promise<T> {
  if (setting.shard) return work(setting)
  const { request, machine } = setting
  const [end, lost] = [new AbortController(), new AbortController()]
  const kept = keepAlone(store, held, { clock: machine.clock, signal: end.signal }).then(() => {
    if (end.signal.aborted) return
    const message =
      'the fleet’s store was not heard, or somebody else is at work on this by now: nothing more is bought'
    request.emit({ at: machine.clock.now(), event: 'warned', message })
    lost.abort()
  })
  try {
    return await work({ ...setting, request: { ...request, stop: anySignal([request.stop, lost.signal]) } })
  } finally {
    end.abort()
    await kept
  }
}

/** The same for all runs of a checkout, until its machine begins anew. */
export function aloneNameOf({ layout }: Pick<Setting, 'layout'>): string {
  const { host, machine, boot, space } = thisProcess()
  const digest = digestOf([host, machine, boot, space, layout.state])
  return `${alone}${digest.replace('sha256:', '').slice(0, 32)}`
}

function atWork(setting: Project): Diagnostic {
  return fleetTrouble(
    setting,
    'somebody is at work on it just now, in another checkout or with the fleet, and what that buys is not in this lock',
    'let that end, then go on with its lock; one that was killed is gone after ten seconds',
  )
}

type Project = Pick<Workspace, 'place' | 'layout' | 'machine' | 'manifest'>

/** The same for whoever only looks at a plan: nothing is written. `url` of the store, where one is named. Throws StorageError. */
export async function seenBesideFleet(
  project: Project,
  recorded: Recorded,
  { url, buys }: { readonly url: string | undefined; readonly buys: number },
): Promise<Diagnostic | undefined> {
  const mark = readMark(project)
  if (url === undefined) return seenByMark(project, mark)
  const found = await asked(project, mark, url, async store => ({
    is:
      (await against(project, recorded, { mark, isHeld: false }, store)) ??
      (buys > 0 ? await elsewhere(project, recorded, mark, store) : undefined),
  }))
  return 'is' in found ? found.is : found
}

function seenByMark(project: Project, mark: FleetMark | undefined): Diagnostic | undefined {
  if (!mark?.open) return undefined
  return fleetTrouble(
    project,
    'workers of a fleet may be at work on it, and what they buy is not all in its lock',
    `set GENRUN_STORE, then ${withFleet(project)}; ${storeGoneHint(project)}`,
  )
}

/** By a store of which nobody knows what became of it, nothing is bought. */
async function asked<T>(
  setting: Project,
  mark: FleetMark | undefined,
  url: string,
  ask: (store: FleetStore) => Promise<T>,
): Promise<T | Diagnostic> {
  const { openFleetStore } = await import('../../fleet/fleet-store.ts')
  const { FleetStoreError } = await import('../../fleet/trouble.ts')
  let store: FleetStore | undefined
  try {
    store = await openFleetStore(url, { patienceMs })
    return await ask(store)
  } catch (trouble) {
    if (!(trouble instanceof FleetStoreError)) throw trouble
    const message = `${trouble.message}; workers may be at work on this, and what they buy is not all in its lock`
    const without = mark?.open
      ? storeGoneHint(setting)
      : 'or unset GENRUN_STORE where no fleet has to do with this'
    return fleetTrouble(setting, message, `${trouble.hint}; ${without}`)
  } finally {
    await store?.close()
  }
}

async function against(
  setting: Project,
  recorded: Recorded,
  { mark, isHeld }: { readonly mark: FleetMark | undefined; readonly isHeld: boolean },
  store: FleetStore,
): Promise<Diagnostic | undefined> {
  const other = otherStore(setting, mark, await store.name())
  if (other) return other
  const batch = batchOf(recorded)
  const { open, unheard, checkout, isPlanned } = await store.beside(batch)
  const isOurs = checkout === null || checkout === mark?.checkout
  if (open > 0 || (isPlanned && !isOurs && !isHeld))
    return fleetTrouble(
      setting,
      'workers of a fleet may be at work on it, and what they buy is not all in its lock',
      withFleet(setting),
    )
  const unknown = isOurs ? unheard : await unknownOf(batch, recorded, store)
  if (unknown > 0)
    return fleetTrouble(
      setting,
      `workers of a fleet bought ${counted(unknown, 'result')} for it that this lock does not know`,
      `${withFleet(setting)} takes them in, and pays nothing for them`,
    )
  return undefined
}

/** What another lineage has on its way these records do not know, whatever else they do. */
async function elsewhere(
  setting: Project,
  recorded: Recorded,
  mark: FleetMark | undefined,
  store: FleetStore,
): Promise<Diagnostic | undefined> {
  const batch = batchOf(recorded)
  const open = await store.openOn(queueOf(setting), aloneNameOf(setting))
  if (!open.some(each => each !== batch)) return undefined
  // Beside an open mark nobody buys without the store.
  const without = mark?.open ? '' : '; or unset GENRUN_STORE where that is another matter'
  return fleetTrouble(
    setting,
    'another checkout has handed this very manifest to the fleet, or is at work on it, and that is not over',
    `go on with its lock; or let it end: its results come from the cache then; or ${withFleet(setting)}, which orders nothing that is on its way or in doubt there${without}`,
  )
}

/** How many of a batch's orders these records do not know: somebody else's have heard of them. */
async function unknownOf(batch: string, { purchases }: Recorded, store: FleetStore): Promise<number> {
  const known = new Set<string>(purchases.map(({ id }) => id))
  let unknown = 0
  for (let after = ''; ; ) {
    const some = await store.ordered(batch, after)
    const last = some.at(-1)
    if (!last) return unknown
    unknown += some.filter(({ purchase }) => !known.has(purchase)).length
    after = last.purchase
  }
}

function withFleet({ manifest }: Project): string {
  return `genrun run ${shellWord(manifest.file.name)} --fleet`
}
