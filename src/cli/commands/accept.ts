import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import { type AcceptRecord, acceptJobs } from '../../verbs/accept.ts'
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
  const { accepted, left, nothing } = result.record
  if (args.json) out.json(result.record)
  else for (const { address, because } of accepted) out.result(display(`${address}: ${because.join('; ')}`))
  for (const { address, why } of left) out.talk(display(`${address} is not accepted: ${why}`, 500))
  // What is as it should be is worth a word only to somebody who expected more.
  const told = accepted.length + left.length === 0 ? nothing : nothing.filter(({ fits }) => !fits)
  if (!args.json) {
    for (const line of nothingLines(told)) out.talk(line)
    out.talk(`${counted(accepted.length, 'result')} accepted`)
  }
  return left.length > 0 ? exit.unfinished : exit.ok
}

const mostNames = 4

/** One line for all with one and the same thing to say: `hero, still and 8 more jobs: nothing to accept: not made yet`. */
function nothingLines(nothing: AcceptRecord['nothing']): string[] {
  const groups = new Map<string, JobAddress[]>()
  for (const { address, why } of nothing) groups.set(why, [...(groups.get(why) ?? []), address])
  return [...groups].map(([why, addresses]) => {
    const hidden = addresses.length - mostNames
    const names =
      hidden > 0
        ? `${addresses.slice(0, mostNames).join(', ')} and ${counted(hidden, 'more job')}`
        : listed(addresses)
    return display(`${names}: nothing to accept: ${why}`, 500)
  })
}
