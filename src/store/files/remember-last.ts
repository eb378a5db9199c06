/** The last thing that was read, for whoever reads the same again. */
interface LastRead<Value> {
  /** Undefined where nothing was kept, or its room was needed. */
  get(): Value | undefined
  keep(value: Value): void
}

// Of all that is held at the moment.
const holds = new Set<() => void>()

/** Nobody reads the records again: their room is free from now on. */
export function forgetLast(): void {
  for (const letGo of holds) letGo()
}

/**
 * Holds on to one value for half a minute, and from then on for as long as nobody needs its room: a run reads its records several
 * times before it writes to them, and they may be large.
 */
export function rememberLast<Value extends object>(): LastRead<Value> {
  let held: Value | undefined
  let last: WeakRef<Value> | undefined
  let timer: NodeJS.Timeout | undefined
  const letGo = () => {
    held = undefined
    holds.delete(letGo)
  }
  return {
    get: () => held ?? last?.deref(),
    keep(value) {
      held = value
      holds.add(letGo)
      last = new WeakRef(value)
      timer = timer ? timer.refresh() : setTimeout(letGo, 30_000).unref()
    },
  }
}
