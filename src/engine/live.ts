import type { Failure } from '../base/failure.ts'
import { type PurchaseId, purchaseId } from '../base/names.ts'
import type { JournalRecord } from '../base/purchase.ts'
import type { Random } from '../base/random.ts'
import { isSettled, type JobState } from '../base/state.ts'
import { afterPause, afterRead, afterSave, afterStop, type Made, type Ready, type Remote } from './advance.ts'
import { askFirst } from './ask.ts'
import type { Fruit } from './gates/stake.ts'
import { type Floor, fetchPatienceOf, type Life, note, patienceOf, putOff, tell } from './life.ts'
import { look, noteSpooled } from './look.ts'
import { order } from './order.ts'
import type { Patience } from './patience.ts'
import { sharedText } from './runs.ts'
import type { Task, World } from './world.ts'

/**
 * Carries one job out until it is settled: wait until its date, perform, advance, journal, tell. The needs of the job
 * are done by now. Never rejects for anything that can happen to a job.
 */
export async function carryOut(task: Task, priority: number, floor: Floor): Promise<JobState> {
  const life: Life = {
    task,
    floor,
    purchase: task.purchase,
    recipe: task.start.is === 'ready' ? undefined : task.recipe,
    attempt: 0,
    reorders: 0,
    patience: undefined,
    isTurnedAway: false,
    isOut: false,
    failed: undefined,
    leftMs: undefined,
    fetchedAt: undefined,
  }
  let state: JobState = task.start
  if (task.start.is !== 'ready' && task.start.run) {
    floor.runs.add(task.start.run, { purchase: task.purchase, label: task.job.address })
  }
  if (task.start.is !== 'ready') tell(life, { event: 'resumed', run: task.start.run })
  else if (task.ask) state = await askFirst(life, task.start, task.ask.run)
  while (!isSettled(state)) {
    const here = state
    state = here.is === 'made' ? await fetchInTurn(life, here) : await inSlot(life, priority, here)
    if (state.is !== 'ready') state = await distrusted(life, state)
    if (state.is === 'failed') state = await reorder(life, state)
    state = stillInDoubt(life, stillFailed(life, state))
  }
  await settle(life, state)
  return state
}

/** A run that is at the service waits for no slot; who was turned away goes before those who were not. */
function inSlot(life: Life, priority: number, here: Ready | Remote): Promise<JobState> {
  const { task, floor } = life
  const { mode, model } = task.job
  const who = { family: model.family, model: model.id }
  const look = () => orderAndPoll(life, here).finally(() => floor.pace.leave(life))
  if (here.is === 'remote') return floor.slots.alive(mode, look, who)
  return floor.slots[mode](priority + (life.isTurnedAway ? 0.5 : 0), look, who)
}

/** A run that failed at the service is ordered again as often as the job's `retries` say: that may cost money each time. */
async function reorder(life: Life, state: JobState & { is: 'failed' }): Promise<JobState> {
  const { world, pace } = life.floor
  const isWorthIt = state.failure.why === 'remote' && life.reorders < life.task.job.retries
  if (!isWorthIt || world.stop.aborted) return state
  end(life, state)
  if (pace.isClosed) return state
  // The failure is final in the journal before another generation, with a key of its own, begins.
  await note(life, failedRecord(life.purchase, state))
  life.reorders++
  life.failed = state
  life.purchase = newPurchase(world.random)
  life.patience = undefined
  life.leftMs = undefined
  life.fetchedAt = undefined
  return { is: 'ready', tries: 0, notBefore: world.clock.now() }
}

async function orderAndPoll(life: Life, start: Ready | Remote): Promise<JobState> {
  const { world, pace } = life.floor
  life.isTurnedAway = false
  let seenAt = Number.NEGATIVE_INFINITY
  let state: JobState = start
  while (state.is === 'ready' || state.is === 'remote') {
    const patience = patienceOf(life)
    const cut = afterPause(state, pace.pausedUntil, patience, world.clock.now())
    if (cut) return cut
    const opens = state.is === 'ready' ? pace.closedUntil : pace.pausedUntil
    await world.clock.until(Math.max(state.notBefore, opens), world.stop)
    if (state.is === 'remote') await pace.turn({ who: life, since: seenAt }, world.stop)
    if (world.stop.aborted) return afterStop(state)
    // While this one waited, another may have been told to slow down.
    if ((state.is === 'ready' ? pace.closedUntil : pace.pausedUntil) > world.clock.now()) continue
    if (state.is === 'ready') {
      state = await order(life, state)
      seenAt = world.clock.now()
      if (life.isTurnedAway) return state
      continue
    }
    seenAt = world.clock.now()
    state = await distrusted(life, await poll(life, state, patience))
  }
  return state
}

async function poll(life: Life, state: Remote, patience: Patience): Promise<JobState> {
  const { world } = life.floor
  const reply = await look(life, state.run)
  if (!reply) return afterStop(state)
  const next = afterRead(state, reply, patience, world.clock.now())
  if (reply.got === 'pending' && reply.progress !== undefined)
    tell(life, { event: 'progress', fraction: reply.progress })
  if (reply.got === 'trouble' && next.is === 'remote')
    tell(life, { event: 'waiting', failure: reply.failure, untilMs: next.notBefore })
  if (next.is === 'made') {
    await noteSpooled(life, next)
    tell(life, { event: 'made' })
  }
  return next
}

/** A run that turned out to be another order's as well may be the result of either: nobody knows which. */
async function distrusted(life: Life, state: JobState): Promise<JobState> {
  const run = 'run' in state ? state.run : undefined
  const other = run && life.floor.runs.whyDistrusted(run)
  if (!run || other === undefined || other === life.task.job.address || state.is === 'done') return state
  const detail = sharedText(run, other)
  await note(life, { kind: 'DOUBT', purchase: life.purchase, attempt: life.purchase, detail })
  return { is: 'doubt', detail }
}

/** Nothing but an answer to that very order ends a doubt: a refusal now says nothing about what was sent before. */
function stillInDoubt(life: Life, state: JobState): JobState {
  const { resend } = life.task
  const isOpen = state.is === 'skipped' || (state.is === 'failed' && state.billed === 'no')
  return resend && isOpen && life.reorders === 0 ? { is: 'doubt', detail: resend.detail } : state
}

/** What was ordered again and not let go ends as what it was: the run before it may be billed. */
function stillFailed({ failed }: Life, state: JobState): JobState {
  return failed && state.is === 'skipped' ? failed : state
}

/** While it waits for its turn, its time does not run: that others are fetched is not the service's doing. */
function fetchInTurn(life: Life, state: Made): Promise<JobState> {
  const { world, slots } = life.floor
  const cameAt = world.clock.now()
  return slots.download(() => {
    if (life.patience) putOff(life, world.clock.now() - cameAt)
    return fetchFiles(life, state)
  })
}

async function fetchFiles(life: Life, state: Made): Promise<JobState> {
  const { world } = life.floor
  const patience = fetchPatienceOf(life)
  await world.clock.until(state.notBefore, world.stop)
  if (world.stop.aborted) return afterStop(state)
  const recipe = life.recipe
  if (!recipe) throw new Error(`no recipe for ${life.task.job.address}`)
  const outcome = await untilLate(patience, world, signal =>
    world.save(presentWork(life), state.files, recipe, signal),
  )
  if (world.stop.aborted && outcome.got === 'trouble') return afterStop(state)
  const next = afterSave(state, outcome, patience, world.clock.now())
  if (next.is === 'made' && outcome.got === 'trouble') {
    tell(life, { event: 'waiting', failure: outcome.failure, untilMs: next.notBefore })
  }
  return next
}

/** What is saved belongs to the order that is under way, which is another one after a run that failed. */
function presentWork({ task, purchase }: Life): Task {
  return { ...task, purchase }
}

/** Aborts work at the deadline, as a stop does: what of a file has come by then is kept for the next run. */
async function untilLate<T>(
  { deadline }: Patience,
  { clock, stop }: World,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, over] = [new AbortController(), new AbortController()]
  void clock.until(deadline, over.signal).then(() => late.abort('late'))
  try {
    return await task(AbortSignal.any([stop, late.signal]))
  } finally {
    over.abort('over')
  }
}

async function settle(life: Life, state: JobState): Promise<void> {
  const { world } = life.floor
  const { purchase, task } = life
  end(life, state)
  if (state.is === 'done') {
    const { files, run, flaw } = state
    const aside = task.aside && { aside: task.aside }
    await note(life, { kind: 'DONE', purchase, files, ...(run && { run }), ...(flaw && { flaw }), ...aside })
  }
  // Of a job that was never sent there is nothing to remember.
  if (state.is === 'failed' && (state.billed !== 'no' || life.attempt > 0)) {
    await note(life, failedRecord(purchase, state))
  }
  if (state.is !== 'skipped') world.cleanUp(presentWork(life), state)
  tell(life, { event: 'settled', state })
}

/** An order is over, if there was one: what it brought decides whether more are let go. */
function end(life: Life, state: JobState): void {
  life.floor.pace.ended(fruitOf(state, life.isOut), life.isOut)
  life.isOut = false
}

/** Of a run that was ordered earlier and is not there, nothing is to be learnt: it would close every later run too. */
function fruitOf(state: JobState, wasOut: boolean): Fruit {
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
  { failure, billed, run }: JobState & { is: 'failed' },
): JournalRecord {
  return { kind: 'FAILED', purchase, failure, billed, ...(run && { run }) }
}

/** A name for another order. */
export function newPurchase(random: Random): PurchaseId {
  const id = purchaseId(random.token())
  if (!id) throw new Error('a token that cannot name a purchase')
  return id
}
