import { defined } from '../base/defined.ts'
import { unusableDetail } from '../base/failure.ts'
import { type DonePurchase, type FailedPurchase, isTaken, orderOf } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { asking, redoWord, retakesWord } from './asking.ts'
import { buy, buyAgain, restore } from './buy.ts'
import { elsewhere, type Facts, isAtHand, type Standing } from './facts.ts'
import type { Reason } from './shapes/reasons.ts'
import type { DraftRecipe } from './shapes/recipe.ts'
import type { Hold, Step } from './shapes/step.ts'
import type { Table } from './table.ts'

/** What is done about an order that failed: it may have been billed, and what came may be taken as it is. */
export function afterFailure(job: Job, draft: DraftRecipe, purchase: FailedPurchase, table: Table): Step {
  const { flaw, billed, files } = purchase
  const { choices, facts } = table
  if (billed === 'no') return buy(job, draft, [{ why: 'refused-before', detail: flaw.message }], table)
  const taken = takenAsItIs(job, purchase, table)
  if (taken) return taken
  // Free before paid: another checkout has made it.
  const restored = choices.redo?.has(job.address) ? undefined : restore(job, draft, table)
  if (restored) return restored
  const again = choices.rebuy && flaw.why === 'gone' ? '--rebuy' : undefined
  const word = choices.redo?.has(job.address) ? redoWord(choices) : choices.failed ? '--failed' : again
  if (!word) {
    const isGone = flaw.why === 'gone' && { isGone: true as const }
    const came = asResult(purchase)
    const lost = came ? lostOf(facts.standing(came, job)) : []
    const more = { ...isGone, ...defined({ files }), ...(lost.length > 0 && { lost }) }
    return { do: 'hold', job, because: { ...failedBefore(purchase), ...more } }
  }
  const far = word === '--failed' && !choices.rebuy && unasked(purchase, facts)
  if (far) return { do: 'hold', job, because: far.because }
  // Of a retake that failed the job has what failed its looks: whoever is asked before much is bought again is asked about it, too.
  const order = word === retakesWord ? buyAgain : buy
  const step = asking(order(job, draft, [{ why: 'asked', word }], table), purchase, facts)
  return step.do === 'buy' && word === 'redo' ? { ...step, afterFailed: true } : step
}

export function failedBefore({ id, flaw }: FailedPurchase): Hold & { why: 'failed-before' } {
  return { why: 'failed-before', purchase: id, message: flaw.message }
}

/**
 * Where the run has to be asked for before another is paid for, and is not by this address: that it is gone was seen in a few
 * looks only, and it may bring its result yet.
 */
function unasked({ run, flaw, recipe }: FailedPurchase, facts: Facts) {
  return flaw.why === 'gone' ? elsewhere(run, facts, recipe.service) : undefined
}

/** What came and is no result becomes one by a person's word. */
function takenAsItIs(job: Job, purchase: FailedPurchase, { choices, facts }: Table): Step | undefined {
  const entry = asResult(purchase)
  if (!entry || !choices.accept?.has(job.address)) return undefined
  if (!isAtHand(facts.standing(entry, job))) return undefined
  return { do: 'adopt', job, entry, from: purchase.address, accepted: takenOf(entry) }
}

function asResult(purchase: FailedPurchase): DonePurchase | undefined {
  const { files, flaw, run } = purchase
  return files && { ...orderOf(purchase), is: 'done', files, flaw, ...defined({ run }) }
}

export function takenOf({ flaw }: DonePurchase): readonly Reason[] {
  return flaw && isTaken(flaw) ? [{ why: 'taken', detail: unusableDetail(flaw) }] : []
}

function lostOf(standing: Standing): readonly string[] {
  return standing.is === 'missing' || standing.is === 'altered' ? standing.paths : []
}
