import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'
import { type PruneRecord, pruneManifest } from '../../verbs/prune.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

type PruneArgs = ManifestArgs & Given<'yes' | 'takes' | 'aside' | 'json'>

/** `genrun prune`: only says what it would remove, until it is told to. */
export async function prune(args: PruneArgs, around: Surroundings, out: Out): Promise<number> {
  const request = aboutMade(args, around, out)
  const result = await pruneManifest({
    ...request,
    isConfirmed: args.yes,
    takes: args.takes,
    aside: args.aside,
  })
  if (result.got !== 'pruned') return tellAgainst(result, args, out)
  const { entries, isDone, further, aside, answers } = result
  if (args.json) out.json({ isDone, entries, further, aside, answers })
  else for (const entry of entries) out.result(linesOf(entry).join('\n'))
  const gone = entries.filter(entry => entry.kept === undefined)
  const files = gone.flatMap(entry => entry.files).filter(file => file.is === 'same').length
  const forgotten = gone.filter(entry => !entry.copies)
  const what = [
    ...(entries.length > 0
      ? [`${counted(forgotten.length, 'entry', 'entries')} of the lock`, counted(files, 'file')]
      : []),
    ...(answers > 0 ? [counted(answers, 'answer of a gate', 'answers of gates')] : []),
  ]
  if (further.length > 0)
    out.talk(
      `${listed(further)} ${further.length === 1 ? 'stays' : 'stay'}: up to date, though more takes than the manifest asks for; --takes names them too`,
    )
  if (aside > 0)
    out.talk(
      `${counted(aside, 'result')} kept aside ${aside === 1 ? 'stays' : 'stay'}; --aside names them too`,
    )
  if (what.length === 0) out.talk('there is nothing to remove')
  else out.talk(isDone ? `removed: ${listed(what)}` : `would remove ${listed(what)}; --yes does it`)
  if (forgotten.length > 0) out.talk(request.rehearsal ? madeAgain : boughtAgain)
  return exit.ok
}

/** An edit may be undone, and nothing else knows that its result is paid for. */
const boughtAgain = 'what is removed is forgotten: when the manifest asks for it again, it is bought again'
const madeAgain = 'what is removed is forgotten: when the manifest asks for it again, it is made again'

function linesOf({ address, files, kept, copies, mayBeBilled, mayBeFetched }: PruneRecord): string[] {
  const fetched = mayBeFetched
    ? `${address}: its service may still have it, and nobody fetches it once it is forgotten`
    : address
  const copied = copies ? `${address}: stays, and these copies of it go` : fetched
  const forgotten = mayBeBilled
    ? `${address}: an order that failed and may be billed; asked for again, it is bought`
    : copied
  const head = kept === undefined ? forgotten : `${address}: stays, ${kept}`
  return [head, ...files.map(({ path, is }) => `  ${path}${words[is]}`)].map(line => display(line))
}

const words = {
  same: '',
  missing: ' (not here)',
  altered: ' (altered since, stays)',
  shared: ' (belongs to another job or manifest, stays)',
}
