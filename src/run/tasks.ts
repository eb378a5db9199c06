import { defined } from '../base/defined.ts'
import type { JobAddress } from '../base/names.ts'
import { isResubmitted, isTaken, type RunningPurchase } from '../base/purchase.ts'
import type { Random } from '../base/random.ts'
import { newPurchase } from '../engine/run-job.ts'
import type { Resend, Task } from '../engine/world.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Plan, Step } from '../plan/shapes/step.ts'
import { type Ages, clockStepMs } from '../store/journal/ages.ts'
import type { Profile } from '../wire/profile/profile.ts'

/** What is at hand when work begins. */
interface StartContext {
  readonly now: number
  /** The same moment by the wall clock, which dates what earlier processes wrote down. */
  readonly wall: number
  readonly random: Random
  /** What the service promises about repeated keys. */
  readonly keysOf: (service: string | undefined) => Profile['idempotency']
  /** Whether it can be told how old an order is. */
  readonly ages: Ages
  /** Takes that `redo` orders. */
  readonly redone: ReadonlySet<JobAddress>
  /** The job of a run that nobody asks for; undefined where nobody knows its model any more. */
  readonly jobAside: (purchase: RunningPurchase) => Job | undefined
}

/** The steps of a plan that the engine carries out. Keys are minted here: every buy is a generation of its own, but for what a person waits for. */
export function tasksOf(plan: Plan, startContext: StartContext): Task[] {
  // One for all: of a hundred thousand each would have its own.
  const ready = { is: 'ready', tries: 0, notBefore: startContext.now } as const
  return plan.steps.flatMap(step => workOf(step, ready, startContext) ?? [])
}

function workOf(step: Step, ready: Task['start'], startContext: StartContext): Task | undefined {
  switch (step.do) {
    case 'buy': {
      const { job, ask, standing, renews, insteadOf = [] } = step
      const again = sentOnceMore(step, startContext)
      if (again) return { job, start: ready, ...again }
      // Until it is paid for, the order that a person waits for is one: a second one would be waited for when the first is there.
      const purchase = renews && isResubmitted(renews) ? renews.id : newPurchase(startContext.random)
      const isRedone =
        startContext.redone.has(job.address) || renews?.redo || insteadOf.some(({ doubt }) => doubt.redo)
      const more = { ...(ask && { ask, recipe: ask.recipe }), ...defined({ standing }) }
      const isWish = renews && { resubmitted: true as const }
      const isRebuy = step.because.some(reason => reason.why === 'asked' && reason.word === '--rebuy')
      const words = { ...(isRedone && { redo: true as const }), ...(isRebuy && { rebuy: true as const }) }
      const decided = insteadOf.map(({ doubt, isOther }) => ({
        purchase: doubt.id,
        decision: isOther ? ('abandon' as const) : ('over' as const),
      }))
      const givenUp = insteadOf.length > 0 && { insteadOf: decided, ...isWish }
      return { job, start: ready, purchase, ...words, ...more, ...givenUp }
    }
    case 'fetch': {
      const { run } = step
      const start = {
        is: 'remote',
        run,
        since: startContext.now,
        tries: 0,
        notBefore: startContext.now,
      } as const
      // It came once. Whatever the service says of it by now, the plan said that nothing is paid.
      const job = { ...step.job, retries: 0 }
      const { id, recipe, flaw } = step.entry
      return { job, start, purchase: id, recipe, ...(flaw && isTaken(flaw) && { taken: true as const }) }
    }
    case 'resume': {
      // What another service has is fetched there, and is nothing to be ordered again from here.
      const isElsewhere = step.purchase.recipe.service !== step.job.service
      const job = step.hasSpare || isElsewhere ? { ...step.job, retries: 0 } : step.job
      return goingOn(job, step.purchase, startContext)
    }
    case 'aside': {
      const job = startContext.jobAside(step.purchase)
      const task = job && goingOn(job, step.purchase, startContext)
      return task && { ...task, aside: true }
    }
    case 'doubt': {
      const resend = resendOf(step, startContext)
      return resend && { job: step.job, start: ready, purchase: step.purchase.id, resend }
    }
    case 'keep':
    case 'adopt':
    case 'restore':
    case 'hold':
    case 'drop':
      return undefined
  }
}

/** Free before paid: what is ordered anew only because it is in doubt is sent under its own key, where the service knows that. */
function sentOnceMore(
  { job, because, insteadOf: [first] = [] }: Step & { do: 'buy' },
  startContext: StartContext,
): Pick<Task, 'purchase' | 'resend'> | undefined {
  const isSame = because.every(each => each.why === 'asked' && each.word === '--resubmit')
  const doubt = first?.doubt
  const resend = doubt && isSame ? resendOf({ do: 'doubt', job, purchase: doubt }, startContext) : undefined
  return resend && doubt && { purchase: doubt.id, resend }
}

/** What is paid for: its files are at hand, or its run is asked. */
function goingOn(
  job: Job,
  { id: purchase, run, acceptedAt: since, recipe, credits, files = [] }: RunningPurchase,
  { now, wall, ages }: Pick<StartContext, 'now' | 'wall' | 'ages'>,
): Task | undefined {
  const waiting = { tries: 0, notBefore: now }
  // What the lock alone knows may have been accepted a moment ago, elsewhere; so may what a clock says that was set, by now
  // or in the middle of the order.
  const isDated = since !== undefined && !ages.unknown.has(purchase)
  const age = run && { acceptedAt: now - (isDated ? Math.max(0, wall - since) : 0) }
  if (files.length > 0)
    return {
      job,
      start: { is: 'made', files, ...defined({ run }), credits, ...age, ...waiting },
      purchase,
      recipe,
    }
  if (!run) return undefined
  return { job, start: { is: 'remote', run, since: now, ...age, ...waiting }, purchase, recipe }
}

/**
 * How an order in doubt may be sent once more: where the service honours keys, while this one is younger than half its
 * life (docs/contract.md P1). A service that does not say for how long gets no second request, nor does one whose key seems
 * to come from the future, or of which a later record is dated before an earlier one, or while the journal was written later
 * than now: the clock was set, and nobody knows how old it is.
 */
export function resendOf(
  { job, purchase: { id, sent, detail, recipe } }: Step & { do: 'doubt' },
  { keysOf, now, wall, ages }: Pick<StartContext, 'keysOf' | 'now' | 'wall' | 'ages'>,
): Resend | undefined {
  // Whatever another service promises, it knows nothing of this order.
  if (recipe.service !== job.service) return undefined
  const keys = keysOf(job.service)
  if (ages.unknown.has(id) || wall < ages.latest - clockStepMs) return undefined
  if (!sent || !keys.honoured || keys.header === undefined || keys.ttlMs === undefined) return undefined
  const young = { from: sent.at, until: sent.at + keys.ttlMs / 2 }
  if (wall < young.from || wall >= young.until) return undefined
  const until = now + (young.until - wall)
  return { request: sent.request, origin: sent.origin, until, young, detail }
}
