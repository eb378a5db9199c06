import { hasErrors } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { checkFile } from '../../desk/check.ts'
import type { ValidateAsked } from '../asked.ts'
import { counted } from '../measure.ts'
import type { Out } from '../out.ts'
import { problemsText, verdictOf } from '../problems.ts'
import type { Surroundings } from '../surroundings.ts'

/** `genrun validate`: the problems are the result, so they go to stdout. Warnings fail only when they are asked to. */
export function validate(asked: ValidateAsked, around: Surroundings, out: Out): number {
  const { jobs, problems } = checkFile(asked.manifest, around.cwd)
  const ok = !hasErrors(problems) && !(asked.strict && problems.length > 0)
  if (asked.json) out.json(verdictOf(ok, jobs, problems))
  else {
    if (problems.length > 0) out.result(problemsText(problems, out.resultPaint))
    if (ok)
      out.result(`${display(asked.manifest)} is ${out.resultPaint.good('valid')}: ${counted(jobs, 'job')}`)
  }
  return ok ? exit.ok : exit.refused
}
