/** Does work, so much of it at a time, in the order in which it comes. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

export function openTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => void waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A freed turn is handed on, so that nobody can come between.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
