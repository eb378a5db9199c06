import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { isThere } from '../../disk/look.ts'
import { planWithRecipes } from '../../verbs/plan-with-recipes.ts'
import { type Watched, watchedFiles } from '../../workspace/read/watched.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import { type Stop, watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { planChanges, type SeenPlan } from '../words/plan-changes.ts'
import { planLines } from '../words/plan-text.ts'
import { problemsText } from '../words/problems.ts'

/** Looking again and again works on every disk, also where nobody is told of changes: containers, network shares. */
const everyMs = 250

/** An editor may write a file in several steps: what did not change for so long is saved. */
const quietMs = 150

type WatchArgs = ManifestArgs & Given<'rehearse' | 'profile' | 'prices' | 'catalog'>

/** `genrun watch`: plans anew whenever something that the plan stands on was saved, until Ctrl-C. Buys nothing. */
export async function watch(args: WatchArgs, around: Surroundings, out: Out): Promise<number> {
  if (!isThere(resolve(around.cwd, args.manifest))) return tellMissing(args, around, out)
  const stop = watchSignals(around, signal => signal !== 'again' && out.talk('ended'))
  try {
    let last: SeenPlan | undefined
    while (!stop.signal.aborted) {
      const watched = lookAt(args, around)
      const seen = watched.fingerprint()
      const now = show(args, around, last, out)
      if (now && !last && args.rehearse) out.talk(ofRunText)
      if (now && args.rehearse) await rehearse(args, around, out)
      last = now ?? last
      out.talk(`watching ${counted(watched.paths.length, 'file')}; Ctrl-C ends it`)
      await changed(watched, seen, around, stop)
    }
    return exit.ok
  } finally {
    stop.close()
  }
}

/** What is rehearsed pays nothing, and what is planned beside it is another thing. */
const ofRunText = 'note: that is what a run would buy; here nothing is bought, placeholders are made'

/** A manifest that is not there at first is a slip of the fingers; one that goes later may come back. */
function tellMissing(args: WatchArgs, around: Surroundings, out: Out): number {
  show(args, around, undefined, out)
  return exit.refused
}

function lookAt(args: WatchArgs, around: Surroundings): Watched {
  const { vars } = workspaceFrom(args, around)
  const others = [args.prices, args.profile].filter(path => path !== undefined)
  return watchedFiles(args.manifest, around.cwd, { ...defined({ vars }), others })
}

/** The whole plan at first, then what changed. Undefined where the manifest has errors: those are shown. */
function show(
  args: WatchArgs,
  around: Surroundings,
  before: SeenPlan | undefined,
  out: Out,
): SeenPlan | undefined {
  const { result, recipes } = planWithRecipes(workspaceFrom(args, around))
  if (result.got !== 'plan') {
    tellAgainst(result, { json: false }, out)
    return undefined
  }
  const { plan, warnings } = result
  const paint = out.resultPaint
  const { columns } = around.stdout
  const seen = { plan, recipes }
  out.result((before ? planChanges(before, seen, paint) : planLines(plan, paint, { columns })).join('\n'))
  if (warnings.length > 0) out.talk(problemsText(warnings, out.paint))
  return seen
}

/** Always against the embedded gateway, whatever service is set. */
async function rehearse(args: WatchArgs, around: Surroundings, out: Out): Promise<void> {
  const { run } = await import('./run.ts')
  await run({ ...args, local: true, rebuy: true, yes: true, json: false }, around, out)
}

/** Resolves when something differs from `seen` and has come to rest, or at a stop. */
async function changed(watched: Watched, seen: string, { clock }: Surroundings, stop: Stop): Promise<void> {
  const wait = (ms: number) => clock.until(clock.now() + ms, stop.signal)
  while (!stop.signal.aborted) {
    await wait(everyMs)
    let now = watched.fingerprint()
    if (now === seen) continue
    for (;;) {
      await wait(quietMs)
      const later = watched.fingerprint()
      if (later === now || stop.signal.aborted) return
      now = later
    }
  }
}
