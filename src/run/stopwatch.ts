import { type Clock, withinGrace } from '../base/clock.ts'
import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import type { Event } from '../engine/event.ts'
import type { Outcomes, Task } from '../engine/world.ts'

/**
 * The engine's outcomes. After a stop, requests on their way get some seconds; one that is still unanswered then may
 * have been paid for, so it is in doubt.
 */
export async function untilStopped(
  engine: Promise<Outcomes>,
  tasks: () => readonly Task[],
  watch: Stopwatch,
  during: { readonly stop: AbortSignal; readonly clock: Clock },
): Promise<Outcomes> {
  const outcomes = await withinGrace(engine, { ...during, ms: graceMs })
  if (outcomes) return outcomes
  return new Map(
    tasks().map(({ job }) => [job.address, watch.states.get(job.address) ?? unseenEnd(watch, job.address)]),
  )
}

function unseenEnd(watch: Stopwatch, address: JobAddress): JobState {
  if (watch.sending.has(address)) return { is: 'doubt', detail: 'genrun was stopped before an answer came' }
  if (watch.started.has(address)) return { is: 'detached', because: { why: 'stopped' } }
  return { is: 'skipped', because: { why: 'stopped' } }
}

/** What the events tell about each job's times and end. */
export interface Stopwatch {
  readonly see: (event: Event) => void
  /** Of jobs that are not settled. */
  readonly started: ReadonlyMap<JobAddress, number>
  readonly seconds: ReadonlyMap<JobAddress, number>
  /** Sent, and no answer yet. */
  readonly sending: ReadonlySet<JobAddress>
  readonly states: ReadonlyMap<JobAddress, JobState>
}

export function stopwatch(): Stopwatch {
  const started = new Map<JobAddress, number>()
  const seconds = new Map<JobAddress, number>()
  const sending = new Set<JobAddress>()
  const states = new Map<JobAddress, JobState>()
  return {
    started,
    seconds,
    sending,
    states,
    see(event) {
      const { address, at } = event
      if (event.event === 'sending') sending.add(address)
      else if (event.event !== 'bytes' && event.event !== 'uploading') sending.delete(address)
      if (event.event === 'sending' || event.event === 'resumed')
        started.set(address, started.get(address) ?? at)
      if (event.event !== 'settled') return
      states.set(address, event.state)
      seconds.set(address, (at - (started.get(address) ?? at)) / 1000)
      started.delete(address)
    },
  }
}

/** After a stop signal, requests on their way get so long to be answered (docs/contract.md section 2). */
const graceMs = 4000
