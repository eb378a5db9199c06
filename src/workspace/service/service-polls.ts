import type { Clock } from '../../base/clock.ts'
import { answeredBy, openPolls, type Polls } from '../../engine/gates/polls.ts'
import type { SharedTurns } from '../../store/claim/shared-turns.ts'
import type { Wire } from '../../wire/http/wire.ts'
import { pollFloorMs, type Service } from './service.ts'

/** The turns of everybody who asks a service for results. */
export type ServicePolls = (service: Service) => Polls

/**
 * One rate for each service: all runs, single jobs and waits of this process take their turns together. `share` gives the
 * turns of an origin with other processes. A service on this machine has nothing to be spared, and is shared with nobody.
 */
export function openServicePolls(clock: Clock, share?: (origin: string) => SharedTurns): ServicePolls {
  const known = new Map<string, Polls>()
  return service => {
    const isFree = pollFloorMs(service) < 1000
    const most = service.rehearsal ? undefined : service.pollsPerSecond
    // Each rehearsal has a port of its own: nothing would ever be found again.
    if (isFree && most === undefined) return openPolls({ clock, isFree })
    const { origin } = new URL(service.baseUrl)
    const polls =
      known.get(origin) ?? openPolls({ clock, isFree, shared: isFree ? undefined : share?.(origin) })
    known.set(origin, polls)
    return { ...polls, turn: (ask, stop) => polls.turn({ ...ask, most }, stop) }
  }
}

/** A wire whose questions take their turns, for those that are asked outside the engine: each is about a run of its own. */
export function inTurn(
  wire: Pick<Wire, 'read'>,
  polls: Polls,
  clock: Pick<Clock, 'now'>,
): Pick<Wire, 'read'> {
  return {
    read: (run, signal) =>
      takeTurn(polls, clock, { ask: () => wire.read(run, signal), how: answeredBy, signal }),
  }
}

interface Question<T> {
  readonly ask: () => Promise<T>
  /** How it was answered. */
  readonly how: (reply: T) => Parameters<Polls['answered']>[0]
  readonly signal: AbortSignal
}

/** One question when its turn has come. What was cut off tells nothing. */
export async function takeTurn<T>(
  polls: Polls,
  clock: Pick<Clock, 'now'>,
  { ask, how, signal }: Question<T>,
): Promise<T> {
  const who = {}
  // Those who wait already have waited longer.
  await polls.turn({ who, since: clock.now() }, signal)
  try {
    const reply = await ask()
    const answered = how(reply)
    if (!signal.aborted || answered === 'well') polls.answered(answered, who)
    return reply
  } finally {
    polls.leave(who)
  }
}
