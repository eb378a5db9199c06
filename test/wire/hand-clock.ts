import type { Clock } from '../../src/base/clock.ts'

/** A clock that moves when it is told to. */
interface HandClock extends Clock {
  /** Moves on and wakes whoever waited for a date up to there. */
  advance(ms: number): void
  /** Resolves once somebody waits for exactly so many milliseconds from now. */
  awaited(ms: number): Promise<void>
}

export function handClock(start = Date.parse('2026-03-01T12:00:00Z')): HandClock {
  let now = start
  const sleepers = new Set<{ readonly date: number; readonly wake: () => void }>()
  const watchers = new Set<{ readonly date: number; readonly seen: () => void }>()
  return {
    now: () => now,
    wall: () => now,
    until(date, signal) {
      if (date <= now || signal?.aborted) return Promise.resolve()
      for (const watcher of watchers) if (watcher.date === date) watcher.seen()
      return new Promise(resolve => {
        const wake = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper = { date, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake)
      })
    },
    advance(ms) {
      now += ms
      for (const sleeper of [...sleepers].filter(each => each.date <= now)) {
        sleeper.wake()
      }
    },
    awaited(ms) {
      const date = now + ms
      if ([...sleepers].some(each => each.date === date)) return Promise.resolve()
      return new Promise(seen => watchers.add({ date, seen: () => seen() }))
    },
  }
}
