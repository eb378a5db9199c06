import type { Clock } from '../../base/clock.ts'
import type { Failure } from '../../base/failure.ts'
import type { SharedTurns, TurnsSeen } from '../../store/claim/shared-turns.ts'
import type { ReadReply } from '../../wire/http/wire.ts'
import { afterBusy, pollRate, type Slowed } from './poll-rate.ts'

/**
 * Turns to ask one service for results: a rate, and a budget for asking a service that does not answer. Everything in the
 * process that asks the same service takes its turns here.
 */
export interface Polls {
  /** Waits for a turn to ask for a result; resolves at once when the signal is aborted. */
  turn(ask: Ask, stop: AbortSignal): Promise<void>
  /** What came of a free request. `who` is the run that it was about. */
  answered(how: Answered, who: object): void
  /** The run is not asked after any more. */
  leave(who: object): void
}

/**
 * How a service answers a question about a run. `unknown`: it says that it does not know the run. It works, so others are asked
 * after as before: many runs that are gone are settled side by side.
 */
type Answered = 'well' | 'unknown' | 'busy' | 'not'

/** A look at a run that is due. */
export interface Ask {
  /** The run. It counts as alive from its first turn until it leaves. */
  readonly who: object
  /** When it was looked at last, or taken. */
  readonly since: number
  /** Questions a second that the user allows; of all that ask, the lowest counts. */
  readonly most?: number | undefined
}

interface PollsOptions {
  readonly clock: Clock
  /** A service on this machine may be asked as often as anybody likes; `most` counts all the same. */
  readonly isFree?: boolean
  /** With the other processes that ask the same service. */
  readonly shared?: SharedTurns | undefined
}

/** docs/contract.md section 4. Times in milliseconds. */
const rules = {
  tokens: 50,
  /** What an answer adds to them. */
  worth: { well: 1, unknown: 0, busy: -3, not: -5 },
  longestProbeMs: 20_000,
} as const

interface Member {
  readonly most: number
  askedAt: number
}

interface Waiter {
  readonly ask: Ask
  readonly begin: () => void
}

export function openPolls({ clock, isFree = false, shared }: PollsOptions): Polls {
  const members = new Map<object, Member>()
  const waiting = new Set<Waiter>()
  let last = Number.NEGATIVE_INFINITY
  let tokens: number = rules.tokens
  let probes = 0
  let slowed: Slowed | undefined
  /** Runs that other processes ask after. */
  let others = 0
  let wake = new AbortController()
  let isServing = false

  const asking = () => {
    const most = Math.min(...[...members.values()].map(member => member.most))
    return { alive: members.size + others, slowed, most }
  }

  function usualGapMs(): number {
    const { most } = asking()
    if (isFree) return Number.isFinite(most) ? Math.ceil(1000 / most) : 0
    // Dates are whole milliseconds, everywhere.
    return Math.ceil(1000 / pollRate(asking(), clock.now()))
  }

  function gapMs(): number {
    if (tokens > 0) return usualGapMs()
    return Math.max(usualGapMs(), Math.min(rules.longestProbeMs, 1000 * 2 ** Math.min(probes, 5)))
  }

  /** Until the date, or until something has changed. */
  function pause(until: number): Promise<void> {
    wake = new AbortController()
    return clock.until(until, wake.signal)
  }

  /** What the other processes know of the service counts here as well. */
  function learn(seen: TurnsSeen): number {
    others = seen.others
    if (seen.slowed) {
      const since = clock.now() - seen.slowed.agoMs
      if (!slowed || since > slowed.since) slowed = { perSecond: seen.slowed.perSecond, since }
    }
    return usualGapMs()
  }

  /** Whether a question may go now; false when nobody waits any more. */
  async function nextTurn(): Promise<boolean> {
    while (waiting.size > 0) {
      const at = last + gapMs()
      if (at > clock.now()) {
        await pause(at)
        continue
      }
      const taken = shared?.take(members.size, learn)
      if (!taken) others = 0
      const from = clock.now() + (taken?.waitMs ?? 0)
      while (waiting.size > 0 && clock.now() < from) await pause(from)
      if (taken?.is !== 'crowded') return true
    }
    return false
  }

  /** Longest unseen first: young runs are due so often that they would keep the others from their turn for minutes. */
  async function serve(): Promise<void> {
    if (isServing) return
    isServing = true
    for (;;) {
      const isTurn = await nextTurn()
      const first = longestUnseen(waiting)
      if (!first) break
      // Somebody has come since nobody waited: the turn is still to be waited for.
      if (!isTurn) continue
      last = clock.now()
      if (tokens <= 0) probes++
      const member = members.get(first.ask.who)
      if (member) member.askedAt = last
      first.begin()
    }
    isServing = false
  }

  return {
    turn(ask, stop) {
      const { who, most = Number.POSITIVE_INFINITY } = ask
      members.set(who, { most, askedAt: members.get(who)?.askedAt ?? Number.NEGATIVE_INFINITY })
      if (stop.aborted) return Promise.resolve()
      return new Promise(resolve => {
        const begin = () => {
          waiting.delete(waiter)
          stop.removeEventListener('abort', giveUp)
          resolve()
        }
        // Whoever waits for the turn of somebody who left would hold the process for nothing.
        const giveUp = () => {
          begin()
          if (waiting.size === 0) wake.abort('nobody waits')
        }
        const waiter: Waiter = { ask, begin }
        stop.addEventListener('abort', giveUp, { once: true })
        waiting.add(waiter)
        void serve()
      })
    },
    answered(how, who) {
      const wasOut = tokens <= 0
      tokens = Math.max(0, Math.min(rules.tokens, tokens + rules.worth[how]))
      if (how === 'busy' && !isFree) {
        const before = slowed
        const askedAt = members.get(who)?.askedAt ?? clock.now()
        slowed = afterBusy(asking(), askedAt, clock.now())
        if (slowed !== before && slowed) shared?.slow(slowed.perSecond)
      }
      if (how === 'busy' || how === 'not') return
      // The service answers again: whoever waited for a probe need not wait for the next.
      tokens = Math.max(tokens, 1)
      probes = 0
      if (wasOut) wake.abort('changed')
    },
    leave(who) {
      if (members.delete(who) && members.size === 0) shared?.leave()
    },
  }
}

/** What a reply shows of the service, whatever it says of the run. */
export function answeredBy(reply: ReadReply): Answered {
  if (reply.got !== 'trouble') return 'well'
  if (isUnknownRun(reply.failure)) return 'unknown'
  return reply.failure.why === 'busy' ? 'busy' : 'not'
}

/** "Not found" and "gone", said of a run. */
export function isUnknownRun(failure: Failure): boolean {
  return failure.why === 'refused' && (failure.status === 404 || failure.status === 410)
}

function longestUnseen(waiting: Iterable<Waiter>): Waiter | undefined {
  let first: Waiter | undefined
  for (const each of waiting) if (!first || each.ask.since < first.ask.since) first = each
  return first
}
