import type { Failure } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import { isSettled, type JobState, type JournalRecord } from '../base/state.ts'
import { afterPause, afterRead, afterSave, afterStop, type Made, type Ready, type Remote } from './advance.ts'
import { type Floor, type Life, note, patienceOf, tell } from './life.ts'
import { order } from './order.ts'
import type { Patience } from './patience.ts'
import type { Fruit } from './stake.ts'
import type { Work } from './world.ts'

/**
 * Carries one job out until it is settled: wait until its date, perform, advance, journal, tell. The needs of the job
 * are done by now. Never rejects for anything that can happen to a job.
 */
export async function carryOut(work: Work, priority: number, floor: Floor): Promise<JobState> {
  const life: Life = {
    work,
    floor,
    key: work.key,
    recipe: work.recipe,
    attempt: 0,
    reorders: 0,
    patience: undefined,
    isTurnedAway: false,
    isOut: false,
    failed: undefined,
    leftMs: undefined,
  }
  let state: JobState = work.start
  if (work.start.is !== 'ready') tell(life, { event: 'resumed', run: work.start.run })
  while (!isSettled(state)) {
    const here = state
    state =
      here.is === 'made'
        ? await floor.slots.download(() => fetchFiles(life, here))
        : await inSlot(life, priority, here)
    if (state.is === 'failed') state = await reorder(life, state)
    state = stillInDoubt(life, stillFailed(life, state))
  }
  await settle(life, state)
  return state
}

/** A run that is at the service waits for no slot; who was turned away goes before those who were not. */
function inSlot(life: Life, priority: number, here: Ready | Remote): Promise<JobState> {
  const { work, floor } = life
  const { mode, model } = work.job
  const who = { family: model.family, model: model.id }
  if (here.is === 'remote') return floor.slots.alive(mode, () => orderAndPoll(life, here), who)
  return floor.slots[mode](priority + (life.isTurnedAway ? 0.5 : 0), () => orderAndPoll(life, here), who)
}

/** A run that failed at the service is ordered again as often as the job's `retries` say: that may cost money each time. */
async function reorder(life: Life, state: JobState & { is: 'failed' }): Promise<JobState> {
  const { world, pace } = life.floor
  const isWorthIt = state.failure.why === 'remote' && life.reorders < life.work.job.retries
  if (!isWorthIt || world.stop.aborted) return state
  end(life, state)
  if (pace.isClosed) return state
  // The failure is final in the journal before another generation, with a key of its own, begins.
  await note(life, failedRecord(life.work.job.address, state))
  life.reorders++
  life.failed = state
  life.key = world.random.token()
  life.patience = undefined
  life.leftMs = undefined
  return { is: 'ready', tries: 0, notBefore: world.clock.now() }
}

async function orderAndPoll(life: Life, start: Ready | Remote): Promise<JobState> {
  const { world, pace, slots } = life.floor
  life.isTurnedAway = false
  const alive = () => slots.used('submit')
  let seenAt = Number.NEGATIVE_INFINITY
  let state: JobState = start
  while (state.is === 'ready' || state.is === 'remote') {
    const patience = patienceOf(life)
    const cut = afterPause(state, pace.pausedUntil, patience, world.clock.now())
    if (cut) return cut
    const opens = state.is === 'ready' ? pace.closedUntil : pace.pausedUntil
    await world.clock.until(Math.max(state.notBefore, opens), world.stop)
    if (state.is === 'remote') await pace.turn({ since: seenAt, alive }, world.stop)
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
    state = await poll(life, state, patience)
  }
  return state
}

async function poll(life: Life, state: Remote, patience: Patience): Promise<JobState> {
  const { world, pace } = life.floor
  const reply = await world.wire.read(state.run, world.stop)
  // An answer to a request that the stop cut off says nothing.
  if (world.stop.aborted && reply.got === 'trouble') return afterStop(state)
  pace.answered(reply.got !== 'trouble' ? 'well' : reply.failure.why === 'busy' ? 'busy' : 'not')
  if (reply.got === 'trouble' && reply.failure.why === 'busy')
    pace.pause(world.clock.now() + (reply.waitMs ?? 0))
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

/** Nothing but an answer to that very order ends a doubt: a refusal now says nothing about what was sent before. */
function stillInDoubt(life: Life, state: JobState): JobState {
  const { resend } = life.work
  const isOpen = state.is === 'skipped' || (state.is === 'failed' && state.billed === 'no')
  return resend && isOpen && life.reorders === 0 ? { is: 'doubt', detail: resend.detail } : state
}

/** What was ordered again and not let go ends as what it was: the run before it may be billed. */
function stillFailed({ failed }: Life, state: JobState): JobState {
  return failed && state.is === 'skipped' ? failed : state
}

/** A run's links are signed and can be asked for again by its id, so only what is spooled is written down. */
async function noteSpooled(life: Life, state: Made): Promise<void> {
  const files = state.files.filter(file => file.from === 'spool')
  if (files.length < state.files.length || files.length === 0) return
  await note(life, { kind: 'RESULT', address: life.work.job.address, files, run: state.run })
}

async function fetchFiles(life: Life, state: Made): Promise<JobState> {
  const { world } = life.floor
  await world.clock.until(state.notBefore, world.stop)
  if (world.stop.aborted) return afterStop(state)
  const recipe = life.recipe
  if (!recipe) throw new Error(`no recipe for ${life.work.job.address}`)
  const outcome = await world.save(life.work, state.files, recipe, world.stop)
  if (world.stop.aborted && outcome.got === 'trouble') return afterStop(state)
  const next = afterSave(state, outcome, patienceOf(life), world.clock.now())
  if (next.is === 'made' && outcome.got === 'trouble') {
    tell(life, { event: 'waiting', failure: outcome.failure, untilMs: next.notBefore })
  }
  return next
}

async function settle(life: Life, state: JobState): Promise<void> {
  const { world } = life.floor
  const { job } = life.work
  end(life, state)
  if (state.is === 'done') {
    await note(life, {
      kind: 'DONE',
      address: job.address,
      files: state.files,
      run: state.run,
      flaw: state.flaw,
    })
  }
  // Of a job that was never sent there is nothing to remember.
  if (state.is === 'failed' && (state.billed !== 'no' || life.attempt > 0)) {
    await note(life, failedRecord(job.address, state))
  }
  if (life.recipe && state.is !== 'skipped') world.keep(job, state, life.recipe)
  tell(life, { event: 'settled', state })
}

/** An order is over, if there was one: what it brought decides whether more are let go. */
function end(life: Life, state: JobState): void {
  life.floor.pace.ended(fruitOf(state, life.isOut), life.isOut)
  life.isOut = false
}

/** Of a run that was ordered earlier and is not there yet, nothing is to be learnt: it would close every later run too. */
function fruitOf(state: JobState, wasOut: boolean): Fruit {
  if (state.is === 'done') return { is: 'useful' }
  if (state.is === 'failed' && uselessEnds.includes(state.failure.why))
    return { is: 'useless', because: state.failure }
  if (state.is === 'detached' && wasOut && state.because.why !== 'stopped')
    return { is: 'useless', because: state.because }
  return { is: 'nothing' }
}

/** Why a job that was paid for has brought nothing that can be used. */
const uselessEnds: readonly Failure['why'][] = ['bad-media', 'bad-reply', 'undelivered', 'remote']

function failedRecord(
  address: JobAddress,
  { failure, billed, run }: JobState & { is: 'failed' },
): JournalRecord {
  return { kind: 'FAILED', address, failure, billed, run }
}
