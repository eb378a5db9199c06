import type { JobAddress } from '../base/names.ts'
import { firstTake } from '../plan/picks.ts'
import type { Step } from '../plan/step.ts'
import { makePlan, type PlannedRun, type Refused } from '../planning/make-plan.ts'
import type { PlanOptions } from '../workspace/workspace.ts'
import type { ClaimContext } from './ledger/act-under-claim.ts'
import type { Ledger } from './ledger/ledger.ts'
import { adoptAll, moversOf } from './results/adopt.ts'

/** What is needed to give takes other names. */
interface PickDesk extends Pick<ClaimContext, 'workspace' | 'recorded' | 'ledger'> {
  readonly options: PlanOptions
}

/** Marks takes that are there, and gives all takes of their jobs the names that follow from it. */
export async function settlePick(
  addresses: Iterable<JobAddress>,
  { workspace, options, recorded, ledger }: PickDesk,
): Promise<PlannedRun | Refused> {
  const families = new Set<JobAddress>()
  for (const address of addresses) {
    await markPick(address, ledger)
    families.add(firstTake(address))
  }
  const planned = makePlan(workspace, options, { ...recorded, purchases: [...ledger.purchases.values()] })
  if (planned.got === 'refused') return planned
  const takes = planned.plan.steps.filter(
    (each): each is Step & { do: 'adopt' } =>
      each.do === 'adopt' && each.from === each.job.address && families.has(firstTake(each.job.address)),
  )
  await adoptAll(takes, moversOf(workspace, ledger))
  return planned
}

/** One take of a job is marked, be it the first: `.pick` waits for a mark. */
async function markPick(address: JobAddress, ledger: Ledger): Promise<void> {
  for (const entry of ledger.purchases.values()) {
    if (entry.is !== 'done' || entry.aside || firstTake(entry.address) !== firstTake(address)) continue
    const isMeant = entry.address === address
    // Whoever has picked is done with what `redo` was to pick.
    if (isMeant === (entry.picked === true) && !entry.redo) continue
    const { picked: _, redo: __, ...bare } = entry
    await ledger.stands(isMeant ? { ...bare, picked: true } : bare)
  }
}
