import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import type { Digest, PurchaseId } from '../base/names.ts'
import { tellOrderWait } from '../base/order-waits.ts'
import type { DonePurchase, JournalRecord } from '../base/purchase.ts'
import type { JobState, RemoteFile, RunRef, WireMode } from '../base/state.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { digestOf } from '../store/files/digest.ts'
import type { OrderReply } from '../wire/http/wire.ts'
import { afterOrder, type HeldBack, isForeign, type Made, type Ready, type Remote } from './advance.ts'
import type { Deadlines } from './deadlines.ts'
import type { Verdict } from './gates/admission.ts'
import type { Slot } from './gates/slots.ts'
import { deadlinesOf, emit, type JobRun, note, putOff, unrecorded } from './job-run.ts'
import { sharedText } from './runs.ts'
import type { Prepared, Resend, World } from './world.ts'

/** Lets one paid request go, when everything allows it, and settles what its answer means before anything else happens. */
export async function order(jobRun: JobRun, state: Ready, slot: Slot): Promise<JobState> {
  const { world, admission } = jobRun.context
  if (!slot.mayGoOn()) return inLineAgain(jobRun, state, 'turn')
  const prepared = await world.prepare(jobRun.task)
  if (prepared.got === 'held-back') return afterOrder(state, prepared, deadlinesOf(jobRun), world.clock.now())
  const workflow = jobRun.task.job.workflow ?? world.wire.workflow(jobRun.task.job.model.id, prepared.params)
  const { address, mode } = jobRun.task.job
  if (workflow !== jobRun.workflow) return inOtherLine(jobRun, state, workflow)
  const { resend } = jobRun.task
  if (resend && !isSameOrder(resend, requestDigest(workflow, mode, prepared), world))
    return { is: 'doubt', detail: resend.detail }
  jobRun.recipe = prepared.recipe
  const { standing } = jobRun.task
  if (standing && sameRecipe(standing.acceptedAs ?? standing.recipe, prepared.recipe))
    return asItStands(jobRun, standing)
  const cameAt = world.clock.now()
  const entry = await admission.enter(workflow, mode, gate => tellOrderWait({ address, gate }))
  if (entry.closed) return { is: 'skipped', because: whyClosed(entry.closed) }
  const deadlines = putOff(jobRun, world.clock.now() - cameAt)
  // While this one waited to be let in, another may have been told to slow down.
  if (admission.closedUntil > world.clock.now()) {
    admission.report(entry, { is: 'unproven' })
    return { ...state, notBefore: admission.closedUntil }
  }
  const sentAt = world.clock.now()
  const { leaves, answered } = slot.sends()
  const reply = await send(jobRun, { prepared, workflow, deadlines, leaves })
  const verdict = verdictOf(reply)
  admission.report(entry, verdict, sentAt)
  jobRun.outNth = verdict.is === 'proven' ? entry.nth : undefined
  const next = afterOrder(state, reply, deadlines, world.clock.now())
  answered(shownBy(reply, verdict))
  if (verdict.is === 'busy' && next.is === 'ready') inLineAgain(jobRun, next, 'room')
  if (next.is === 'remote' || next.is === 'made') await accept(jobRun, next)
  if (next.is === 'made') emit(jobRun, { event: 'made' })
  if (next.is === 'ready' && 'failure' in reply)
    emit(jobRun, { event: 'waiting', failure: reply.failure, untilMs: next.notBefore })
  return next
}

/** It may have begun because another workflow is closed: it waits as one of its own does. */
function inOtherLine(jobRun: JobRun, state: Ready, workflow: string): JobState {
  jobRun.workflow = workflow
  return inLineAgain(jobRun, state, 'room')
}

/** What was to be made anew before it came out as it was: then this is no other order than the one that is paid for. */
function asItStands(jobRun: JobRun, { id, files, run }: DonePurchase): JobState {
  jobRun.purchase = id
  return { is: 'done', files, ...defined({ run }) }
}

function whyClosed(because: Failure): Failure {
  const isWhole = because.why === 'stopped' || because.why === 'budget' || because.why === 'closed'
  return isWhole ? because : { why: 'closed', because }
}

function requestDigest(workflow: string, mode: WireMode, { params }: Prepared): Digest {
  return digestOf([workflow, mode, params])
}

/** Only the very same request, to the same service, while it knows the key, is no second order. */
function isSameOrder(
  { request, origin, until, young }: Resend,
  digest: Digest,
  { wire, clock }: World,
): boolean {
  const wall = clock.wall()
  const isYoung = clock.now() < until && young.from <= wall && wall < young.until
  return request === digest && origin === wire.origin && isYoung
}

/** Its slot is of no use to it now, and may be to another; time in the queue is not the service's. */
function inLineAgain(jobRun: JobRun, state: Ready, waitsFor: 'room' | 'turn'): JobState {
  jobRun.waitsFor = waitsFor
  jobRun.leftMs = deadlinesOf(jobRun).deadline - jobRun.context.world.clock.now()
  jobRun.deadlines = undefined
  return state
}

/** What an answer shows about the service's room. */
function shownBy({ got }: OrderReply | HeldBack, verdict: Verdict): 'taken' | 'full' | 'nothing' | 'unsent' {
  if (got === 'not-sent' || got === 'held-back') return 'unsent'
  return verdict.is === 'proven' ? 'taken' : verdict.is === 'busy' ? 'full' : 'nothing'
}

interface Letter {
  readonly prepared: Prepared
  readonly workflow: string
  readonly deadlines: Deadlines
  /** To be called right before the first byte. */
  readonly leaves: () => void
}

/** docs/contract.md section 2, steps 2 to 5. The order of the lines is the contract. */
async function send(
  jobRun: JobRun,
  { prepared, workflow, deadlines, leaves }: Letter,
): Promise<OrderReply | HeldBack> {
  const { task, context } = jobRun
  const { world } = context
  const { address, model, mode } = task.job
  const attempt = world.random.token()
  const params = prepared.params
  const intent: JournalRecord = {
    kind: 'INTENT',
    purchase: jobRun.purchase,
    attempt,
    address,
    recipe: prepared.recipe,
    request: requestDigest(workflow, mode, prepared),
    workflow,
    mode,
    origin: world.wire.origin,
    ...(task.redo && { redo: true }),
    ...(task.resubmitted && { resubmitted: true }),
    ...(task.rebuy && { rebuy: true }),
  }
  let held: Failure | undefined
  try {
    await world.journal.append(intent)
  } catch (trouble) {
    return { got: 'held-back', failure: unrecorded(trouble) }
  }
  const reply = await world.wire.order(
    {
      address,
      mode,
      workflow,
      model: model.id,
      params,
      key: jobRun.purchase,
      deadlineMs: deadlines.deadline - deadlines.from,
    },
    async () => {
      const permit = await world.permit(task, { purchase: jobRun.purchase, attempt, tell })
      if (permit.got === 'held') return holdBack(permit.failure)
      return () => {
        const failure = permit.lastWord()
        if (failure) holdBack(failure)
        leaves()
      }
    },
  )
  const outcome: OrderReply | HeldBack =
    held && reply.got === 'not-sent' ? { got: 'held-back', failure: held } : believed(jobRun, reply)
  await note(jobRun, recordOf({ purchase: jobRun.purchase, attempt }, outcome))
  return outcome

  // What found no connection is not told.
  function tell(): void {
    const again = jobRun.reorders > 0 && { again: jobRun.reorders }
    emit(jobRun, { event: 'sending', model: model.id, attempt: ++jobRun.attempt, ...again })
  }

  function holdBack(failure: Failure): never {
    held = failure
    throw new Error('held back before the first byte')
  }
}

/**
 * The answer with the service's name in its run. One run for two orders is the result of one of them at most: both are in
 * doubt then.
 */
function believed({ purchase, task, context }: JobRun, reply: OrderReply): OrderReply {
  if (!('run' in reply) || !reply.run) return reply
  const { world, runs } = context
  const run: RunRef = { ...reply.run, origin: world.wire.origin }
  const owner = world.ownerOf?.(run, purchase) ?? runs.ownerOf(run, purchase)
  if (owner === undefined) {
    if (reply.got !== 'failure') runs.add(run, { purchase, label: task.job.address })
    return { ...reply, run }
  }
  // Files that came in the answer itself are this order's, whatever id stands beside them: only asking by it would be wrong.
  if (reply.got === 'files') {
    const { run: _, ...own } = reply
    return own
  }
  runs.distrust(run, task.job.address)
  return { got: 'doubt', detail: sharedText(run, owner) }
}

function recordOf(
  { purchase, attempt }: { readonly purchase: PurchaseId; readonly attempt: string },
  outcome: OrderReply | HeldBack,
): JournalRecord {
  switch (outcome.got) {
    case 'held-back':
    case 'not-sent':
      return { kind: 'NOTSENT', purchase, attempt }
    case 'refused':
      return { kind: 'REFUSED', purchase, attempt, detail: outcome.failure.why }
    case 'doubt': {
      const { detail, raw } = outcome
      return { kind: 'DOUBT', purchase, attempt, detail, ...defined({ raw }) }
    }
    case 'run':
      return { kind: 'ACCEPTED', purchase, attempt, run: outcome.run }
    case 'files': {
      const { files, run, credits } = outcome
      // Asked for by the id, all of them come again; without one, the links are all there is of what was paid for.
      if (run && files.some(isSigned)) return { kind: 'ACCEPTED', purchase, attempt, run }
      return {
        kind: 'RESULT',
        purchase,
        files,
        ...defined({ run, credits }),
      }
    }
    case 'failure': {
      const { failure, run, credits } = outcome
      return {
        kind: 'FAILED',
        purchase,
        failure,
        billed: 'unknown',
        ...defined({ run, credits }),
      }
    }
  }
}

/** A query is where links carry a key of their own. */
function isSigned(file: RemoteFile): boolean {
  return file.from === 'link' && file.url.includes('?')
}

function verdictOf(outcome: OrderReply | HeldBack): Verdict {
  switch (outcome.got) {
    case 'run':
    case 'files':
    case 'failure':
      return { is: 'proven' }
    case 'refused':
      return outcome.canRetry
        ? { is: 'busy', waitMs: outcome.waitMs }
        : { is: 'refused', failure: outcome.failure }
    case 'held-back':
      return { is: 'unproven' }
    case 'not-sent':
      return isForeign(outcome.failure) ? { is: 'refused', failure: outcome.failure } : { is: 'unproven' }
    case 'doubt':
      return {
        is: 'doubt',
        failure: { why: 'in-doubt', detail: outcome.detail },
        ...(outcome.foreign && { foreign: { why: 'bad-reply', detail: outcome.foreign } }),
      }
  }
}

/**
 * `send` has written the answer down: it goes into the lock, and its id into the event stream, before the first poll. An
 * exchange's id is told as well: when its links expire it is what can be asked.
 */
async function accept(jobRun: JobRun, state: Remote | Made): Promise<void> {
  // Who reads of it may do away with this machine's records at once: by then the lock has it.
  if (state.is === 'remote') await jobRun.context.world.secured?.()
  if (state.run) emit(jobRun, { event: 'accepted', run: state.run })
}
