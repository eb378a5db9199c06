import type { Diagnostic } from '../../base/diagnostic.ts'
import { counted } from '../../base/measure.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Recorded, Setting, Workspace } from '../../workspace/workspace.ts'
import {
  batchOf,
  type FleetMark,
  fleetTrouble,
  isFresh,
  otherStore,
  queueOf,
  readMark,
  storeGoneHint,
  writeMark,
} from './fleet-records.ts'

/** How long a run that asks the store beside its own work waits for one that cannot be reached. */
const patienceMs = 5_000

/**
 * Why a run without a fleet would buy beside one: workers may be at work on it, or have bought what these records do not know. Its mark tells
 * so in the folder of whoever handed out; anywhere else the store does, where GENRUN_STORE names one. Throws StorageError.
 */
export async function besideFleet(setting: Setting, recorded: Recorded): Promise<Diagnostic | undefined> {
  const { request } = setting
  if (request.service.rehearsal) return undefined
  const against = await seenBesideFleet(setting, recorded, request.store)
  if (against || request.store === undefined) return against
  // A mark of another lineage tells of orders that this store was not asked for.
  const mark = readMark(setting)
  if (mark?.open && mark.batch === batchOf(recorded)) await writeMark(setting, { ...mark, open: false })
  return undefined
}

type Project = Pick<Workspace, 'place' | 'layout' | 'machine' | 'manifest'>

/** The same for whoever only looks: nothing is written. `url` of the store, where one is named. Throws StorageError. */
export async function seenBesideFleet(
  project: Project,
  recorded: Recorded,
  url: string | undefined,
): Promise<Diagnostic | undefined> {
  const mark = readMark(project)
  if (url !== undefined) return asked(project, recorded, mark, url)
  if (!mark?.open) return undefined
  return fleetTrouble(
    project,
    'workers of a fleet may be at work on it, and what they buy is not all in its lock',
    `set GENRUN_STORE, then ${withFleet(project)}; ${storeGoneHint(project)}`,
  )
}

async function asked(
  setting: Project,
  recorded: Recorded,
  mark: FleetMark | undefined,
  url: string,
): Promise<Diagnostic | undefined> {
  const { openFleetStore } = await import('../../fleet/fleet-store.ts')
  const { FleetStoreError } = await import('../../fleet/trouble.ts')
  let store: FleetStore | undefined
  try {
    store = await openFleetStore(url, { patienceMs })
    return await against(setting, recorded, mark, store)
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
  mark: FleetMark | undefined,
  store: FleetStore,
): Promise<Diagnostic | undefined> {
  const other = otherStore(setting, mark, await store.name())
  if (other) return other
  const batch = batchOf(recorded)
  const { open, unheard, checkout, isPlanned } = await store.beside(batch)
  const isOurs = checkout === null || checkout === mark?.checkout
  if (open > 0 || (isPlanned && !isOurs))
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
  if (isFresh(recorded) && (await store.openOn(queueOf(setting))).some(each => each !== batch))
    return fleetTrouble(
      setting,
      'another checkout has handed this very manifest to the fleet, and that is not over',
      `go on with its lock; or let it end: its results come from the cache then; or unset GENRUN_STORE where that is another matter`,
    )
  return undefined
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
