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
  execute<T>(turn: Turn, task: (slot: Slot) => Promise<T>, who?: Who): Promise<T>
  /** Runs alive at the service, from submission to the end of polling. */
  submit<T>(turn: Turn, task: (slot: Slot) => Promise<T>, who?: Who): Promise<T>
  /** The number of whoever comes next, also for one who is to stand in line later. */
  arrive(): number
  /** For a run that is at the service already: it counts and does not wait. */
  alive<T>(mode: WireMode, task: (slot: Slot) => Promise<T>, who?: Who): Promise<T>
  download<T>(task: () => Promise<T>): Promise<T>
  /** What an order would wait for now, if anything. */
  full(mode: WireMode, who: Who): FullLimit | 'canary' | undefined
  /** How many hold a slot now. */
  used(mode: WireMode): number
  /** Nothing waits any more: what begins from now on only finds out that it must stop. */
  open(): void
  /** A workflow has closed, or its first order is answered: whoever waits to send to it begins, if there is room. */
  refill(): void
}

/** What one order holds while it is at work. */
export interface Slot {
  /**
   * Whether it may go on with its order. Not, when one was not sent and by now another goes alone before it, or the minute is
   * full: then it is to give the slot up.
   */
  mayGoOn(): boolean
  /** It was let in, and its request is made. */
  sends(): Sending
}

/** A request on its way. */
interface Sending {
  /**
   * To be called right before its first byte: it is then that it counts among those of its minute. One that executes is
   * answered when its work is done, but turned away at once: after a while without an answer it counts as taken.
   */
  leaves(): void
  /** What the answer shows about the service's room; `unsent`: not a byte of it has left, and it may be tried again. */
  answered(shown: 'taken' | 'full' | 'nothing' | 'unsent'): void
}

/** What is known of the workflows that orders go to. */
interface Workflows {
  /** Nothing is sent to it any more. */
  isShut(workflow: string): boolean
  /** How many orders may be on their way to it, before they are let in: one that would go alone brings nobody along. */
  mostOnTheirWay(workflow: string): number
}

const openToAll: Workflows = { isShut: () => false, mostOnTheirWay: () => Number.POSITIVE_INFINITY }

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
  { isShut, mostOnTheirWay }: Workflows = openToAll,
): Slots {
  const inUse = new Map<string, number>()
  const windows: { [mode in WireMode]: ConcurrencyWindow } = {
    execute: openConcurrencyWindow(limits.execute),
    submit: openConcurrencyWindow(limits.submit),
  }
  const rateLimit = openRateLimit(limits.perMinute)
  const download = new PQueue({ concurrency: limits.download })
  /** How many orders of a workflow were turned away since one was taken. */
  const turnedAway = new Map<string | undefined, number>()
  let answers = 0
  let arrivals = 0
  let wakesAt = Number.POSITIVE_INFINITY
  let isOpen = false

  const used = (key: string) => inUse.get(key) ?? 0
  const hasRoom = (key: string, limit = Number.POSITIVE_INFINITY) => used(key) < limit

  /** One that waits for the first order of its workflow holds no slot meanwhile: others may have work for it. */
  const isBehind = ({ workflow }: Who) =>
    workflow !== undefined && !hasRoom(wayTo(workflow), mostOnTheirWay(workflow))

  function fullFor({ mode, who }: OrderKind): FullLimit | 'canary' | undefined {
    if (download.size >= mostUnsaved) return 'saving'
    if (!hasRoom(mode, windows[mode].size)) return 'room'
    if (!hasRoom('all', limits.total)) return 'total'
    if (!hasRoom(`family ${who.family}`, limits.families?.[who.family])) return 'family'
    if (!hasRoom(`model ${who.model}`, limits.models?.[who.model])) return 'model'
    return isBehind(who) ? 'canary' : undefined
  }

  const add = (key: string, by: number) => inUse.set(key, used(key) + by)

  function count({ mode, who }: OrderKind, by: number): void {
    for (const key of [mode, 'all', `family ${who.family}`, `model ${who.model}`]) add(key, by)
  }

  const isInVain = ({ who: { workflow } }: OrderKind) => workflow !== undefined && isShut(workflow)

  const room: Room = {
    has: kind => isOpen || isInVain(kind) || (fullFor(kind) === undefined && isInTime()),
    take(kind) {
      count(kind, 1)
      add(toLeave, 1)
      add(wayTo(kind.who.workflow), 1)
    },
    arrive: () => arrivals++,
    isInVain: ({ who: { workflow } }) => (turnedAway.get(workflow) ?? 0) >= enoughInVain,
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

  const minuteOpensAt = () => rateLimit.opensAt(clock.now(), used(toLeave))

  /**
   * Whether this minute has room for one more order beside those that have a slot and have not left yet: so each of them
   * may leave whenever it is ready. What waits for the next minute goes when that comes.
   */
  function isInTime(): boolean {
    const opensAt = minuteOpensAt()
    if (opensAt !== undefined) wakeAt(opensAt)
    return opensAt === undefined
  }

  function wakeAt(date: number): void {
    if (wakesAt <= date) return
    wakesAt = date
    void clock.until(date).then(() => {
      if (wakesAt === date) wakesAt = Number.POSITIVE_INFINITY
      fill()
    })
  }

  async function run<T>(kind: OrderKind, turn: Turn, task: (slot: Slot) => Promise<T>): Promise<T> {
    return orders.add(() => within(kind, openSlot(kind, true), task), { ...kind, ...turn })
  }

  /** It is counted already. */
  async function within<T>(
    kind: OrderKind,
    slot: Slot & { readonly end: () => void },
    task: (slot: Slot) => Promise<T>,
  ): Promise<T> {
    try {
      return await task(slot)
    } finally {
      slot.end()
      count(kind, -1)
    }
  }

  /** `isOrder`: as `take` counts it, it is on its way and has not left. */
  function openSlot({ mode, who }: OrderKind, isOrder: boolean): Slot & { readonly end: () => void } {
    const way = wayTo(who.workflow)
    let isOnItsWay = isOrder
    let isToLeave = isOrder
    const setOnItsWay = (is: boolean) => {
      if (is !== isOnItsWay) add(way, is ? 1 : -1)
      isOnItsWay = is
    }
    const setToLeave = (is: boolean) => {
      if (is !== isToLeave) add(toLeave, is ? 1 : -1)
      isToLeave = is
    }
    return {
      mayGoOn() {
        if (isToLeave) return true
        if (isBehind(who) || !isInTime()) return false
        setOnItsWay(true)
        setToLeave(true)
        return true
      },
      sends() {
        setOnItsWay(false)
        return sending({ mode, who }, setToLeave)
      },
      end() {
        setOnItsWay(false)
        setToLeave(false)
      },
    }
  }

  function sending({ mode, who: { workflow } }: OrderKind, setToLeave: (is: boolean) => void): Sending {
    const answered = new AbortController()
    let leftAt: number | undefined
    let isTaken = false
    const take = () => {
      if (isTaken || leftAt === undefined) return
      isTaken = true
      rateLimit.taken(leftAt)
      learn(mode, afterTaken(windows[mode], used(mode)))
    }
    const leave = () => {
      leftAt = clock.now()
      rateLimit.begin(leftAt)
      setToLeave(false)
      // Its own first byte goes first.
      queueMicrotask(fill)
      if (mode === 'submit') return
      void clock.until(leftAt + quietMs, answered.signal).then(() => {
        if (!answered.signal.aborted && used(mode) <= quietPerAnswer * answers) take()
      })
    }
    return {
      leaves: leave,
      answered(shown) {
        answered.abort('answered')
        if (shown === 'unsent') {
          if (leftAt !== undefined) rateLimit.unsent(leftAt)
          setToLeave(false)
          fill()
          return
        }
        // What has an answer has left, whoever forgot to say so.
        if (leftAt === undefined) leave()
        if (shown === 'taken') {
          turnedAway.delete(workflow)
          answers++
          take()
        }
        if (shown !== 'full') return
        turnedAway.set(workflow, (turnedAway.get(workflow) ?? 0) + 1)
        turnAway(mode)
      },
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
      const kind = { mode, who }
      count(kind, 1)
      try {
        return await within(kind, openSlot(kind, false), task)
      } finally {
        fill()
      }
    },
    full(mode, who) {
      if (isOpen) return undefined
      return fullFor({ mode, who }) ?? (minuteOpensAt() === undefined ? undefined : 'minute')
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
  }
}

/** A moody service turns away one or two: of so many in a row it has no room for that workflow, and may have some for others. */
const enoughInVain = 3

/** Those that have a slot and have not left. */
const toLeave = 'to leave'

/** Those that have a slot and are not let in yet. */
const wayTo = (workflow = '') => `to ${workflow}`
