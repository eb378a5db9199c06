import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import { isSettled, type JobState, type JournalRecord, type Recipe, type WireMode } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { digestOf } from '../store/digest.ts'
import type { OrderReply } from '../wire/wire.ts'
import {
  afterOrder,
  afterPause,
  afterRead,
  afterSave,
  afterStop,
  type HeldBack,
  isForeign,
  type Made,
  type Ready,
  type Remote,
} from './advance.ts'
import type { Event } from './event.ts'
import type { Pace, Verdict } from './pace.ts'
import { deadlineMs, type Patience } from './patience.ts'
import type { Slots } from './slots.ts'
import type { Prepared, Resend, Work, World } from './world.ts'

/** What one run of the engine shares between its jobs. */
export interface Floor {
  readonly world: World
  readonly slots: Slots
  readonly pace: Pace
}

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
    state = stillInDoubt(life, state)
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
  const { world } = life.floor
  const isWorthIt = state.failure.why === 'remote' && life.reorders < life.work.job.retries
  if (!isWorthIt || world.stop.aborted) return state
  // The failure is final in the journal before another generation, with a key of its own, begins.
  await note(life, failedRecord(life.work.job.address, state))
  life.reorders++
  life.key = world.random.token()
  life.patience = undefined
  life.leftMs = undefined
  return { is: 'ready', tries: 0, notBefore: world.clock.now() }
}

/** One job on its way. */
interface Life {
  readonly work: Work
  readonly floor: Floor
  /** Of the present generation: every attempt of it sends the same. */
  key: string
  recipe: Recipe | undefined
  attempt: number
  reorders: number
  /** Counts from the first slot: time spent in the queue is not the service's. */
  patience: Patience | undefined
  /** The service had no room: the slot is given up until there is some. */
  isTurnedAway: boolean
  /** What is left of its time while it waits for a slot again. */
  leftMs: number | undefined
}

async function orderAndPoll(life: Life, start: Ready | Remote): Promise<JobState> {
  const { world, pace, slots } = life.floor
  const patience = patienceOf(life)
  life.isTurnedAway = false
  let state: JobState = start
  while (state.is === 'ready' || state.is === 'remote') {
    const cut = afterPause(state, pace.pausedUntil, patience, world.clock.now())
    if (cut) return cut
    const opens = state.is === 'ready' ? pace.closedUntil : pace.pausedUntil
    await world.clock.until(Math.max(state.notBefore, opens), world.stop)
    if (state.is === 'remote') await pace.turn(slots.used('submit'), world.stop)
    if (world.stop.aborted) return afterStop(state)
    // While this one waited, another may have been told to slow down.
    if ((state.is === 'ready' ? pace.closedUntil : pace.pausedUntil) > world.clock.now()) continue
    if (state.is === 'ready') {
      state = await order(life, state, patience)
      if (life.isTurnedAway) return state
      continue
    }
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

/** Lets one paid request go, when everything allows it, and settles what its answer means before anything else happens. */
async function order(life: Life, state: Ready, patience: Patience): Promise<JobState> {
  const { world, pace, slots } = life.floor
  const prepared = await world.prepare(life.work)
  if (prepared.got === 'held-back') return afterOrder(state, prepared, patience, world.clock.now())
  const workflow = life.work.job.workflow ?? world.wire.workflow(life.work.job.model.id, prepared.params)
  const { mode } = life.work.job
  const { resend } = life.work
  if (resend && !isSameOrder(resend, requestDigest(workflow, mode, prepared), world))
    return { is: 'doubt', detail: resend.detail }
  life.recipe = prepared.recipe
  const closed = await pace.enter(workflow, mode)
  if (closed)
    return { is: 'skipped', because: closed.why === 'stopped' ? closed : { why: 'closed', because: closed } }
  // While this one waited to be let in, another may have been told to slow down.
  if (pace.closedUntil > world.clock.now()) {
    pace.report(workflow, { is: 'unproven' }, mode)
    return { ...state, notBefore: pace.closedUntil }
  }
  const sentAt = world.clock.now()
  const reply = await send(life, prepared, workflow, patience)
  const verdict = verdictOf(reply)
  pace.report(workflow, verdict, mode, sentAt)
  const next = afterOrder(state, reply, patience, world.clock.now())
  if (verdict.is === 'proven') slots.learn(mode, 'taken')
  if (verdict.is === 'busy') turnAway(life, next, patience)
  if (next.is === 'remote' || next.is === 'made') accept(life, next)
  if (next.is === 'made') tell(life, { event: 'made' })
  if (next.is === 'ready' && 'failure' in reply)
    tell(life, { event: 'waiting', failure: reply.failure, untilMs: next.notBefore })
  return next
}

function requestDigest(workflow: string, mode: WireMode, { params }: Prepared): Digest {
  return digestOf([workflow, mode, params])
}

/** Only the very same request, to the same service, while it knows the key, is no second order. */
function isSameOrder({ request, origin, until }: Resend, digest: Digest, { wire, clock }: World): boolean {
  return request === digest && origin === wire.origin && clock.now() < until
}

/** Nothing but an answer to that very order ends a doubt: a refusal now says nothing about what was sent before. */
function stillInDoubt(life: Life, state: JobState): JobState {
  const { resend } = life.work
  const isOpen = state.is === 'skipped' || (state.is === 'failed' && state.billed === 'no')
  return resend && isOpen && life.reorders === 0 ? { is: 'doubt', detail: resend.detail } : state
}

/** Its slot is of no use to a job the service has no room for; time in the queue is not the service's. */
function turnAway(life: Life, next: JobState, patience: Patience): void {
  const { world, slots } = life.floor
  slots.learn(life.work.job.mode, 'full')
  if (next.is !== 'ready') return
  life.isTurnedAway = true
  life.leftMs = patience.deadline - world.clock.now()
  life.patience = undefined
}

/** RELIABILITY.md section 2, steps 2 to 5. The order of the lines is the contract. */
async function send(
  life: Life,
  prepared: Prepared,
  workflow: string,
  patience: Patience,
): Promise<OrderReply | HeldBack> {
  const { work, floor } = life
  const { world } = floor
  const { address, model, mode } = work.job
  const attempt = world.random.token()
  const params = prepared.params
  const intent: JournalRecord = {
    kind: 'INTENT',
    address,
    attempt,
    key: life.key,
    recipe: prepared.recipe,
    request: requestDigest(workflow, mode, prepared),
    workflow,
    mode,
    origin: world.wire.origin,
  }
  let held: Failure | undefined
  try {
    await world.journal.append(intent)
  } catch (trouble) {
    return { got: 'held-back', failure: unrecorded(trouble) }
  }
  tell(life, { event: 'sending', model: model.id, attempt: ++life.attempt })
  const reply = await world.wire.order(
    {
      address,
      mode,
      workflow,
      model: model.id,
      params,
      key: life.key,
      deadlineMs: patience.deadline - patience.from,
    },
    () => {
      held = world.gate(work) ?? recordSending()
      if (held) throw new Error('held back before the first byte')
    },
  )
  const outcome: OrderReply | HeldBack =
    held && reply.got === 'not-sent' ? { got: 'held-back', failure: held } : reply
  await note(life, recordOf(address, attempt, outcome))
  return outcome

  function recordSending(): Failure | undefined {
    try {
      world.journal.appendNow({ kind: 'SENDING', address, attempt })
      return undefined
    } catch (trouble) {
      return unrecorded(trouble)
    }
  }
}

function recordOf(address: JobAddress, attempt: string, outcome: OrderReply | HeldBack): JournalRecord {
  switch (outcome.got) {
    case 'held-back':
    case 'not-sent':
      return { kind: 'NOTSENT', address, attempt }
    case 'refused':
      return { kind: 'REFUSED', address, attempt, detail: outcome.failure.why }
    case 'doubt':
      return { kind: 'DOUBT', address, attempt, detail: outcome.detail, raw: outcome.raw }
    case 'run':
      return { kind: 'ACCEPTED', address, attempt, run: outcome.run }
    case 'files':
      return { kind: 'RESULT', address, files: outcome.files, run: outcome.run }
    case 'failure':
      return { kind: 'FAILED', address, failure: outcome.failure, billed: 'unknown', run: outcome.run }
  }
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
      return { is: 'doubt', failure: { why: 'in-doubt', detail: outcome.detail } }
  }
}

/**
 * `send` has written the answer down: it goes into the lock, and its id into the event stream, before the first poll. An
 * exchange's id is told as well: when its links expire it is what can be asked.
 */
function accept(life: Life, state: Remote | Made): void {
  const { world } = life.floor
  if (life.recipe) world.keep(life.work.job, state, life.recipe)
  if (state.run) tell(life, { event: 'accepted', run: state.run })
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
  const { world, slots, pace } = life.floor
  const { job } = life.work
  if (state.is === 'done') slots.learn(job.mode, 'made')
  if (state.is === 'done') pace.delivered(undefined)
  const useless = uselessness(state)
  if (useless) pace.delivered(useless)
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

/** Why a job that was paid for has brought nothing that can be used. */
function uselessness(state: JobState): Failure | undefined {
  const failure = state.is === 'failed' ? state.failure : state.is === 'detached' ? state.because : undefined
  const isUseless = failure && ['bad-media', 'bad-reply', 'undelivered', 'remote'].includes(failure.why)
  return isUseless ? failure : undefined
}

function failedRecord(
  address: JobAddress,
  { failure, billed, run }: JobState & { is: 'failed' },
): JournalRecord {
  return { kind: 'FAILED', address, failure, billed, run }
}

/**
 * Writes down what already happened. When the journal fails here the money is spent: the job goes on in memory and
 * nothing more is bought (RELIABILITY.md P16).
 */
async function note(life: Life, record: JournalRecord): Promise<void> {
  try {
    await life.floor.world.journal.append(record)
  } catch (trouble) {
    life.floor.pace.close(unrecorded(trouble))
  }
}

function unrecorded(trouble: unknown): Failure {
  return {
    why: 'unsaved',
    path: 'the journal',
    detail: trouble instanceof Error ? trouble.message : String(trouble),
  }
}

function patienceOf(life: Life): Patience {
  const { world } = life.floor
  const from = world.clock.now()
  life.patience ??= {
    from,
    deadline: from + (life.leftMs ?? life.work.job.timeoutMs ?? deadlineMs(outputKind(life.work.job.model))),
    pollFloorMs: world.pollFloorMs,
    chance: () => world.random.next(),
  }
  return life.patience
}

type Untold = Event extends infer E ? (E extends Event ? Omit<E, 'at' | 'address'> : never) : never

function tell(life: Life, what: Untold): void {
  const { world } = life.floor
  world.tell({ at: world.clock.now(), address: life.work.job.address, ...what })
}
