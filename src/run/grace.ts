import type { Clock } from '../base/clock.ts'

/** After a stop signal, requests on their way get so long to be answered (docs/contract.md section 2). */
const graceMs = 4000

/** What comes of work, or undefined when a stop came and it was still not done after the grace. */
export async function withinGrace<T>(
  task: Promise<T>,
  { stop, clock }: { readonly stop: AbortSignal; readonly clock: Clock },
): Promise<T | undefined> {
  const settled = new AbortController()
  const cutOff = untilAborted(stop, settled.signal)
    .then(() => clock.until(clock.now() + graceMs, settled.signal))
    .then(() => undefined)
  try {
    return await Promise.race([task, cutOff])
  } finally {
    settled.abort()
    // What is cut off may still fail; what the journal holds is enough to go on.
    task.catch(() => undefined)
  }
}

function untilAborted(stop: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve(), { once: true, signal: over })
  })
}
