import { problemRecord } from '../base/diagnostic.ts'
import { bytesText, counted, secondsText } from '../base/measure.ts'
import type { JobReport, Report } from '../wording/report.ts'
import { costText, endings, endingWords, isDelivered, isTrouble } from './endings.ts'
import { failsItsLooks } from './looks.ts'
import { codeSpan, markdown } from './markdown.ts'
import type { RunEnd } from './run-end.ts'

/** A step summary may have one megabyte: what is shown is bounded, and what is not is counted. */
const mostRows = 50
const mostFiles = 200

/** A run as Markdown, for a pull request or the summary of a CI step: one sentence, what went wrong, what was made. */
export function runSummary(end: RunEnd): string {
  const { report, verdict } = end
  const said = verdict ? [`**${markdown(verdict.says)}**`] : []
  const parts = report ? reportParts(report) : [heading(end.manifest, signOf(end.exit)), ...said]
  return `${[...parts, ...troubleParts(end)].join('\n\n')}\n`
}

function heading(name: string, sign: string): string {
  return `### ${sign} ${markdown(name)}`
}

function signOf(exit: number): string {
  return exit === 0 ? '✅' : '❌'
}

function reportParts(report: Report): string[] {
  const failing = report.jobs.filter(job => isDelivered(job) && failsItsLooks(job)).length
  // They are told when they come, and stand there still when all else is well.
  const sign = report.exit === 0 && failing > 0 ? '⚠️' : signOf(report.exit)
  return [
    heading(report.name, sign),
    `**${sentence(report)}**`,
    ...(failing > 0 ? [`${counted(failing, 'result fails its looks', 'results fail their looks')}.`] : []),
    ...(report.rehearsal ? ['A rehearsal: the files are placeholders, nothing was paid.'] : []),
    ...troubleTable(report.jobs.filter(isTrouble)),
    ...filesTable(report),
  ]
}

/** `12 jobs: 10 made, 2 failed; 1 min 05 s, 12 paid requests (about 4.20 USD).` */
function sentence(report: Report): string {
  const { jobs, counts, seconds, paid, rehearsal } = report
  const said = endings.flatMap(ending => {
    const count = counts[ending] ?? 0
    return count > 0 ? [`${count} ${endingWords[ending]}`] : []
  })
  const money = rehearsal ? '' : `, ${counted(paid, 'paid request')}${costText(report)}`
  return `${counted(jobs.length, 'job')}: ${said.join(', ') || 'nothing to do'}; ${secondsText(seconds)}${money}.`
}

function troubleTable(jobs: readonly JobReport[]): string[] {
  if (jobs.length === 0) return []
  const rows = jobs.slice(0, mostRows).map(job => {
    const { address, model, ending, message = '', file, line } = job
    const cells = [`${file}:${line}`, model, message, whatToDo(job)].map(markdown)
    return `| **${endingWords[ending]}** | ${codeSpan(address)} | ${cells.join(' | ')} |`
  })
  const table = ['| | job | line | model | why | what to do |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  )
  const hidden = jobs.length - rows.length
  return hidden > 0 ? [table, `… and ${counted(hidden, 'more job')}`] : [table]
}

/** What another job has to say: in a table its row may be far away. */
function whatToDo({ hint, failure }: JobReport): string {
  if (hint !== undefined) return hint
  if (failure?.why === 'needs') return `nothing: it follows when ${failure.address} is made`
  return failure?.why === 'closed' ? 'mend that, then run again: nothing was sent for it' : ''
}

function filesTable({ jobs }: Report): string[] {
  const files = jobs.flatMap(job =>
    isDelivered(job) && job.ending !== 'kept' ? job.files.map(file => ({ file, job })) : [],
  )
  if (files.length === 0) return []
  const rows = files.slice(0, mostFiles).map(({ file, job }) => {
    const { path, bytes, seconds, width, height } = file
    const measures = [
      width !== undefined && height !== undefined && `${width}x${height}`,
      seconds !== undefined && secondsText(seconds),
      bytesText(bytes),
    ].filter(Boolean)
    return `| ${codeSpan(path)} | ${codeSpan(job.address)} | ${markdown(job.model)} | ${measures.join(', ')} |`
  })
  const hidden = files.length - rows.length
  return [
    `<details><summary>${counted(files.length, 'file')}</summary>`,
    ['| file | job | model | |', '|---|---|---|---|', ...rows].join('\n'),
    ...(hidden > 0 ? [`… and ${counted(hidden, 'more file')}`] : []),
    '</details>',
  ]
}

function troubleParts({ problems, error }: RunEnd): string[] {
  const told = error ? [`**${markdown(error.message)}**${error.hint ? `: ${markdown(error.hint)}` : ''}`] : []
  const rows = problems.slice(0, mostRows).map(problem => {
    const { severity, file, line, column, message, hint } = problemRecord(problem)
    const text = hint ? `${message} (${hint})` : message
    return `* **${severity}** ${codeSpan(`${file}:${line}:${column}`)} ${markdown(text)}`
  })
  const hidden = problems.length - rows.length
  const rest = hidden > 0 ? [`… and ${counted(hidden, 'more problem')}`] : []
  return [...told, ...(rows.length > 0 ? [rows.join('\n')] : []), ...rest]
}
