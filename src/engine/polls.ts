import type { Clock } from '../base/clock.ts'

/** Turns to ask for results: a rate, and a budget for asking a service that does not answer. */
export interface Polls {
  /** Waits for a turn to ask for a result: so many a second, and few while the service does not answer. */
  turn(ask: Ask, stop: AbortSignal): Promise<void>
  /** What came of a free request. */
  answered(how: 'well' | 'busy' | 'not'): void
}

/** A look at a run that is due. */
export interface Ask {
  /** When it was looked at last, or taken. */
  readonly since: number
  /** How many runs are asked after. */
  readonly alive: () => number
}

/** RELIABILITY.md section 4. Times in milliseconds. */
const rules = {
  pollsPerSecond: 4,
  /** With more runs than these polls reach in 15 s, all have a turn in less: how many there are changes meanwhile. */
  manyRuns: 60,
  roundMs: 12_000,
  tokens: 50,
  longestProbeMs: 20_000,
} as const

/** `pollFloorMs` below a second means a service on this machine, which is asked as often as anybody likes. */
export function openPolls(clock: Clock, pollFloorMs: number): Polls {
  let last = Number.NEGATIVE_INFINITY
  let tokens: number = rules.tokens
  let probes = 0
  let changed = new AbortController()
  const waiting: { readonly ask: Ask; readonly begin: () => void }[] = []
  let isServing = false

  function gapMs(alive: number): number {
    const crowded = alive > rules.manyRuns ? rules.roundMs / alive : 1000 / rules.pollsPerSecond
    const usual = pollFloorMs < 1000 ? 0 : crowded
    if (tokens > 0) return usual
    return Math.max(usual, Math.min(rules.longestProbeMs, 1000 * 2 ** Math.min(probes, 5)))
  }

  async function nextTurn(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const at = last + gapMs(waiting[0]?.ask.alive() ?? 1)
      if (at <= clock.now()) {
        last = clock.now()
        if (tokens <= 0) probes++
        return
      }
      await clock.until(at, AbortSignal.any([stop, changed.signal]))
    }
  }

  /** Longest unseen first: young runs are due so often that they would keep the others from their turn for minutes. */
  async function serve(stop: AbortSignal): Promise<void> {
    if (isServing) return
    isServing = true
    while (waiting.length > 0) {
      await nextTurn(stop)
      const first = waiting.reduce((a, b) => (b.ask.since < a.ask.since ? b : a))
      waiting.splice(waiting.indexOf(first), 1)
      first.begin()
    }
    isServing = false
  }

  return {
    turn(ask, stop) {
      return new Promise(begin => {
        waiting.push({ ask, begin })
        void serve(stop)
      })
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
      changed.abort('changed')
      changed = new AbortController()
    },
  }
}
