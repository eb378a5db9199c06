import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { acceptJobs } from '../../verbs/accept.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun accept`: files stay although their recipes changed. */
export async function accept(
  args: ManifestArgs & Given<'json'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const result = await acceptJobs(aboutMade(args, around, out))
  if (result.got !== 'accepted') return tellAgainst(result, args, out)
  const { accepted, left } = result.record
  if (args.json) out.json(result.record)
  else for (const { address, because } of accepted) out.result(display(`${address}: ${because.join('; ')}`))
  for (const { address } of left)
    out.talk(
      display(
        `${address} is not accepted: its files are not whole, or what it is made from is still to be made`,
      ),
    )
  if (!args.json) out.talk(`${counted(accepted.length, 'result')} accepted`)
  return left.length > 0 ? exit.unfinished : exit.ok
}
