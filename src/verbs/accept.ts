import type { JobAddress } from '../base/names.ts'
import { reasonText } from '../plan/reasons.ts'
import type { Step } from '../plan/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { holdText } from '../planning/plan-record.ts'
import { actUnderClaim } from '../run/ledger/act-under-claim.ts'
import { adoptAll, moversOf } from '../run/results/adopt.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

/** What was taken for what the manifest asks for now. */
export interface AcceptRecord {
  readonly accepted: readonly { readonly address: JobAddress; readonly because: readonly string[] }[]
  /** Selected and changed, but there is no whole result to keep, or what it is made from is still to be made. */
  readonly left: readonly { readonly address: JobAddress; readonly because: readonly string[] }[]
}

export type AcceptResult =
  | Refused
  | Damaged
  | Busy
  | { readonly got: 'accepted'; readonly record: AcceptRecord }

/** Keeps the files of the selected jobs under their changed recipes: a typo mended in a shared style buys nothing. */
export function acceptJobs(request: WorkspaceRequest): Promise<AcceptResult> {
  return actUnderClaim(
    { ...request, accept: true },
    async ({ workspace, planned, ledger }): Promise<AcceptResult> => {
      const steps = planned.plan.steps
      const adoptions = steps.filter(isAccepted)
      await adoptAll(adoptions, moversOf(workspace, ledger))
      const left = steps.filter(isLeft)
      return {
        got: 'accepted',
        record: {
          accepted: adoptions.map(({ job, accepted = [] }) => ({
            address: job.address,
            because: accepted.map(reasonText),
          })),
          left: left.map(step => ({
            address: step.job.address,
            because: step.do === 'buy' ? step.because.map(reasonText) : [holdText(step.because)],
          })),
        },
      }
    },
  )
}

function isAccepted(step: Step): step is Step & { do: 'adopt' } {
  return step.do === 'adopt' && step.accepted !== undefined
}

/** Its files are not what they were, or are gone. */
function isLeft(step: Step): step is Step & { do: 'buy' | 'hold' } {
  if (step.do === 'buy') return step.again === true
  return step.do === 'hold' && step.because.why === 'failed-before' && step.because.files !== undefined
}
