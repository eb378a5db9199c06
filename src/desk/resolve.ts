import { type JobAddress, type RunId, runId } from '../base/names.ts'
import type { Decision, JournalRecord, LockEntry, Recipe, RunRef } from '../base/state.ts'
import { digestOf } from '../store/digest.ts'
import { readJournal } from '../store/journal.ts'
import { foldJournal } from '../store/memory.ts'
import { openSpool } from '../store/spool.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { workflowOf } from '../wire/profile.ts'
import type { Busy } from './carry/busy.ts'
import { type Desk, underClaim } from './carry/settle.ts'
import { drawPlan, type Refused } from './draw/draw.ts'
import { settingProblem } from './draw/obstacles.ts'
import type { GroundRequest } from './ground/ground.ts'
import { given } from './ground/profile.ts'
import { caughtUp, recall, unknownRecipe } from './ground/recall.ts'
import { type Damaged, readRecorded } from './ground/recorded.ts'
import { type Meaning, meantOrders } from './meant-orders.ts'
import { nextText } from './open-orders.ts'
import { commandOn } from './telling/command.ts'

/** What the user says about an order. */
export type Resolution =
  /** The run at the service is this one. */
  | { readonly is: 'adopt'; readonly id: string; readonly workflow?: string }
  /** It came to nothing, or the user pays a second time: the next run orders it. */
  | { readonly is: 'resubmit' }
  /** It is given up, and not ordered again by itself. */
  | { readonly is: 'abandon' }

export interface ResolveRequest extends GroundRequest, Meaning {
  readonly resolution: Resolution
}

/** What was decided, and what the next run does because of it. */
export interface ResolveRecord {
  readonly resolved: readonly Resolved[]
}

export interface Resolved {
  readonly address: JobAddress
  readonly next: string
  /** A run that is paid for and will not be fetched any more, by the user's word. */
  readonly gaveUp?: RunId
}

export type ResolveResult =
  | Refused
  | Damaged
  | Busy
  | { readonly got: 'resolved'; readonly record: ResolveRecord }

/** Settles orders of which genrun cannot know what became, by the user's word. Sends nothing. */
export function resolveOrders(request: ResolveRequest): Promise<ResolveResult> {
  return underClaim(request, async (desk): Promise<ResolveResult> => {
    const meant = meantOrders(request, desk)
    if (meant.got === 'slip') {
      const showAll = `\`${commandOn(request, 'status')}\` shows what is open`
      return refused(meant.word, 'nothing-selected', meant.message, meant.hint ?? showAll)
    }
    const { addresses } = meant
    const decision = decisionOf(request.resolution, addresses, desk)
    if ('got' in decision) return decision
    for (const address of addresses) await decide(address, decision, desk)
    const resolved = await nextSteps(addresses, desk, request)
    return {
      got: 'resolved',
      record: { resolved: resolved.map(each => ({ ...each, ...givenUp(each.address, decision, desk) })) },
    }
  })
}

function decisionOf(
  resolution: Resolution,
  [address, ...others]: readonly JobAddress[],
  desk: Desk,
): Decision | Refused {
  if (resolution.is === 'resubmit') return { is: 'rebuy' }
  if (resolution.is === 'abandon') return { is: 'abandon' }
  if (address === undefined || others.length > 0)
    return refused(resolution.id, 'many-jobs', 'one run cannot be several jobs', 'name one job in full')
  const run = adoptedRun(address, resolution, desk)
  return 'got' in run ? run : { is: 'adopt', run }
}

/** A run that was under way and is not the job's any more: it is told, as nothing else will name its id again. */
function givenUp(address: JobAddress, decision: Decision, { recorded }: Desk): Pick<Resolved, 'gaveUp'> {
  const memory = recorded.memories.get(address)
  const run = memory?.is === 'under-way' ? memory.run : undefined
  const isSame = decision.is === 'adopt' && decision.run.id === run?.id
  return run && !isSame ? { gaveUp: run.id } : {}
}

/** The run that an id names, when it can be this job's. */
export function adoptedRun(
  address: JobAddress,
  { id, workflow }: { readonly id: string; readonly workflow?: string },
  { ground, recorded, drawn }: Desk,
): RunRef | Refused {
  const safe = runId(id)
  if (safe === undefined) return refused(id, 'bad-run-id', 'this cannot be the id of a run')
  const owner = ownerOf(safe, recorded.memories, address)
  if (owner) return refused(id, 'run-taken', `this run is the one of ${owner}`)
  const job = drawn.jobs.find(each => each.address === address)
  const sent = recorded.journal.get(address)?.intent?.workflow
  const byProfile = job && (job.workflow ?? workflowOf(ground.profile, job.model.id, given(job)))
  const known = workflow ?? (sent || byProfile)
  if (!known) return refused(id, 'no-workflow', `the workflow of ${address} is not known`, 'give --workflow')
  return { workflow: known, id: safe }
}

/** One id for two jobs would give one of them the other's picture. */
function ownerOf(id: RunId, memories: Desk['recorded']['memories'], but: JobAddress): JobAddress | undefined {
  for (const [address, memory] of memories) {
    const run = memory.is === 'done' ? memory.entry.run : memory.is === 'doubt' ? undefined : memory.run
    if (address !== but && run?.id === id) return address
  }
  return undefined
}

/**
 * Writes a decision down, and puts into the lock what follows from it. `recipe` is what the order was made from, where
 * the user says so; else it is what is known of it.
 */
export async function decide(
  address: JobAddress,
  decision: Decision,
  desk: Desk,
  recipe?: Recipe,
): Promise<void> {
  const { recorded, journal, book } = desk
  const before = book.entries.get(address)
  const isKnown = recorded.journal.get(address)?.intent !== undefined
  const noted = recipe ?? (isKnown ? undefined : before?.recipe)
  if (noted && decision.is !== 'rebuy') await journal.append(intentOf(address, noted, decision, desk))
  await journal.append({ kind: 'RESOLVE', address, decision })
  const entry = entryNow(address, desk) ?? olderOf(before)
  if (!entry) return book.drop(address)
  book.put(entry.files.length > 0 ? entry : { ...entry, files: before?.files ?? [] })
}

/**
 * Files of an older result stay named when the order that was to replace it is over: they are ours, and would otherwise
 * be in the way of the next. What they were made from nobody knows by now, the line had the recipe of that order.
 */
function olderOf(before: LockEntry | undefined): LockEntry | undefined {
  if (!before || before.files.length === 0) return undefined
  return { address: before.address, state: 'done', recipe: unknownRecipe, files: before.files }
}

/** An order that this journal has not seen: without it nobody would know what the result was made from. */
function intentOf(
  address: JobAddress,
  recipe: Recipe,
  decision: Decision,
  { ground }: Desk,
): JournalRecord & { kind: 'INTENT' } {
  const token = ground.machine.random.token()
  return {
    kind: 'INTENT',
    address,
    attempt: token,
    key: token,
    recipe,
    request: digestOf([address, token]),
    workflow: decision.is === 'adopt' ? decision.run.workflow : '',
    mode: 'submit',
    origin: '',
  }
}

/** A job's line by the journal alone, now that the lock's word on it is overruled. */
function entryNow(address: JobAddress, { ground: { folders, machine } }: Desk): LockEntry | undefined {
  const reading = readJournal(folders.journal, machine.disk)
  if (reading.got === 'damaged') throw new StorageTrouble(reading.file, 'read', reading.why)
  const findSpooled = openSpool(folders.spool, machine.disk).find
  const sight = { findSpooled, areThere: () => false }
  const memory = recall(new Map(), foldJournal(reading.entries), sight).get(address)
  return memory && caughtUp(new Map(), new Map([[address, memory]])).get(address)
}

/** What the next run does about these jobs, by what stands in lock and journal now. */
export async function nextSteps(
  addresses: readonly JobAddress[],
  { ground, book }: Desk,
  request: GroundRequest,
): Promise<ResolveRecord['resolved']> {
  await book.flush()
  const recorded = readRecorded(ground)
  if ('got' in recorded) throw new StorageTrouble(ground.layout.lock, 'read', recorded.message)
  const drawn = drawPlan(ground, request, recorded)
  const steps = drawn.got === 'drawn' ? drawn.plan.steps : []
  const byAddress = new Map(steps.map(step => [step.do === 'drop' ? step.address : step.job.address, step]))
  return addresses.map(address => {
    const step = byAddress.get(address)
    return { address, next: step ? nextText(step) : gone }
  })
}

const gone = 'leaves it alone: it is not in the manifest'

function refused(value: string, code: string, message: string, hint?: string): Refused {
  return { got: 'refused', problems: [settingProblem('resolve', value, code, message, hint)] }
}
