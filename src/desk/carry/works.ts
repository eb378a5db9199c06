import type { JobAddress } from '../../base/names.ts'
import type { Random } from '../../base/random.ts'
import type { Resend, Work } from '../../engine/world.ts'
import type { Plan, Step } from '../../plan/step.ts'
import type { Profile } from '../../wire/profile.ts'

/** What is at hand when work begins. */
export interface Hands {
  readonly now: number
  readonly random: Random
  /** What the service promises about repeated keys. */
  readonly keys: Profile['idempotency']
}

/** The steps of a plan that the engine carries out. Keys are minted here: every buy is a generation of its own. */
export function worksOf(plan: Plan, hands: Hands): Work[] {
  return plan.steps.flatMap(step => workOf(step, hands) ?? [])
}

function workOf(step: Step, hands: Hands): Work | undefined {
  const waiting = { tries: 0, notBefore: hands.now }
  switch (step.do) {
    case 'buy':
      return { job: step.job, start: { is: 'ready', ...waiting }, key: hands.random.token() }
    case 'fetch': {
      const start = { is: 'remote', run: step.run, since: hands.now, ...waiting } as const
      return { job: step.job, start, key: '', recipe: step.entry.recipe }
    }
    case 'resume': {
      const { run, recipe, key, files = [] } = step.memory
      if (files.length > 0)
        return { job: step.job, start: { is: 'made', files, run, ...waiting }, key, recipe }
      if (run)
        return { job: step.job, start: { is: 'remote', run, since: hands.now, ...waiting }, key, recipe }
      return undefined
    }
    case 'doubt': {
      const resend = resendOf(step, hands)
      if (!resend || !step.sent) return undefined
      return { job: step.job, start: { is: 'ready', ...waiting }, key: step.sent.key, resend }
    }
    case 'keep':
    case 'adopt':
    case 'restore':
    case 'hold':
    case 'drop':
      return undefined
  }
}

/** Addresses that the engine will carry out. */
export function addressesOf(works: readonly Work[]): Set<JobAddress> {
  return new Set(works.map(work => work.job.address))
}

/**
 * How an order in doubt may be sent once more: where the service honours keys, while this one is younger than half its
 * life (RELIABILITY.md P1). A service that does not say for how long gets no second request.
 */
export function resendOf(
  { detail, sent }: Step & { do: 'doubt' },
  { keys, now }: Pick<Hands, 'keys' | 'now'>,
): Resend | undefined {
  if (!sent || !keys.honoured || keys.header === undefined || keys.ttlMs === undefined) return undefined
  const until = sent.at + keys.ttlMs / 2
  return now < until ? { request: sent.request, origin: sent.origin, until, detail } : undefined
}
