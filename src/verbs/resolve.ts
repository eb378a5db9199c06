import { defined } from '../base/defined.ts'
import type { Code } from '../base/diagnostic.ts'
import { type JobAddress, type RunId, runId } from '../base/names.ts'
import { type Decision, isResubmitted, purchaseLabel } from '../base/purchase.ts'
import type { RunRef } from '../base/state.ts'
import { newPurchase } from '../engine/run-job.ts'
import { firstTake } from '../plan/picks.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { isJobStep, type Step } from '../plan/shapes/step.ts'
import { takeOf } from '../plan/takes.ts'
import { makePlan, type Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { actUnderClaim, type ClaimContext } from '../run/ledger/act-under-claim.ts'
import {
  type LockedWorkspace,
  lockedWorkspace,
  lockUnderClaim,
  planLocked,
} from '../run/one-shot/locked-workspace.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { workflowOf } from '../wire/profile/profile.ts'
import { commandOn } from '../wording/command.ts'
import type { Busy } from '../workspace/records/busy.ts'
import { type Damaged, readRecorded } from '../workspace/records/recorded.ts'
import { spokenBy } from '../workspace/service/named.ts'
import { given } from '../workspace/service/profile.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { asSeen, matchedOrders, type OrderSelector, type Unfinished } from './orders/matched-orders.ts'
import { nextText } from './orders/open-orders.ts'
import { lackingInputs } from './status.ts'

/** What the user says about an order. */
export type Resolution =
  /** The run at the service is this one. */
  | { readonly is: 'adopt'; readonly id: string; readonly workflow?: string }
  /** It came to nothing, or the user pays a second time: the next run orders it. */
  | { readonly is: 'resubmit' }
  /** It is given up, and not ordered again by itself. */
  | { readonly is: 'abandon' }

export interface ResolveRequest extends WorkspaceRequest, OrderSelector {
  readonly resolution: Resolution
}

/** What was decided, and what the next run does because of it. */
interface ResolveRecord {
  /** It is a lock of `generate --lock`: what is settled is gone on with by the same call. */
  readonly isOfCalls?: true
  readonly resolved: readonly Resolved[]
  /** Of inputs that are not there. Absent: none. */
  readonly lacking?: readonly string[]
}

export interface Resolved {
  readonly address: JobAddress
  readonly next: string
  /** A run that is paid for and will not be fetched any more, by the user's word. */
  readonly gaveUp?: RunId
}

export type ResolveResult =
  | Refused
  | Damaged
  | Busy
  | { readonly got: 'resolved'; readonly record: ResolveRecord }

/** Settles orders of which genrun cannot know what became, by the user's word. Sends nothing. */
export async function resolveOrders(asked: ResolveRequest): Promise<ResolveResult> {
  const request = { ...asked, mayLackInputs: true }
  const locked = lockedWorkspace(request)
  if (!locked)
    return actUnderClaim(request, context => resolveAt(context, request, () => nextAt(context, request)))
  if ('got' in locked) return locked
  return lockUnderClaim(locked, context => resolveAt(context, request, () => nextLocked(context, locked)))
}

async function resolveAt(
  context: ClaimContext,
  request: ResolveRequest,
  next: () => Promise<NextStep>,
): Promise<ResolveResult> {
  const matched = matchedOrders(request, context)
  if (matched.got === 'slip') {
    const showAll = `\`${commandOn(request, 'status')}\` shows what is open`
    return refused(matched.word, 'nothing-selected', matched.message, matched.hint ?? showAll)
  }
  const decided = decisionOf(request.resolution, matched.purchases, context)
  if ('got' in decided) return decided
  const { purchases, decision } = decided
  for (const purchase of purchases) await decide(purchase, decision, context)
  const addresses = [...new Set(purchases.map(({ address }) => address))]
  const { isOfCalls, ...after } = await next()
  const resolved = nextSteps(addresses, after)
  const gaveUp = new Map(purchases.flatMap(each => givenUp(each, decision)))
  return {
    got: 'resolved',
    record: {
      ...defined({ isOfCalls }),
      ...lackingInputs(context.workspace),
      resolved: resolved.map(each => {
        const run = gaveUp.get(each.address)
        return { ...each, ...(run && { gaveUp: run }) }
      }),
    },
  }
}

function decisionOf(
  resolution: Resolution,
  purchases: readonly Unfinished[],
  context: ClaimContext,
): { readonly purchases: readonly Unfinished[]; readonly decision: Decision } | Refused {
  if (resolution.is === 'resubmit') return { purchases, decision: { is: 'over' } }
  if (resolution.is === 'abandon') return { purchases, decision: { is: 'abandon' } }
  const [purchase] = purchases.toSorted((a, b) => openness.indexOf(a.is) - openness.indexOf(b.is))
  if (!purchase || new Set(purchases.map(({ address }) => address)).size > 1)
    return refused(resolution.id, 'many-jobs', 'one run cannot be several jobs', 'name one job in full')
  const run = adoptedRun(purchase, resolution, context)
  return 'got' in run ? run : { purchases: [purchase], decision: { is: 'adopt', run } }
}

/** Of several orders of one job a run id that a person names is about the first of these. */
const openness: readonly Unfinished['is'][] = ['doubt', 'under-way', 'failed', 'open']

/** A run that was under way and is not the job's any more: it is told, as nothing else will name its id again. */
function givenUp(purchase: Unfinished, decision: Decision): [JobAddress, RunId][] {
  const run = purchase.is === 'under-way' ? purchase.run : undefined
  const isSame = decision.is === 'adopt' && decision.run.id === run?.id
  return run && !isSame ? [[purchase.address, run.id]] : []
}

/** The run that an id names, when it can be this order's. */
export function adoptedRun(
  order: Pick<Unfinished, 'address'> & Partial<Pick<Unfinished, 'id' | 'is' | 'sent'>>,
  { id, workflow }: { readonly id: string; readonly workflow?: string },
  context: ClaimContext,
): RunRef | Refused {
  const { workspace, planned } = context
  const { address, sent } = order
  // An order in doubt is at the service that it was sent to; of one that is under way a person may say that it has moved.
  const origin = order.is === 'doubt' ? sent?.origin : undefined
  const safe = runId(id)
  if (safe === undefined) return refused(id, 'bad-run-id', 'this cannot be the id of a run')
  // One run is one order, also where that is an older one of this job.
  const owner = asSeen(context).find(each => each.id !== order.id && 'run' in each && each.run?.id === safe)
  if (owner) {
    const name = owner.address === address ? purchaseLabel(owner) : owner.address
    return refused(id, 'run-taken', `this run is the one of ${name}`)
  }
  const job = planned.jobs.find(each => each.address === address)
  const byProfile =
    job && (job.workflow ?? workflowOf(spokenBy(workspace, job.service).profile, job.model.id, given(job)))
  const known = workflow ?? (sent?.workflow || byProfile)
  if (!known) return refused(id, 'no-workflow', `the workflow of ${address} is not known`, 'give --workflow')
  return { workflow: known, id: safe, ...(origin && { origin }) }
}

/**
 * Writes a decision down. What is over of a take that the manifest does not ask for is wanted all the same, as a person said so.
 * Rejects with StorageError.
 */
export async function decide(
  purchase: Unfinished,
  decision: Decision,
  context: Omit<ClaimContext, 'planned'>,
): Promise<void> {
  const { recorded, ledger } = context
  // Before the decision: what ends in between stands there twice, and is settled again.
  if (decision.is === 'over') await orderAnew(purchase, context)
  const record = recorded.purchases.find(({ id }) => id === purchase.id)
  if (record && (recorded.unwritten.has(purchase.id) || record.address !== purchase.address))
    await ledger.stands(purchase)
  // Of what was not sent there is nothing to give up but the wish.
  const isWish = decision.is === 'abandon' && isResubmitted(purchase)
  await ledger.append({
    kind: 'RESOLVE',
    purchase: purchase.id,
    decision: isWish ? { is: 'over' } : decision,
  })
  if (decision.is !== 'over') return
  // Ordered anew by name: an older failure of the same must not hold it.
  for (const each of ledger.purchases.values()) {
    const isOlder = each.is === 'failed' && each.address === purchase.address
    if (isOlder && sameRecipe(each.recipe, purchase.recipe))
      await ledger.append({ kind: 'RESOLVE', purchase: each.id, decision })
  }
}

/** A take beyond those of the manifest: no text asks for it. What has one, or may have, needs none anew. */
async function orderAnew(
  purchase: Unfinished,
  { workspace, ledger }: Pick<ClaimContext, 'workspace' | 'ledger'>,
): Promise<void> {
  const { address, recipe, redo } = purchase
  const names = new Set(workspace.manifest.jobs.map(job => job.address))
  if (takeOf(address) === 1 || names.has(address) || !names.has(firstTake(address))) return
  const others = [...ledger.purchases.values()].filter(
    each => each.id !== purchase.id && each.address === address && sameRecipe(each.recipe, recipe),
  )
  if (others.some(each => (each.is !== 'open' && each.is !== 'failed') || isResubmitted(each))) return
  const id = newPurchase(workspace.machine.random)
  await ledger.stands({ id, address, recipe, ...defined({ redo }), resubmitted: true, is: 'open' })
}

/** What stands in lock and journal after a decision, and what is done about a name of which nothing does. */
interface NextStep {
  readonly steps: readonly Step[]
  readonly otherwise: string
  readonly isOfCalls?: true
}

/** What the next run does about these jobs, by what stands in lock and journal now. */
export function nextSteps(
  addresses: readonly JobAddress[],
  { steps, otherwise }: NextStep,
): ResolveRecord['resolved'] {
  const byAddress = new Map(steps.map(step => [isJobStep(step) ? step.job.address : step.address, step]))
  return addresses.map(address => {
    const step = byAddress.get(address)
    return { address, next: step ? nextText(step) : otherwise }
  })
}

/** Of a manifest. Rejects with StorageError. */
export async function nextAt(
  { workspace, ledger }: ClaimContext,
  request: WorkspaceRequest,
): Promise<NextStep> {
  const planned = makePlan(workspace, request, await recordedNow(workspace, ledger))
  const otherwise = 'leaves it alone: it is not in the manifest'
  return { steps: planned.got === 'planned' ? planned.plan.steps : [], otherwise }
}

/** Of a lock of single jobs: what is settled there is done by the same call. */
async function nextLocked({ workspace, ledger }: ClaimContext, locked: LockedWorkspace): Promise<NextStep> {
  const planned = planLocked(locked, await recordedNow(workspace, ledger))
  const steps = planned.got === 'planned' ? planned.plan.steps : []
  return { steps: steps.filter(step => step.do !== 'keep'), otherwise: 'orders it anew', isOfCalls: true }
}

async function recordedNow(workspace: Workspace, ledger: ClaimContext['ledger']): Promise<Recorded> {
  await ledger.flush()
  const recorded = readRecorded(workspace)
  if ('got' in recorded) throw new StorageError(workspace.layout.lock, 'read', recorded.message)
  return recorded
}

function refused(value: string, code: Code, message: string, hint?: string): Refused {
  return { got: 'refused', problems: [settingProblem({ name: 'resolve', value }, code, message, hint)] }
}
