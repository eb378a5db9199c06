import type { GenerateResult } from '../run/one-shot/generation.ts'
import type { RunEvent } from '../wording/report.ts'

/** What one piece of work hears and tells. */
export interface Listener {
  readonly stop: AbortSignal
  readonly emit: (told: RunEvent) => void
}

type Work = (listener: Listener) => Promise<GenerateResult>

/**
 * The orders of `service_generate`. One that was sent goes on when its caller leaves: most clients give up after a minute,
 * and call again. Its result is kept for whoever asks next, so that nothing is paid for and told to nobody.
 */
export interface Orders {
  /** Carries out an order of a call, which is known by `asked`. */
  place(asked: string, work: Work, caller: Listener): Promise<GenerateResult>
  /** The result of an order of the same call whose caller left; undefined where there is none. */
  resume(asked: string, caller: Listener): Promise<GenerateResult> | undefined
  /** Those of all orders whose callers left, or of one run. */
  collect(run: string | undefined, caller: Listener): Promise<GenerateResult[]>
  /** Waits for nothing more at the service: what is there is fetched by a later process. */
  stop(): void
}

interface Order {
  readonly asked: string
  readonly stop: AbortController
  readonly result: Promise<GenerateResult>
  run: string | undefined
  isSent: boolean
  /** Who hears of it; nobody after the caller left. */
  emit: (told: RunEvent) => void
}

// Files that nobody asked for again are in their folder all the same.
const mostKept = 100

export function openCallOrders(): Orders {
  const underWay = new Set<Order>()
  const left = new Set<Order>()

  function begin(asked: string, work: Work): Order {
    const stop = new AbortController()
    const order: Order = {
      asked,
      stop,
      run: undefined,
      isSent: false,
      emit: () => undefined,
      result: Promise.resolve().then(() => work({ stop: stop.signal, emit: told => hear(order, told) })),
    }
    underWay.add(order)
    const over = () => {
      underWay.delete(order)
    }
    order.result.then(over, over)
    return order
  }

  /** Waits as long as the caller does. What was not sent yet ends with them. */
  async function attend(order: Order, { stop, emit }: Listener): Promise<GenerateResult> {
    left.delete(order)
    order.emit = emit
    let isGone = false
    const leave = () => {
      isGone = true
      order.emit = () => undefined
      if (order.isSent) keep(order)
      else order.stop.abort()
    }
    if (stop.aborted) leave()
    else stop.addEventListener('abort', leave, { once: true })
    try {
      return await order.result
    } finally {
      stop.removeEventListener('abort', leave)
      // What its journal tells of better is looked for there.
      if (isGone && !isTold(await order.result)) left.delete(order)
    }
  }

  function keep(order: Order): void {
    left.add(order)
    const [oldest] = left
    if (left.size > mostKept && oldest) left.delete(oldest)
  }

  return {
    place: (asked, work, caller) => attend(begin(asked, work), caller),
    resume(asked, caller) {
      const order = [...left].find(each => each.asked === asked)
      return order && attend(order, caller)
    },
    collect: (run, caller) =>
      Promise.all(
        [...left].filter(order => run === undefined || order.run === run).map(order => attend(order, caller)),
      ),
    stop() {
      for (const order of underWay) order.stop.abort()
    },
  }
}

function hear(order: Order, told: RunEvent): void {
  if (told.event === 'sending') order.isSent = true
  if (told.event === 'accepted') order.run = told.run.id
  order.emit(told)
}

/** Whether the result itself is all there is to tell; else a journal has the order. */
export function isTold(result: GenerateResult): boolean {
  return result.got === 'generation' && ['made', 'failed'].includes(result.generation.ending)
}
