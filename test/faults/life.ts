import { never } from './timeline.ts'

/**
 * One process. Everything it does that others could see is a step; before a step that is drawn beforehand it dies: its
 * promises are abandoned, its memory is lost. Between two steps nothing can be told apart, so that this is a crash at
 * any await.
 */
export interface Life {
  isAlive(): boolean
  /** True when the step can be taken; false from the moment of death on. */
  step(): boolean
  /** The same for what is awaited: for a dead process it never resolves, for a paused one not before it is woken. */
  moment(): Promise<void>
  kill(): void
  isPaused(): boolean
  /** A paused process goes on where it stood. */
  wake(): void
}

/** The steps at which it is over; never when there are none. */
interface Fate {
  readonly diesAt?: number
  readonly pausesAt?: number
}

export function livesUntil({ diesAt = Number.POSITIVE_INFINITY, pausesAt }: Fate = {}): Life {
  let steps = 0
  let isAlive = true
  let isPaused = false
  let waiting: (() => void)[] = []
  const step = () => {
    if (isAlive && ++steps >= diesAt) isAlive = false
    if (steps === pausesAt) isPaused = true
    return isAlive
  }
  return {
    isAlive: () => isAlive,
    step,
    moment() {
      if (!step()) return never()
      return isPaused ? new Promise(resolve => waiting.push(resolve)) : Promise.resolve()
    },
    kill: () => {
      isAlive = false
    },
    isPaused: () => isPaused,
    wake() {
      isPaused = false
      const woken = waiting
      waiting = []
      for (const resume of woken) resume()
    },
  }
}
