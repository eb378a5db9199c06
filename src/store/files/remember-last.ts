/** The last thing that was read, for whoever reads the same again. */
interface LastRead<Value> {
  /** Undefined where nothing was kept, or its room was needed. */
  get(): Value | undefined
  keep(value: Value): void
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
  }
  return {
    get: () => held ?? last?.deref(),
    keep(value) {
      held = value
      last = new WeakRef(value)
      timer = timer ? timer.refresh() : setTimeout(letGo, 30_000).unref()
    },
  }
}
