import type { Clock } from '../base/clock.ts'
import type { ReviewReader } from './reader.ts'

/**
 * Carries out the picks that were asked for on the page, together: each needs the claim, and draws the plan anew. They stand beside the
 * verdicts until then, so that whoever has the manifest next does it where this server is gone.
 */
export interface PickWorks {
  /** Some wait by now, or what kept them waiting may be over. */
  begin(): void
  /** Resolves when no files are being given other names, and the page stands on what they are called by now. */
  settled(): Promise<void>
  /** Carries out what waits, once, and ends. */
  close(): Promise<void>
}

interface PickMeans {
  readonly pickWaiting: ReviewReader['pickWaiting']
  /** Whether any wait: read from the disk. */
  readonly areWaiting: () => boolean
  readonly clock: Clock
  /** Whether it is an order of this very page that nothing can be picked beside. */
  readonly isOrdering: () => boolean
  /** Something may have been picked. Resolves when the page stands on that. */
  readonly picked: () => Promise<void>
  /** Why something was not, or waits. */
  readonly trouble: (text: string) => void
}

const ownOrder = 'picks wait until the order of this page is over'

const quietMs = 500
const againMs = 2000

export function openPicks(means: PickMeans): PickWorks {
  const { pickWaiting, areWaiting, clock, isOrdering, picked, trouble } = means
  const over = new AbortController()
  let working: Promise<void> | undefined
  let moving: Promise<unknown> = Promise.resolve()
  let told: string | undefined
  let isAsked = false

  async function work(): Promise<void> {
    let waitMs = quietMs
    while (areWaiting()) {
      await clock.until(clock.now() + waitMs, over.signal)
      isAsked = false
      const carrying = carryOut()
      moving = carrying
      const end = await carrying
      waitMs = end === 'busy' ? againMs : quietMs
      if (over.signal.aborted) return
      // What waits for a run is looked at again when something changes: each look takes the claim, which that run needs.
      if (end === 'later' && !isAsked) return
    }
  }

  /** Whether they are over, or have to wait for whoever has the manifest, or for a run. */
  async function carryOut(): Promise<'over' | 'busy' | 'later'> {
    const result = await pickWaiting()
    if (result.got === 'picked') {
      if (result.isNews) await picked()
      for (const text of result.refused) trouble(text)
      tellWaiting(result.later.length > 0 ? `picks wait: ${result.later.join('; ')}` : undefined)
      return result.later.length > 0 ? 'later' : 'over'
    }
    const isBusy = result.got === 'busy'
    tellWaiting(isBusy && isOrdering() ? ownOrder : isBusy ? `picks wait: ${result.message}` : result.message)
    return 'busy'
  }

  /** Why they wait, once. */
  function tellWaiting(text: string | undefined): void {
    if (text !== undefined && text !== told) trouble(text)
    told = text
  }

  return {
    begin() {
      isAsked = true
      if (over.signal.aborted || working) return
      working = work().finally(() => (working = undefined))
    },
    async settled() {
      await moving
    },
    async close() {
      over.abort()
      await working
    },
  }
}
