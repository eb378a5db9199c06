import type { Clock } from '../../base/clock.ts'

/** One time limit at a time: setting the next one stops the one before. */
interface Deadline {
  /** Calls `ring` with `{what} within {ms} s` when so much time has passed since `from`. */
  set(from: number, ms: number, what: string, ring: (reason: string) => void): void
  stop(): void
}

export function deadline(clock: Clock): Deadline {
  let stopped = new AbortController()
  return {
    set(from, ms, what, ring) {
      stopped.abort(over)
      stopped = new AbortController()
      const { signal } = stopped
      void clock.until(from + ms, signal).then(() => {
        if (!signal.aborted) ring(`${what} within ${inSeconds(ms)}`)
      })
    },
    stop: () => stopped.abort(over),
  }
}

// Without a reason, an error with its stack is made each time.
const over = 'over'

/** `90 s`, `0.25 s`. */
export function inSeconds(ms: number): string {
  return `${ms / 1000} s`
}
