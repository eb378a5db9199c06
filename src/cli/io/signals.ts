import { exit } from '../../base/exit.ts'
import type { StopSignal, Surroundings } from './surroundings.ts'

/** The stop signals of one command. */
export interface Stop {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** 130 or 143 once a signal came. */
  code(): typeof exit.interrupted | typeof exit.terminated | undefined
  /** Listens no longer. */
  close(): void
}

/** After the first signal a run has so long to come to rest (docs/contract.md, P38). */
export const graceMs = 5000

/**
 * npm and timeout pass a signal on that the terminal has sent already: what comes so soon after the first is its echo. A script
 * runner may be slow at it; without one between, a person who presses twice means it.
 */
const echoMs = { passedOn: 500, usual: 150 }

/** npm, npx and their like say so to what they start. */
function echoMsIn({ npm_execpath: runner, npm_command: command }: Surroundings['env']): number {
  return runner !== undefined || command !== undefined ? echoMs.passedOn : echoMs.usual
}

/** The first signal stops, after `heard` was told; a second one, or the end of the grace, leaves at once. */
export function watchSignals(
  around: Pick<Surroundings, 'onSignal' | 'leave' | 'clock' | 'env'>,
  heard: (signal: StopSignal | 'again') => void,
): Stop {
  const stop = new AbortController()
  const over = new AbortController()
  let code: ReturnType<Stop['code']>
  let firstAt = 0
  const unwatch = around.onSignal(signal => {
    if (code !== undefined) {
      if (around.clock.now() - firstAt < echoMsIn(around.env)) return
      heard('again')
      around.leave(code)
      return
    }
    firstAt = around.clock.now()
    code = codeOf(signal)
    heard(signal)
    stop.abort(signal)
    void leaveLater(code)
  })
  async function leaveLater(late: number): Promise<void> {
    await around.clock.until(around.clock.now() + graceMs, over.signal)
    if (!over.signal.aborted) around.leave(late)
  }
  return {
    signal: stop.signal,
    code: () => code,
    close: () => {
      over.abort()
      unwatch()
    },
  }
}

function codeOf(signal: StopSignal): typeof exit.interrupted | typeof exit.terminated {
  return signal === 'SIGINT' ? exit.interrupted : exit.terminated
}

/** What a signal means for a run. */
export function stopText(signal: StopSignal | 'again'): string {
  if (signal === 'again')
    return 'left at once; the next run goes on with what the service has, and tells what is in doubt'
  const kept = 'stopping: no more is bought, what runs is kept'
  return signal === 'SIGINT' ? `${kept}; Ctrl-C again leaves at once` : kept
}

/** Resolves when the signal is given, or was before. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
