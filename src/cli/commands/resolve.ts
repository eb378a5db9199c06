import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { adoptRun } from '../../verbs/adopt-run.ts'
import { type Resolved, type ResolveResult, resolveOrders } from '../../verbs/resolve.ts'
import { workspaceFrom } from '../flags/plan-options.ts'
import type { AdoptArgs, ResolveArgs } from '../flags/recovery-args.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun resolve`: the user's word on orders in doubt. */
export async function resolve(args: ResolveArgs, around: Surroundings, out: Out): Promise<number> {
  const { words, allDoubts, before, after, resolution } = args
  const result = await resolveOrders({
    ...workspaceFrom({ ...args, local: false }, around),
    words,
    allDoubts,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    resolution,
  })
  return tell(result, args, out)
}

/** `genrun adopt`: a run id from a log. */
export async function adopt(args: AdoptArgs, around: Surroundings, out: Out): Promise<number> {
  const { address, run, workflow } = args
  const order = { address, run, ...(workflow !== undefined && { workflow }) }
  const workspace = workspaceFrom({ ...args, local: false }, around)
  return tell(await adoptRun({ ...workspace, ...order }), args, out)
}

function tell(result: ResolveResult, args: { readonly json: boolean }, out: Out): number {
  if (result.got !== 'resolved') return tellAgainst(result, args, out)
  const { resolved, isOfCalls } = result.record
  if (args.json) out.json(result.record)
  else
    for (const each of resolved)
      out.result(display(lineOf(each, isOfCalls ? 'the same call' : 'the next run')))
  return exit.ok
}

function lineOf({ address, next, gaveUp }: Resolved, who: string): string {
  const given = gaveUp === undefined ? '' : `gives up the run ${gaveUp}, which may be paid for; `
  return `${address}: ${given}${who} ${next}`
}
