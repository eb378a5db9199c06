import { problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed, offered } from '../../base/nearest.ts'
import { type Drift, drifts, type VerifyResult, verifyManifest } from '../../verbs/verify.ts'
import { type AtWork, commandOn } from '../../wording/command.ts'
import { noteRehearsal } from '../flags/only-rehearsed.ts'
import { workspaceFrom } from '../flags/plan-options.ts'
import type { VerifyArgs } from '../flags/verb-args.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { problemsText, troubleText } from '../words/problems.ts'

/** `genrun verify` and `run --frozen`: what differs is the result, and the exit code 8. */
export async function verify(
  args: Omit<VerifyArgs, 'do' | 'noColour'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const words = args.allow.flatMap(word => word.split(','))
  const allow = words.flatMap((word): Drift[] => drifts.filter(drift => drift === word))
  const odd = words.find(word => !drifts.some(drift => drift === word))
  if (odd !== undefined) {
    const hint = offered(drifts)
    out.talk(troubleText({ code: 'bad-drift', message: `there is no drift ${odd}`, hint }, out.paint))
    return exit.refused
  }
  const workspace = workspaceFrom(args, around)
  const result = await verifyManifest({ ...workspace, allow })
  if (result.got !== 'verdict') return tellAgainst(result, args, out)
  const code = tellVerdict(result, { ...workspace, json: args.json }, out)
  noteRehearsal(args, around, out)
  return code
}

function tellVerdict(
  { problems, counts, jobs, files, unasked }: VerifyResult & { got: 'verdict' },
  { json, ...atWork }: AtWork & { readonly json: boolean },
  out: Out,
): number {
  const { manifest } = atWork
  const code = problems.length > 0 ? exit.drift : exit.ok
  if (json)
    out.json({
      ok: code === exit.ok,
      exit: code,
      counts,
      jobs,
      files,
      unasked,
      problems: problems.map(problemRecord),
    })
  else if (problems.length > 0) out.result(problemsText(problems, out.resultPaint))
  else
    out.result(
      `${display(manifest)} agrees with its lock and its files: ${counted(jobs, 'job')}, ${counted(files, 'file')}`,
    )
  if (unasked.length > 0 && !json) {
    const [whose, stay] = unasked.length === 1 ? ['its', 'stays'] : ['their', 'stay']
    const what = `${listed(unasked)} ${stay}, though no longer in the manifest`
    out.talk(display(`${what}; \`${commandOn(atWork, 'prune')}\` shows ${whose} files`, 500))
  }
  return code
}
