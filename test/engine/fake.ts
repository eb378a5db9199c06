import { setMaxListeners } from 'node:events'
import type { Clock } from '../../src/base/clock.ts'
import type { Failure } from '../../src/base/failure.ts'
import { type JobAddress, jobAddress, type PurchaseId, purchaseId, type RunId } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/purchase.ts'
import type { Random } from '../../src/base/random.ts'
import { headOf } from '../../src/base/source.ts'
import type { JobState, Recipe, RunRef } from '../../src/base/state.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { SaveOutcome } from '../../src/engine/advance.ts'
import type { Event } from '../../src/engine/event.ts'
import { permitsOf } from '../../src/engine/permit.ts'
import type { Task, World } from '../../src/engine/world.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import type { Order, OrderReply, ReadReply } from '../../src/wire/http/wire.ts'

/** A clock that stands still until `run` moves it to the next date that somebody waits for. */
export interface HandClock extends Clock {
  /** Moves on until the promise settles. Fails when nobody waits and it still has not: a hang. */
  run<T>(promise: Promise<T>): Promise<T>
  /** Sets the wall clock: so many milliseconds ahead of the other. */
  setWall(aheadMs: number): void
}

export function handClock(start = 1_000_000): HandClock {
  let now = start
  let wallAheadMs = 0
  const waiting: { date: number; resolve: () => void }[] = []
  return {
    now: () => now,
    wall: () => now + wallAheadMs,
    setWall(aheadMs) {
      wallAheadMs = aheadMs
    },
    until(date, signal) {
      if (date <= now || signal?.aborted) return Promise.resolve()
      return new Promise(resolve => {
        const waiter = { date, resolve }
        waiting.push(waiter)
        signal?.addEventListener('abort', () => {
          const index = waiting.indexOf(waiter)
          if (index >= 0) waiting.splice(index, 1)
          resolve()
        })
      })
    },
    async run(promise) {
      let isOver = false
      const over = promise.finally(() => (isOver = true))
      over.catch(() => undefined)
      while (true) {
        for (let turn = 0; turn < 50 && !isOver; turn++) await new Promise(resolve => setImmediate(resolve))
        if (isOver) return over
        const next = waiting.toSorted((a, b) => a.date - b.date)[0]
        if (!next) throw new Error('everybody waits and nobody has a date: a hang')
        waiting.splice(waiting.indexOf(next), 1)
        now = next.date
        next.resolve()
      }
    },
  }
}

/** Numbers that look random and are the same in every test. */
export function seededRandom(seed = 1): Random {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  return {
    next,
    token: () =>
      Math.floor(next() * 2 ** 31)
        .toString(16)
        .padStart(32, '0'),
  }
}

export const recipe: Recipe = { version: 1, model: 'famc-v3', params: {}, defaults: {}, inputs: {}, take: 1 }

export function job(address: string, rest: Partial<Job> = {}): Job {
  const model = findModel('fama-imagine-image') as Model // it is in the catalog
  const at = headOf({ name: 'test.yaml', text: '' })
  return {
    address: jobAddress(address),
    model,
    mode: 'execute',
    params: { prompt: address },
    files: {},
    needs: [],
    output: address,
    count: 1,
    take: 1,
    tags: [],
    retries: 0,
    at,
    written: { locate: () => at },
    ...rest,
  }
}

/** The purchase of a job's first order. */
export function purchaseOf(address: string): PurchaseId {
  const id = purchaseId(`key-${address}`)
  if (id === undefined) throw new Error(`not a job whose name can be a purchase's: ${address}`)
  return id
}

export function task(its: Job, start: Task['start'] = { is: 'ready', tries: 0, notBefore: 0 }): Task {
  const purchase = purchaseOf(its.address)
  return { job: its, start, purchase, ...(start.is !== 'ready' && { recipe }) }
}

export function run(id: string): RunRef {
  return { workflow: 'test', id: id as RunId } // short, printable
}

interface FakeWorld extends World {
  readonly orders: Order[]
  readonly reads: RunRef[]
  readonly records: JournalRecord[]
  readonly events: Event[]
  /** How the jobs ended of which the end is written down. */
  readonly cleaned: Map<JobAddress, JobState>
  readonly stopNow: () => void
  readonly clock: HandClock
}

export interface Script {
  /** Called after the request's first byte would have left. */
  readonly order?: (order: Order, nth: number) => OrderReply | Promise<OrderReply>
  readonly read?: (run: RunRef, nth: number) => ReadReply
  readonly save?: (address: JobAddress, nth: number, task: Task) => SaveOutcome
  readonly gate?: (task: Task) => Failure | undefined
  readonly revoked?: () => Failure | undefined
  readonly journal?: (record: JournalRecord) => void
}

export const saved: SaveOutcome = { got: 'saved', files: [] }

export function fakeWorld(script: Script = {}): FakeWorld {
  const clock = handClock()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const count = new Map<string, number>()
  const nth = (what: string) => {
    count.set(what, (count.get(what) ?? 0) + 1)
    return count.get(what) ?? 0
  }
  const [orders, reads, records, events]: [Order[], RunRef[], JournalRecord[], Event[]] = [[], [], [], []]
  const cleaned = new Map<JobAddress, JobState>()
  function append(record: JournalRecord): void {
    script.journal?.(record)
    records.push(record)
  }
  const journal = { append: async (record: JournalRecord) => append(record) }
  return {
    clock,
    random: seededRandom(),
    orders,
    reads,
    records,
    events,
    cleaned,
    stop: stop.signal,
    stopNow: () => stop.abort(),
    pollFloorMs: 1000,
    wire: {
      origin: 'https://service.example',
      workflow: model => model,
      async order(order, beforeFirstByte) {
        try {
          const lastWord = await beforeFirstByte()
          lastWord()
        } catch (cause) {
          return { got: 'not-sent', failure: { why: 'stopped' }, cause }
        }
        orders.push(order)
        await clock.until(clock.now() + 10)
        return script.order?.(order, nth(`order ${order.address}`)) ?? { got: 'files', files: [] }
      },
      async read(ref) {
        reads.push(ref)
        return script.read?.(ref, nth(`read ${ref.id}`)) ?? { got: 'files', files: [] }
      },
      download: () => Promise.reject(new Error('the engine never downloads by itself')),
    },
    journal,
    permit: permitsOf({
      gate: its => (stop.signal.aborted ? { why: 'stopped' } : script.gate?.(its)),
      revoked: () => script.revoked?.(),
      journal,
    }),
    prepare: async ({ job: its }) => ({ got: 'prepared', params: its.params, recipe }),
    save: async its => script.save?.(its.job.address, nth(`save ${its.job.address}`), its) ?? saved,
    cleanUp: ({ job: its }, state) => void cleaned.set(its.address, state),
    emit: event => events.push(event),
  }
}
