/** Runs tasks, at most so many at once, in the order they come. */
type Slots = <Result>(task: () => Promise<Result>) => Promise<Result>

export function openSlots(atOnce: number): Slots {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async task => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await task()
    } finally {
      // A freed slot is handed on, so that nobody can come between.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
