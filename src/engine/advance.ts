import type { Failure } from '../base/failure.ts'
import type { RunId } from '../base/names.ts'
import type { JobState, SavedFile } from '../base/state.ts'
import type { OrderReply, ReadReply } from '../wire/http/wire.ts'
import {
  askedMs,
  attempts,
  backoffMs,
  confirmMs,
  type Deadlines,
  emptyMs,
  pollMs,
  settlingMs,
  unknownMs,
} from './deadlines.ts'
import { isUnknownRun } from './gates/polls.ts'

/** What came of fetching and publishing a job's files. `flaw` is told and kept, it does not undo the delivery. */
export type SaveOutcome =
  | { readonly got: 'saved'; readonly files: readonly SavedFile[]; readonly flaw?: Failure | undefined }
  | { readonly got: 'expired'; readonly failure: Failure }
  | { readonly got: 'trouble'; readonly failure: Failure; readonly waitMs?: number | undefined }
  /** The bytes came and are no result; they are kept under these names. */
  | { readonly got: 'unusable'; readonly failure: Failure; readonly files?: readonly SavedFile[] | undefined }
  /** The disk does not take them now; the next run fetches them again. */
  | { readonly got: 'blocked'; readonly failure: Failure }

/** The order was not sent because of ourselves: a stop, a lost claim, a journal that cannot be written, a missing input. */
export interface HeldBack {
  readonly got: 'held-back'
  readonly failure: Failure
}

export type Ready = JobState & { is: 'ready' }
export type Remote = JobState & { is: 'remote' }
export type Made = JobState & { is: 'made' }

/** After an order was tried. A doubt is final here: only a person or an honoured key may resolve it. */
export function afterOrder(
  state: Ready,
  reply: OrderReply | HeldBack,
  deadlines: Deadlines,
  now: number,
): JobState {
  switch (reply.got) {
    case 'held-back':
      return { is: 'skipped', because: reply.failure }
    case 'not-sent': {
      const tries = state.tries + 1
      const notBefore = now + backoffMs(state.tries, deadlines)
      if (isForeign(reply.failure) || tries >= attempts.notSent || notBefore > deadlines.deadline)
        return { is: 'failed', failure: reply.failure, billed: 'no' }
      return { ...state, tries, notBefore }
    }
    case 'refused': {
      if (!reply.canRetry) return { is: 'failed', failure: reply.failure, billed: 'no' }
      // Costs no attempt: the service works, it only has no room yet.
      const waitMs = Math.max(askedMs(reply.waitMs ?? 0, deadlines), backoffMs(0, deadlines, 1000))
      const notBefore = now + waitMs
      if (notBefore <= deadlines.deadline) return { ...state, notBefore }
      const failure = reply.waitMs === undefined ? reply.failure : askedTooMuch(reply.waitMs)
      return { is: 'failed', failure, billed: 'no' }
    }
    case 'run':
      return {
        is: 'remote',
        run: reply.run,
        since: now,
        acceptedAt: now,
        tries: 0,
        notBefore: now + pollMs(0, deadlines, reply.waitMs),
      }
    case 'files':
      return {
        is: 'made',
        files: reply.files,
        run: reply.run,
        credits: reply.credits,
        acceptedAt: now,
        tries: 0,
        notBefore: now,
      }
    case 'failure': {
      const { failure, run, credits } = reply
      return { is: 'failed', failure, billed: 'unknown', run, credits }
    }
    case 'doubt':
      return { is: 'doubt', detail: reply.detail }
  }
}

/** After a result was asked for. Whatever happens, the run id is never given up while the run may still succeed. */
export function afterRead(state: Remote, reply: ReadReply, deadlines: Deadlines, now: number): JobState {
  switch (reply.got) {
    case 'files': {
      const { run, acceptedAt, expired = 0 } = state
      const { files, credits } = reply
      return { is: 'made', files, run, credits, acceptedAt, tries: expired, notBefore: now }
    }
    case 'failure':
      if (!state.failedOnce) return { ...state, failedOnce: true, notBefore: now + confirmMs }
      return {
        is: 'failed',
        failure: reply.failure,
        billed: 'unknown',
        run: state.run,
        credits: reply.credits,
      }
    case 'pending': {
      const { unknown: _, empty: __, ...known } = state
      const going = { ...known, failedOnce: false, tries: 0, progress: reply.progress ?? state.progress }
      const waitMs = pollMs(now - state.since, deadlines, reply.waitMs)
      return waitUntil(going, { waitMs, leastMs: reply.waitMs }, deadlines, now)
    }
    case 'trouble': {
      if (reply.isFinished) return afterEmpty(state, reply, deadlines, now)
      if (isUnknownRun(reply.failure)) return afterUnknown(state, reply, deadlines, now)
      if (isHopeless(reply.failure, state, now))
        return { is: 'detached', run: state.run, because: reply.failure }
      const waitMs = Math.max(
        askedMs(reply.waitMs ?? 0, deadlines),
        backoffMs(state.tries, deadlines),
        deadlines.pollFloorMs,
      )
      const next = { ...state, tries: state.tries + 1 }
      return waitUntil(next, { waitMs, leastMs: reply.waitMs, failure: reply.failure }, deadlines, now)
    }
  }
}

type Trouble = ReadReply & { got: 'trouble' }

/**
 * A run that is called finished, and of which no file is named: the list may come a little later than the word. After a
 * few looks that is what the service made of it.
 */
function afterEmpty(
  state: Remote,
  { failure, waitMs = 0 }: Trouble,
  deadlines: Deadlines,
  now: number,
): JobState {
  const empty = (state.empty ?? 0) + 1
  if (empty >= attempts.empty) return { is: 'failed', failure, billed: 'yes', run: state.run }
  const next = Math.max(askedMs(waitMs, deadlines), emptyMs(empty))
  return waitUntil({ ...state, empty }, { waitMs: next, leastMs: waitMs, failure }, deadlines, now)
}

/**
 * A run that the service does not know. A young one is given time to appear. One that stays unknown is gone, and that is
 * final: asking again in every run would take minutes each time, and ordering it anew is for the user to decide.
 */
function afterUnknown(
  state: Remote,
  { failure, waitMs = 0 }: Trouble,
  deadlines: Deadlines,
  now: number,
): JobState {
  const unknown = (state.unknown ?? 0) + 1
  const oldAt = (state.acceptedAt ?? Number.NEGATIVE_INFINITY) + settlingMs + 1
  const isYoung = now < oldAt
  const isOver =
    failure.why === 'refused' && failure.status === 410
      ? unknown > 1
      : !isYoung && unknown >= attempts.unknown
  if (isOver)
    return { is: 'failed', failure: goneAs(state.run.id, failure), billed: 'unknown', run: state.run }
  const { tries } = state
  // Whether it is gone is known as soon as it is old.
  const youngMs = Math.max(deadlines.pollFloorMs, Math.min(backoffMs(tries, deadlines), oldAt - now))
  const usual = isYoung ? youngMs : unknownMs(unknown)
  const next = Math.max(askedMs(waitMs, deadlines), usual)
  return waitUntil(
    { ...state, unknown, tries: tries + 1 },
    { waitMs: next, leastMs: waitMs, failure },
    deadlines,
    now,
  )
}

function goneAs(run: RunId, failure: Failure): Failure {
  return { why: 'gone', run, detail: 'detail' in failure ? failure.detail : '' }
}

/** After the files were fetched. A paid result that could not be fetched, or not in time, stays resumable. */
export function afterSave(state: Made, outcome: SaveOutcome, deadlines: Deadlines, now: number): JobState {
  switch (outcome.got) {
    case 'saved':
      return {
        is: 'done',
        files: outcome.files,
        run: state.run,
        flaw: outcome.flaw,
        credits: state.credits,
      }
    case 'unusable':
      return {
        is: 'failed',
        failure: outcome.failure,
        billed: 'yes',
        run: state.run,
        files: outcome.files,
        credits: state.credits,
      }
    case 'blocked':
      return { is: 'detached', run: state.run, because: outcome.failure }
    case 'expired': {
      if (now >= deadlines.deadline) return overdue(state, deadlines, now)
      const expired = state.tries + 1
      if (!state.run || expired > attempts.expired)
        return { is: 'detached', run: state.run, because: outcome.failure }
      const { run, acceptedAt } = state
      return { is: 'remote', run, since: now, acceptedAt, expired, tries: 0, notBefore: now }
    }
    case 'trouble': {
      if (now >= deadlines.deadline) return overdue(state, deadlines, now)
      const tries = state.tries + 1
      if (tries >= attempts.download) return { is: 'detached', run: state.run, because: outcome.failure }
      const askedFor = askedMs(outcome.waitMs ?? 0, deadlines)
      const isTooLong = outcome.waitMs !== undefined && now + askedFor > deadlines.deadline
      if (isTooLong) return { is: 'detached', run: state.run, because: outcome.failure }
      const notBefore = now + Math.max(askedFor, backoffMs(state.tries, deadlines))
      // At the deadline itself there is no time left for another try.
      if (notBefore >= deadlines.deadline) return overdue(state, deadlines, now)
      return { ...state, tries, notBefore }
    }
  }
}

function overdue(state: Remote | Made, { from }: Deadlines, now: number): JobState {
  return {
    is: 'detached',
    run: state.run,
    because: { why: 'overdue', seconds: Math.round((now - from) / 1000) },
  }
}

/**
 * The end of a job whose service asked everybody to wait beyond the job's deadline: asking earlier is no way out
 * (docs/contract.md P20, P21). Undefined when it can wait.
 */
export function afterPause(
  state: Ready | Remote,
  pausedUntil: number,
  { deadline }: Deadlines,
  now: number,
): JobState | undefined {
  if (pausedUntil <= Math.max(deadline, now)) return undefined
  const failure = askedTooMuch(pausedUntil - now)
  if (state.is === 'ready') return { is: 'failed', failure, billed: 'no' }
  return { is: 'detached', run: state.run, because: failure }
}

function askedTooMuch(waitMs: number): Failure {
  return { why: 'busy', detail: `it asks to be left alone for ${Math.ceil(waitMs / 1000)} s` }
}

/** What a job becomes when its waiting is cut short by a stop: everything paid for stays resumable. */
export function afterStop(state: Ready | Remote | Made): JobState {
  const because: Failure = { why: 'stopped' }
  if (state.is === 'ready') return { is: 'skipped', because }
  return { is: 'detached', run: state.run, because }
}

interface Wait {
  readonly waitMs: number
  /** What the service asked for: a wait that cannot be shortened to the deadline. */
  readonly leastMs?: number | undefined
  /** Why there is something to wait for. */
  readonly failure?: Failure
}

function waitUntil(
  state: Remote,
  { waitMs, leastMs = 0, failure }: Wait,
  deadlines: Deadlines,
  now: number,
): JobState {
  if (now >= deadlines.deadline) {
    return failure ? { is: 'detached', run: state.run, because: failure } : overdue(state, deadlines, now)
  }
  // The last look is taken at the deadline itself, not after it.
  const last = Math.max(deadlines.deadline, now + deadlines.pollFloorMs)
  if (now + leastMs > last) return { is: 'detached', run: state.run, because: askedTooMuch(leastMs) }
  return { ...state, notBefore: Math.max(now + leastMs, Math.min(now + waitMs, last)) }
}

/**
 * Asking again will not help: the key is not taken, or a run that is no longer young cannot be asked for like this, as often as
 * it takes to know that it was no slip of a proxy's.
 */
function isHopeless(failure: Failure, { since, acceptedAt, tries }: Remote, now: number): boolean {
  switch (failure.why) {
    case 'unauthorized':
    case 'no-credit':
      return true
    case 'not-served':
      // What cannot even be asked will not be asked later.
      return failure.unasked === true || now - since > settlingMs
    case 'refused':
      return now - (acceptedAt ?? Number.NEGATIVE_INFINITY) > settlingMs && tries + 1 >= attempts.refused
    default:
      return false
  }
}

/** Whoever answers at that address is not the one that was meant: asking again will not change that. */
export function isForeign(failure: Failure): boolean {
  return failure.why === 'unreachable' && failure.certificate === true
}
