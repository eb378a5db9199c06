import { defined } from '../base/defined.ts'
import { remainsOf } from '../base/purchase.ts'
import { runEngine } from '../engine/engine.ts'
import type { EngineLimits } from '../engine/limits.ts'
import { newPurchase } from '../engine/run-job.ts'
import { type Outcomes, orderedFrom, type Task, type World } from '../engine/world.ts'
import { furtherRest } from '../plan/shapes/share.ts'
import { deliveredLately, durationsLately, limitsOf } from '../planning/pacing.ts'
import { pollFloorMs } from '../workspace/service/service.ts'
import { type Line } from './lines.ts'
import { withPartsAtHand } from './results/at-hand.ts'
import type { Run } from './run.ts'
import { untilStopped } from './stopwatch.ts'
import { type Tools, worldOf } from './world.ts'

/** Has the engine do tasks of a run, at every service, until they have ended or somebody stops the run. */
export async function runTasks(run: Run, tasks: readonly Task[] = run.tasks): Promise<Outcomes> {
  const { setting, further, watch } = run
  const { request, machine } = setting
  const { world, limits, others } = sitesOf(run)
  const engine = runEngine(tasks, { ...world, further: topUps(run) }, limits, others)
  const during = { stop: request.stop, clock: machine.clock }
  return untilStopped(engine, () => [...tasks, ...further], watch, during)
}

/** What the engine works with, at the usual service and at the others. */
export function sitesOf(run: Bench): {
  readonly world: World
  readonly limits: EngineLimits
  readonly others: { readonly [service: string]: { readonly world: World; readonly limits: EngineLimits } }
} {
  const [usual, ...named] = run.lines
  const siteAt = (line: Line) => ({
    world: {
      ...worldOf(toolsOf(run, line)),
      durations: durationsLately(run.recorded.delivered, nowAt(run, line)),
    },
    limits: limitsAt(run, line),
  })
  const others = named.map(line => [line.name ?? '', siteAt(line)] as const)
  return { ...siteAt(usual), others: Object.fromEntries(others) }
}

/** What of a run does its work. */
export type Bench = Pick<
  Run,
  | 'setting'
  | 'tasks'
  | 'recorded'
  | 'lines'
  | 'watch'
  | 'claim'
  | 'journal'
  | 'parts'
  | 'spool'
  | 'ledger'
  | 'budget'
> &
  // A worker of a fleet has none: there the recipe of what is sent has to be the planner's, to the byte.
  Partial<Pick<Run, 'planned' | 'decided'>>

function nowAt({ setting }: Bench, { wire }: Line) {
  return { origin: wire.origin, wall: setting.machine.clock.wall() }
}

function limitsAt(run: Bench, line: Line): EngineLimits {
  const { setting, tasks, recorded } = run
  const { name, spoken } = line
  const { request, manifest } = setting
  const models = new Set(tasks.flatMap(task => (orderedFrom(task) === name ? [task.job.model.id] : [])))
  return {
    ...limitsOf(manifest.limits, request.limits, name === undefined ? {} : spoken.limits),
    earlier: deliveredLately(recorded.delivered, { models, ...nowAt(run, line) }),
  }
}

/** Orders what a short delivery lacks, where its job wants that. What was there before the run, the plan knows. */
function topUps({ setting, planned, further }: Run): NonNullable<World['further']> {
  const { clock, random } = setting.machine
  const fetched = new Set(planned.plan.steps.flatMap(step => (step.do === 'fetch' ? [step.job.address] : [])))
  return (task, state) => {
    const { job, aside } = task
    if (state.is !== 'done' || aside || job.shortDelivery !== 'top-up' || fetched.has(job.address))
      return undefined
    const rest = furtherRest(job, state.files.length)
    if (!rest) return undefined
    const start = { is: 'ready', tries: 0, notBefore: clock.now() } as const
    const more: Task = { job: rest, start, purchase: newPurchase(random) }
    further.push(more)
    return more
  }
}

function toolsOf(run: Bench, { name, service, spoken, wire }: Line): Tools {
  const { setting, recorded, watch } = run
  const { request, machine, place, layout, folders } = setting
  const left = new Map(recorded.purchases.flatMap(each => (each.is === 'under-way' ? [[each.id, each]] : [])))
  return {
    machine,
    place,
    layout,
    folders,
    claim: run.claim,
    journal: run.journal,
    parts: run.parts,
    spool: run.spool,
    ledger: run.ledger,
    wire: withPartsAtHand(wire, left.values(), { tasks: run.tasks, parts: run.parts, disk: machine.disk }),
    ...defined({ service: name }),
    profile: spoken.profile,
    budget: run.budget,
    emit(event) {
      watch.see(event)
      request.emit(event)
    },
    stop: request.stop,
    verify: request.verify,
    gate: request.gate,
    gates: request.gates,
    way: defined({ proxy: service.proxy, ca: service.ca }),
    left(purchase, nth) {
      const known = left.get(purchase)
      const remains = known && remainsOf(known, nth)
      if (!remains) return undefined
      const part = run.parts.find(remains.part)
      return part === undefined ? undefined : { ...remains, part }
    },
    approved: run.planned && approvedIn(run.planned),
    decided: run.decided,
    polls: machine.polls(service),
    pollFloorMs: pollFloorMs(service),
  }
}

/** What was approved of the jobs that have to be, file by file. */
function approvedIn({ jobs, facts, plan }: Run['planned']): Tools['approved'] {
  const verdicts = facts?.verdicts
  const required = new Set(jobs.flatMap(job => (job.isApprovalRequired ? [job.address] : [])))
  if (!verdicts || 'unread' in verdicts || required.size === 0) return undefined
  const made = new Map(
    plan.steps.flatMap(step => ('entry' in step ? [[step.job.address, step.entry] as const] : [])),
  )
  return address => {
    if (!required.has(address)) return undefined
    const verdict = verdicts.on(address, made.get(address))
    return new Set(verdict?.is === 'approved' ? verdict.seen : [])
  }
}
