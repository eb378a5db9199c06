import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import type { Job } from '../manifest/job.ts'
import { type Bill, billOf } from '../plan/bill.ts'
import { type Caps, lowestCaps } from '../plan/budget.ts'
import { withPicks } from '../plan/picks.ts'
import { type Facts, type Plan, planJobs, type Wish } from '../plan/plan.ts'
import { isEmptySelection, selectJobs } from '../plan/select.ts'
import { digestInputs, factsOf, type Inputs } from './facts.ts'
import { findObstacles, settingProblem } from './obstacles.ts'
import type { Ground, Recorded, Wanted } from './setting.ts'

/** A plan with all that it was made from: what `plan` shows is what `run` carries out. */
export interface Drawn {
  readonly got: 'drawn'
  readonly plan: Plan
  /** The jobs as planned: picks applied. */
  readonly jobs: readonly Job[]
  readonly facts: Facts
  readonly inputs: Inputs
  readonly bill: Bill
  readonly caps: Caps
  /** What stands in the way on disk; nothing is bought until it is gone. */
  readonly obstacles: readonly Diagnostic[]
}

export interface Refused {
  readonly got: 'refused'
  readonly problems: readonly Diagnostic[]
}

/** Decides what is done about every job. Reads inputs, outputs and the cache; writes nothing and asks nobody. */
export function drawPlan(ground: Ground, wanted: Wanted, recorded: Recorded): Drawn | Refused {
  const { manifest, place, layout, machine, cache, profile } = ground
  const { disk } = machine
  const inputs = digestInputs(manifest, place, disk, profile)
  if (hasErrors(inputs.problems)) return { got: 'refused', problems: inputs.problems }
  const facts: Facts = {
    ...factsOf(recorded.memories, inputs, layout, disk),
    ...(cache && { cached: recipe => cache.find(recipe) }),
  }
  const drawn = planWithPicks(manifest.jobs, facts, wanted, recorded)
  if ('problems' in drawn) return drawn
  const { plan, jobs } = drawn
  const entries = recorded.entries.values()
  return {
    got: 'drawn',
    plan,
    jobs,
    facts,
    inputs,
    bill: billOf(plan, ground.prices),
    caps: capsOf(ground, wanted),
    obstacles: plan.buys > 0 ? findObstacles(plan, manifest, layout, entries, machine) : [],
  }
}

/** A pick holds as long as the picked take does: one that is made anew by the plan is no choice of anybody any more. */
function planWithPicks(
  written: readonly Job[],
  facts: Facts,
  wanted: Wanted,
  recorded: Recorded,
): { readonly plan: Plan; readonly jobs: readonly Job[] } | Refused {
  let picked = [...recorded.entries.values()].filter(entry => entry.picked).map(entry => entry.address)
  for (;;) {
    const jobs = withPicks(written, picked)
    const plan = planSelected(jobs, facts, wanted)
    if ('problems' in plan) return plan
    const anew = new Set(plan.steps.flatMap(step => (step.do === 'buy' ? [step.job.address] : [])))
    const left = picked.filter(address => !anew.has(address))
    if (left.length === picked.length) return { plan, jobs }
    picked = left
  }
}

function planSelected(jobs: readonly Job[], facts: Facts, wanted: Wanted): Plan | Refused {
  const { select = {}, wish } = wanted
  const whole = planJobs(jobs, facts, wish)
  if (isEmptySelection(select)) {
    if (!wanted.redo && !wanted.accept) return whole
    return planJobs(jobs, facts, wishFor(wanted, new Set(jobs.map(job => job.address))))
  }
  const selected = selectJobs(jobs, select, standingsOf(whole, facts))
  if (selected.got === 'nothing') return { got: 'refused', problems: [slipProblem(selected)] }
  return planJobs(jobs, facts, { ...wishFor(wanted, selected.asked), only: selected.all })
}

function wishFor({ wish, redo, accept }: Wanted, asked: ReadonlySet<JobAddress>): Wish {
  return { ...wish, ...(redo && { redo: asked }), ...(accept && { accept: asked }) }
}

function standingsOf(plan: Plan, facts: Facts) {
  const failed = [...facts.memories]
    .filter(([, memory]) => memory.is === 'failed')
    .map(([address]) => address)
  const changed = plan.steps.flatMap(step => (step.do === 'buy' && step.again ? [step.job.address] : []))
  return { failed: new Set(failed), changed: new Set(changed) }
}

function slipProblem({
  word,
  kind,
  near,
}: Extract<ReturnType<typeof selectJobs>, { got: 'nothing' }>): Diagnostic {
  const messages = {
    job: `no job is called ${word}`,
    tag: `no job has the tag ${word}`,
    model: `no job has the model ${word}`,
  }
  return settingProblem('selection', word, 'nothing-selected', messages[kind], near && `did you mean ${near}`)
}

/** Placeholders cost nothing: without prices a rehearsal has no cost to cap. */
function capsOf({ manifest, layout, prices }: Ground, wanted: Wanted): Caps {
  const caps = lowestCaps(manifest.limits, wanted.caps)
  if (!layout.rehearsal || prices) return caps
  return caps.maxPaid === undefined ? {} : { maxPaid: caps.maxPaid }
}
