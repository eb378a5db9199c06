import { systemClock, withinGrace } from '../base/clock.ts'
import type { Code } from '../base/codes.ts'
import { defined } from '../base/defined.ts'
import { type FleetStatus, mostDoubts } from '../fleet/batches.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { FleetStoreError } from '../fleet/trouble.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { openWorkspace } from '../planning/open-workspace.ts'
import { type WorkEnded, workForFleet } from '../run/fleet/worker.ts'
import { batchOf, fleetProblem, otherStore, queueOf, readMark } from '../run/planner/fleet-records.ts'
import { readRecords } from '../workspace/records/beside.ts'
import { type Damaged } from '../workspace/records/recorded.ts'
import type { RunRequest, Setting } from '../workspace/workspace.ts'
import { type RunResult, runManifest } from './run.ts'

/** Where the fleet's store is: an address with a password in it, which no message holds. */
export interface FleetPlace {
  readonly url: string | undefined
  /** Hears of trouble that is waited out. */
  readonly tell: (text: string) => void
}

/** `runManifest`, with the workers of a fleet to make what is bought. */
export function runWithFleet(request: RunRequest, place: FleetPlace): Promise<RunResult> {
  return withFleet(place, fleet => runManifest({ ...request, fleet }), request.stop)
}

/** A worker on a manifest, until the stop. What a run would refuse to begin with it refuses as well. */
export function workOn(
  request: RunRequest,
  place: FleetPlace & { readonly begun?: () => void },
): Promise<WorkEnded | Refused> {
  return withFleet(place, async fleet => {
    const opened = openWorkspace(request)
    if ('got' in opened) return opened
    const setting: Setting = { ...opened, request: { ...request, fleet } }
    const against = fleetProblem(setting)
    if (against) return { got: 'refused', problems: [against] }
    const { tell, begun } = place
    return workForFleet(setting, { fleet, tell, ...defined({ begun }) })
  })
}

/** How a manifest's batch stands. */
export interface FleetStanding {
  readonly got: 'fleet'
  readonly batch: string
  /** `workers`: on this text of the manifest. */
  readonly status: FleetStatus & { readonly elsewhere: number }
  /** Those that nobody has settled. */
  readonly doubts: readonly { readonly address: string; readonly detail: string; readonly inLock: boolean }[]
}

export function fleetStatusOf(
  request: WorkspaceRequest,
  place: FleetPlace,
): Promise<FleetStanding | Refused | Damaged> {
  return withFleet(place, async ({ store }) => {
    const opened = openWorkspace(request)
    if ('got' in opened) return opened
    const recorded = readRecords(opened)
    if ('got' in recorded) return recorded
    const other = otherStore(opened, readMark(opened), await store.name())
    if (other) return { got: 'refused', problems: [other] }
    const batch = batchOf(recorded)
    const open = new Set(recorded.purchases.flatMap(each => (each.is === 'doubt' ? [each.id] : [])))
    const doubts = (await store.doubts(batch)).filter(each => !each.heard || open.has(each.purchase))
    const status = await store.status(batch)
    const { here, elsewhere } = await store.workers(queueOf(opened))
    const { DOUBT: settledToo = 0, ...orders } = status.orders
    // Those that a person has settled stand in the store as they were.
    const many = settledToo > mostDoubts ? settledToo : doubts.length
    return {
      got: 'fleet',
      batch,
      status: {
        ...status,
        workers: here,
        elsewhere,
        orders: { ...orders, ...(many > 0 && { DOUBT: many }) },
      },
      doubts: doubts.map(({ address, detail, heard }) => ({ address, detail: detail ?? '', inLock: heard })),
    }
  })
}

async function withFleet<T>(
  { url, tell }: FleetPlace,
  work: (fleet: Fleet) => Promise<T>,
  stop: AbortSignal = new AbortController().signal,
): Promise<T | Refused> {
  if (url === undefined) return refused('no fleet is known here', 'set GENRUN_STORE=postgres://…')
  let fleet: Fleet
  const opened = new AbortController()
  void tellLate(tell, opened.signal)
  try {
    fleet = await openFleet(url, tellOnce(tell))
  } catch (trouble) {
    if (!(trouble instanceof FleetStoreError)) throw trouble
    return refused(trouble.message, trouble.hint)
  } finally {
    opened.abort()
  }
  try {
    return await work(fleet)
  } catch (trouble) {
    if (!(trouble instanceof FleetStoreError)) throw trouble
    return refused(trouble.message, trouble.hint)
  } finally {
    // What it asks just now may never be answered: after a stop the end is told all the same.
    await withinGrace(fleet.close(), { stop, clock: systemClock, ms: closingMs })
  }
}

function refused(message: string, hint: string): Refused {
  const code: Code = 'fleet'
  return {
    got: 'refused',
    problems: [settingProblem({ name: 'GENRUN_STORE', value: '' }, code, message, hint)],
  }
}

const closingMs = 500

/** Nobody looks at a screen without a word. */
const lateMs = 2_500

async function tellLate(tell: (text: string) => void, opened: AbortSignal): Promise<void> {
  await systemClock.until(systemClock.now() + lateMs, opened)
  if (!opened.aborted) tell('the fleet’s store has not answered yet: it is asked for half a minute')
}

/** The same trouble is waited out again and again. */
function tellOnce(tell: (text: string) => void): (trouble: unknown) => void {
  let last: string | undefined
  return trouble => {
    const text = trouble instanceof Error ? trouble.message : String(trouble)
    if (text !== last) tell(`the fleet’s store: ${text}`)
    last = text
  }
}
