import { orderedFrom, type Task } from './world.ts'

/** A task that waits for nothing but room. */
export interface Held {
  readonly task: Task
  /** Higher goes first. */
  readonly priority: number
  /** Its place among those of its priority. */
  readonly nth: number
}

/** Begins a task; `begun` is to be called when it has its slot, or needs none any more; more often does no harm. */
type Begin = (held: Held, begun: () => void) => void

/** As many of a line stand before the slots. Each that gets one lets another come after it, so that more would gain nothing. */
const mostInFront = 64

/**
 * Keeps back what would only wait: a job that has been begun takes much more memory than one that has not. All of a line have the
 * same limits, and wait for the same first order, so that those in front are those that would go first, and nobody overtakes
 * anybody by it.
 */
export function openBacklog(workflowOf: (task: Task) => string, begin: Begin): (held: Held) => void {
  const lines = new Map<string, Line>()

  function start(line: Line, held: Held): void {
    let isInFront = true
    line.inFront++
    line.lowest = Math.min(line.lowest, held.priority)
    begin(held, () => {
      if (!isInFront) return
      isInFront = false
      line.inFront--
      // Not from within the queue that has just let it in.
      queueMicrotask(() => refill(line))
    })
  }

  function refill(line: Line): void {
    while (line.inFront < mostInFront) {
      const next = line.held.shift()
      if (!next) return
      start(line, next)
    }
  }

  return held => {
    const { job, start: from, ask } = held.task
    // What is under way waits for no slot, and what has a run to be asked for asks before.
    if (from.is !== 'ready' || ask) return begin(held, () => undefined)
    const name = `${orderedFrom(held.task) ?? ''} ${job.mode} ${job.model.id} ${workflowOf(held.task)}`
    const line = lines.get(name) ?? { held: [], inFront: 0, lowest: held.priority }
    lines.set(name, line)
    // It may have to go before some that stand in front already.
    if (line.inFront < mostInFront || held.priority > line.lowest) start(line, held)
    else insert(line.held, held)
  }
}

interface Line {
  readonly held: Held[]
  inFront: number
  /** The least priority of those that were begun. */
  lowest: number
}

/** Most come with the priority of the last, so that the place is looked for from the end. */
function insert(held: Held[], one: Held): void {
  let at = held.length
  while (at > 0 && one.priority > (held[at - 1]?.priority ?? one.priority)) at--
  held.splice(at, 0, one)
}
