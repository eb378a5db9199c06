import { type Diagnostic, type ProblemRecord, problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { renderProblem } from '../../base/excerpt.ts'
import { exit } from '../../base/exit.ts'
import { counted, grouped } from '../../base/measure.ts'
import { lineAt } from '../../base/source.ts'
import type { Colours } from '../io/colour.ts'
import type { Out } from '../io/out.ts'
import type { Trouble } from '../service/service.ts'
import { likeness } from './likeness.ts'

const mostShown = 100

/** Of problems that look alike so many are shown. Where one more would be left out, it is shown too. */
const mostAlike = 3

/** So many lines are named of those that are not shown. */
const mostLines = 5

/**
 * All problems with the lines they point at, and how many there are. Those that differ in names and numbers only are shown a
 * few times and then counted: one slip in a loop is one problem to whoever mends it. Empty when there are none.
 */
export function problemsText(problems: readonly Diagnostic[], paint: Colours): string {
  if (problems.length === 0) return ''
  const shown = groupsOf(problems)
    .flatMap(shownOf)
    .toSorted((a, b) => a.nth - b.nth)
    .slice(0, mostShown)
  const texts = shown.flatMap(({ problem, more }) => [
    renderProblem(problem, paint),
    ...moreLine(more, paint),
  ])
  const hidden = problems.length - shown.reduce((sum, { more }) => sum + 1 + more.length, 0)
  const rest = hidden > 0 ? [`… ${counted(hidden, 'more problem')}; --json lists all of them`] : []
  return [...texts, ...rest, '', countLine(problems)].join('\n')
}

interface Placed {
  readonly problem: Diagnostic
  /** Its place among all. */
  readonly nth: number
}

function groupsOf(problems: readonly Diagnostic[]): Placed[][] {
  const groups = new Map<string, Placed[]>()
  for (const [nth, problem] of problems.entries()) {
    const { code, severity, message, hint = '', at } = problem
    const key = JSON.stringify([code, severity, at.file.name, likeness(message), likeness(hint)])
    const group = groups.get(key)
    if (group) group.push({ problem, nth })
    else groups.set(key, [{ problem, nth }])
  }
  return [...groups.values()]
}

/** What is left out stands behind the last that is shown. */
function shownOf(group: readonly Placed[]): (Placed & { readonly more: readonly Placed[] })[] {
  if (group.length <= mostAlike + 1) return group.map(placed => ({ ...placed, more: [] }))
  return group
    .slice(0, mostAlike)
    .map((placed, at) => ({ ...placed, more: at === mostAlike - 1 ? group.slice(mostAlike) : [] }))
}

function moreLine(more: readonly Placed[], paint: Colours): string[] {
  if (more.length === 0) return []
  const lines = [...new Set(more.map(({ problem: { at } }) => lineAt(at.file, at.start)))]
  const named = `${lines.slice(0, mostLines).join(', ')}${lines.length > mostLines ? ' …' : ''}`
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${named}`
  return [`  ${paint.dim('=')} ${grouped(more.length)} more like this: ${where}`]
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

/** Tells what keeps a command from its work, as JSON as well where that is asked for, and returns its exit code. */
export function refuseFor(
  { code, message, hint }: Trouble,
  out: Pick<Out, 'talk' | 'paint' | 'json'>,
  { json }: { readonly json?: boolean | undefined } = {},
): typeof exit.refused {
  if (json) out.json({ ok: false, exit: exit.refused, error: { code, message, hint } })
  out.talk(troubleText({ code, message, hint }, out.paint))
  return exit.refused
}

/** A warning that no file is to blame for. */
export function warningText(message: string, paint: Colours): string {
  return `${paint.place('genrun')}: ${paint.warning('warning')}: ${display(message)}`
}

/** What `validate --json` prints, and `run --json` when the manifest stands against it. */
interface Verdict {
  readonly ok: boolean
  readonly jobs: number
  readonly problems: readonly ProblemRecord[]
}

export function verdictOf(ok: boolean, jobs: number, problems: readonly Diagnostic[]): Verdict {
  return { ok, jobs, problems: problems.map(problemRecord) }
}
