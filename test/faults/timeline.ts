import type { Clock } from '../../src/base/clock.ts'
import type { Life } from './life.ts'

/** Time that stands still until everybody waits, and then goes on to the next date that somebody waits for. */
export interface Timeline {
  now(): number
  /** The wall clock that every process sees. */
  wall(): number
  /** Calls back at the date, whoever lives then. */
  at(date: number, wake: () => void): void
  /** Passes time while no process lives; what the service was about to do happens. */
  pass(ms: number): void
  /** Sets the wall clock of every process: so many milliseconds ahead of `now`. */
  setWall(offsetMs: number): void
  /** The clock as a process sees it: for a dead one no date ever comes. */
  clockOf(life: Life): Clock
  /**
   * Plays until `isOver`. `hang`: everybody waits and nobody has a date. `late`: it is not over at the date `latest`.
   */
  play(isOver: () => boolean, latest: number): Promise<'over' | 'hang' | 'late'>
}

interface Waiter {
  readonly date: number
  readonly nth: number
  readonly wake: () => void
  /** Nobody listens any more: then time does not go on for its sake. */
  readonly isGone: () => boolean
  /** Nobody can hear it now. */
  readonly isPaused: () => boolean
}

export function timeline(start: number): Timeline {
  let now = start
  let wallOffsetMs = 0
  let nth = 0
  const waiters: Waiter[] = []
  const add = (date: number, wake: () => void, isGone = () => false, isPaused = () => false) =>
    waiters.push({ date: Math.max(date, now), nth: nth++, wake, isGone, isPaused })

  return {
    now: () => now,
    wall: () => now + wallOffsetMs,
    at: (date, wake) => add(date, wake),
    pass(ms) {
      const until = now + ms
      for (let next = takeNext(waiters); next; next = takeNext(waiters)) {
        if (next.date > until) {
          waiters.push(next)
          break
        }
        now = next.date
        next.wake()
      }
      now = until
    },
    setWall(offsetMs) {
      wallOffsetMs = offsetMs
    },
    clockOf: life => ({
      now: () => now,
      wall: () => now + wallOffsetMs,
      until(date, signal) {
        if (!life.isAlive()) return never()
        if (date <= now || signal?.aborted) return Promise.resolve()
        return new Promise(resolve => {
          let isOver = false
          const finish = () => {
            if (isOver) return
            isOver = true
            signal?.removeEventListener('abort', finish)
            resolve()
          }
          signal?.addEventListener('abort', finish)
          add(date, finish, () => isOver || !life.isAlive(), life.isPaused)
        })
      },
    }),
    async play(isOver, latest) {
      for (;;) {
        // Everything that can go on without time has gone on by then: nothing here waits for the real world.
        await new Promise(resolve => setImmediate(resolve))
        if (isOver()) return 'over'
        const next = takeNext(waiters)
        if (!next) return 'hang'
        if (next.date > latest) {
          waiters.push(next)
          return 'late'
        }
        now = Math.max(now, next.date)
        next.wake()
      }
    },
  }
}

/** What a dead process waits for. Made anew each time: what waits for it can be forgotten with it. */
export function never(): Promise<never> {
  return new Promise(() => {})
}

/** Takes the earliest out; of equal dates the one that waited first. Those whom nobody hears are dropped. */
function takeNext(waiters: Waiter[]): Waiter | undefined {
  let kept = 0
  let first: Waiter | undefined
  for (const waiter of waiters) {
    if (waiter.isGone()) continue
    waiters[kept++] = waiter
    if (waiter.isPaused()) continue
    if (!first || waiter.date < first.date || (waiter.date === first.date && waiter.nth < first.nth))
      first = waiter
  }
  waiters.length = kept
  if (first) waiters.splice(waiters.indexOf(first), 1)
  return first
}
