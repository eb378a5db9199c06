import { failureMessage } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import { type Cost, roundAmount } from '../forms/cost.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { jobCost, type Sum } from '../plan/bill.ts'
import type { Caps } from '../plan/budget.ts'
import { firstTake, madeFrom } from '../plan/picks.ts'
import type { Step } from '../plan/shapes/step.ts'
import { guardsAgainst } from '../planning/guards.ts'
import type { PlannedRun, Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { holdText, missingText } from '../planning/plan-record.ts'
import { jobsDigest, stepWords } from '../planning/saved-plan.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { shellWord } from '../text/shell-word.ts'
import { hadTakes, notAgain } from '../wording/remarks.ts'
import type { PlanExpectation } from '../workspace/expectation.ts'
import { busy } from '../workspace/records/busy.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

/** What an order would buy, for a person who then says yes or no to exactly that. */
export interface Quote {
  /** What is bought, in the order of the plan. */
  readonly buys: readonly { readonly address: JobAddress; readonly model: string; readonly cost: Cost }[]
  readonly total: Sum
  readonly currency?: string
  /** Jobs that were made from what is bought anew, and are stale then. */
  readonly stale: readonly JobAddress[]
  /** What is paid for, or in the cache, and comes with it for nothing. */
  readonly free: readonly JobAddress[]
  /** What is asked for and waits for something else, or is gone for good as far as is known, with why. */
  readonly held: readonly string[]
  /** What keeps it from being ordered, in words: another genrun that is at work, too. */
  readonly against: readonly string[]
  /** What its run may spend anyway, of all that says so about what is bought. */
  readonly limits: Caps
  /** With these words a run buys this, and nothing else. */
  readonly word: { readonly expect: PlanExpectation; readonly caps: Caps }
}

type QuoteResult = Refused | Damaged | { readonly got: 'quote'; readonly quote: Quote }

/** Plans an order, with its amount, and sends nothing. */
export function quoteOf(request: WorkspaceRequest): QuoteResult {
  const seen = seeManifest(request)
  if (seen.got !== 'seen') return seen
  const { planned, holder, recorded } = seen
  const { plan, jobs, bill, prices, obstacles } = planned
  const bought = plan.steps.flatMap(step => (step.do === 'buy' ? [step.job] : []))
  const firsts = new Set(bought.map(({ address }) => firstTake(address)))
  const ordered = new Set(bought.map(({ address }) => address))
  const made = new Set(
    recorded.purchases.flatMap(each => (each.is === 'done' && !each.aside ? [each.address] : [])),
  )
  return {
    got: 'quote',
    quote: {
      buys: bought.map(job => ({ address: job.address, model: job.model.id, cost: jobCost(job, prices) })),
      total: bill.total,
      ...(prices && { currency: prices.currency }),
      stale: madeFrom(firsts, jobs).filter(address => made.has(address) && !ordered.has(address)),
      free: plan.steps.flatMap(step =>
        step.do === 'resume' || step.do === 'restore' || (step.do === 'fetch' && !step.entry.isGone)
          ? [step.job.address]
          : [],
      ),
      held: [
        ...plan.steps.flatMap(step =>
          step.do === 'fetch' && step.entry.isGone ? goneText(step, request) : [],
        ),
        ...plan.steps.flatMap(step =>
          step.do === 'hold' && step.because.why !== 'not-selected'
            ? [`${step.job.address}: ${holdText(step.because)}`]
            : [],
        ),
        ...hadTakes(planned).map(address => `${address}: ${notAgain}`),
      ],
      // That many are bought again is what a person says yes to.
      against: [
        ...obstacles,
        ...guardsAgainst(planned, { ...request, yes: true }),
        ...(holder ? [busy(holder)] : []),
        ...(plan.steps.every(isLeftAlone)
          ? plan.steps.flatMap(step => (step.do === 'doubt' ? [inDoubt(step, request.manifest)] : []))
          : []),
      ].map(({ message }) => message),
      limits: capsOn(bought, planned.caps),
      word: { expect: { steps: stepWords(plan), jobs: jobsDigest(planned) }, caps: capsFor(planned) },
    },
  }
}

/** Those of tags and services that none of these jobs has say nothing about them. */
function capsOn(jobs: readonly Job[], { tags = {}, services = {}, ...caps }: Caps): Caps {
  const has = {
    tags: new Set(jobs.flatMap(each => each.tags)),
    services: new Set(jobs.flatMap(({ service }) => service ?? [])),
  }
  const of = <T>(all: { readonly [name: string]: T }, names: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
  return { ...caps, tags: of(tags, has.tags), services: of(services, has.services) }
}

/** A run asks for it once more: nobody should count on that. */
function goneText(step: Step & { do: 'fetch' }, { manifest }: WorkspaceRequest): string {
  const { address } = step.job
  const rebuy = `genrun run ${shellWord(manifest)} ${shellWord(address)} --rebuy`
  return `${address}: ${missingText(step)}: put it back, or \`${rebuy}\` pays for it again`
}

/** Nothing is ordered, fetched or moved by it. */
function isLeftAlone({ do: what }: Step): boolean {
  return what === 'keep' || what === 'hold' || what === 'doubt' || what === 'drop'
}

/** Why nothing is done. */
function inDoubt({ job, purchase }: Step & { do: 'doubt' }, manifest: string): { readonly message: string } {
  const why = failureMessage({ why: 'in-doubt', detail: purchase.detail })
  return {
    message: `${job.address}: ${why}; \`genrun status ${shellWord(manifest)}\` tells how to settle it`,
  }
}

/** The lowest of what is allowed anyway and what was shown: no retry and no rest makes it more. */
function capsFor({ plan, bill: { total }, caps }: PlannedRun): Caps {
  const isKnown = total.unknown === 0 && total.jobs > 0
  const maxCost = isKnown
    ? Math.min(caps.maxCost ?? Number.POSITIVE_INFINITY, roundAmount(total.amount))
    : caps.maxCost
  return {
    ...caps,
    maxPaid: Math.min(caps.maxPaid ?? plan.buys, plan.buys),
    ...(maxCost !== undefined && { maxCost }),
  }
}
