import { defined } from '../base/defined.ts'
import { jobAddress } from '../base/names.ts'
import { type DonePurchase, isResubmitted, type RunningPurchase } from '../base/purchase.ts'
import type { Recipe, RunRef } from '../base/state.ts'
import { newPurchase } from '../engine/run-job.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { draftRecipe, linkIdentity, sameRecipe } from '../plan/shapes/recipe.ts'
import { isJobStep, type Step } from '../plan/shapes/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { markUnknown } from '../planning/unknown.ts'
import { unknownAddress } from '../planning/unknown-address.ts'
import { actUnderClaim, type ClaimContext } from '../run/ledger/act-under-claim.ts'
import { lockedWorkspace } from '../run/one-shot/locked-workspace.ts'
import { commandOn } from '../wording/command.ts'
import { asSeen } from './orders/matched-orders.ts'
import { adoptedRun, nextAt, nextSteps, type ResolveResult, resolveOrders } from './resolve.ts'

interface AdoptRequest extends WorkspaceRequest {
  readonly address: string
  readonly run: string
  /** Default: the workflow that the job would be ordered from. */
  readonly workflow?: string
}

/**
 * Gives a job the run id that a log tells of it (docs/contract.md P4): for a fresh clone, or when lock and journal are
 * lost. What it was made from is what the manifest says now. Sends nothing; the next run fetches the result.
 */
export function adoptRun(request: AdoptRequest): Promise<ResolveResult> {
  const { address, run, workflow } = request
  const resolution = { is: 'adopt', id: run, ...defined({ workflow }) } as const
  // What a call would ask for stands in no text: there it can only be an order that is known.
  if (lockedWorkspace(request)) return resolveOrders({ ...request, words: [address], resolution })
  return actUnderClaim(
    request,
    async (context): Promise<ResolveResult> => {
      const { planned, recorded, ledger } = context
      const job = planned.jobs.find(each => each.address === request.address)
      if (!job) return { got: 'refused', problems: [unknownAddress(request.address, planned.jobs)] }
      const address = jobAddress(request.address)
      const step = planned.plan.steps.find(each => isJobStep(each) && each.job.address === address)
      const moved = movedHere(request, step, context)
      if (moved) {
        await ledger.stands({ ...moved, address })
        return { got: 'resolved', record: { resolved: nextSteps([address], await nextAt(context, request)) } }
      }
      if (step && 'entry' in step)
        return hasOne(request, 'it is done', `\`${commandOn(request, 'redo', address)}\` makes it anew`)
      const running = step?.do === 'resume' ? step.purchase.run?.id : undefined
      const other = running === request.run ? undefined : running
      if (other)
        return hasOne(
          request,
          `it waits for the run ${other}`,
          `\`${commandOn(request, 'resolve', address, '--adopt', request.run)}\` takes this one instead`,
        )
      const recipe = recipeOf(job, context)
      const open = asSeen(context).flatMap(each =>
        each.address !== address || each.is === 'done' || (each.is === 'open' && !isResubmitted(each))
          ? []
          : [each],
      )
      // Known for this very job it is asked for once more, and is no second purchase.
      const same = open.find(
        each => 'run' in each && each.run?.id === request.run && sameRecipe(each.recipe, recipe),
      )
      const earlier = open.filter(each => each.is === 'doubt' || isResubmitted(each))
      const run = adoptedRun(same ?? earlier[0] ?? { address }, { ...request, id: request.run }, context)
      if ('got' in run) return run
      const record = {
        id: same?.id ?? newPurchase(context.workspace.machine.random),
        address,
        recipe: same?.recipe ?? recipe,
        is: 'under-way',
        run,
        acceptedAt: 0,
        saved: [],
        parts: [],
      } as const
      await markUnknown(context.workspace, recorded)
      await ledger.stands(record)
      // What was in doubt, or was to be ordered anew, is this run, by the user's word.
      for (const { id: purchase } of earlier)
        await ledger.append({ kind: 'RESOLVE', purchase, decision: { is: 'over' } })
      return { got: 'resolved', record: { resolved: nextSteps([address], await nextAt(context, request)) } }
    },
    { isRebuilding: true },
  )
}

/**
 * The very purchase that the job has, when its run is at another address and named again: the service has moved, by the
 * user's word. Without an origin the run is asked for wherever the next run goes.
 */
function movedHere(
  { run: id, workflow }: AdoptRequest,
  step: Step | undefined,
  { recorded }: ClaimContext,
): RunningPurchase | DonePurchase | undefined {
  const run = step && runOf(step)
  if (run?.id !== id || run.origin === undefined) return undefined
  const named = { workflow: workflow ?? run.workflow, id: run.id }
  for (const each of recorded.purchases) {
    const isOpen = each.is === 'under-way' || each.is === 'done'
    if (isOpen && each.run?.id === run.id && each.run.origin === run.origin) return { ...each, run: named }
  }
  return undefined
}

/** The run that the job waits for. */
function runOf(step: Step): RunRef | undefined {
  switch (step.do) {
    case 'fetch':
      return step.run
    case 'resume':
      return step.purchase.run
    case 'hold':
      return step.because.why === 'other-service' ? step.because.run : undefined
    default:
      return undefined
  }
}

function hasOne({ address }: AdoptRequest, why: string, hint: string): Refused {
  const message = `${address} takes no other run: ${why}`
  return {
    got: 'refused',
    problems: [settingProblem({ name: 'adopt', value: address }, 'has-a-run', message, hint)],
  }
}

/** The recipe as far as it is known; what comes from a job that is not done yet is put in when both are there. */
function recipeOf(job: Job, { planned }: Pick<ClaimContext, 'planned'>): Recipe {
  return draftRecipe(job, ref => identityOf(ref, planned)).recipe
}

function identityOf(ref: FileRef, { plan, inputs }: ClaimContext['planned']): string | undefined {
  switch (ref.from) {
    case 'url':
      return linkIdentity(ref.url)
    case 'path':
      return inputs.digests.get(ref.path)
    case 'job': {
      const step = plan.steps.find(each => isJobStep(each) && each.job.address === ref.address)
      const isThere = step !== undefined && 'entry' in step && ref.nth !== 'pick'
      return isThere ? step.entry.files[ref.nth]?.digest : undefined
    }
  }
}
