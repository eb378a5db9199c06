import type { DonePurchase, FailedPurchase } from '../base/purchase.ts'
import { elsewhere, type Facts } from './facts.ts'
import type { Step } from './shapes/step.ts'
import type { Table } from './table.ts'

/**
 * Free before paid: the run that was paid for is asked once more, where it can be. Of one whose files are at hand it is known
 * what would come.
 */
export function asking(step: Step, was: FailedPurchase | DonePurchase, facts: Facts): Step {
  const { id, recipe, run } = was
  // What a person took for a result of another service was made there.
  if (step.do !== 'buy' || !run || recipe.service !== step.job.service) return step
  if (elsewhere(run, facts, recipe.service)) return step
  if (was.is === 'failed' && was.files) return step
  const hasFailed = was.is === 'failed' && was.flaw.why === 'remote'
  return { ...step, ask: { purchase: id, recipe, run, ...(hasFailed && { hasFailed }) } }
}

export const retakesWord = '`retakes`'

/** By whose word what is there, or failed, is ordered again. */
export function redoWord({ isRetake }: Table['choices']): typeof retakesWord | 'redo' {
  return isRetake ? retakesWord : 'redo'
}
