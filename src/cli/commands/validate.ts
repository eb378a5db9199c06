import { type Diagnostic, hasErrors } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { type CheckResult, checkFile, checkText } from '../../desk/check.ts'
import { explain } from '../../desk/explain.ts'
import { manifestPaths } from '../../desk/globs.ts'
import { annotations } from '../../report/annotations.ts'
import { sarifLog } from '../../report/sarif.ts'
import type { ValidateAsked } from '../asked.ts'
import { counted } from '../measure.ts'
import type { Out } from '../out.ts'
import { problemsText, troubleText, verdictOf } from '../problems.ts'
import { type Surroundings, variable } from '../surroundings.ts'
import { textsOf } from '../texts.ts'
import { varsFrom } from '../vars.ts'
import { version } from '../version.ts'

interface Checked {
  readonly name: string
  readonly result: CheckResult
}

/**
 * `genrun validate`: the problems of all manifests are the result, so they go to stdout. Warnings fail only when they are
 * asked to. In GitHub Actions the problems mark their places as well.
 */
export function validate(asked: ValidateAsked, around: Surroundings, out: Out): number {
  const names = asked.manifests.flatMap(name => (name === '-' ? [name] : manifestPaths(name, around.cwd)))
  const checked: Checked[] = []
  for (const name of new Set(names)) {
    const result = checkOne(name, asked, around)
    if ('problem' in result) {
      out.talk(troubleText({ code: 'usage', message: result.problem, hint: 'pipe a manifest in' }, out.paint))
      return exit.refused
    }
    checked.push({ name: name === '-' ? '<stdin>' : name, result })
  }
  tell(asked, checked, out)
  const problems = checked.flatMap(({ result }) => result.problems)
  if (problems.length > 0 && variable(around.env, 'GITHUB_ACTIONS') === 'true')
    out.annotate(annotations(problems))
  return isGood(asked, problems) ? exit.ok : exit.refused
}

function checkOne(
  name: string,
  asked: ValidateAsked,
  around: Surroundings,
): CheckResult | { readonly problem: string } {
  const vars = varsFrom(asked.vars, around.env)
  if (name !== '-') return checkFile(name, around.cwd, vars)
  const text = textsOf(around).stdin()
  return 'problem' in text ? text : checkText(text, around.cwd, vars)
}

function isGood(asked: ValidateAsked, problems: readonly Diagnostic[]): boolean {
  return !hasErrors(problems) && !(asked.strict && problems.length > 0)
}

function tell(asked: ValidateAsked, checked: readonly Checked[], out: Out): void {
  const problems = checked.flatMap(({ result }) => result.problems)
  const jobs = checked.reduce((sum, { result }) => sum + result.jobs, 0)
  if (asked.sarif) return out.json(sarifLog(problems, version(), aboutCode))
  if (asked.json) return out.json(verdictOf(isGood(asked, problems), jobs, problems))
  if (problems.length > 0) out.result(problemsText(problems, out.resultPaint))
  for (const { name, result } of checked) {
    if (isGood(asked, result.problems))
      out.result(`${display(name)} is ${out.resultPaint.good('valid')}: ${counted(result.jobs, 'job')}`)
  }
}

function aboutCode(code: string): string | undefined {
  const explained = explain(code)
  return explained.got === 'explanation' ? explained.explanation.about : undefined
}
