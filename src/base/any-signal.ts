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

/**
 * A task with a signal that is aborted as soon as one of these is. Nothing of it stays with them when the task is over: in Node 20 a
 * signal that lives as long as a run keeps a note of all that `anySignal` ever made of it.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  task: (any: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController()
  const heard = signals.map(signal => ({ signal, pass: () => any.abort(signal.reason) }))
  for (const { signal, pass } of heard) {
    if (signal.aborted) pass()
    else signal.addEventListener('abort', pass)
  }
  try {
    return await task(any.signal)
  } finally {
    for (const { signal, pass } of heard) signal.removeEventListener('abort', pass)
  }
}
