import type { Failure } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import { isSettled, type JobState, type JournalRecord, type Recipe } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { digestOf } from '../store/digest.ts'
import type { OrderReply } from '../wire/wire.ts'
import {
  afterOrder,
  afterRead,
  afterSave,
  afterStop,
  type HeldBack,
  type Made,
  type Ready,
  type Remote,
} from './advance.ts'
import type { Event } from './event.ts'
import type { Pace, Verdict } from './pace.ts'
import { deadlineMs, type Patience } from './patience.ts'
import type { Slots } from './slots.ts'
import type { Prepared, Work, World } from './world.ts'

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
  }
  let state: JobState = work.start
  if (work.start.is !== 'ready') tell(life, { event: 'resumed', run: work.start.run })
  while (!isSettled(state)) {
    const here = state
    state =
      here.is === 'made'
        ? await floor.slots.download(() => fetchFiles(life, here))
        : await floor.slots[work.job.mode](priority, () => orderAndPoll(life, here))
    if (state.is === 'failed') state = await reorder(life, state)
  }
  await settle(life, state)
  return state
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
}

async function orderAndPoll(life: Life, start: Ready | Remote): Promise<JobState> {
  const { world, pace } = life.floor
  const patience = patienceOf(life)
  let state: JobState = start
  while (state.is === 'ready' || state.is === 'remote') {
    const earliest = state.is === 'ready' ? Math.max(state.notBefore, pace.pausedUntil) : state.notBefore
    await world.clock.until(earliest, world.stop)
    if (world.stop.aborted) return afterStop(state)
    if (state.is === 'ready') state = await order(life, state, patience)
    else state = await poll(life, state, patience)
  }
  return state
}

async function poll(life: Life, state: Remote, patience: Patience): Promise<JobState> {
  const { world } = life.floor
  const reply = await world.wire.read(state.run, world.stop)
  // An answer to a request that the stop cut off says nothing.
  if (world.stop.aborted && reply.got === 'trouble') return afterStop(state)
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
  const { world, pace } = life.floor
  const prepared = await world.prepare(life.work)
  if (prepared.got === 'held-back') return afterOrder(state, prepared, patience, world.clock.now())
  life.recipe = prepared.recipe
  const workflow = life.work.job.workflow ?? world.wire.workflow(life.work.job.model.id, prepared.params)
  const closed = await pace.enter(workflow)
  if (closed)
    return { is: 'skipped', because: closed.why === 'stopped' ? closed : { why: 'closed', because: closed } }
  // While this one waited to be let in, another may have been told to slow down.
  if (pace.pausedUntil > world.clock.now()) {
    pace.report(workflow, { is: 'unproven' })
    return { ...state, notBefore: pace.pausedUntil }
  }
  const reply = await send(life, prepared, workflow, patience)
  if (reply.got === 'refused' && reply.canRetry) pace.pause(world.clock.now() + (reply.waitMs ?? 0))
  pace.report(workflow, verdictOf(reply))
  const next = afterOrder(state, reply, patience, world.clock.now())
  if (next.is === 'remote') accept(life, next)
  // `send` has written the answer down, links included: an exchange's id may be no run that could be asked again.
  if (next.is === 'made') tell(life, { event: 'made' })
  if (next.is === 'ready' && 'failure' in reply)
    tell(life, { event: 'waiting', failure: reply.failure, untilMs: next.notBefore })
  return next
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
    request: digestOf([workflow, mode, params]),
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
      return outcome.canRetry ? { is: 'unproven' } : { is: 'refused', failure: outcome.failure }
    case 'held-back':
    case 'not-sent':
    case 'doubt':
      return { is: 'unproven' }
  }
}

/** The id is durable by now: it goes into the lock and the event stream before the first poll. */
function accept(life: Life, state: Remote): void {
  const { world } = life.floor
  if (life.recipe) world.keep(life.work.job, state, life.recipe)
  tell(life, { event: 'accepted', run: state.run })
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
  if (state.is === 'done') {
    await note(life, {
      kind: 'DONE',
      address: job.address,
      files: state.files,
      run: state.run,
      flaw: state.flaw,
    })
  }
  if (state.is === 'failed') {
    await note(life, failedRecord(job.address, state))
  }
  if (life.recipe && state.is !== 'skipped') world.keep(job, state, life.recipe)
  tell(life, { event: 'settled', state })
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
    deadline: from + (life.work.job.timeoutMs ?? deadlineMs(outputKind(life.work.job.model))),
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
