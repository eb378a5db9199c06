/**
 * Aborted as soon as one of these is. For `AbortSignal.any`, which holds them only weakly: in Node 20 a limit in time that nobody else
 * holds is collected, and never comes; in Node 24.16 one that came before anybody listened is forgotten.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals])
  sources.set(any, signals)
  return any
}

/** What each is made of, held for as long as it is. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()
