import type { JobAddress } from '../base/names.ts'
import { type Task } from '../engine/world.ts'
import { restBase } from '../plan/share.ts'
import { isJobStep, type Plan, type Step } from '../plan/step.ts'
import { type Ledger } from './ledger/ledger.ts'

/** The plan as it was carried out: with what was ordered besides, and what was kept under the names that it has by now. */
export function planAfter(plan: Plan, further: readonly Task[], ledger: Pick<Ledger, 'purchases'>): Plan {
  return asTheyLie(withFurther(plan, further), ledger)
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
    if (step.do !== 'keep' || present?.is !== 'done') return step
    return { ...step, entry: { ...step.entry, files: present.files } }
  })
  return { ...plan, steps }
}
