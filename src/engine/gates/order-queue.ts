import type { WireMode } from '../../base/state.ts'

/** Whose work it is; limits may be per family and per model. */
export interface Who {
  readonly family: string
  readonly model: string
  /** What it will be sent to: once nothing is, whoever waits to send to it waits for nothing. */
  readonly workflow?: string
}

/** Work as limits count it. */
export interface OrderKind {
  readonly mode: WireMode
  readonly who: Who
}

/** What is said of an order when it is added. */
export interface OrderOptions extends Partial<OrderKind>, Partial<Turn> {}

/** When an order's turn is: of higher priority first, and of one priority by numbers, as `arrive` gives them out. */
export interface Turn {
  readonly priority: number
  /** Default: behind all that came before. */
  readonly nth?: number
}

/** The nested limits, which know what is at work. */
export interface Room {
  has(kind: OrderKind): boolean
  take(kind: OrderKind): void
  /** The service turns away whatever goes where this goes: it goes behind what is taken, whatever its turn. */
  isInVain(kind: OrderKind): boolean
  /** The number of whoever comes next. */
  arrive(): number
}

type Start = () => Promise<unknown>

/** What has the same limits stands in one line: highest priority first, then by numbers. */
interface Line extends OrderKind {
  waiting: Waiting[]
}

interface Waiting extends Required<Turn> {
  readonly start: Start
}

/**
 * Orders that wait, as p-queue has them: what has no room in one of its limits lets others pass. So `size` counts only what
 * may start now: p-queue starts work while there is any.
 */
export class OrderQueue {
  readonly #room: Room
  readonly #lines = new Map<string, Line>()

  constructor(room: Room) {
    this.#room = room
  }

  get size(): number {
    return [...this.#lines.values()].filter(line => isReady(line, this.#room)).length
  }

  enqueue(start: Start, options: OrderOptions = {}): void {
    const { mode = 'execute', who = nobody, priority = 0, nth = this.#room.arrive() } = options
    const name = `${mode} ${who.family} ${who.model} ${who.workflow ?? ''}`
    const line = this.#lines.get(name) ?? { mode, who, waiting: [] }
    this.#lines.set(name, line)
    insert(line, { priority, nth, start })
  }

  /** The most urgent that there is room for; it has taken its room when this returns. */
  dequeue(): Start | undefined {
    let best: Line | undefined
    for (const line of this.#lines.values())
      if (isReady(line, this.#room) && (!best || this.#goesBefore(line, best))) best = line
    if (!best) return undefined
    this.#room.take(best)
    return best.waiting.shift()?.start
  }

  #goesBefore(line: Line, other: Line): boolean {
    const [isInVain, isOtherInVain] = [this.#room.isInVain(line), this.#room.isInVain(other)]
    if (isInVain !== isOtherInVain) return isOtherInVain
    return isBefore(firstOf(line), firstOf(other))
  }

  filter({ priority = 0 }: OrderOptions): Start[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting)
    return all.flatMap(each => (each.priority === priority ? each.start : []))
  }

  /** An order keeps the place that it was given. */
  setPriority(): void {
    throw new Error('an order that waits has no other priority')
  }
}

/** The class itself, which p-queue makes its queue of. */
export function queueWith(room: Room): new () => OrderQueue {
  return class extends OrderQueue {
    constructor() {
      super(room)
    }
  }
}

/** Work that no limit of a family or model counts. */
export const nobody: Who = { family: '', model: '' }

function isReady(line: Line, room: Room): boolean {
  return line.waiting.length > 0 && room.has(line)
}

function firstOf({ waiting: [first] }: Line): Waiting | undefined {
  return first
}

function isBefore(a: Waiting | undefined, b: Waiting | undefined): boolean {
  if (!a || !b) return a !== undefined
  return a.priority > b.priority || (a.priority === b.priority && a.nth < b.nth)
}

/** Most come with the priority of the last, so that the place is looked for from the end. */
function insert({ waiting }: Line, one: Waiting): void {
  let at = waiting.length
  while (at > 0 && isBefore(one, waiting[at - 1])) at--
  waiting.splice(at, 0, one)
}
