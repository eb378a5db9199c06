import type { Clock } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import type { Random } from '../../base/random.ts'
import { openTurns } from '../../base/turns.ts'
import { rendersAtOnce } from '../render/pool.ts'
import { endingOf, type Workshop } from './ending.ts'
import { type GatewayRun, type GatewayRunEnd, isFinished, type RunOrder, type RunState } from './run.ts'
import { handleOf, type OrderVerdict, openMeeting, type SteeredRun, verdictFor } from './steering.ts'

/** All runs of a gateway, and the hands that do them. */
export interface GatewayRuns {
  /** Takes an order and begins with it. */
  accept(order: RunOrder): GatewayRun
  /** The run as it stands now. */
  find(id: string): GatewayRun | undefined
  /** Resolves when the run is finished; never when the gateway closes before. */
  settled(id: string): Promise<void>
  /** The latest first. */
  recent(atMost: number): GatewayRun[]
  /** Submitted runs that are not finished. */
  alive(): number
  /** The next run that no test holds yet; only where runs wait to be told. */
  next(): Promise<SteeredRun>
}

interface RunRules extends Workshop {
  readonly clock: Clock
  readonly random: Random
  /** How long a submitted run takes at least. */
  readonly seconds: number
  /** Whether runs wait to be told. */
  readonly manual: boolean
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal
}

// A server that runs for months forgets its oldest finished runs; their links go on working.
const mostRuns = 50_000

export function openGatewayRuns(rules: RunRules): GatewayRuns {
  const { clock, random } = rules
  const runs = new Map<string, GatewayRun>()
  const ends = new Map<string, Promise<void>>()
  const meeting = openMeeting<SteeredRun>()
  const slots = openTurns(() => rendersAtOnce)
  let alive = 0

  const change = (id: string, state: RunState): void => {
    const run = runs.get(id)
    if (run && !isFinished(run)) runs.set(id, { ...run, state })
  }

  const working = (id: string, share?: number): void => {
    change(id, { is: 'processing', since: clock.now(), ...defined({ share }) })
  }

  const end = (id: string, ending: GatewayRunEnd): void => change(id, { ...ending, at: clock.now() })

  const perform = async (run: GatewayRun, order: RunOrder, told: Promise<OrderVerdict>): Promise<void> => {
    const verdict = await told
    if (verdict.does === 'fail')
      return end(run.id, { is: 'failed', code: verdict.code, message: verdict.message })
    if (order.fate.stalls) {
      working(run.id)
      return forever()
    }
    const ending = await slots(async () => {
      await answersFirst()
      working(run.id)
      return endingOf(rules, run, order)
    })
    await clock.until(run.dueAt, rules.closing)
    end(run.id, ending)
  }

  const begin = (run: GatewayRun, order: RunOrder): void => {
    const { told, tell } = verdictFor(rules.manual)
    const done = perform(run, order, told).catch((error: unknown) => {
      end(run.id, { is: 'failed', code: 'internal', message: words(error) })
    })
    ends.set(run.id, done)
    if (run.mode === 'submit') alive++
    void done.then(() => {
      ends.delete(run.id)
      if (run.mode === 'submit') alive--
    })
    if (rules.manual) meeting.offer(handleOf(run, order, { tell, working, settled }))
  }

  const settled = async (id: string): Promise<void> => ends.get(id)

  return {
    accept(order) {
      const run = newRun(order, rules, { id: random.token(), now: clock.now() })
      runs.set(run.id, run)
      forgetOldest(runs)
      begin(run, order)
      return run
    },
    find: id => runs.get(id),
    settled,
    recent: atMost => [...runs.values()].slice(-atMost).toReversed(),
    alive: () => alive,
    next: () => meeting.next(),
  }
}

function newRun(order: RunOrder, rules: RunRules, { id, now }: { id: string; now: number }): GatewayRun {
  const { work, mode, label } = order
  const { prompt } = work.params
  return {
    id,
    mode,
    workflow: work.model.id,
    prompt: typeof prompt === 'string' ? prompt : '',
    ...defined({ job: work.job }),
    label,
    rules: order.rules,
    acceptedAt: now,
    dueAt: mode === 'submit' ? now + rules.seconds * 1000 : now,
    state: { is: 'accepted' },
    ...defined({ credits: order.credits }),
  }
}

function forgetOldest(runs: Map<string, GatewayRun>): void {
  for (const [id, run] of runs) {
    if (runs.size <= mostRuns) return
    if (isFinished(run)) runs.delete(id)
  }
}

// Lets the answer to the request go out before the processor is busy.
function answersFirst(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function forever(): Promise<never> {
  return new Promise(() => undefined)
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
