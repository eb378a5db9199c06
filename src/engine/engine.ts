import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import { openBacklog } from './backlog.ts'
import { openDurations } from './durations.ts'
import { openAdmission } from './gates/admission.ts'
import { openPolls } from './gates/polls.ts'
import { openReach } from './gates/reach.ts'
import { openSlots } from './gates/slots.ts'
import type { EngineContext } from './job-run.ts'
import type { EngineLimits } from './limits.ts'
import { isOfUse, runJob, workflowBefore } from './run-job.ts'
import { openRuns } from './runs.ts'
import { type Outcomes, orderedFrom, type Task, type World } from './world.ts'

/** One service as the engine works with it: what it touches, and how much goes on there at a time. */
interface EngineSite {
  readonly world: World
  readonly limits: EngineLimits
}

/** The sites of services that jobs name, by their names. All of them share one clock and one stop. */
type EngineSites = { readonly [service: string]: EngineSite }

/** What carries out work, as often as it is given some: all of it shares slots, canaries, breakers and patience. */
export interface Engine {
  /**
   * Carries out all of it, each job once its needs are done. A failure stops only its dependants. Needs that are not among the
   * work count as done. Resolves when every job has settled.
   */
  run(tasks: readonly Task[]): Promise<Outcomes>
  close(): void
}

/** `run` of an engine for this work alone. */
export async function runEngine(
  tasks: readonly Task[],
  world: World,
  limits: EngineLimits,
  others: EngineSites = {},
): Promise<Outcomes> {
  const engine = openEngine(world, limits, others)
  try {
    return await engine.run(tasks)
  } finally {
    engine.close()
  }
}

/**
 * Each of the `others` has slots, canaries, breakers and patience of its own: what one service does is no word on another.
 */
export function openEngine(world: World, limits: EngineLimits, others: EngineSites = {}): Engine {
  const sites: readonly EngineSite[] = [{ world, limits }, ...Object.values(others)]
  const runs = openRuns()
  let failures = 0
  const failed = () => {
    if (++failures !== limits.failures) return
    const many = failures === 1 ? '1 job' : `${failures} jobs`
    const detail = `${many} failed, and this run may have no more failures`
    for (const { admission } of contexts) admission.close({ why: 'budget', detail, failures })
  }
  const contexts = sites.map((site): EngineContext => ({ ...openSite(site), runs, failed }))
  const [usual] = contexts
  if (!usual) throw new Error('an engine without a site')
  const byName = new Map(Object.keys(others).map((name, nth) => [name, contexts[nth + 1] ?? usual]))
  const contextOf = (task: Task): EngineContext => {
    const service = orderedFrom(task)
    const context = service === undefined ? usual : byName.get(service)
    if (!context) throw new Error(`a task of the service ${service}, which nobody knows`)
    return context
  }
  // Whoever waits for a canary would otherwise wait for ever.
  const onStop = () => {
    for (const { admission, slots } of contexts) {
      admission.close({ why: 'stopped' })
      slots.open()
    }
  }
  world.stop.addEventListener('abort', onStop, { once: true })
  if (world.stop.aborted) onStop()
  return {
    run: tasks => settleAll(tasks, world, contextOf),
    close: () => world.stop.removeEventListener('abort', onStop),
  }
}

function openSite({ world, limits }: EngineSite): Omit<EngineContext, 'runs' | 'failed'> {
  const { clock, pollFloorMs, stop } = world
  const polls = world.polls ?? openPolls({ clock, isFree: pollFloorMs < 1000 })
  const slots = openSlots(limits, clock, {
    isShut: workflow => admission.shut(workflow).aborted,
    mostOnTheirWay: workflow => admission.mostOnTheirWay(workflow),
  })
  const { useless, earlier } = limits
  const { refill } = slots
  const admission = openAdmission(clock, { polls, useless, earlier, onShut: refill, onTried: refill })
  return { world, slots, admission, reach: openReach(clock, stop), durations: openDurations(world.durations) }
}

function settleAll(
  tasks: readonly Task[],
  world: World,
  contextOf: (task: Task) => EngineContext,
): Promise<Outcomes> {
  const priorities = chainLengths(tasks)
  const settled = new Map<JobAddress, JobState>()
  const waiting = new Map<JobAddress, number>()
  const dependants = dependantsOf(tasks)
  let running = 0
  let finished: (outcomes: Outcomes) => void
  let broken: (bug: unknown) => void

  const workflowOf = (task: Task) => workflowBefore(task.job, contextOf(task).world)
  const holdBack = openBacklog(workflowOf, ({ task, priority, nth }, begun) => {
    runJob(task, { priority, nth, begun }, contextOf(task))
      .then(async state => {
        begun()
        await runFurther(task, state, priority)
        finish(task, state)
        if (--running === 0) finished(settled)
      })
      .catch(bug => broken(bug))
  })

  function start(task: Task): void {
    running++
    const priority = priorities.get(task.job.address) ?? 0
    holdBack({ task, priority, nth: contextOf(task).slots.arrive() })
  }

  async function runFurther(task: Task, state: JobState, priority: number): Promise<void> {
    let more = world.further?.(task, state)
    while (more) {
      const its = await runJob(more, { priority }, contextOf(more))
      settled.set(more.job.address, its)
      more = world.further?.(more, its)
    }
  }

  /** Starts what has become possible; what can no longer happen is skipped, with all that hangs on it. */
  function finish(task: Task, state: JobState): void {
    const open: [Task, JobState][] = [[task, state]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [done, its] = next
      settled.set(done.job.address, its)
      for (const dependant of dependants.get(done.job.address) ?? []) {
        const address = dependant.job.address
        if (settled.has(address)) continue
        if (!isOfUse(its)) {
          const skipped: JobState = { is: 'skipped', because: { why: 'needs', address: done.job.address } }
          world.emit({ at: world.clock.now(), address, event: 'settled', state: skipped })
          open.push([dependant, skipped])
          continue
        }
        const left = (waiting.get(address) ?? 1) - 1
        waiting.set(address, left)
        if (left === 0) start(dependant)
      }
    }
  }

  return new Promise((resolve, reject) => {
    finished = resolve
    broken = reject
    const known = new Set(tasks.map(task => task.job.address))
    const first = tasks.filter(task => {
      const open = openNeeds(task, known)
      if (open > 0) waiting.set(task.job.address, open)
      return open === 0
    })
    if (first.length === 0) resolve(settled)
    for (const task of first) start(task)
  })
}

/** Work that is under way goes on whatever became of its needs: it is paid for. */
function openNeeds(task: Task, known: ReadonlySet<JobAddress>): number {
  return task.start.is === 'ready' ? new Set(task.job.needs.filter(need => known.has(need))).size : 0
}

function dependantsOf(tasks: readonly Task[]): Map<JobAddress, Task[]> {
  const dependants = new Map<JobAddress, Task[]>()
  for (const task of tasks) {
    if (task.start.is !== 'ready') continue
    for (const need of new Set(task.job.needs)) {
      const list = dependants.get(need)
      if (list) list.push(task)
      else dependants.set(need, [task])
    }
  }
  return dependants
}

/** How many jobs wait in a row behind each: the longest chain goes first, or it would end last. */
function chainLengths(tasks: readonly Task[]): Map<JobAddress, number> {
  const lengths = new Map<JobAddress, number>()
  // Tasks stand in an order where needs come first, so that going backwards meets every dependant before its need.
  for (const task of tasks.toReversed()) {
    const behind = (lengths.get(task.job.address) ?? 0) + 1
    for (const need of task.job.needs) lengths.set(need, Math.max(lengths.get(need) ?? 0, behind))
  }
  return lengths
}
