import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Facts } from '../plan/facts.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { isJobStep, type JobStep, type Step } from '../plan/shapes/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { holdText } from '../planning/plan-record.ts'
import { actUnderClaim, type ClaimContext } from '../run/ledger/act-under-claim.ts'
import { adoptAll, moversOf } from '../run/results/adopt.ts'
import type { Busy } from '../workspace/records/busy.ts'
import { placedResults } from '../workspace/records/known.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

/** What was taken for what the manifest asks for now. */
export interface AcceptRecord {
  readonly accepted: readonly AcceptedJob[]
  /** Selected and changed, but there is no whole result to keep, or what it is made from is still to be made: see `why`. */
  readonly left: readonly (AcceptedJob & { readonly why: string })[]
  /** Selected, and with nothing to accept: it is as it should be (`fits`), or there is no result yet. */
  readonly nothing: readonly { readonly address: JobAddress; readonly why: string; readonly fits: boolean }[]
}

interface AcceptedJob {
  readonly address: JobAddress
  readonly because: readonly string[]
}

type AcceptResult = Refused | Damaged | Busy | { readonly got: 'accepted'; readonly record: AcceptRecord }

/** Keeps the files of the selected jobs under their changed recipes: a typo mended in a shared style buys nothing. */
export function acceptJobs(request: WorkspaceRequest): Promise<AcceptResult> {
  return actUnderClaim({ ...request, accept: true }, acceptPlanned)
}

/** What the plan of a context accepts. Rejects with StorageError. */
export async function acceptPlanned(context: ClaimContext): Promise<AcceptResult> {
  const { workspace, planned, recorded, ledger } = context
  const steps = planned.plan.steps
  const asked = steps.filter(isAccepted)
  // A plan looks at sizes; what a person takes for a result is read.
  const altered = asked.flatMap(step => {
    const paths = isThere(step) ? (planned.facts.readAltered?.(step.entry, step.job) ?? []) : []
    return paths.length === 0 ? [] : [{ step, paths }]
  })
  const adoptions = asked.filter(each => altered.every(({ step }) => step !== each))
  await adoptAll(adoptions.filter(isThere), moversOf(workspace, ledger))
  for (const step of adoptions) if (step.do === 'resume') await ledger.stands(step.purchase)
  const isAsked = ({ job }: JobStep) => planned.accepting?.has(job.address) !== false
  const left = steps.filter(isLeft)
  // Looked up for each: found once.
  const seen: Seen = {
    placed: placedResults(recorded.purchases),
    unmade: new Set(steps.flatMap(step => (isJobStep(step) && !('entry' in step) ? [step.job.address] : []))),
    facts: planned.facts,
  }
  const rest = steps.filter(isJobStep).filter(step => !isAccepted(step) && !isLeft(step) && isAsked(step))
  return {
    got: 'accepted',
    record: {
      accepted: adoptions.map(acceptedJob),
      left: [
        ...altered.map(({ step, paths }) => ({ ...acceptedJob(step), why: goneText(paths) })),
        ...left.map(step => ({
          address: step.job.address,
          because: step.do === 'buy' ? step.because.map(reasonText) : [holdText(step.because)],
          why: whyLeft(step, seen),
        })),
      ],
      nothing: rest.map(step => ({ address: step.job.address, ...whyNothing(step) })),
    },
  }
}

function acceptedJob({ job, accepted = [] }: Step & { do: 'adopt' | 'resume' }): AcceptedJob {
  return { address: job.address, because: accepted.map(reasonText) }
}

/** A take that `redo` ordered may be on its way yet. */
function isAccepted(step: Step): step is Step & { do: 'adopt' | 'resume' } {
  return (step.do === 'adopt' || step.do === 'resume') && step.accepted !== undefined
}

function isThere(step: Step & { do: 'adopt' | 'resume' }): step is Step & { do: 'adopt' } {
  return step.do === 'adopt'
}

type Left = Step & { do: 'buy' | 'hold' }

/** Its files are not what they were, or are gone. */
function isLeft(step: Step): step is Left {
  if (step.do === 'buy') return step.again === true
  return step.do === 'hold' && step.because.why === 'failed-before' && step.because.files !== undefined
}

interface Seen {
  readonly placed: ReturnType<typeof placedResults>
  readonly unmade: ReadonlySet<JobAddress>
  readonly facts: Facts
}

function whyLeft({ job, ...step }: Left, seen: Seen): string {
  const lost =
    step.do === 'hold' && step.because.why === 'failed-before'
      ? (step.because.lost ?? [])
      : lostOf(seen.placed.get(job.address), job, seen.facts)
  if (lost.length > 0) return goneText(lost)
  const unmade = job.needs.filter(need => seen.unmade.has(need))
  if (unmade.length > 0)
    return `${listed(unmade)}, which it is made from, ${unmade.length === 1 ? 'is' : 'are'} still to be made`
  return 'there is no result of its own to keep'
}

function goneText(paths: readonly string[]): string {
  return `${listed(paths)} ${paths.length === 1 ? 'is' : 'are'} gone or altered`
}

function lostOf(entry: DonePurchase | undefined, job: Job, facts: Facts): readonly string[] {
  const standing = entry && facts.standing(entry, job)
  return standing?.is === 'missing' || standing?.is === 'altered' ? standing.paths : []
}

function whyNothing(step: JobStep): { readonly why: string; readonly fits: boolean } {
  switch (step.do) {
    case 'keep':
      return { why: step.accepted ? 'accepted before' : 'made from what the manifest asks for', fits: true }
    case 'adopt':
      return { why: 'made from what the manifest asks for; a run moves it', fits: true }
    case 'restore':
      return { why: 'not made here yet; the cache has it', fits: true }
    case 'buy':
      return { why: step.because.map(reasonText).join('; '), fits: false }
    case 'resume':
      return { why: 'paid for and not finished; the next run goes on', fits: false }
    case 'fetch':
      return { why: 'its files are gone; the next run fetches them again', fits: false }
    case 'hold':
      return { why: holdText(step.because), fits: false }
    case 'doubt':
      return { why: `nobody knows whether it was paid for: ${step.purchase.detail}`, fits: false }
  }
}
