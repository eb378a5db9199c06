import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { pickTake } from '../../desk/pick.ts'
import { tellAgainst } from '../against.ts'
import type { PickAsked } from '../line/desk-asked.ts'
import { aboutMade } from '../only-rehearsed.ts'
import type { Out } from '../world/out.ts'
import type { Surroundings } from '../world/surroundings.ts'

/** `genrun pick`: one take becomes the result. */
export async function pick(asked: PickAsked, around: Surroundings, out: Out): Promise<number> {
  const result = await pickTake({ ...aboutMade(asked, around, out), address: asked.address })
  if (result.got !== 'picked') return tellAgainst(result, asked, out)
  const { address, files, stale } = result
  if (asked.json) out.json({ address, files, stale })
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
