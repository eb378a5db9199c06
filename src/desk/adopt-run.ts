import { jobAddress } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import { newPurchase } from '../engine/live.ts'
import type { FileRef, Job } from '../manifest/job.ts'
import { draftRecipe, linkIdentity } from '../plan/recipe.ts'
import { isJobStep } from '../plan/step.ts'
import { type Desk, underClaim } from './carry/settle.ts'
import type { Refused } from './draw/draw.ts'
import { settingProblem } from './draw/obstacles.ts'
import type { GroundRequest } from './ground/ground.ts'
import { markUnknown } from './lost/unknown.ts'
import { adoptedRun, nextAt, nextSteps, type ResolveResult, resolveOrders } from './resolve.ts'
import { lockedGround } from './single/locked-ground.ts'
import { commandOn } from './telling/command.ts'
import { unknownAddress } from './why.ts'

export interface AdoptRequest extends GroundRequest {
  readonly address: string
  readonly run: string
  /** Default: the workflow that the job would be ordered from. */
  readonly workflow?: string
}

/**
 * Gives a job the run id that a log tells of it (RELIABILITY.md P4): for a fresh clone, or when lock and journal are
 * lost. What it was made from is what the manifest says now. Sends nothing; the next run fetches the result.
 */
export function adoptRun(request: AdoptRequest): Promise<ResolveResult> {
  const { address, run, workflow } = request
  const resolution = { is: 'adopt', id: run, ...(workflow !== undefined && { workflow }) } as const
  // What a call would ask for stands in no text: there it can only be an order that is known.
  if (lockedGround(request)) return resolveOrders({ ...request, words: [address], resolution })
  return underClaim(
    request,
    async (desk): Promise<ResolveResult> => {
      const { drawn, recorded, ledger } = desk
      const job = drawn.jobs.find(each => each.address === request.address)
      if (!job) return { got: 'refused', problems: [unknownAddress(request.address, drawn.jobs)] }
      const address = jobAddress(request.address)
      const step = drawn.plan.steps.find(each => isJobStep(each) && each.job.address === address)
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
      const earlier = recorded.purchases.flatMap(each =>
        each.address === address && each.is === 'doubt' ? [each] : [],
      )
      const run = adoptedRun(earlier[0] ?? { address }, { ...request, id: request.run }, desk)
      if ('got' in run) return run
      const id = newPurchase(desk.ground.machine.random)
      const record = {
        id,
        address,
        recipe: recipeOf(job, desk),
        is: 'under-way',
        run,
        acceptedAt: 0,
        saved: [],
        parts: [],
      } as const
      await markUnknown(desk.ground, recorded)
      await ledger.stands(record)
      // What was in doubt is this run, by the user's word.
      for (const { id: purchase } of earlier)
        await ledger.append({ kind: 'RESOLVE', purchase, decision: { is: 'over' } })
      return { got: 'resolved', record: { resolved: nextSteps([address], await nextAt(desk, request)) } }
    },
    { isRebuilding: true },
  )
}

function hasOne({ address }: AdoptRequest, why: string, hint: string): Refused {
  const message = `${address} takes no other run: ${why}`
  return { got: 'refused', problems: [settingProblem('adopt', address, 'has-a-run', message, hint)] }
}

/** The recipe as far as it is known; what comes from a job that is not done yet is put in when both are there. */
export function recipeOf(job: Job, { drawn }: Pick<Desk, 'drawn'>): Recipe {
  return draftRecipe(job, ref => identityOf(ref, drawn)).recipe
}

function identityOf(ref: FileRef, { plan, inputs }: Desk['drawn']): string | undefined {
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
