import PQueue, { type QueueAddOptions } from 'p-queue'
import type { Clock } from '../../base/clock.ts'
import type { FullLimit } from '../../base/order-waits.ts'
import type { WireMode } from '../../base/state.ts'
import { afterFull, afterTaken, type ConcurrencyWindow, openConcurrencyWindow } from './concurrency-window.ts'
import {
  nobody,
  type OrderKind,
  type OrderOptions,
  type OrderQueue,
  queueWith,
  type Room,
  type Turn,
  type Who,
} from './order-queue.ts'
import { openRateLimit } from './rate-limit.ts'
import type { SlotLimits } from './slot-limits.ts'

/** Where work waits for room. A slot is held while the work goes on. */
export interface Slots {
  /** Requests in flight. */
  execute<T>(turn: Turn, task: () => Promise<T>, who?: Who): Promise<T>
  /** Runs alive at the service, from submission to the end of polling. */
  submit<T>(turn: Turn, task: () => Promise<T>, who?: Who): Promise<T>
  /** The number of whoever comes next, also for one who is to stand in line later. */
  arrive(): number
  /** For a run that is at the service already: it counts and does not wait. */
  alive<T>(mode: WireMode, task: () => Promise<T>, who?: Who): Promise<T>
  download<T>(task: () => Promise<T>): Promise<T>
  /**
   * An order leaves. Tell what its answer shows about the service's room. One that executes is answered when its work is
   * done, but turned away at once: after a while without an answer it counts as taken.
   */
  sent(mode: WireMode): (shown: 'taken' | 'full' | 'nothing') => void
  /** The limit that an order would wait for now, if any. */
  full(mode: WireMode, who: Who): FullLimit | undefined
  /** How many hold a slot now. */
  used(mode: WireMode): number
  /** Nothing waits any more: what begins from now on only finds out that it must stop. */
  open(): void
  /** A workflow has closed: whoever waits to send to it begins, to find that out. */
  refill(): void
}

/** Nothing more is paid for while so many results wait to be fetched: links end, and each takes memory. */
const mostUnsaved = 64
/** A service that has no room says so sooner. */
const quietMs = 3000
/** Silence proves little: so many in flight for each that was answered well, or a dead service would be sent everything. */
const quietPerAnswer = 8

/**
 * Orders of both modes wait in one p-queue, whose class knows the nested limits; downloads in another. Paid work is never
 * given a time limit, an interval or a signal: it is never dropped by its queue.
 */
export function openSlots(
  limits: SlotLimits,
  clock: Pick<Clock, 'now' | 'until'>,
  isShut: (workflow: string) => boolean = () => false,
): Slots {
  const inUse = new Map<string, number>()
  const windows: { [mode in WireMode]: ConcurrencyWindow } = {
    execute: openConcurrencyWindow(limits.execute),
    submit: openConcurrencyWindow(limits.submit),
  }
  const rateLimit = openRateLimit(limits.perMinute)
  const download = new PQueue({ concurrency: limits.download })
  let answers = 0
  let arrivals = 0
  let isAwake = false
  let isOpen = false

  const used = (key: string) => inUse.get(key) ?? 0
  const hasRoom = (key: string, limit = Number.POSITIVE_INFINITY) => used(key) < limit

  function fullFor({ mode, who }: OrderKind): FullLimit | undefined {
    if (download.size >= mostUnsaved) return 'saving'
    if (!hasRoom(mode, windows[mode].size)) return 'room'
    if (!hasRoom('all', limits.total)) return 'total'
    if (!hasRoom(`family ${who.family}`, limits.families?.[who.family])) return 'family'
    return hasRoom(`model ${who.model}`, limits.models?.[who.model]) ? undefined : 'model'
  }

  function count({ mode, who }: OrderKind, by: number): void {
    for (const key of [mode, 'all', `family ${who.family}`, `model ${who.model}`])
      inUse.set(key, used(key) + by)
  }

  const isInVain = ({ who: { workflow } }: OrderKind) => workflow !== undefined && isShut(workflow)

  const room: Room = {
    has: kind => isOpen || isInVain(kind) || (fullFor(kind) === undefined && isInTime()),
    take(kind) {
      if (!isInVain(kind)) rateLimit.begin(clock.now())
      count(kind, 1)
    },
    arrive: () => arrivals++,
  }
  const orders = new PQueue<OrderQueue, QueueAddOptions & OrderOptions>({
    queueClass: queueWith(room),
  })
  // What ends may make room for more than one: in its mode, and in its family.
  orders.on('next', fill)
  download.on('next', () => {
    if (download.size === mostUnsaved - 1) fill()
  })

  /** Starts everything there is room for. What is alive at the service without having waited counts in the windows alone. */
  function fill(): void {
    orders.concurrency = isOpen ? Number.POSITIVE_INFINITY : windows.execute.size + windows.submit.size
  }

  /** Whether this minute has room for one more order; what waits for the next one goes when that comes. */
  function isInTime(): boolean {
    const opensAt = rateLimit.opensAt(clock.now())
    if (opensAt !== undefined) wakeAt(opensAt)
    return opensAt === undefined
  }

  function wakeAt(date: number): void {
    if (isAwake) return
    isAwake = true
    void clock.until(date).then(() => {
      isAwake = false
      fill()
    })
  }

  async function run<T>(kind: OrderKind, turn: Turn, task: () => Promise<T>): Promise<T> {
    return orders.add(() => within(kind, task), { ...kind, ...turn })
  }

  /** It is counted already. */
  async function within<T>(kind: OrderKind, task: () => Promise<T>): Promise<T> {
    try {
      return await task()
    } finally {
      count(kind, -1)
    }
  }

  function learn(mode: WireMode, window: ConcurrencyWindow): void {
    windows[mode] = window
    fill()
  }

  function turnAway(mode: WireMode): void {
    const others = used(mode) - 1
    rateLimit.turnedAway(clock.now(), 2 * others < windows[mode].best)
    learn(mode, afterFull(windows[mode], others))
  }

  return {
    execute: (turn, task, who = nobody) => run({ mode: 'execute', who }, turn, task),
    submit: (turn, task, who = nobody) => run({ mode: 'submit', who }, turn, task),
    arrive: room.arrive,
    async alive(mode, task, who = nobody) {
      count({ mode, who }, 1)
      try {
        return await within({ mode, who }, task)
      } finally {
        fill()
      }
    },
    full(mode, who) {
      if (isOpen) return undefined
      return fullFor({ mode, who }) ?? (rateLimit.opensAt(clock.now()) === undefined ? undefined : 'minute')
    },
    used,
    download: task => download.add(task),
    open() {
      isOpen = true
      fill()
    },
    refill() {
      // They need no room, and find none where everything is at work.
      orders.concurrency = Number.POSITIVE_INFINITY
      fill()
    },
    sent(mode) {
      const answered = new AbortController()
      const sentAt = clock.now()
      let isTaken = false
      const take = () => {
        if (isTaken) return
        isTaken = true
        rateLimit.taken(sentAt)
        learn(mode, afterTaken(windows[mode], used(mode)))
      }
      if (mode === 'execute')
        void clock.until(clock.now() + quietMs, answered.signal).then(() => {
          if (!answered.signal.aborted && used(mode) <= quietPerAnswer * answers) take()
        })
      return shown => {
        answered.abort('answered')
        if (shown === 'taken') answers++
        if (shown === 'taken') take()
        if (shown === 'full') turnAway(mode)
      }
    },
  }
}
