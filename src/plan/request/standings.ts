import type { JobAddress } from '../../base/names.ts'
import type { Facts } from '../facts.ts'
import type { Reason } from '../shapes/reasons.ts'
import { isJobStep, type JobStep, type Plan } from '../shapes/step.ts'
import type { Standings } from './select.ts'

const none: ReadonlySet<JobAddress> = new Set()

/** What is known of jobs when they are chosen by it: under the names that they had, and under those that they have now. */
export function standingsOf({ steps }: Plan, { purchases, skipped = none }: Facts): Standings {
  const last = new Map(
    purchases.flatMap(each => (each.is === 'open' ? [] : [[each.address, each.is] as const])),
  )
  const failed = [...last].flatMap(([address, is]) => (is === 'failed' ? [address] : []))
  const doubt = purchases.flatMap(({ is, address }) => (is === 'doubt' ? [address] : []))
  const now = (is: (step: JobStep) => boolean) =>
    steps.flatMap(step => (isJobStep(step) && is(step) ? [step.job.address] : []))
  return {
    open: new Set(now(isOpen)),
    skipped,
    failed: new Set([...failed, ...now(isAboutFailure)]),
    doubt: new Set([...doubt, ...now(step => isInDoubt(step) || isAtAnother(step))]),
    changed: new Set(now(step => step.do === 'buy' && step.again === true)),
  }
}

/** Nothing of it is there or under way. */
function isOpen(step: JobStep): boolean {
  return step.do === 'buy' ? step.again !== true : step.do === 'hold' && step.because.why === 'needs'
}

/** Also when its files are gone: the run that says so fails, and the next one is to try again or to say so again. */
function isAboutFailure(step: JobStep): boolean {
  if (step.do === 'hold') return step.because.why === 'failed-before' || step.because.why === 'files-gone'
  if (step.do === 'fetch') return true
  if (step.do === 'keep') return step.short !== undefined && step.job.shortDelivery !== 'accept'
  const isFailure = (reason: Reason) =>
    reason.why === 'rest' ||
    reason.why === 'refused-before' ||
    (reason.why === 'asked' && reason.word === '--failed')
  return step.do === 'buy' && step.because.some(isFailure)
}

/** Be it that it is about to be ordered anew. */
function isInDoubt(step: JobStep): boolean {
  return step.do === 'doubt' || (step.do === 'buy' && step.insteadOf !== undefined)
}

/** It waits for a run of another service: nothing is done about it, and it is not left out. */
function isAtAnother(step: JobStep): boolean {
  return step.do === 'hold' && step.because.why === 'other-service'
}
