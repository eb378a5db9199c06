import { defined } from '../../base/defined.ts'
import { hasErrors } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { annotations } from '../../reports/annotations.ts'
import { type CheckResult, checkFile, checkText } from '../../workspace/read/check.ts'
import { manifestPaths } from '../../workspace/read/globs.ts'
import type { Given } from '../flags/given.ts'
import { varsFrom } from '../flags/vars.ts'
import { fitted, type Out } from '../io/out.ts'
import { isActions, type Sink, type Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import { version } from '../io/version.ts'
import { openChosen } from '../reports/open.ts'
import type { Reports } from '../reports/reports.ts'
import type { Trouble } from '../service/service.ts'
import { keysIn } from '../service/service-for.ts'
import { refuse } from '../summary/result.ts'
import { problemsText, verdictOf } from '../words/problems.ts'

interface ValidateArgs
  extends Given<'vars' | 'strict' | 'catalog' | 'json' | 'quiet'>,
    Partial<Given<'sarifFile'>> {
  /** Paths, globs, and `-` for what is piped in. */
  readonly manifests: readonly string[]
}

interface Checked {
  readonly name: string
  readonly result: CheckResult
}

/**
 * `genrun validate`: the problems of all manifests are the result, so they go to stdout. Warnings fail only when they are
 * asked to. In GitHub Actions the problems mark their places as well. `--sarif -` prints the log in their place.
 */
export async function validate(args: ValidateArgs, around: Surroundings, out: Out): Promise<number> {
  if (args.sarifFile === '-' && args.json) return refuse(oneStdout, exit.refused, args, out)
  const names = args.manifests.flatMap(name => (name === '-' ? [name] : manifestPaths(name, around.cwd)))
  const checked: Checked[] = []
  for (const name of new Set(names)) {
    const result = checkOne(name, args, around)
    if ('problem' in result) {
      const trouble: Trouble = { code: 'usage', message: result.problem, hint: 'pipe a manifest in' }
      return refuse(trouble, exit.refused, args, out)
    }
    checked.push({ name: name === '-' ? '<stdin>' : name, result })
  }
  const reports = await reportsFor(args, around, out)
  if (reports && 'code' in reports) return refuse(reports, exit.refused, args, out)
  await tell(args, checked, around.stdout, out)
  const problems = checked.flatMap(({ result }) => result.problems)
  const code = !hasErrors(problems) ? exit.ok : exit.refused
  if (reports) return reports.end({ exit: code, problems })
  if (problems.length > 0 && isActions(around.env)) out.annotate(annotations(problems))
  return code
}

const oneStdout: Trouble = {
  code: 'usage',
  message: '--sarif - and --json both want stdout',
  hint: 'give --sarif a file',
}

/** A log that goes to a file; undefined when none is asked for, or it is the result. */
async function reportsFor(
  { sarifFile, manifests, json }: ValidateArgs,
  around: Surroundings,
  out: Out,
): Promise<Reports | Trouble | undefined> {
  const [manifest] = manifests
  if (sarifFile === undefined || sarifFile === '-' || manifest === undefined) return undefined
  return openChosen({ sarifFile, manifest, json }, around, out)
}

function checkOne(
  name: string,
  args: ValidateArgs,
  around: Surroundings,
): CheckResult | { readonly problem: string } {
  const secrets = keysIn(around)
  const options = {
    vars: varsFrom(args.vars, around.env),
    strict: args.strict,
    catalog: args.catalog,
    secrets,
    ...defined({ gates: around.gates }),
  }
  if (name !== '-') return checkFile(name, around.cwd, options)
  const text = namedTexts(around).stdin()
  return 'problem' in text ? text : checkText(text, around.cwd, options)
}

async function tell(args: ValidateArgs, checked: readonly Checked[], stdout: Sink, out: Out): Promise<void> {
  const problems = checked.flatMap(({ result }) => result.problems)
  const jobs = checked.reduce((sum, { result }) => sum + result.jobs, 0)
  if (args.sarifFile === '-') {
    // What every code means is a long table, and nothing else here tells it.
    const [{ sarifLog }, { aboutCode }] = await Promise.all([
      import('../../reports/sarif.ts'),
      import('../words/about-code.ts'),
    ])
    return out.json(sarifLog(problems, version(), aboutCode))
  }
  if (args.json) return out.json(verdictOf(!hasErrors(problems), jobs, problems))
  if (problems.length > 0) out.result(fitted(problemsText(problems, out.resultPaint), stdout))
  if (args.quiet) return
  for (const { name, result } of checked) {
    if (!hasErrors(result.problems))
      out.result(`${display(name)} is ${out.resultPaint.good('valid')}: ${counted(result.jobs, 'job')}`)
  }
}
