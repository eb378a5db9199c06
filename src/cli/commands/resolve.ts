import { defined } from '../../base/defined.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { adoptRun } from '../../verbs/adopt-run.ts'
import { type Resolution, type Resolved, type ResolveResult, resolveOrders } from '../../verbs/resolve.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

type ResolveArgs = ManifestArgs &
  Given<'adopt' | 'resubmit' | 'workflow' | 'allDoubts' | 'before' | 'after' | 'json'> & {
    readonly jobs: readonly string[]
  }

type AdoptArgs = ManifestArgs &
  Given<'workflow' | 'json'> & { readonly address: string; readonly run: string }

/** `genrun resolve`: the user's word on orders in doubt. */
export async function resolve(args: ResolveArgs, around: Surroundings, out: Out): Promise<number> {
  const { jobs, allDoubts, before, after } = args
  const result = await resolveOrders({
    // The jobs that it names are in doubt, or have a run: no selection of the plan.
    ...workspaceFrom({ ...args, jobs: [] }, around),
    words: jobs,
    allDoubts,
    ...defined({ before, after }),
    resolution: resolutionOf(args),
  })
  return tell(result, args, out)
}

function resolutionOf({ adopt: id, resubmit, workflow }: ResolveArgs): Resolution {
  if (id === undefined) return { is: resubmit ? 'resubmit' : 'abandon' }
  return { is: 'adopt', id, ...defined({ workflow }) }
}

/** `genrun adopt`: a run id from a log. */
export async function adopt(args: AdoptArgs, around: Surroundings, out: Out): Promise<number> {
  const { address, run, workflow } = args
  const order = { address, run, ...defined({ workflow }) }
  const workspace = workspaceFrom(args, around)
  return tell(await adoptRun({ ...workspace, ...order }), args, out)
}

function tell(result: ResolveResult, args: { readonly json: boolean }, out: Out): number {
  if (result.got !== 'resolved') return tellAgainst(result, args, out)
  const { resolved, isOfCalls, lacking = [] } = result.record
  if (args.json) out.json(result.record)
  else
    for (const each of resolved)
      out.result(display(lineOf(each, isOfCalls ? 'the same call' : 'the next run')))
  for (const each of lacking) out.talk(display(each))
  return exit.ok
}

function lineOf({ address, next, gaveUp }: Resolved, who: string): string {
  const given = gaveUp === undefined ? '' : `gives up the run ${gaveUp}, which may be paid for; `
  return `${address}: ${given}${who} ${next}`
}
