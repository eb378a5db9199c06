/** Does work, so much of it at a time, in the order in which it comes. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

/** `atOnce`, at least 1, is asked whenever something may begin. */
export function openTurns(atOnce: () => number): Turns {
  const waiting: (() => void)[] = []
  let busy = 0
  function begin(): void {
    while (busy < atOnce()) {
      const next = waiting.shift()
      if (!next) return
      busy++
      next()
    }
  }
  return async work => {
    await new Promise<void>(resolve => {
      waiting.push(resolve)
      begin()
    })
    try {
      return await work()
    } finally {
      busy--
      begin()
    }
  }
}
