import type { Clock } from '../../src/base/clock.ts'
import { jobAddress, runId, sha256Digest } from '../../src/base/names.ts'
import type { JobState, SavedFile } from '../../src/base/state.ts'
import type { Env, Sink, StopSignal, Surroundings } from '../../src/cli/io/surroundings.ts'
import type { Event, JobReport, Planned, Report } from '../../src/wording/report.ts'

/** A clock that stands still until it is moved. */
interface HandClock extends Clock {
  /** Moves on by so many milliseconds, waking whoever waits, in order. */
  move(ms: number): Promise<void>
}

export function handClock(start = 1_000_000): HandClock {
  let now = start
  const waiting = new Set<{ date: number; wake: () => void }>()
  return {
    now: () => now,
    wall: () => now,
    until(date, signal) {
      if (date <= now || signal?.aborted) return Promise.resolve()
      return new Promise(resolve => {
        const waiter = { date, wake: resolve }
        waiting.add(waiter)
        signal?.addEventListener('abort', () => waiting.delete(waiter) && resolve(), { once: true })
      })
    },
    async move(ms) {
      const end = now + ms
      while (true) {
        await settle()
        const [next] = [...waiting].filter(each => each.date <= end).toSorted((a, b) => a.date - b.date)
        if (!next) break
        waiting.delete(next)
        now = next.date
        next.wake()
      }
      now = end
      await settle()
    },
  }
}

/** Lets everything that waits for nothing but the event loop go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}

interface FakeSink extends Sink {
  text(): string
}

/** Collects what is written; with columns it is a terminal. */
export function fakeSink(columns?: number, rows = 24): FakeSink {
  const written: string[] = []
  return {
    write: text => void written.push(text),
    text: () => written.join(''),
    isTerminal: columns !== undefined,
    columns,
    rows: columns === undefined ? undefined : rows,
  }
}

export interface FakeSurroundings extends Surroundings {
  readonly stdout: FakeSink
  readonly stderr: FakeSink
  readonly left: number[]
  send(signal: StopSignal): void
  listeners(): number
}

export function fakeSurroundings(
  given: { env?: Env; cwd?: string; clock?: Clock; stdout?: FakeSink; stderr?: FakeSink } = {},
): FakeSurroundings {
  const listeners = new Set<(signal: StopSignal) => void>()
  const left: number[] = []
  return {
    env: given.env ?? {},
    cwd: given.cwd ?? '/nowhere',
    stdout: given.stdout ?? fakeSink(),
    stderr: given.stderr ?? fakeSink(),
    clock: given.clock ?? handClock(),
    left,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    leave: code => void left.push(code),
    send: signal => {
      for (const listener of listeners) listener(signal)
    },
    listeners: () => listeners.size,
  }
}

export function savedFile(path: string, more: Partial<SavedFile> = {}): SavedFile {
  return { path, digest: sha256Digest('0'.repeat(64)), bytes: 1_234_567, type: 'image/png', ...more }
}

type Work = Planned['work'][number]

export function work(address: string, more: { model?: string; needs?: string[] } = {}): Work {
  const { model = 'fama-imagine-image', needs = [] } = more
  return { address: jobAddress(address), model, kind: 'image', needs: needs.map(jobAddress) }
}

export function planned(at: number, tasks: readonly Work[], more: Partial<Planned> = {}): Planned {
  const steps = { buy: tasks.length, keep: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, drop: 0 }
  const plan = {
    jobs: tasks.length,
    steps,
    work: tasks,
    output: '/project/out',
    rehearsal: false,
    remarks: [],
  }
  return { at, event: 'planned', ...plan, ...more }
}

type Untold = Event extends infer E ? (E extends Event ? Omit<E, 'at' | 'address'> : never) : never

export function happens(at: number, address: string, what: Untold): Event {
  return { at, address: jobAddress(address), ...what }
}

export function done(path: string, more: Partial<SavedFile> = {}): JobState {
  return { is: 'done', files: [savedFile(path, more)] }
}

export function run(id: string): { workflow: string; id: NonNullable<ReturnType<typeof runId>> } {
  const safe = runId(id)
  if (!safe) throw new Error(`${id} is no run id`)
  return { workflow: 'fama-imagine-image', id: safe }
}

export function jobReport(
  address: string,
  ending: JobReport['ending'],
  more: Partial<JobReport> = {},
): JobReport {
  return {
    address: jobAddress(address),
    model: 'fama-imagine-image',
    kind: 'image',
    file: 'campaign.yaml',
    line: 2,
    ending,
    files: [],
    ...more,
  }
}

export function report(jobs: readonly JobReport[], more: Partial<Report> = {}): Report {
  const counts: Partial<Record<JobReport['ending'], number>> = {}
  for (const { ending } of jobs) counts[ending] = (counts[ending] ?? 0) + 1
  return {
    manifest: '/project/campaign.yaml',
    name: 'campaign',
    rehearsal: false,
    output: '/project/out/campaign',
    lock: '/project/campaign.lock.json',
    jobs,
    counts,
    paid: 0,
    requests: 1,
    seconds: 12.34,
    exit: 0,
    ...more,
  }
}
