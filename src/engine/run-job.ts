import { withAnySignal } from '../base/any-signal.ts'
import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import { type PurchaseId, purchaseId } from '../base/names.ts'
import { tellOrderWait } from '../base/order-waits.ts'
import type { JournalRecord } from '../base/purchase.ts'
import type { Random } from '../base/random.ts'
import { isSettled, type JobState } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { afterPause, afterRead, afterSave, afterStop, type Made, type Ready, type Remote } from './advance.ts'
import { askFirst } from './ask.ts'
import type { Deadlines } from './deadlines.ts'
import { durationKindOf } from './durations.ts'
import type { Turn } from './gates/order-queue.ts'
import type { Slot } from './gates/slots.ts'
import type { OrderResult } from './gates/slow-start.ts'
import {
  deadlinesOf,
  type EngineContext,
  emit,
  fetchDeadlinesOf,
  type JobRun,
  note,
  putOff,
} from './job-run.ts'
import { look, noteSpooled } from './look.ts'
import { order } from './order.ts'
import { sharedText } from './runs.ts'
import type { Task, World } from './world.ts'

/**
 * Carries one job out until it is settled: wait until its date, perform, advance, journal, tell. The needs of the job
 * are done by now. Never rejects for anything that can happen to a job.
 */
export async function runJob(task: Task, turn: FirstTurn, context: EngineContext): Promise<JobState> {
  let first: FirstTurn | undefined = turn
  const jobRun: JobRun = {
    task,
    context,
    purchase: task.purchase,
    recipe: task.start.is === 'ready' ? undefined : task.recipe,
    attempt: 0,
    reorders: 0,
    deadlines: undefined,
    workflow: workflowBefore(task.job, context.world),
    waitsFor: undefined,
    outNth: undefined,
    failed: undefined,
    isCounted: false,
    leftMs: undefined,
    fetchedAt: undefined,
  }
  let state: JobState = task.start
  if (task.start.is !== 'ready' && task.start.run) {
    context.runs.add(task.start.run, { purchase: task.purchase, label: task.job.address })
  }
  if (task.start.is !== 'ready') emit(jobRun, { event: 'resumed', ...defined({ run: task.start.run }) })
  else if (task.ask && (await isToBeAsked(task, context))) {
    state = await askFirst(jobRun, task.start, task.ask.run)
  }
  while (!isSettled(state)) {
    const here = state
    state =
      here.is === 'made'
        ? await fetchInTurn(jobRun, here)
        : await inSlot(jobRun, first ?? { priority: turn.priority }, here)
    // Who only lets others go before it has the same turn again.
    if (jobRun.waitsFor !== 'turn') first = undefined
    if (state.is !== 'ready') state = await distrusted(jobRun, state)
    if (state.is === 'failed') state = await reorder(jobRun, state)
    state = stillInDoubt(jobRun, stillFailed(jobRun, state))
  }
  await settle(jobRun, state)
  return state
}

/** What its inputs are is known now that those are made. */
async function isToBeAsked({ ask, recipe, ...task }: Task, { world }: EngineContext): Promise<boolean> {
  if (!ask?.isIfSame) return true
  const prepared = await world.prepare(task)
  return prepared.got !== 'held-back' && recipe !== undefined && sameRecipe(recipe, prepared.recipe)
}

/** When a job's turn is, the first time. */
interface FirstTurn extends Turn {
  /** Called when it has its slot. */
  readonly begun?: () => void
}

/** The workflow by what is known of a job before its inputs are: that it has some. */
export function workflowBefore({ workflow, model, params, files }: Job, { wire }: World): string {
  if (workflow !== undefined) return workflow
  const given = Object.keys(files).map(pointer => [pointer.split('/')[1] ?? '', true])
  return wire.workflow(model.id, { ...Object.fromEntries(given), ...params })
}

/** A run that is at the service waits for no slot; who was turned away goes before those who were not. */
function inSlot(
  jobRun: JobRun,
  { begun, priority, nth }: FirstTurn,
  here: Ready | Remote,
): Promise<JobState> {
  const { task, context } = jobRun
  const { mode, model } = task.job
  const who = { family: model.family, model: model.id, workflow: jobRun.workflow }
  // Counted before the slot is given up, or one more would be ordered.
  const look = async (slot: Slot) => {
    begun?.()
    const state = await orderAndPoll(jobRun, here, slot).finally(() => context.admission.leave(jobRun))
    if (!isWorthAnother(jobRun, state)) countFailure(jobRun, state)
    return state
  }
  if (here.is === 'remote') return context.slots.alive(mode, look, who)
  const gate = context.slots.full(mode, who)
  if (gate) tellOrderWait({ address: task.job.address, gate })
  const turn = { priority: priority + (jobRun.waitsFor === 'room' ? 0.5 : 0), ...defined({ nth }) }
  return context.slots[mode](turn, look, who)
}

/** A run that failed at the service is ordered again as often as the job's `retries` say: that may cost money each time. */
async function reorder(jobRun: JobRun, state: JobState & { is: 'failed' }): Promise<JobState> {
  const { world, admission } = jobRun.context
  if (!isWorthAnother(jobRun, state) || world.stop.aborted) return state
  end(jobRun, state)
  if (admission.isClosed) return state
  // The failure is final in the journal before another generation, with a key of its own, begins.
  await note(jobRun, failedRecord(jobRun.purchase, state))
  jobRun.reorders++
  jobRun.failed = state
  jobRun.purchase = newPurchase(world.random)
  jobRun.deadlines = undefined
  jobRun.leftMs = undefined
  jobRun.fetchedAt = undefined
  return { is: 'ready', tries: 0, notBefore: world.clock.now() }
}

function isWorthAnother({ task, reorders }: JobRun, state: JobState): boolean {
  return state.is === 'failed' && state.failure.why === 'remote' && reorders < task.job.retries
}

function countFailure(jobRun: JobRun, state: JobState): void {
  if (jobRun.isCounted || !isFailure(state)) return
  jobRun.isCounted = true
  jobRun.context.failed()
}

async function orderAndPoll(jobRun: JobRun, start: Ready | Remote, slot: Slot): Promise<JobState> {
  const { world, admission, reach } = jobRun.context
  jobRun.waitsFor = undefined
  let seenAt = Number.NEGATIVE_INFINITY
  let state: JobState = start
  while (state.is === 'ready' || state.is === 'remote') {
    const deadlines = deadlinesOf(jobRun)
    const cut = afterPause(state, admission.pausedUntil, deadlines, world.clock.now())
    if (cut) return cut
    const opens = state.is === 'ready' ? admission.closedUntil : admission.pausedUntil
    const waitMs = opens - world.clock.now()
    const shut = state.is === 'ready' ? admission.shut(jobRun.workflow) : undefined
    if (state.is === 'ready' && waitMs > 0 && !shut?.aborted)
      tellOrderWait({ address: jobRun.task.job.address, gate: 'pause', waitMs })
    // A run waits for its service as long as that is worth it, an order as long as any are sent: a stop ends that, too.
    await world.clock.until(Math.max(state.notBefore, opens), shut ?? reach.signal)
    if (state.is === 'remote') await admission.turn({ who: jobRun, since: seenAt }, reach.signal)
    if (world.stop.aborted) return afterStop(state)
    if (state.is === 'remote' && reach.silence)
      return { is: 'detached', run: state.run, because: reach.silence }
    // While this one waited, another may have been told to slow down.
    const isPaused = (shut ? admission.closedUntil : admission.pausedUntil) > world.clock.now()
    if (isPaused && !shut?.aborted) continue
    if (state.is === 'ready') {
      state = await order(jobRun, state, slot)
      seenAt = world.clock.now()
      if (jobRun.waitsFor) return state
      continue
    }
    const seenBefore = seenAt
    seenAt = world.clock.now()
    const next = await distrusted(jobRun, await poll(jobRun, state, deadlines))
    if (next.is === 'made') learnDuration(jobRun, state, [seenBefore, seenAt])
    state = next
  }
  return state
}

/** Of a run that was ordered by this process and followed from then on. */
function learnDuration(
  { task, context }: JobRun,
  { since, acceptedAt }: Remote,
  seen: readonly [number, number],
): void {
  const [from, to] = seen.map(at => at - since) as [number, number]
  const { model, params } = task.job
  if (since === acceptedAt && from >= 0) context.durations.ended(durationKindOf(model.id, params), from, to)
}

async function poll(jobRun: JobRun, state: Remote, deadlines: Deadlines): Promise<JobState> {
  const { world } = jobRun.context
  const reply = await look(jobRun, state.run)
  if (!reply) return afterStop(state)
  const next = afterRead(state, reply, deadlines, world.clock.now())
  if (reply.got === 'pending' && reply.progress !== undefined)
    emit(jobRun, { event: 'progress', fraction: reply.progress })
  if (reply.got === 'trouble' && next.is === 'remote')
    emit(jobRun, { event: 'waiting', failure: reply.failure, untilMs: next.notBefore })
  if (next.is === 'made') {
    await noteSpooled(jobRun, next)
    emit(jobRun, { event: 'made' })
  }
  return next
}

/** A run that turned out to be another order's as well may be the result of either: nobody knows which. */
async function distrusted(jobRun: JobRun, state: JobState): Promise<JobState> {
  const run = 'run' in state ? state.run : undefined
  const other = run && jobRun.context.runs.whyDistrusted(run)
  if (!run || other === undefined || other === jobRun.task.job.address || state.is === 'done') return state
  const detail = sharedText(run, other)
  await note(jobRun, { kind: 'DOUBT', purchase: jobRun.purchase, attempt: jobRun.purchase, detail })
  return { is: 'doubt', detail }
}

/** Nothing but an answer to that very order ends a doubt: a refusal now says nothing about what was sent before. */
function stillInDoubt(jobRun: JobRun, state: JobState): JobState {
  const { resend } = jobRun.task
  const isOpen = state.is === 'skipped' || (state.is === 'failed' && state.billed === 'no')
  return resend && isOpen && jobRun.reorders === 0 ? { is: 'doubt', detail: resend.detail } : state
}

/** What was ordered again and not let go ends as what it was: the run before it may be billed. */
function stillFailed({ failed }: JobRun, state: JobState): JobState {
  return failed && state.is === 'skipped' ? failed : state
}

/** While it waits for its turn, its time does not run: that others are fetched is not the service's doing. */
function fetchInTurn(jobRun: JobRun, state: Made): Promise<JobState> {
  const { world, slots } = jobRun.context
  const cameAt = world.clock.now()
  return slots.download(() => {
    if (jobRun.deadlines) putOff(jobRun, world.clock.now() - cameAt)
    return fetchFiles(jobRun, state)
  })
}

async function fetchFiles(jobRun: JobRun, state: Made): Promise<JobState> {
  const { world, reach } = jobRun.context
  if (reach.unfetchable) return { is: 'detached', run: state.run, because: reach.unfetchable }
  const deadlines = fetchDeadlinesOf(jobRun)
  await world.clock.until(state.notBefore, world.stop)
  if (world.stop.aborted) return afterStop(state)
  const recipe = jobRun.recipe
  if (!recipe) throw new Error(`no recipe for ${jobRun.task.job.address}`)
  const outcome = await untilLate(deadlines, world, signal =>
    world.save(presentWork(jobRun), state.files, recipe, signal),
  )
  if (world.stop.aborted && outcome.got === 'trouble') return afterStop(state)
  const next = afterSave(state, outcome, deadlines, world.clock.now())
  if (next.is === 'done') reach.fetched()
  if (outcome.got === 'trouble') reach.unfetched(outcome.failure)
  if (next.is === 'made' && outcome.got === 'trouble') {
    emit(jobRun, { event: 'waiting', failure: outcome.failure, untilMs: next.notBefore })
  }
  return next
}

/** What is saved belongs to the order that is under way, which is another one after a run that failed. */
function presentWork({ task, purchase }: JobRun): Task {
  return { ...task, purchase }
}

/** Aborts work at the deadline, as a stop does: what of a file has come by then is kept for the next run. */
async function untilLate<T>(
  { deadline }: Deadlines,
  { clock, stop }: World,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, over] = [new AbortController(), new AbortController()]
  void clock.until(deadline, over.signal).then(() => late.abort('late'))
  try {
    return await withAnySignal([stop, late.signal], task)
  } finally {
    over.abort('over')
  }
}

async function settle(jobRun: JobRun, state: JobState): Promise<void> {
  const { world } = jobRun.context
  const { purchase, task } = jobRun
  end(jobRun, state)
  // What was made before, and stands, is written down already.
  if (state.is === 'done' && purchase !== task.standing?.id) {
    const { files, run, flaw, credits } = state
    const aside = task.aside && { aside: task.aside }
    await note(jobRun, {
      kind: 'DONE',
      purchase,
      files,
      ...defined({ run, flaw, credits }),
      ...aside,
    })
  }
  // Of a job that was never sent there is nothing to remember.
  if (state.is === 'failed' && (state.billed !== 'no' || jobRun.attempt > 0)) {
    await note(jobRun, failedRecord(purchase, state))
  }
  countFailure(jobRun, state)
  if (state.is !== 'skipped') world.cleanUp(presentWork(jobRun), state)
  emit(jobRun, { event: 'settled', state })
}

/** A result that the user's own check turned down is kept and told; what is made from it is not bought in this run. */
export function isOfUse(state: JobState): boolean {
  return state.is === 'done' && !(state.flaw?.why === 'unlike-asked' && state.flaw.fails)
}

/** What the user would call one: it may have cost money, and nothing is there, or not what was asked. */
function isFailure(state: JobState): boolean {
  return state.is === 'failed' || state.is === 'doubt' || (state.is === 'done' && !isOfUse(state))
}

/** An order is over, if there was one: what it brought decides whether more are let go. */
function end(jobRun: JobRun, state: JobState): void {
  const { outNth } = jobRun
  jobRun.context.admission.ended(orderResultOf(state, outNth !== undefined), outNth)
  jobRun.outNth = undefined
}

/** Of a run that was ordered earlier and is not there, nothing is to be learnt: it would close every later run too. */
function orderResultOf(state: JobState, wasOut: boolean): OrderResult {
  if (state.is === 'done') return { is: 'useful' }
  if (state.is === 'failed' && uselessEnds.includes(state.failure.why))
    return { is: 'useless', because: state.failure }
  if (state.is === 'detached' && wasOut && state.because.why !== 'stopped')
    return { is: 'useless', because: state.because }
  if (state.is === 'failed' && wasOut && state.failure.why === 'gone')
    return { is: 'useless', because: state.failure }
  return { is: 'nothing' }
}

/** Why a job that was paid for has brought nothing that can be used. */
const uselessEnds: readonly Failure['why'][] = ['bad-media', 'bad-reply', 'undelivered', 'remote']

function failedRecord(
  purchase: PurchaseId,
  { failure, billed, run, files, credits }: JobState & { is: 'failed' },
): JournalRecord {
  return {
    kind: 'FAILED',
    purchase,
    failure,
    billed,
    ...defined({ run, files, credits }),
  }
}

/** A name for another order. */
export function newPurchase(random: Random): PurchaseId {
  const id = purchaseId(random.token())
  if (!id) throw new Error('a token that cannot name a purchase')
  return id
}
