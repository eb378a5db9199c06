import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'
import { pickTake } from '../../verbs/pick.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

type PickArgs = ManifestArgs & Given<'json'> & { readonly takes: readonly string[] }

/** `genrun pick`: takes become the results. */
export async function pick(args: PickArgs, around: Surroundings, out: Out): Promise<number> {
  // Commander has checked that there is one.
  const [first = '', ...others] = args.takes
  const result = await pickTake({ ...aboutMade(args, around, out), address: first, others })
  if (result.got !== 'picked') return tellAgainst(result, args, out)
  const { address, addresses, files, stale } = result
  if (args.json) out.json({ address, addresses, files, stale })
  else out.result(files.map(file => display(file)).join('\n'))
  out.talk(display(`${listed(addresses)} ${addresses.length === 1 ? 'is' : 'are'} picked`, 500))
  if (stale.length > 0)
    out.talk(
      display(
        `${counted(stale.length, 'job is', 'jobs are')} bought anew by the next run: ${stale.join(', ')}`,
      ),
    )
  return exit.ok
}
