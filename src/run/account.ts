import { defined } from '../base/defined.ts'
import { exit, gravestExit } from '../base/exit.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type Purchase, purchaseLabel } from '../base/purchase.ts'
import { outputKind } from '../catalog/index.ts'
import type { Budget } from '../engine/gates/budget.ts'
import type { Outcomes, Task } from '../engine/world.ts'
import { roundAmount } from '../forms/cost.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { isJobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import { expectedTime } from '../planning/expected-time.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import { remarksOn } from '../wording/remarks.ts'
import { endingCounts, type JobReport, type Planned, type Report, type Spending } from '../wording/report.ts'
import type { RunRequest, Setting } from '../workspace/workspace.ts'
import { exitOfRun, reportStep, reportWith } from './ending.ts'
import type { Commission } from './run.ts'
import type { Stopwatch } from './stopwatch.ts'

/** Told once, before anything is sent. */
export function plannedOf(
  { setting, planned: { plan }, recorded }: Pick<Commission, 'setting' | 'planned' | 'recorded'>,
  tasks: readonly Task[],
  at: number,
): Planned {
  const { request, layout, prices, remarks = [] } = setting
  const expected = expectedTime(setting, recorded, request.limits)
  const count = (what: Plan['steps'][number]['do']) => plan.steps.filter(step => step.do === what).length
  const known = new Set(tasks.map(task => task.job.address))
  const bought = new Set(plan.steps.flatMap(step => (step.do === 'buy' ? [step.job.address] : [])))
  const planned = (job: Job) => {
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
      needs: job.needs.length === 0 ? job.needs : job.needs.filter(need => known.has(need)),
      ...planned(job),
      ...defined({ seconds: expected.secondsOf(job) }),
    })),
    ...defined({ expectedSeconds: expected.secondsOfAll(plan) }),
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
  /** How many orders of each job may have been billed. */
  readonly orders?: ReadonlyMap<JobAddress, number>
  readonly seconds: number
  /** As they stand at the end. */
  readonly purchases?: ReadonlyMap<PurchaseId, Purchase>
  readonly cost?: Report['cost']
  /** What orders cost by the service, as far as this run heard of it first. */
  readonly credits?: ReadonlyMap<JobAddress, number>
  /** Neither lock nor journal could be written: what is paid for stands in no record. */
  readonly isUnrecorded?: boolean
}

/** What was spent, as far as prices or the service tell. */
export function costReport(
  budget: Budget,
  prices: Setting['prices'],
  credits: ReadonlyMap<JobAddress, number>,
): Report['cost'] {
  const { cost } = budget.spent()
  return costOf({ estimated: cost, credits: credits.size > 0 ? sum(credits.values()) : undefined }, prices)
}

/** Undefined where neither prices nor the service tell anything. */
function costOf(
  { estimated, credits }: { readonly [of in 'estimated' | 'credits']: number | undefined },
  prices: Setting['prices'],
): Spending | undefined {
  const isPriced = prices !== undefined && estimated !== undefined
  if (!isPriced && credits === undefined) return undefined
  return {
    ...(isPriced && { estimated, currency: prices.currency }),
    ...defined({ credits }),
  }
}

/** What the service told of the cost of orders since these records, by the jobs that have them. */
export function creditsSince(
  before: Iterable<Purchase>,
  now: Iterable<Purchase>,
): ReadonlyMap<JobAddress, number> {
  const known = new Map([...before].map(({ id, credits }) => [id, credits]))
  const told = new Map<JobAddress, number>()
  for (const { id, address, credits } of now) {
    // A result that is fetched again was paid for once.
    if (credits === undefined || credits === known.get(id)) continue
    told.set(address, sum([told.get(address) ?? 0, credits - (known.get(id) ?? 0)]))
  }
  return told
}

function sum(amounts: Iterable<number>): number {
  return roundAmount([...amounts].reduce((all, each) => all + each, 0))
}

/** What the orders of one job cost in this run. */
function costOfJob(step: Step, { orders, credits }: Run, prices: Setting['prices']): Spending | undefined {
  if (!isJobStep(step)) return undefined
  const { job } = step
  const sent = orders?.get(job.address) ?? 0
  const each = sent > 0 ? jobCost(job, prices) : undefined
  return costOf(
    {
      estimated: each?.is === 'known' ? roundAmount(each.amount * sent) : undefined,
      credits: credits?.get(job.address),
    },
    prices,
  )
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
function otherDoubts({ steps }: Plan): string[] {
  return steps.flatMap(step =>
    step.do === 'drop' && step.purchase.is === 'doubt' ? [purchaseLabel(step.purchase)] : [],
  )
}

/**
 * What was to be ordered anew is in doubt until the order in its place leaves; what was kept has another name where another take of its
 * job was picked.
 */
function asItStands(step: Step, { outcomes, purchases }: Run): Step {
  if (step.do === 'keep') {
    const entry = purchases?.get(step.entry.id)
    return entry?.is === 'done' && entry !== step.entry ? { ...step, entry } : step
  }
  if (step.do !== 'buy') return step
  const { job } = step
  const state = outcomes.get(job.address)
  const hasCome = state?.is !== 'skipped' && state?.is !== 'failed'
  const given = hasCome
    ? undefined
    : step.insteadOf?.find(({ doubt: { id } }) => purchases?.get(id)?.is === 'doubt')
  if (!given) return step
  const { doubt: purchase, isOther } = given
  return { do: 'doubt', job, purchase, ...(isOther && { isOther }) }
}

/** The end of a run, job by job in the plan's order. */
export function reportOf({ request, manifest, layout, prices }: Setting, plan: Plan, run: Run): Report {
  const jobs = plan.steps.flatMap((planned): JobReport[] => {
    const step = asItStands(planned, run)
    const address = isJobStep(step) ? step.job.address : undefined
    const line = reportStep(step, atWorkOf(request), {
      state: address && step === planned ? run.outcomes.get(address) : undefined,
      seconds: address && run.watch.seconds.get(address),
    })
    if (!line) return []
    const spent = costOfJob(step, run, prices)
    const told = spent ? reportWith(line, { spent }) : line
    return [run.isUnrecorded ? unrecorded(told, atWorkOf(request)) : told]
  })
  const { paid, requests, seconds, cost } = run
  const doubts = otherDoubts(plan)
  return {
    manifest: request.manifest,
    name: manifest.name,
    rehearsal: request.service.rehearsal,
    output: layout.output,
    lock: layout.lock,
    jobs,
    counts: endingCounts(jobs),
    ...(doubts.length > 0 && { doubts }),
    paid,
    requests,
    ...defined({ cost }),
    seconds,
    exit: doubts.length > 0 ? gravestExit([exit.doubt, exitOfRun(jobs)]) : exitOfRun(jobs),
  }
}
