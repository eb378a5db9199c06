import { type Diagnostic, type ProblemRecord, problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { renderProblem } from '../../base/excerpt.ts'
import { counted } from '../../base/measure.ts'
import type { Colours } from '../io/colour.ts'
import type { Trouble } from '../service/service.ts'

const mostShown = 100

/** All problems with the lines they point at, and how many there are. Empty when there are none. */
export function problemsText(problems: readonly Diagnostic[], paint: Colours): string {
  if (problems.length === 0) return ''
  const shown = problems.slice(0, mostShown).map(problem => renderProblem(problem, paint))
  const hidden = problems.length - shown.length
  const rest = hidden > 0 ? [`… ${counted(hidden, 'more problem')}; --json lists all of them`] : []
  return [...shown, ...rest, '', countLine(problems)].join('\n')
}

/** `3 problems in campaign.yaml: 2 errors, 1 warning`. */
export function countLine(problems: readonly Diagnostic[]): string {
  const errors = problems.filter(problem => problem.severity === 'error').length
  const warnings = problems.length - errors
  const files = [...new Set(problems.map(problem => display(problem.at.file.name)))]
  const where = files.length === 1 ? files[0] : counted(files.length, 'file')
  const parts = [errors > 0 && counted(errors, 'error'), warnings > 0 && counted(warnings, 'warning')].filter(
    Boolean,
  )
  return `${counted(problems.length, 'problem')} in ${where}: ${parts.join(', ')}`
}

/** Trouble that no file is to blame for, in the form of a problem. */
export function troubleText(trouble: Trouble, paint: Colours): string {
  const code = paint.dim(`[${trouble.code}]`)
  const head = `${paint.place('genrun')}: ${paint.error('error')}: ${display(trouble.message)} ${code}`
  return trouble.hint ? `${head}\n  ${paint.dim('=')} hint: ${display(trouble.hint)}` : head
}

/** A warning that no file is to blame for. */
export function warningText(message: string, paint: Colours): string {
  return `${paint.place('genrun')}: ${paint.warning('warning')}: ${display(message)}`
}

/** What `validate --json` prints, and `run --json` when the manifest stands against it. */
export interface Verdict {
  readonly ok: boolean
  readonly jobs: number
  readonly problems: readonly ProblemRecord[]
}

export function verdictOf(ok: boolean, jobs: number, problems: readonly Diagnostic[]): Verdict {
  return { ok, jobs, problems: problems.map(problemRecord) }
}
