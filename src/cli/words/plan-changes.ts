import { display } from '../../base/display.ts'
import { counted } from '../../base/measure.ts'
import type { PlanRecord, StepRecord } from '../../planning/plan-record.ts'
import type { Colours } from '../io/colour.ts'
import { aboutText } from './about-cost.ts'

const mostShown = 20

/** What a plan does otherwise than the one before; one line for each job, then the sum. */
export function planChanges(before: PlanRecord, now: PlanRecord, paint: Colours): string[] {
  const old = new Map(before.steps.map(step => [step.address, step]))
  const left = new Set(old.keys())
  const lines: string[] = []
  for (const step of now.steps) {
    const was = old.get(step.address)
    left.delete(step.address)
    if (!was) lines.push(`${paint.good('+')} ${stepText(step)}`)
    else if (stepText(was) !== stepText(step)) lines.push(`${paint.warning('~')} ${stepText(step)}`)
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

function stepText({ do: what, address, because, cost }: StepRecord): string {
  const amount = cost?.is === 'known' ? `, ${cost.amount}` : ''
  const why = because.length > 0 ? `: ${because.join('; ')}` : ''
  return display(`${what} ${address}${amount}${why}`, 300)
}
