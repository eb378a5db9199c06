import type { JobAddress } from '../base/names.ts'
import { type Task } from '../engine/world.ts'
import { restBase } from '../plan/shapes/share.ts'
import { type Hold, isJobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import { type Ledger } from './ledger/ledger.ts'

/** The plan as it was carried out: with what was ordered besides, and what was kept under the names that it has by now. */
export function planAfter(
  plan: Plan,
  further: readonly Task[],
  ledger: Pick<Ledger, 'purchases'>,
  held: ReadonlyMap<JobAddress, Hold> = new Map(),
): Plan {
  return asTheyLie(withHeld(withFurther(plan, further), held), ledger)
}

/** What persons kept from being sent while the run was at work is told as what a plan holds, with what needs it. */
function withHeld(plan: Plan, held: ReadonlyMap<JobAddress, Hold>): Plan {
  if (held.size === 0) return plan
  const open = new Set(held.keys())
  const steps = plan.steps.map((step): Step => {
    if (step.do !== 'buy') return step
    const { job } = step
    const need = job.needs.find(each => open.has(each))
    const because =
      held.get(job.address) ?? (need === undefined ? undefined : ({ why: 'needs', address: need } as const))
    if (!because) return step
    open.add(job.address)
    return { do: 'hold', job, because }
  })
  return { ...plan, steps }
}

/** The plan with what was ordered besides, each behind the job that it is of. */
function withFurther(plan: Plan, further: readonly Task[]): Plan {
  if (further.length === 0) return plan
  const rests = new Map<JobAddress, Step[]>()
  for (const { job } of further) {
    const base = restBase(job.address)
    rests.set(base, [...(rests.get(base) ?? []), { do: 'buy', job, because: [] }])
  }
  const steps = plan.steps.flatMap(step => [
    step,
    ...((isJobStep(step) && rests.get(step.job.address)) || []),
  ])
  return { ...plan, steps }
}

/** A pick at the end of the run gives what was kept, or moved, another name. */
function asTheyLie(plan: Plan, { purchases }: Pick<Ledger, 'purchases'>): Plan {
  const steps = plan.steps.map(step => {
    const present = step.do === 'keep' || step.do === 'adopt' ? purchases.get(step.entry.id) : undefined
    if (step.do === 'adopt' && present?.is === 'done' && !present.aside)
      return { ...step, placed: present.files }
    // Of a hundred thousand that are kept hardly any moves.
    if (step.do !== 'keep' || present?.is !== 'done' || present.files === step.entry.files) return step
    return { ...step, entry: { ...step.entry, files: present.files } }
  })
  return { ...plan, steps }
}
