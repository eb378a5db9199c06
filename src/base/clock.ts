/** The only source of time. Tests move a clock of their own by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves at or after the date; at once when the signal is aborted. Never rejects. */
  until(date: number, signal?: AbortSignal): Promise<void>
}

// setTimeout takes at most 2^31 - 1 ms; longer waits are walked in steps.
const longestTimer = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  async until(date, signal) {
    while (!signal?.aborted) {
      const waitMs = date - Date.now()
      if (waitMs <= 0) return
      await sleep(Math.min(waitMs, longestTimer), signal)
    }
  },
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
