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
  /** The same for what is awaited: when the process is dead it never resolves. */
  moment(): Promise<void>
  kill(): void
}

/** Without a step it never dies by itself. */
export function lifeUntil(deathAt = Number.POSITIVE_INFINITY): Life {
  let steps = 0
  let isAlive = true
  const step = () => {
    if (isAlive && ++steps >= deathAt) isAlive = false
    return isAlive
  }
  return {
    isAlive: () => isAlive,
    step,
    moment: () => (step() ? Promise.resolve() : never()),
    kill: () => {
      isAlive = false
    },
  }
}
