import type { Clock } from '../base/clock.ts'
import { jobAddress } from '../base/names.ts'
import { firstTake, takeWord } from '../plan/picks.ts'
import type { PickWords, ReviewReader } from './reader.ts'

/** A take that is to be picked, or a job of which none is to be. */
export interface PickWish {
  /** Of the take; of the job's first take where none is meant. */
  readonly address: string
  readonly isNone?: boolean
  /** A run had picked it, and it is picked again as it was. */
  readonly byRun?: boolean
}

/** Picks that were asked for on the page, carried out together: each needs the claim, and draws the plan anew. */
export interface PickQueue {
  add(wishes: readonly PickWish[]): void
  /** The addresses that are not carried out yet. */
  waiting(): string[]
  /** Carries out what waits, once, and ends. */
  close(): Promise<void>
}

interface PickMeans {
  readonly pick: ReviewReader['pick']
  readonly clock: Clock
  /** Whether it is an order of this very page that nothing can be picked beside. */
  readonly isOrdering: () => boolean
  /** Something was picked. */
  readonly picked: () => void
  /** Why something was not, or waits. */
  readonly trouble: (text: string, isOver: boolean) => void
}

const ownOrder = 'picks wait until the order of this page is over'

const quietMs = 500
const againMs = 2000

export function openPicks({ pick, clock, isOrdering, picked, trouble }: PickMeans): PickQueue {
  // By the job: of two takes the later one is meant.
  const wanted = new Map<string, PickWish>()
  const over = new AbortController()
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    let waitMs = quietMs
    while (wanted.size > 0) {
      await clock.until(clock.now() + waitMs, over.signal)
      const batch = [...wanted]
      const isBusy = await carryOut(batch.map(([, wish]) => wish))
      for (const [job, wish] of isBusy ? [] : batch) if (wanted.get(job) === wish) wanted.delete(job)
      waitMs = isBusy ? againMs : quietMs
      if (over.signal.aborted) return
    }
  }

  /** Whether another genrun has the manifest at present. */
  async function carryOut(wishes: readonly PickWish[]): Promise<boolean> {
    const result = await pick(wordsOf(wishes))
    switch (result.got) {
      case 'picked':
        picked()
        return false
      case 'busy':
        trouble(isOrdering() ? ownOrder : `picks wait: ${result.message}`, false)
        return true
      case 'damaged':
        trouble(result.message, true)
        return false
      case 'refused':
        // Nothing is picked unless all can be: one that cannot must not keep the others.
        if (wishes.length > 1) {
          const busy = await Promise.all(wishes.map(wish => one(wish)))
          return busy.some(Boolean)
        }
        trouble(result.message, true)
        return false
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: each wants the claim. */
  function one(wish: PickWish): Promise<boolean> {
    const next = last.then(() => carryOut([wish]))
    last = next
    return next
  }

  return {
    add(wishes) {
      for (const wish of wishes) wanted.set(firstTake(jobAddress(wish.address)), wish)
      if (wanted.size > 0) working ??= work().finally(() => (working = undefined))
    },
    waiting: () => [...wanted.values()].map(({ address }) => address),
    async close() {
      over.abort()
      await working
    },
  }
}

function wordsOf(wishes: readonly PickWish[]): PickWords {
  const takes = wishes.filter(({ isNone }) => !isNone)
  const none = wishes.filter(({ isNone }) => isNone)
  const others = takes.filter(({ byRun }) => !byRun)
  const wordsFor = (some: readonly PickWish[]) => some.map(({ address }) => takeWord(address))
  return {
    others: wordsFor(others),
    byRun: wordsFor(takes.filter(({ byRun }) => byRun)),
    none: wordsFor(none),
  }
}
