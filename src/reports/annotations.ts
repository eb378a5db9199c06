import type { Diagnostic } from '../base/diagnostic.ts'
import { display } from '../base/display.ts'
import { positionAt } from '../base/source.ts'
import { isFlawed, type JobReport } from '../wording/report.ts'
import { isTrouble } from './endings.ts'
import { lookNamesIn } from './looks.ts'
import { workflowCommand } from './workflow-command.ts'

/**
 * Problems as workflow commands of GitHub Actions, one a line, which mark the places in a pull request:
 *
 *     ::error file=teapots.yaml,line=4,col=7,endLine=4,endColumn=11,title=bad-value::duration must be one of 3, 5
 */
export function annotations(problems: readonly Diagnostic[]): string {
  return problems.map(annotation).join('\n')
}

/** GitHub shows so many errors of one step. */
const mostJobs = 10

/** Jobs that failed, are in doubt or count as failed by what was found in their files, at their lines, what else did not end well as warnings; in the same form. */
export function jobAnnotations(jobs: readonly JobReport[]): string {
  const troubles = jobs.filter(isTrouble)
  const [grave, others] = [troubles.filter(isGrave), troubles.filter(job => !isGrave(job))]
  return [...grave.slice(0, mostJobs), ...others.slice(0, mostJobs)].map(jobAnnotation).join('\n')
}

function isGrave(job: JobReport): boolean {
  return job.ending === 'failed' || job.ending === 'doubt' || isFlawed(job)
}

function jobAnnotation(job: JobReport): string {
  const { address, ending, message = ending, hint, file, line } = job
  const text = hint ? `${display(message)}\n${display(hint)}` : display(message)
  const looks = lookNamesIn(job)
  const title = looks ? `${address}: ${looks}` : address
  return workflowCommand(isGrave(job) ? 'error' : 'warning', { file, line, title }, text)
}

function annotation({ severity, code, message, hint, at }: Diagnostic): string {
  const start = positionAt(at.file, at.start)
  const end = positionAt(at.file, at.end)
  const fields = {
    file: at.file.name,
    line: start.line,
    col: start.column,
    endLine: end.line,
    endColumn: Math.max(end.column, 1),
    title: code,
  }
  const text = hint ? `${display(message)}\n${display(hint)}` : display(message)
  return workflowCommand(severity, fields, text)
}
