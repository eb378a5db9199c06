import { problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import { listed, offered } from '../../base/nearest.ts'
import { type Drift, drifts, type VerifyResult, verifyManifest } from '../../verbs/verify.ts'
import { type AtWork, commandOn } from '../../wording/command.ts'
import type { Given } from '../flags/given.ts'
import { noteRehearsal } from '../flags/only-rehearsed.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { openChosen } from '../reports/open.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { problemsText } from '../words/problems.ts'

/** `genrun verify` and `run --frozen`: what differs is the result, and the exit code 8. */
export async function verify(
  args: ManifestArgs & Given<'allow' | 'json'> & Partial<Given<'junitFile' | 'sarifFile' | 'summaryFile'>>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const words = args.allow.flatMap(word => word.split(','))
  const allow = words.flatMap((word): Drift[] => drifts.filter(drift => drift === word))
  const odd = words.find(word => !drifts.some(drift => drift === word))
  if (odd !== undefined) {
    const trouble = { code: 'bad-drift', message: `there is no drift ${odd}`, hint: offered(drifts) } as const
    return refuse(trouble, exit.refused, args, out)
  }
  const reports = await openChosen(args, around, out)
  if ('code' in reports) return refuse(reports, exit.refused, args, out)
  const workspace = workspaceFrom(args, around)
  const result = await verifyManifest({ ...workspace, allow })
  if (result.got !== 'verdict') {
    const code = tellAgainst(result, args, out)
    if (result.got === 'refused') return reports.end({ exit: code, problems: result.problems })
    const { got, message, hint } = result
    return reports.end({ exit: code, problems: [], error: { code: got, message, hint } })
  }
  const code = tellVerdict(result, { ...workspace, json: args.json }, out)
  noteRehearsal(args, around, out)
  const { problems, compared } = result
  return reports.end({
    exit: code,
    problems,
    verdict: { says: verdictText(args.manifest, result), ...compared },
  })
}

/** For a page: what differs is listed below it. */
function verdictText(manifest: string, result: VerifyResult & { got: 'verdict' }): string {
  const { problems, counts } = result
  if (problems.length === 0) return agreementText(manifest, result)
  const kinds = drifts.flatMap(drift => (counts[drift] > 0 ? [`${counts[drift]} ${drift}`] : []))
  return `${counted(problems.length, 'difference')} between manifest, lock and files: ${listed(kinds)}`
}

function tellVerdict(
  { problems, counts, jobs, files, allowed, unasked, former, accepted }: VerifyResult & { got: 'verdict' },
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
      allowed,
      unasked,
      accepted,
      problems: problems.map(problemRecord),
    })
  else if (problems.length > 0) out.result(problemsText(problems, out.resultPaint))
  else out.result(agreementText(manifest, { jobs, files, allowed }))
  if (!json) for (const line of acceptedLines(accepted)) out.talk(line)
  const isFormer = new Set(former)
  const gone = unasked.filter(address => !isFormer.has(address))
  const stay = (those: readonly JobAddress[], where: string, ...words: readonly string[]) => {
    if (those.length === 0 || json) return
    const [whose, verb] = those.length === 1 ? ['its', 'stays'] : ['their', 'stay']
    const shows = `\`${commandOn(atWork, 'prune', ...words)}\` shows ${whose} files`
    out.talk(display(`${listed(those)} ${verb}, though no longer ${where}; ${shows}`, 500))
  }
  stay(gone, 'in the manifest')
  stay(former, 'asked for', '--aside')
  return code
}

const mostAccepted = 5

/** `hero is accepted as it is: prompt tea → coffee (m.yaml:3)`; of many the first. */
function acceptedLines(accepted: (VerifyResult & { got: 'verdict' })['accepted']): string[] {
  const hidden = accepted.length - mostAccepted
  return [
    ...accepted
      .slice(0, mostAccepted)
      .map(({ address, because }) => display(`${address} is accepted as it is: ${because.join('; ')}`, 500)),
    ...(hidden > 0 ? [`and ${counted(hidden, 'more result')} accepted, which --json names`] : []),
  ]
}

/** What was compared agrees; what was let pass is said beside it. */
function agreementText(
  manifest: string,
  { jobs, files, allowed }: Pick<VerifyResult & { got: 'verdict' }, 'jobs' | 'files' | 'allowed'>,
): string {
  const there = files - allowed.missing - allowed.altered
  const passed = drifts.flatMap(drift => (allowed[drift] > 0 ? [`${allowed[drift]} ${drift}`] : []))
  const sum = `${counted(Math.max(0, jobs - allowed.stale), 'job')}, ${counted(there, 'file')}`
  if (passed.length === 0) return `${display(manifest)} agrees with its lock and its files: ${sum}`
  return `${display(manifest)}: nothing differs but what is allowed (${listed(passed)}); ${sum} agree`
}
