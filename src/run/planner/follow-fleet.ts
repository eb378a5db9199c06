import type { Clock } from '../../base/clock.ts'
import type { JobAddress } from '../../base/names.ts'
import type { JobState } from '../../base/state.ts'
import { isOfUse } from '../../engine/run-job.ts'
import type { SilentOrder } from '../../fleet/batches.ts'
import type { FleetStore } from '../../fleet/fleet-store.ts'
import type { Unheard } from '../../fleet/works.ts'
import type { LeftAlone } from './fleet-records.ts'

interface Following {
  readonly store: Pick<FleetStore, 'works' | 'endedWithin' | 'workers' | 'silent' | 'unheard' | 'end'>
  readonly clock: Clock
  /** Aborted: the workers go on without anybody who follows. */
  readonly stop: AbortSignal
  /** Writes down how purchases stand, and tells the store that they are. */
  readonly hear?: (news: readonly Unheard[]) => Promise<void>
  readonly ended?: (address: JobAddress, state: JobState) => void
  /** Hands out what is still to be made once more: what is handed out already is not disturbed. */
  readonly handOut?: () => Promise<void>
  /** Told at once when nobody is at work on what is left, and now and then as long as that is so. */
  readonly alone: (left: LeftAlone) => void
  /** Told now and then when nothing ends, and orders are in the hands of workers that are not heard. */
  readonly silent?: (orders: readonly SilentOrder[]) => void
}

const lookMs = 500

/** How often it is asked who works, and how often it is told that nobody does. */
const [workersMs, aloneMs] = [5_000, 5 * 60_000]

/** After a stop it ends within so long, or is left where it is: what it asks just now may never be answered. */
export const followingMs = 1_500

/** After so long without an end it is asked what is waited for. */
const silenceMs = 30_000

/**
 * When nothing has ended for so long, and after that as often: a worker that finds a job withdrawn may say so just when the next plan hands
 * it out, and the queue then takes both for one.
 */
const [idleMs, idleAgainMs] = [10_000, 60_000]

/** A row may be committed later than it is dated, by as much as a statement takes at most, and half as much again. */
const lateMs = 8_000

/**
 * Waits until all of a batch has ended, or the stop, and tells what became of each. What can no longer happen is ended here: nobody is
 * handed a job whose needs are not met.
 */
export async function followFleet(
  batch: string,
  { store, clock, stop, hear, ended, handOut, alone, silent }: Following,
): Promise<Map<JobAddress, JobState>> {
  const all = await store.works(batch)
  const outcomes = new Map<JobAddress, JobState>()
  const dependants = new Map<JobAddress, JobAddress[]>()
  let newsAt = clock.now()
  for (const { address, needs } of all)
    for (const need of needs) dependants.set(need, [...(dependants.get(need) ?? []), address])

  async function look(rows: readonly Pick<(typeof all)[number], 'address' | 'ended'>[]): Promise<void> {
    // Asked after what has ended: of all that did the records are among them.
    if (hear) for await (const news of allUnheard(batch, store, true)) await hear(news)
    for (const { address, ended: state } of rows) if (state) await settle(address, state)
  }

  async function settle(address: JobAddress, state: JobState): Promise<void> {
    const open: [JobAddress, JobState][] = [[address, state]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [its, came] = next
      if (outcomes.has(its)) continue
      outcomes.set(its, came)
      newsAt = clock.now()
      ended?.(its, came)
      if (isOfUse(came)) continue
      const skipped: JobState = { is: 'skipped', because: { why: 'needs', address: its } }
      const behind = (dependants.get(its) ?? []).filter(each => !outcomes.has(each))
      await store.end(batch, behind, skipped)
      for (const each of behind) open.push([each, skipped])
    }
  }

  let [askAt, tellAt, silentAt, handedAt] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  async function lookForWorkers(): Promise<void> {
    if (clock.now() < askAt) return
    const left = all.find(({ address }) => !outcomes.has(address))
    if (!left) return
    askAt = clock.now() + workersMs
    const { here, elsewhere } = await store.workers(left.queue)
    if (here > 0) tellAt = 0
    if (here > 0 || clock.now() < tellAt || stop.aborted) return
    tellAt = clock.now() + aloneMs
    alone({ queue: left.queue, elsewhere })
  }

  async function lookForSilent(): Promise<void> {
    if (!silent || clock.now() < Math.max(newsAt + silenceMs, silentAt)) return
    const orders = await store.silent(batch)
    silentAt = clock.now() + (orders.length > 0 ? aloneMs : workersMs)
    if (orders.length > 0 && !stop.aborted) silent(orders)
  }

  async function handOutAgain(): Promise<void> {
    if (!handOut || clock.now() < Math.max(newsAt + idleMs, handedAt + idleAgainMs)) return
    handedAt = clock.now()
    await handOut()
  }

  await look(all)
  for (let lookedAt = clock.now(); outcomes.size < all.length && !stop.aborted; ) {
    await lookForWorkers()
    await lookForSilent()
    await handOutAgain()
    await clock.until(clock.now() + lookMs, stop)
    const from = lookedAt
    lookedAt = clock.now()
    await look(await store.endedWithin(batch, clock.now() - from + lateMs))
  }
  if (hear && !stop.aborted) for await (const news of allUnheard(batch, store)) await hear(news)
  return outcomes
}

/** All that nobody has heard of, some at a time. */
export async function* allUnheard(
  batch: string,
  store: Pick<FleetStore, 'unheard'>,
  isSoon = false,
): AsyncGenerator<readonly Unheard[]> {
  for (let last: Unheard | undefined; ; ) {
    const news = await store.unheard(batch, last, isSoon)
    last = news.at(-1)
    if (!last) return
    yield news
  }
}
