import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Purchase } from '../../base/purchase.ts'
import { headOf } from '../../base/source.ts'
import { declaredOn, type ModelSet } from '../../catalog/model-set.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { JobStep } from '../../plan/shapes/step.ts'
import { makePlan, type PlannedRun, type Refused } from '../../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../../planning/open-workspace.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { thisMachine } from '../../workspace/machine.ts'
import { openModelSet } from '../../workspace/read/model-set.ts'
import { owner } from '../../workspace/read/place.ts'
import type { Busy } from '../../workspace/records/busy.ts'
import { type Damaged, damaged, readRecorded } from '../../workspace/records/recorded.ts'
import { openTerms } from '../../workspace/service/terms.ts'
import type { Recorded, Workspace } from '../../workspace/workspace.ts'
import { type Action, workspaceUnderClaim } from '../ledger/act-under-claim.ts'
import { isLockOfCalls, workspacesBeside } from './beside-lock.ts'
import { jobOfRun } from './follow.ts'

/** A lock of `generate --lock`, named where others name a manifest. No text says what its jobs are: its records do. */
export interface LockedWorkspace {
  readonly workspace: Workspace
  readonly modelSet: ModelSet
}

/** Undefined for whatever is no such lock. Reads, and touches nothing. */
export function lockedWorkspace(request: WorkspaceRequest): LockedWorkspace | Refused | Damaged | undefined {
  const { manifest: name, cwd } = request
  const lock = resolve(cwd, name)
  try {
    if (!isLockOfCalls(lock, thisMachine)) return undefined
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
  const { value: modelSet, problems } = openModelSet(request.catalog ?? [], cwd)
  if (!modelSet) return { got: 'refused', problems }
  const terms = openTerms(request, declaredOn(modelSet), 'GENRUN_BASE_URL')
  if (!terms.value) return { got: 'refused', problems: terms.problems }
  const workspace: Workspace = {
    ...workspacesBeside(lock, { cwd, rehearsal: false, machine: thisMachine }),
    manifest: { name: owner, file: headOf({ name, text: '' }).file, output: '.', limits: {}, jobs: [] },
    warnings: terms.problems,
    ...terms.value,
  }
  return { workspace, modelSet }
}

/** What its calls would do. No write and no request. */
export function seeLocked({ workspace, modelSet }: LockedWorkspace): Seen | Refused | Damaged {
  try {
    const recorded = readRecorded(workspace)
    if ('got' in recorded) return recorded
    const planned = planLocked({ workspace, modelSet }, recorded)
    if (planned.got === 'refused') return planned
    return { got: 'seen', workspace, recorded, planned, warnings: workspace.warnings }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** Lets `action` change what is recorded, while no call can. */
export function lockUnderClaim<T>(
  { workspace, modelSet }: LockedWorkspace,
  action: Action<T>,
): Promise<T | Refused | Damaged | Busy> {
  return workspaceUnderClaim(workspace, {}, context =>
    action({ ...context, planned: withSteps(context.planned, { workspace, modelSet }, context.recorded) }),
  )
}

/** As `makePlan`, for what the lock has instead of a manifest's jobs. Throws StorageError. */
export function planLocked(locked: LockedWorkspace, recorded: Recorded): PlannedRun | Refused {
  const planned = makePlan(locked.workspace, {}, recorded)
  return planned.got === 'refused' ? planned : withSteps(planned, locked, recorded)
}

function withSteps(
  planned: PlannedRun,
  { workspace, modelSet }: LockedWorkspace,
  { purchases }: Recorded,
): PlannedRun {
  const steps = purchases.flatMap(purchase => {
    const model = modelSet.find(purchase.recipe.model, purchase.recipe.service)
    if (!model) return []
    const { params } = purchase.recipe
    const workflow = ('run' in purchase ? purchase.run?.workflow : undefined) ?? purchase.sent?.workflow
    const job = jobOfRun(model, purchase.address, { params, ...(workflow && { workflow }) })
    return stepOf(purchase, job, { planned, origin: workspace.origin }) ?? []
  })
  const others = planned.plan.steps.filter(
    step => 'purchase' in step && !modelSet.find(step.purchase.recipe.model),
  )
  return { ...planned, plan: { steps: [...steps, ...others], buys: 0 }, jobs: steps.map(({ job }) => job) }
}

/** What the same call does about an order as long as nobody decides. */
function stepOf(
  purchase: Purchase,
  job: Job,
  { planned, origin }: { readonly planned: PlannedRun; readonly origin: string | undefined },
): JobStep | undefined {
  switch (purchase.is) {
    case 'doubt':
      return { do: 'doubt', job, purchase }
    case 'under-way': {
      const { run } = purchase
      const isElsewhere = run && origin !== undefined && (run.origin ?? origin) !== origin
      if (isElsewhere && !purchase.files)
        return { do: 'hold', job, because: { why: 'other-service', run, origin } }
      return { do: 'resume', job, purchase }
    }
    case 'failed': {
      if (purchase.billed === 'no') return undefined
      const { why, message } = purchase.flaw
      const isGone = why === 'gone' && { isGone: true as const }
      const { id, files } = purchase
      const because = {
        why: 'failed-before',
        purchase: id,
        message,
        ...isGone,
        ...defined({ files }),
      } as const
      return { do: 'hold', job, because }
    }
    case 'done': {
      if (purchase.aside) return undefined
      const standing = planned.facts.standing(purchase, job)
      if (standing.is !== 'missing' || purchase.run) return { do: 'keep', job, entry: purchase }
      return { do: 'hold', job, because: { why: 'files-gone', paths: standing.paths } }
    }
    case 'open':
      return undefined
  }
}
