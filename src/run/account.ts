import { exit, gravestExit } from '../base/exit.ts'
import { outputKind } from '../catalog/index.ts'
import type { Budget } from '../engine/gates/budget.ts'
import type { Outcomes, Task } from '../engine/world.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { isJobStep, type Plan } from '../plan/step.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import { remarksOn } from '../wording/remarks.ts'
import type { JobReport, Planned, Report } from '../wording/report.ts'
import type { RunRequest, Setting } from '../workspace/workspace.ts'
import { exitOfRun, reportStep } from './ending.ts'
import type { Stopwatch } from './stopwatch.ts'

/** Told once, before anything is sent. */
export function plannedOf(
  { request, layout, prices, remarks = [] }: Setting,
  plan: Plan,
  tasks: readonly Task[],
  at: number,
): Planned {
  const count = (what: Plan['steps'][number]['do']) => plan.steps.filter(step => step.do === what).length
  const known = new Set(tasks.map(task => task.job.address))
  const bought = new Set(plan.steps.flatMap(step => (step.do === 'buy' ? [step.job.address] : [])))
  const costOf = (job: Job) => {
    const cost = bought.has(job.address) ? jobCost(job, prices) : undefined
    return cost?.is === 'known' ? { cost: cost.amount } : {}
  }
  return {
    at,
    event: 'planned',
    jobs: plan.steps.filter(isJobStep).length,
    steps: {
      buy: count('buy'),
      keep: count('keep'),
      resume: count('resume'),
      fetch: count('fetch'),
      adopt: count('adopt'),
      hold: count('hold'),
      doubt: count('doubt'),
      restore: count('restore'),
      ...(count('aside') > 0 && { aside: count('aside') }),
      drop: count('drop'),
    },
    work: tasks.map(({ job }) => ({
      address: job.address,
      model: job.model.id,
      kind: outputKind(job.model),
      needs: job.needs.filter(need => known.has(need)),
      ...costOf(job),
    })),
    ...(prices && { currency: prices.currency }),
    output: layout.output,
    rehearsal: request.service.rehearsal,
    remarks: [...remarks, ...remarksOn(plan, atWorkOf(request), tasks.filter(task => task.resend).length)],
  }
}

function atWorkOf(request: RunRequest): AtWork {
  return { ...request, rehearsal: request.service.rehearsal }
}

/** What came of a plan. */
interface Run {
  readonly outcomes: Outcomes
  readonly watch: Stopwatch
  readonly paid: number
  readonly requests: number
  readonly seconds: number
  readonly cost?: Report['cost']
  /** Neither lock nor journal could be written: what is paid for stands in no record. */
  readonly isUnrecorded?: boolean
}

/** What was spent, as far as prices or the service tell. */
export function costReport(budget: Budget, prices: Setting['prices']): Report['cost'] {
  const credits = budget.credits()
  const { cost } = budget.spent()
  if (!prices && credits === undefined) return undefined
  return {
    ...(prices && { estimated: cost, currency: prices.currency }),
    ...(credits !== undefined && { credits }),
  }
}

/** Nothing is promised of what no record keeps: the id is all there is. */
function unrecorded(line: JobReport, atWork: AtWork): JobReport {
  if (line.ending !== 'detached' || line.run === undefined) return line
  const adopt = commandOn(atWork, 'adopt', line.address, line.run)
  return {
    ...line,
    hint: `no record could be written: keep the id ${line.run}; \`${adopt}\` goes on with it`,
  }
}

/** An order in doubt needs a decision, also when its job asks for something else by now, or has another name, or is gone. */
function isInDoubt({ steps }: Plan): boolean {
  return steps.some(step => step.do === 'drop' && step.purchase.is === 'doubt')
}

/** The end of a run, job by job in the plan's order. */
export function reportOf({ request, manifest, layout }: Setting, plan: Plan, run: Run): Report {
  const jobs = plan.steps.flatMap((step): JobReport[] => {
    const address = isJobStep(step) ? step.job.address : undefined
    const line = reportStep(step, atWorkOf(request), {
      state: address && run.outcomes.get(address),
      seconds: address && run.watch.seconds.get(address),
    })
    return line ? [run.isUnrecorded ? unrecorded(line, atWorkOf(request)) : line] : []
  })
  const counts: Partial<Record<JobReport['ending'], number>> = {}
  for (const { ending } of jobs) counts[ending] = (counts[ending] ?? 0) + 1
  const { paid, requests, seconds, cost } = run
  return {
    manifest: request.manifest,
    name: manifest.name,
    rehearsal: request.service.rehearsal,
    output: layout.output,
    lock: layout.lock,
    jobs,
    counts,
    paid,
    requests,
    ...(cost && { cost }),
    seconds,
    exit: isInDoubt(plan) ? gravestExit([exit.doubt, exitOfRun(jobs)]) : exitOfRun(jobs),
  }
}
