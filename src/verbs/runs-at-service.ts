import { defined } from '../base/defined.ts'
import type { JobAddress, RunId } from '../base/names.ts'
import type { Purchase } from '../base/purchase.ts'
import { patternOf } from '../plan/request/pattern.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { type Seen, seePlan, type WorkspaceRequest } from '../planning/open-workspace.ts'
import { serviceNow } from '../planning/renamed-services.ts'
import { serviceCalled } from '../run/lines.ts'
import { createWire } from '../wire/client.ts'
import type { DeskReply, ListedRun, RunDesk } from '../wire/run-desk.ts'
import { thisMachine } from '../workspace/machine.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import { spokenBy } from '../workspace/service/named.ts'
import { nowhere, originOf, type Service } from '../workspace/service/service.ts'
import { asSeen, axesOf } from './orders/matched-orders.ts'

interface DeskRequest extends WorkspaceRequest {
  readonly service: Service
  readonly stop: AbortSignal
}

/** What became of the wish to have one run given up. Nothing is written down: its result says what it came to. */
export interface CancelRecord {
  readonly address: JobAddress
  readonly run: RunId
  /** `told`: the service took it. */
  readonly is: 'told' | 'refused' | 'unheard' | 'not-offered' | 'elsewhere'
  /** In the words of the service, or why nobody was asked. */
  readonly detail?: string
}

type CancelResult = Refused | Damaged | { readonly got: 'canceled'; readonly runs: readonly CancelRecord[] }

/** Tells services that runs are not wanted any more. They may be billed all the same. Free, and nothing is ordered by it. */
export async function cancelRuns({
  words,
  ...request
}: DeskRequest & { readonly words: readonly string[] }): Promise<CancelResult> {
  const seen = seePlan(request)
  if (seen.got !== 'seen') return seen
  const running = asSeen(seen).flatMap(each =>
    each.is === 'under-way' && each.run ? [{ ...each, run: each.run }] : [],
  )
  const meant = running.filter(each => words.some(word => isNamed(word, each, seen)))
  const slip = words.find(word => !running.some(each => isNamed(word, each, seen)))
  if (slip !== undefined) {
    const message = `no job that is under way is called ${slip}`
    const hint =
      running.length > 0
        ? `under way: ${running
            .slice(0, 5)
            .map(each => each.address)
            .join(', ')}`
        : 'nothing is under way'
    return {
      got: 'refused',
      problems: [settingProblem({ name: 'cancel', value: slip }, 'nothing-selected', message, hint)],
    }
  }
  const runs: CancelRecord[] = []
  for (const each of meant) {
    const { address, run } = each
    const of = serviceNow(each, seen.planned.facts.origins)
    const service = serviceAt(request.service, of)
    const isElsewhere = run.origin !== undefined && run.origin !== originOf(service)
    const said = isElsewhere
      ? undefined
      : await atDesk(service, seen, { of, ask: desk => desk.cancel(run, request.stop) })
    runs.push({
      address,
      run: run.id,
      ...(said ? cancelOf(said) : { is: 'elsewhere', ...defined({ detail: run.origin }) }),
    })
  }
  return { got: 'canceled', runs }
}

function isNamed(word: string, { address }: Pick<Purchase, 'address'>, { planned }: Seen): boolean {
  return word === address || patternOf(word)(address, axesOf(address, planned.jobs))
}

function cancelOf(said: DeskReply<undefined>): Pick<CancelRecord, 'is' | 'detail'> {
  switch (said.got) {
    case 'answer':
      return { is: 'told' }
    case 'refused':
      return { is: 'refused', detail: `status ${said.status}${said.words === '' ? '' : `, ${said.words}`}` }
    case 'nothing':
      return { is: 'unheard', detail: said.detail }
    case 'unasked':
      return { is: 'not-offered' }
  }
}

/** What one service lists. */
export interface ListedRecord {
  /** By which jobs name it; absent for the usual one. */
  readonly service?: string
  /** How many runs it names; absent where it names none that can be read, see `detail`. */
  readonly listed?: number
  /** Those that no record of this manifest knows, the latest first. */
  readonly unknown: readonly ListedRun[]
  readonly detail?: string
}

/** An order whose answer was lost. */
export interface DoubtRecord {
  readonly address: JobAddress
  readonly service?: string
  /** When it was sent, in milliseconds since 1970. */
  readonly since?: number
}

type RunsResult =
  | Refused
  | Damaged
  | {
      readonly got: 'runs'
      readonly services: readonly ListedRecord[]
      readonly doubts: readonly DoubtRecord[]
    }

/** What the services of a manifest list beside what is recorded. A list only names runs: it proves nothing about one that it lacks. */
export async function listRuns(request: DeskRequest): Promise<RunsResult> {
  const seen = seePlan(request)
  if (seen.got !== 'seen') return seen
  const purchases = asSeen(seen)
  const known = new Set(purchases.flatMap(each => ('run' in each && each.run ? [each.run.id] : [])))
  const doubts = purchases.flatMap((each): DoubtRecord[] => {
    if (each.is !== 'doubt') return []
    const service = serviceNow(each, seen.planned.facts.origins)
    return [{ address: each.address, ...defined({ service, since: each.since }) }]
  })
  const names = new Set([...doubts.map(each => each.service), ...seen.planned.jobs.map(each => each.service)])
  const services: ListedRecord[] = []
  for (const of of names) {
    const said = await atDesk(serviceAt(request.service, of), seen, {
      of,
      ask: desk => desk.list(request.stop),
    })
    services.push({ ...defined({ service: of }), ...listOf(said, known) })
  }
  return { got: 'runs', services, doubts }
}

function listOf(
  said: DeskReply<readonly ListedRun[]>,
  known: ReadonlySet<RunId>,
): Omit<ListedRecord, 'service'> {
  if (said.got === 'answer') {
    const unknown = said.value
      .filter(({ id }) => !known.has(id))
      .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
    return { listed: said.value.length, unknown }
  }
  const { is, detail = '' } = cancelOf(said)
  return { unknown: [], detail: is === 'not-offered' ? 'its profile names no `endpoints.list`' : detail }
}

function serviceAt(service: Service, of: string | undefined): Service {
  return of === undefined ? service : serviceCalled(of, service)
}

interface Question<T> {
  readonly of: string | undefined
  readonly ask: (desk: RunDesk) => Promise<DeskReply<T>>
}

/** Asks one service, with its own key, by its own profile. */
async function atDesk<T>(
  service: Service,
  { workspace }: Seen,
  { of, ask }: Question<T>,
): Promise<DeskReply<T>> {
  const { profile } = spokenBy(workspace, of)
  if (originOf(service) === originOf({ baseUrl: nowhere }))
    return { got: 'nothing', detail: 'nobody has said where it is', stopped: false }
  const wire = createWire({ ...service, profile, spool: drop, clock: thisMachine.clock })
  try {
    return await ask(wire)
  } finally {
    await wire.close()
  }
}

async function drop(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const _ of bytes);
  return ''
}
