/**
 * How many paid jobs may be at the service at once, found by trying. It starts small, grows with every order that is
 * taken, shrinks to what is there when one is turned away, and then seldom asks for some more. Sizes are whole.
 */
export interface ConcurrencyWindow {
  readonly size: number
  readonly ceiling: number
  /** Whether an order was ever turned away: before that, growth is quick. */
  readonly isKnown: boolean
  /** The most that were taken at once, worn down by being turned away: up to there growth is quick again. */
  readonly best: number
  /** Orders taken at this size. */
  readonly taken: number
  /** How many times its size must be taken before one more is tried; doubled whenever that was too many. */
  readonly caution: number
  readonly isTrying: boolean
}

const firstCaution = 2

export function openConcurrencyWindow(ceiling: number): ConcurrencyWindow {
  return {
    size: Math.min(4, ceiling),
    ceiling,
    isKnown: false,
    best: 0,
    taken: 0,
    caution: firstCaution,
    isTrying: false,
  }
}

/** The service took an order; so many are there now. */
export function afterTaken(window: ConcurrencyWindow, there: number): ConcurrencyWindow {
  const { size, caution, isTrying } = window
  const best = Math.max(window.best, there)
  const found = isTrying && there >= size
  const next = {
    ...window,
    best,
    taken: window.taken + 1,
    caution: found ? 1 : caution,
    isTrying: isTrying && !found,
  }
  if (!window.isKnown || size < best) return grown(next)
  if (next.taken < next.caution * size) return next
  return { ...grown(next, Math.max(1, Math.floor(size / 10))), taken: 0, isTrying: true }
}

/** The service had no room for an order, while so many others were there. */
export function afterFull(window: ConcurrencyWindow, others: number): ConcurrencyWindow {
  const size = Math.max(1, Math.min(window.size, others))
  return {
    ...window,
    size,
    best: Math.max(size, Math.floor(window.best * 0.8)),
    isKnown: true,
    taken: 0,
    caution: window.isTrying ? Math.min(window.caution * 2, 64) : Math.max(window.caution, firstCaution),
    isTrying: false,
  }
}

function grown(window: ConcurrencyWindow, by = 1): ConcurrencyWindow {
  return { ...window, size: Math.max(window.size, Math.min(window.size + by, window.ceiling)) }
}
