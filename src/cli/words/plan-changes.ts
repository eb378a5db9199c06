import { display } from '../../base/display.ts'
import { counted } from '../../base/measure.ts'
import type { PlanRecord, StepRecord } from '../../planning/plan-record.ts'
import { askedOtherwise, type RecipesByJob } from '../../verbs/plan-with-recipes.ts'
import type { Colours } from '../io/colour.ts'
import { aboutText } from './about-cost.ts'

const mostShown = 20

/** A plan, and what it would order. */
export interface SeenPlan {
  readonly plan: PlanRecord
  readonly recipes: RecipesByJob
}

/** What a plan does otherwise than the one before; one line for each job, then the sum. */
export function planChanges(before: SeenPlan, { plan: now, recipes }: SeenPlan, paint: Colours): string[] {
  const old = new Map(before.plan.steps.map(step => [step.address, step]))
  const left = new Set(old.keys())
  const lines: string[] = []
  for (const step of now.steps) {
    const was = old.get(step.address)
    left.delete(step.address)
    if (!was) {
      lines.push(`${paint.good('+')} ${stepText(step)}`)
      continue
    }
    const otherwise = untold(was, step) ? askedOtherwise(before.recipes, recipes, step.address) : []
    if (otherwise.length > 0 || stepText(was) !== stepText(step))
      lines.push(`${paint.warning('~')} ${stepText(step, otherwise)}`)
  }
  for (const address of left) lines.push(`${paint.error('-')} ${display(address)}`)
  const shown = lines.slice(0, mostShown)
  const hidden = lines.length - shown.length
  const same = lines.length === 0 ? 'the plan is the same: ' : ''
  return [
    ...shown,
    ...(hidden > 0 ? [`… and ${counted(hidden, 'more change')}`] : []),
    `${same}${counted(now.paid, 'paid request')}${aboutText(now)}`,
  ]
}

/** Both are bought, and for the same reasons: that another thing is ordered stands in none of them. */
function untold(was: StepRecord, step: StepRecord): boolean {
  return was.do === 'buy' && step.do === 'buy' && was.because.join() === step.because.join()
}

function stepText(
  { do: what, address, because, cost }: StepRecord,
  otherwise: readonly string[] = [],
): string {
  const amount = cost?.is === 'known' ? `, ${cost.amount}` : ''
  const reasons = [...because, ...otherwise]
  const why = reasons.length > 0 ? `: ${reasons.join('; ')}` : ''
  return display(`${what} ${address}${amount}${why}`, 300)
}
