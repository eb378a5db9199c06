import type { Plan } from '../../plan/shapes/step.ts'
import { recordsAgainst } from '../../planning/check-records.ts'
import { makePlan, type PlannedRun, type Refused } from '../../planning/make-plan.ts'
import { openWorkspace, type WorkspaceRequest } from '../../planning/open-workspace.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Busy } from '../../workspace/records/busy.ts'
import { type Damaged, damaged, readRecorded } from '../../workspace/records/recorded.ts'
import { takeUpVerdicts } from '../../workspace/records/take-up-verdicts.ts'
import { withClaim } from '../../workspace/records/with-claim.ts'
import type { PlanOptions, Recorded, Workspace } from '../../workspace/workspace.ts'
import type { Ledger } from './ledger.ts'
import { withRecords } from './records.ts'

/** Everything at hand to change what is recorded, while no other genrun can. */
export interface ClaimContext {
  readonly workspace: Workspace
  readonly recorded: Recorded
  readonly planned: PlannedRun
  readonly ledger: Ledger
}

/** What may be decided before anything is opened for writing: no use to take a claim for nothing. */
export type Action<T> = (context: ClaimContext) => Promise<T>

/**
 * Draws a plan under the claim and lets `action` change lock, journal and files. For verbs that decide and move things and
 * never send anything.
 */
export async function actUnderClaim<T>(
  request: WorkspaceRequest,
  action: Action<T>,
  { isRebuilding = false }: { readonly isRebuilding?: boolean } = {},
): Promise<T | Refused | Damaged | Busy> {
  const workspace = openWorkspace(request)
  if ('got' in workspace) return workspace
  const against = recordsSaidAgainst(workspace, request, isRebuilding)
  return against ?? workspaceUnderClaim(workspace, request, action)
}

/** Nothing is settled by records that are those of another name, or that are gone. */
function recordsSaidAgainst(
  workspace: Workspace,
  request: WorkspaceRequest,
  isRebuilding: boolean,
): Refused | Damaged | undefined {
  try {
    return recordsAgainst(workspace, request, isRebuilding)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** What each job has already, by the plan. */
export function giveAll({ steps }: Plan, ledger: Ledger, foreign?: Recorded['foreign']): void {
  for (const step of steps) {
    // What the whole manifest or another shard has, and nothing is done about, stands there.
    if (step.do === 'keep' && foreign?.has(step.entry.id)) continue
    if (step.do === 'keep' || step.do === 'adopt' || step.do === 'fetch')
      ledger.give(step.job.address, step.entry.id)
  }
}

/** The same for a manifest that is read already. */
export async function workspaceUnderClaim<T>(
  workspace: Workspace,
  options: PlanOptions,
  action: Action<T>,
): Promise<T | Refused | Damaged | Busy> {
  return withClaim<T | Refused | Damaged>(workspace, async claim => {
    const recorded = readRecorded(workspace)
    if ('got' in recorded) return recorded
    await takeUpVerdicts(workspace, recorded.purchases)
    const planned = makePlan(workspace, options, recorded)
    if (planned.got === 'refused') return planned
    return withRecords(workspace, { recorded, claim }, async ({ ledger, close }) => {
      giveAll(planned.plan, ledger)
      const done = await action({ workspace, recorded, planned, ledger })
      await close()
      return done
    })
  })
}
