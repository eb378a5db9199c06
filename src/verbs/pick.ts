import { error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { isJobStep } from '../plan/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { unknownAddress } from '../planning/unknown-address.ts'
import { actUnderClaim } from '../run/ledger/act-under-claim.ts'
import { settlePick } from '../run/settle-pick.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

export type PickResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'picked'
      readonly address: JobAddress
      /** The files of the picked take, which have the job's bare name now. */
      readonly files: readonly string[]
      /** Jobs that were made from another take, and are bought by the next run. */
      readonly stale: readonly JobAddress[]
    }

/** Chooses a take (`hero#2`; `hero` or `hero#1` is the first): it gets the bare name, and others are made from it. */
export function pickTake(request: WorkspaceRequest & { readonly address: string }): Promise<PickResult> {
  return actUnderClaim(request, async ({ workspace, recorded, planned, ledger }): Promise<PickResult> => {
    const address = jobAddress(request.address.replace(/#1$/, ''))
    const job = planned.jobs.find(each => each.address === address)
    if (!job) return { got: 'refused', problems: [unknownAddress(request.address, planned.jobs)] }
    const step = planned.plan.steps.find(each => isJobStep(each) && each.job.address === address)
    const isThere =
      step?.do === 'keep' || (step?.do === 'adopt' && step.from === address && !step.entry.aside)
    if (!isThere) {
      const hint = 'run the manifest first; only a take that is there can be picked'
      return { got: 'refused', problems: [error('not-made', job.at, `${address} is not made yet`, hint)] }
    }
    const again = await settlePick([address], { workspace, options: request, recorded, ledger })
    if (again.got === 'refused') return again
    return {
      got: 'picked',
      address,
      files: ledger.made(address)?.files.map(file => file.path) ?? [],
      stale: again.plan.steps.flatMap(each => (each.do === 'buy' && each.again ? [each.job.address] : [])),
    }
  })
}
