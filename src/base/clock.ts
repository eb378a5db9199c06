/** The only source of time. Tests move clocks of their own by hand. */
export interface Clock {
  /**
   * Milliseconds that look like a date and only go on, whatever the machine's clock is set to: for waits, deadlines, ages
   * and rates. It means nothing to another process, and may leave out the time in which the machine slept.
   */
  now(): number
  /**
   * Milliseconds since 1970, as the machine's clock shows them: for what people read, what is written down for another
   * process, and what is compared with the dates of files. It can be set at any time, forward and back.
   */
  wall(): number
  /** Resolves when `now` has come to the date; at once when the signal is aborted. Never rejects. */
  until(date: number, signal?: AbortSignal): Promise<void>
}

// While a machine sleeps, timers may stand still though `now` goes on: so late at most is it noticed.
const sliceMs = 30_000

const now = () => Math.floor(performance.timeOrigin + performance.now())

export const systemClock: Clock = {
  now,
  wall: () => Date.now(),
  async until(date, signal) {
    while (!signal?.aborted) {
      const waitMs = date - now()
      if (waitMs <= 0) return
      await sleep(Math.min(waitMs, sliceMs), signal)
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

// Both clocks count whole milliseconds and are slewed a little: less than this is no clock that was set.
const leastStepMs = 1000

/**
 * Tells what the wall clock showed at a date of `now`, as it is set at present. Dates stay in order, unless the clock is
 * set or the machine sleeps.
 */
export function wallDates(clock: Pick<Clock, 'now' | 'wall'>): (date: number) => number {
  let ahead = clock.wall() - clock.now()
  return date => {
    const present = clock.wall() - clock.now()
    if (Math.abs(present - ahead) >= leastStepMs) ahead = present
    return date + ahead
  }
}

/** What comes of work, or undefined when a stop came and it was still not done so many milliseconds later. Rejects as the work does. */
export async function withinGrace<T>(
  task: Promise<T>,
  { stop, clock, ms }: { readonly stop: AbortSignal; readonly clock: Clock; readonly ms: number },
): Promise<T | undefined> {
  const settled = new AbortController()
  const cutOff = untilAborted(stop, settled.signal)
    .then(() => clock.until(clock.now() + ms, settled.signal))
    .then(() => undefined)
  try {
    return await Promise.race([task, cutOff])
  } finally {
    settled.abort()
    // What is cut off may still fail, and nobody waits for it any more.
    task.catch(() => undefined)
  }
}

function untilAborted(stop: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve(), { once: true, signal: over })
  })
}
