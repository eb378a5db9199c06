import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../base/names.ts'
import type { WireMode } from '../../base/state.ts'
import type { GatewayRun, RunOrder } from './run.ts'

/** A run in the hands of a test: it goes on only when told. */
export interface SteeredRun {
  readonly id: string
  readonly workflow: string
  readonly mode: WireMode
  /** Canonical parameters as sent. */
  readonly params: JsonObject
  /** The Idempotency-Key header of the request. */
  readonly key?: string
  /** The X-Gateway-Job header of the request. */
  readonly job?: string
  /** From 0 to 1, as the result endpoint will tell it. */
  progress(share: number): void
  /** Renders the files; resolves when the run is completed. */
  finish(): Promise<void>
  /** Resolves when the run is failed. `content_policy` is the code of a refusal of the content. */
  fail(message?: string, code?: string): Promise<void>
}

/** What a test has decided about a run. */
export type OrderVerdict =
  | { readonly does: 'finish' }
  | { readonly does: 'fail'; readonly code: string; readonly message: string }

/** Runs on one side, tests that wait for them on the other; whoever comes first waits. */
interface Meeting<Guest> {
  offer(guest: Guest): void
  next(): Promise<Guest>
}

export function openMeeting<Guest>(): Meeting<Guest> {
  const guests: Guest[] = []
  const waiting: ((guest: Guest) => void)[] = []
  return {
    offer(guest) {
      const first = waiting.shift()
      if (first) first(guest)
      else guests.push(guest)
    },
    next() {
      const first = guests.shift()
      if (first !== undefined) return Promise.resolve(first)
      return new Promise(resolve => waiting.push(resolve))
    },
  }
}

/** A verdict that is waited for; where runs go on by themselves it is told already. */
export function verdictFor(manual: boolean): {
  told: Promise<OrderVerdict>
  tell: (verdict: OrderVerdict) => void
} {
  let tell: (verdict: OrderVerdict) => void = () => undefined
  const told = new Promise<OrderVerdict>(resolve => {
    tell = resolve
  })
  if (!manual) tell({ does: 'finish' })
  return { told, tell }
}

/** How a handle reaches its run. */
interface RunControls {
  readonly tell: (verdict: OrderVerdict) => void
  readonly working: (id: string, share: number) => void
  readonly settled: (id: string) => Promise<void>
}

export function handleOf(
  run: GatewayRun,
  { work, mode, key }: RunOrder,
  { tell, working, settled }: RunControls,
): SteeredRun {
  return {
    id: run.id,
    workflow: run.workflow,
    mode,
    params: work.params,
    ...defined({ key, job: work.job }),
    progress: share => working(run.id, share),
    finish() {
      tell({ does: 'finish' })
      return settled(run.id)
    },
    fail(message = 'the model failed', code = 'failed') {
      tell({ does: 'fail', message, code })
      return settled(run.id)
    },
  }
}
