import PQueue from 'p-queue'
import type { Clock } from '../../base/clock.ts'
import type { WireMode } from '../../base/state.ts'
import { afterFull, afterTaken, type ConcurrencyWindow, openConcurrencyWindow } from './concurrency-window.ts'
import { openRateLimit } from './rate-limit.ts'

/** Where work waits for room. A slot is held while the work goes on. Higher priority goes first. */
export interface Slots {
  /** Requests in flight. */
  execute<T>(priority: number, task: () => Promise<T>, who?: Who): Promise<T>
  /** Runs alive at the service, from submission to the end of polling. */
  submit<T>(priority: number, task: () => Promise<T>, who?: Who): Promise<T>
  /** For a run that is at the service already: it counts and does not wait. */
  alive<T>(mode: WireMode, task: () => Promise<T>, who?: Who): Promise<T>
  download<T>(task: () => Promise<T>): Promise<T>
  /**
   * An order leaves. Tell what its answer shows about the service's room. One that executes is answered when its work is
   * done, but turned away at once: after a while without an answer it counts as taken.
   */
  sent(mode: WireMode): (shown: 'taken' | 'full' | 'nothing') => void
  /** How many hold a slot now. */
  used(mode: WireMode): number
  /** Nothing waits any more: what begins from now on only finds out that it must stop. */
  open(): void
}

/** Whose work it is; limits may be per family and per model. */
export interface Who {
  readonly family: string
  readonly model: string
}

/** Limits nest: work goes when every one of them has room. */
export interface SlotLimits {
  readonly execute: number
  readonly submit: number
  readonly download: number
  /** Both modes together. */
  readonly total?: number
  readonly families?: { readonly [family: string]: number }
  readonly models?: { readonly [model: string]: number }
  /** Orders that begin within any 60 s. */
  readonly perMinute?: number
}

/** Ceilings: how many are really used is found by trying, see `window.ts`. */
export const usualLimits: SlotLimits = { execute: 64, submit: 200, download: 6 }

/** One kind of work that waits: what has the same limits stands in one line. */
interface Line {
  readonly mode: WireMode
  readonly who: Who
  /** Highest priority first, then as they came. */
  waiting: Waiting[]
}

interface Waiting {
  readonly priority: number
  readonly nth: number
  readonly start: () => void
}

/** A service that has no room says so sooner. */
const quietMs = 3000
/** Silence proves little: so many in flight for each that was answered well, or a dead service would be sent everything. */
const quietPerAnswer = 8

/** Paid work is never given a time limit, an interval or a signal: it is never dropped by its queue. */
export function openSlots(limits: SlotLimits, clock: Pick<Clock, 'now' | 'until'>): Slots {
  const lines = new Map<string, Line>()
  const inUse = new Map<string, number>()
  const windows: { [mode in WireMode]: ConcurrencyWindow } = {
    execute: openConcurrencyWindow(limits.execute),
    submit: openConcurrencyWindow(limits.submit),
  }
  const download = new PQueue({ concurrency: limits.download })
  const rateLimit = openRateLimit(limits.perMinute)
  let arrivals = 0
  let answers = 0
  let isAwake = false
  let isOpen = false

  const used = (key: string) => inUse.get(key) ?? 0
  const hasRoom = (key: string, limit = Number.POSITIVE_INFINITY) => used(key) < limit

  function mayStart({ mode, who }: Line): boolean {
    if (isOpen) return true
    return (
      hasRoom(mode, windows[mode].size) &&
      hasRoom('all', limits.total) &&
      hasRoom(`family ${who.family}`, limits.families?.[who.family]) &&
      hasRoom(`model ${who.model}`, limits.models?.[who.model])
    )
  }

  /** Starts everything there is room for, the most urgent first. */
  function fill(): void {
    for (let next = mostUrgent(); next; next = mostUrgent()) {
      const wait = isOpen ? undefined : rateLimit.opensAt(clock.now())
      if (wait !== undefined) return wakeAt(wait)
      rateLimit.begin(clock.now())
      count(next, 1)
      next.waiting.shift()?.start()
    }
  }

  function mostUrgent(): Line | undefined {
    let best: Line | undefined
    for (const line of lines.values()) {
      const [first] = line.waiting
      const [other] = best?.waiting ?? []
      if (first && (!other || isBefore(first, other)) && mayStart(line)) best = line
    }
    return best
  }

  function wakeAt(date: number): void {
    if (isAwake) return
    isAwake = true
    void clock.until(date).then(() => {
      isAwake = false
      fill()
    })
  }

  function count({ mode, who }: Line, by: number): void {
    for (const key of [mode, 'all', `family ${who.family}`, `model ${who.model}`])
      inUse.set(key, used(key) + by)
  }

  function lineOf(mode: WireMode, who: Who): Line {
    const name = `${mode} ${who.family} ${who.model}`
    const known = lines.get(name)
    if (known) return known
    const line: Line = { mode, who, waiting: [] }
    lines.set(name, line)
    return line
  }

  async function run<T>(mode: WireMode, priority: number, task: () => Promise<T>, who: Who): Promise<T> {
    const line = lineOf(mode, who)
    await new Promise<void>(start => {
      enqueue(line, { priority, nth: arrivals++, start })
      fill()
    })
    return within(line, task)
  }

  /** The line is counted already. */
  async function within<T>(line: Line, task: () => Promise<T>): Promise<T> {
    try {
      return await task()
    } finally {
      count(line, -1)
      fill()
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

  const nobody: Who = { family: '', model: '' }
  return {
    execute: (priority, task, who = nobody) => run('execute', priority, task, who),
    submit: (priority, task, who = nobody) => run('submit', priority, task, who),
    alive(mode, task, who = nobody) {
      const line = lineOf(mode, who)
      count(line, 1)
      return within(line, task)
    },
    used,
    download: task => download.add(task),
    open() {
      isOpen = true
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

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.nth < b.nth)
}

/** Most come with the priority of the last, so that the place is looked for from the end. */
function enqueue({ waiting }: Line, one: Waiting): void {
  let at = waiting.length
  while (at > 0 && isBefore(one, waiting[at - 1] ?? one)) at--
  waiting.splice(at, 0, one)
}
