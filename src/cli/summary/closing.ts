import { display } from '../../base/display.ts'
import { counted, grouped, secondsText } from '../../base/measure.ts'
import { costText, endings, endingWords } from '../../reports/endings.ts'
import { notLookedText } from '../../reports/looks.ts'
import type { Report } from '../../wording/report.ts'
import type { Colours } from '../io/colour.ts'
import { coloured } from './endings.ts'
import { folderOf, madeFiles } from './made.ts'

/** The last lines: what all came to, and how to go on. */
export function closingLines(report: Report, cwd: string, paint: Colours): string[] {
  const lines = [isUnchanged(report) ? nothingText(report) : countsText(report, cwd, paint)]
  if (report.rehearsal && madeFiles(report).length > 0)
    lines.push('rehearsal: the files are placeholders, nothing was paid')
  const unseen = notLookedText(report.jobs)
  if (unseen !== undefined) lines.push(display(unseen, 500))
  const open = report.jobs.filter(job => job.ending === 'detached' || job.failure?.why === 'stopped')
  if (open.length > 0 && !open.some(job => job.hint))
    lines.push('run the same command again to go on; what is paid for is not paid again')
  return lines
}

/** Nothing changed, nothing was asked for, all is well. */
function isUnchanged(report: Report): boolean {
  return report.requests === 0 && report.jobs.every(job => job.ending === 'kept' && !job.failure)
}

function nothingText({ jobs, published }: Report): string {
  if (!published) return unchangedText(jobs.length)
  const are = counted(jobs.length, 'job is', 'jobs are')
  return `nothing to make: ${are} up to date, and what was not published yet is published now; nothing was paid`
}

/** The last line of a run that had nothing to do. */
export function unchangedText(jobs: number): string {
  // As with --failed where nothing has failed: whatever else is open, these words are not about it.
  if (jobs === 0) return 'nothing to do: these words are about no job, no request was made'
  return `nothing to do: ${counted(jobs, 'job is', 'jobs are')} up to date, no request was made`
}

function countsText(report: Report, cwd: string, paint: Colours): string {
  const parts = endings.flatMap(ending => {
    const count = report.counts[ending] ?? 0
    return count > 0 ? [coloured(ending, `${grouped(count)} ${endingWords[ending]}`, paint)] : []
  })
  const paid = report.rehearsal ? [] : [`${counted(report.paid, 'paid request')}${costText(report)}`]
  const facts = [secondsText(report.seconds), ...paid, `files in ${folderOf(report, cwd)}`]
  return `${counted(report.jobs.length, 'job')}: ${parts.join(', ')}; ${facts.join(', ')}`
}
