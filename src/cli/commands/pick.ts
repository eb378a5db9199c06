import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { pickTake } from '../../verbs/pick.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { PickArgs } from '../flags/verb-args.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun pick`: one take becomes the result. */
export async function pick(args: PickArgs, around: Surroundings, out: Out): Promise<number> {
  const result = await pickTake({ ...aboutMade(args, around, out), address: args.address })
  if (result.got !== 'picked') return tellAgainst(result, args, out)
  const { address, files, stale } = result
  if (args.json) out.json({ address, files, stale })
  else out.result(files.map(file => display(file)).join('\n'))
  out.talk(display(`${address} is picked`))
  if (stale.length > 0)
    out.talk(
      display(
        `${counted(stale.length, 'job is', 'jobs are')} bought anew by the next run: ${stale.join(', ')}`,
      ),
    )
  return exit.ok
}
