import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { WireMode } from '../base/state.ts'
import { afterSign, closedBreaker, isProbing, type Sign } from './breaker.ts'

/**
 * Who may send a request now. The first paid one of each workflow goes alone (canary), so that a wrong key, address or
 * body costs one request and not one per job; a busy service pauses everybody; a refused canary closes its workflow; a
 * service that leaves orders in doubt, or delivers nothing of use, is left alone.
 */
export interface Pace {
  /** Resolves when a request of the workflow may go, or with the failure that closed it. Release with `report`. */
  enter(workflow: string, mode?: WireMode): Promise<Failure | undefined>
  /** What came of the request that was let in, and when it was. */
  report(workflow: string, verdict: Verdict, mode?: WireMode, sentAt?: number): void
  /** The date before which nothing at all is sent, because the service asked for that. */
  readonly pausedUntil: number
  /** The date before which nothing is bought; never earlier than `pausedUntil`. */
  readonly closedUntil: number
  pause(until: number): void
  /** Waits for a turn to ask for a result: so many a second, and few while the service does not answer. */
  turn(alive: number, stop: AbortSignal): Promise<void>
  /** What came of a free request. */
  answered(how: 'well' | 'busy' | 'not'): void
  /** Whether a paid job brought something of use; five in a row that did not end the buying. */
  delivered(failure: Failure | undefined): void
  /** Closes everything: nothing more is bought in this run. */
  close(because: Failure): void
}

/**
 * `unproven` says nothing about the workflow: not sent. The next one goes alone again. So does the next after `busy` (no
 * room now) and `doubt`.
 */
export type Verdict =
  | { readonly is: 'proven' }
  | { readonly is: 'unproven' }
  /** `waitMs` is what the service asked for. */
  | { readonly is: 'busy'; readonly waitMs?: number }
  | { readonly is: 'doubt'; readonly failure: Failure }
  | { readonly is: 'refused'; readonly failure: Failure }

interface Workflow {
  standing: 'new' | 'testing' | 'proven' | 'closed'
  because?: Failure
}

/** RELIABILITY.md section 4. Times in milliseconds. */
const rules = {
  /** Submissions without an answer, at most; after trouble, one. */
  unanswered: 4,
  /** A service that has no room for anybody for so long is given up. */
  longestCalmMs: 20_000,
  stuckMs: 15 * 60_000,
  pollsPerSecond: 4,
  /** Every run is asked after so often, when there are more of them than the polls a second allow. */
  slowestPollMs: 15_000,
  tokens: 50,
  longestProbeMs: 20_000,
} as const

/** `pollFloorMs` below a second means a service on this machine, which is asked as often as anybody likes. */
export function openPace(clock: Clock, pollFloorMs = 1000): Pace {
  const workflows = new Map<string, Workflow>()
  let breaker = closedBreaker
  /** Requests that were let in and have not been reported. */
  let inside = 0
  let waiting: (() => void)[] = []
  let closed: Failure | undefined
  let pausedUntil = 0
  let unanswered = 0
  let isWary = false
  let busySince: number | undefined
  let busyInRow = 0
  let calmUntil = 0
  const polls = openPolls(clock, pollFloorMs)

  function workflowOf(name: string): Workflow {
    const known = workflows.get(name)
    if (known) return known
    const fresh: Workflow = { standing: 'new' }
    workflows.set(name, fresh)
    return fresh
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }

  function close(because: Failure): void {
    closed ??= because
    wake()
  }

  function heed(sign: Sign): void {
    breaker = afterSign(breaker, sign, clock.now())
    if (breaker.ended) close(breaker.ended)
  }

  function learn(workflow: Workflow, verdict: Verdict, sentAt: number): void {
    isWary = verdict.is !== 'proven' && verdict.is !== 'refused'
    switch (verdict.is) {
      case 'proven':
        busySince = undefined
        busyInRow = 0
        heed({ is: 'taken', sentAt })
        break
      case 'unproven':
        break
      case 'busy':
        busySince ??= clock.now()
        pausedUntil = Math.max(pausedUntil, clock.now() + (verdict.waitMs ?? 0))
        // Only orders wait without being asked to: results are worth having all the same.
        calmUntil = clock.now() + Math.min(rules.longestCalmMs, 500 * 2 ** Math.min(busyInRow++, 10))
        if (clock.now() - busySince >= rules.stuckMs)
          close({ why: 'busy', detail: 'it takes no order at all' })
        break
      case 'doubt':
        heed({ is: 'doubt', sentAt, failure: verdict.failure })
        break
      case 'refused':
        heed(verdict)
        break
    }
    if (workflow.standing !== 'testing') return
    workflow.standing = verdict.is === 'proven' ? 'proven' : verdict.is === 'refused' ? 'closed' : 'new'
    if (verdict.is === 'refused') workflow.because = verdict.failure
  }

  return {
    async enter(name, mode = 'execute') {
      const workflow = workflowOf(name)
      while (true) {
        if (closed) return closed
        if (workflow.standing === 'closed') return workflow.because
        // What executes is unanswered as long as it takes; how many there are is for the slots to say.
        const isRoom = mode === 'execute' || unanswered < (isWary ? 1 : rules.unanswered)
        const isTurn = isRoom && (!isProbing(breaker) || inside === 0)
        if (isTurn && (workflow.standing === 'new' || workflow.standing === 'proven')) {
          if (workflow.standing === 'new') workflow.standing = 'testing'
          if (mode === 'submit') unanswered++
          inside++
          return undefined
        }
        await new Promise<void>(resume => waiting.push(resume))
      }
    },
    report(name, verdict, mode = 'execute', sentAt = clock.now()) {
      if (mode === 'submit') unanswered--
      inside--
      learn(workflowOf(name), verdict, sentAt)
      wake()
    },
    get pausedUntil() {
      return pausedUntil
    },
    get closedUntil() {
      return Math.max(pausedUntil, calmUntil, breaker.until)
    },
    pause(until) {
      pausedUntil = Math.max(pausedUntil, until)
    },
    turn: polls.turn,
    answered: polls.answered,
    delivered(failure) {
      heed(failure ? { is: 'useless', failure } : { is: 'useful' })
    },
    close,
  }
}

/** Turns to ask for results: a rate, and a budget for asking a service that does not answer. */
function openPolls(clock: Clock, pollFloorMs: number): Pick<Pace, 'turn' | 'answered'> {
  let last = Number.NEGATIVE_INFINITY
  let tokens: number = rules.tokens
  let probes = 0
  let changed = new AbortController()

  function gapMs(alive: number): number {
    const usual =
      pollFloorMs < 1000 ? 0 : Math.min(1000 / rules.pollsPerSecond, rules.slowestPollMs / Math.max(1, alive))
    if (tokens > 0) return usual
    return Math.max(usual, Math.min(rules.longestProbeMs, 1000 * 2 ** Math.min(probes, 5)))
  }

  return {
    async turn(alive, stop) {
      while (!stop.aborted) {
        const at = last + gapMs(alive)
        if (at <= clock.now()) {
          last = clock.now()
          if (tokens <= 0) probes++
          return
        }
        await clock.until(at, AbortSignal.any([stop, changed.signal]))
      }
    },
    answered(how) {
      const wasOut = tokens <= 0
      const cost = how === 'well' ? 1 : how === 'busy' ? -3 : -5
      tokens = Math.max(0, Math.min(rules.tokens, tokens + cost))
      if (how !== 'well') return
      // The service answers again: whoever waited for a probe need not wait for the next.
      tokens = Math.max(tokens, 1)
      probes = 0
      if (!wasOut) return
      changed.abort()
      changed = new AbortController()
    },
  }
}
