import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { adoptRun } from '../../desk/adopt-run.ts'
import { type ResolveResult, resolveOrders } from '../../desk/resolve.ts'
import { tellAgainst } from '../against.ts'
import type { AdoptAsked, ResolveAsked } from '../line/recovery-asked.ts'
import type { Out } from '../world/out.ts'
import type { Surroundings } from '../world/surroundings.ts'

/** `genrun resolve`: the user's word on orders in doubt. */
export async function resolve(asked: ResolveAsked, around: Surroundings, out: Out): Promise<number> {
  const { manifest, words, allDoubts, before, after, resolution, catalog = [] } = asked
  const result = await resolveOrders({
    manifest,
    cwd: around.cwd,
    catalog,
    words,
    allDoubts,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    resolution,
  })
  return tell(result, asked, out)
}

/** `genrun adopt`: a run id from a log. */
export async function adopt(asked: AdoptAsked, around: Surroundings, out: Out): Promise<number> {
  const { manifest, address, run, workflow, catalog = [] } = asked
  const order = { address, run, ...(workflow !== undefined && { workflow }) }
  const request = { manifest, cwd: around.cwd, catalog, ...order }
  return tell(await adoptRun(request), asked, out)
}

function tell(result: ResolveResult, asked: { readonly json: boolean }, out: Out): number {
  if (result.got !== 'resolved') return tellAgainst(result, asked, out)
  const { resolved } = result.record
  if (asked.json) out.json(result.record)
  else for (const { address, next } of resolved) out.result(display(`${address}: the next run ${next}`))
  return exit.ok
}
