import { join, relative } from 'node:path'
import { display } from '../base/display.ts'
import { failureMessage } from '../base/failure.ts'
import type { SavedFile } from '../base/state.ts'
import type { Ending, JobReport, Report } from '../desk/report.ts'
import type { Colours } from './colour.ts'
import { bytesText, counted, grouped, secondsText } from './measure.ts'

const mostFilesOnScreen = 30
const mostGroups = 20
const mostNames = 4

/** The paths of the files that this run brought to disk, relative to `cwd`, one a line: what a script reads. */
export function madePaths(report: Report, cwd: string): string[] {
  return madeFiles(report).map(file => shownPath(report, file, cwd))
}

/** The same for a person at a terminal: with their measures, and not without end. */
export function madeTable(report: Report, cwd: string, paint: Colours): string[] {
  const files = madeFiles(report)
  const rows = files
    .slice(0, mostFilesOnScreen)
    .map(file => [shownPath(report, file, cwd), measures(file)] as const)
  const width = Math.max(0, ...rows.map(([path]) => path.length))
  const lines = rows.map(([path, said]) => `  ${path.padEnd(width)}  ${paint.dim(said)}`)
  const hidden = files.length - rows.length
  return hidden > 0
    ? [...lines, `  … and ${counted(hidden, 'more file')} in ${folderOf(report, cwd)}`]
    : lines
}

/** What did not go well, grouped by what there is to say about it, gravest first. */
export function troubleLines(report: Report, paint: Colours): string[] {
  const groups = [...groupBy(report.jobs.filter(isTrouble), groupKey).values()].toSorted(
    (a, b) => gravity(a[0]) - gravity(b[0]),
  )
  const shown = groups.slice(0, mostGroups).flatMap(group => groupLines(group, paint))
  const hidden = groups.slice(mostGroups).flat().length
  return hidden > 0
    ? [...shown, `… and ${counted(hidden, 'more job')} in trouble; --json lists all of them`]
    : shown
}

/** The last lines: what all came to, and how to go on. */
export function closingLines(report: Report, cwd: string, paint: Colours): string[] {
  const lines = [isUnchanged(report) ? unchangedText(report) : countsText(report, cwd, paint)]
  if (report.rehearsal && madeFiles(report).length > 0)
    lines.push('rehearsal: the files are placeholders, nothing was paid')
  const open = report.jobs.filter(job => job.ending === 'detached' || job.failure?.why === 'stopped')
  if (open.length > 0 && !open.some(job => job.hint))
    lines.push('run the same command again to go on; what is paid for is not paid again')
  return lines
}

/** Nothing changed, nothing was asked for, all is well. */
function isUnchanged(report: Report): boolean {
  return report.requests === 0 && report.jobs.every(job => job.ending === 'kept' && !job.failure)
}

function unchangedText({ jobs }: Report): string {
  return `nothing to do: ${counted(jobs.length, 'job is', 'jobs are')} up to date, no request was made`
}

function countsText(report: Report, cwd: string, paint: Colours): string {
  const parts = endings.flatMap(ending => {
    const count = report.counts[ending] ?? 0
    return count > 0 ? [coloured(ending, `${grouped(count)} ${endingWords[ending]}`, paint)] : []
  })
  const paid = report.rehearsal ? [] : [counted(report.paid, 'paid request')]
  const facts = [secondsText(report.seconds), ...paid, `files in ${folderOf(report, cwd)}`]
  return `${counted(report.jobs.length, 'job')}: ${parts.join(', ')}; ${facts.join(', ')}`
}

function coloured(ending: Ending, text: string, paint: Colours): string {
  if (ending === 'failed') return paint.error(text)
  if (ending === 'doubt' || ending === 'detached' || ending === 'held') return paint.warning(text)
  return ending === 'made' ? paint.good(text) : text
}

/** In the order in which they are told. */
const endings: readonly Ending[] = [
  'made',
  'fetched',
  'moved',
  'kept',
  'doubt',
  'failed',
  'held',
  'detached',
  'skipped',
]

const endingWords: { readonly [ending in Ending]: string } = {
  made: 'made',
  fetched: 'fetched again',
  moved: 'moved',
  kept: 'up to date',
  doubt: 'in doubt',
  failed: 'failed',
  held: 'held',
  detached: 'unfinished',
  skipped: 'skipped',
}

function madeFiles(report: Report): SavedFile[] {
  return report.jobs
    .filter(({ ending }) => ending === 'made' || ending === 'fetched' || ending === 'moved')
    .flatMap(job => job.files)
}

function shownPath(report: Report, file: SavedFile, cwd: string): string {
  return display(relative(cwd, join(report.output, file.path)))
}

function folderOf(report: Report, cwd: string): string {
  return display(relative(cwd, report.output) || '.')
}

/** `1024×1024, 212 kB`, `5.0 s, 1280×720, 1.2 MB`. */
function measures({ width, height, seconds, bytes }: SavedFile): string {
  const parts = [
    seconds !== undefined && secondsText(seconds),
    width !== undefined && height !== undefined && `${width}x${height}`,
    bytesText(bytes),
  ]
  return parts.filter(Boolean).join(', ')
}

/** Something has to be said about it: it did not end well, or what was delivered has a flaw. */
function isTrouble(job: JobReport): boolean {
  switch (job.ending) {
    case 'made':
    case 'kept':
    case 'fetched':
    case 'moved':
      return job.failure !== undefined || job.message !== undefined
    case 'failed':
    case 'held':
    case 'doubt':
    case 'detached':
    case 'skipped':
      return true
  }
}

function gravity(job: JobReport | undefined): number {
  return job
    ? ['doubt', 'failed', 'held', 'detached', 'made', 'fetched', 'moved', 'kept', 'skipped'].indexOf(
        job.ending,
      )
    : 0
}

// Whatever need they wait for, jobs that were not started for lack of one are one thing to say.
function groupKey(job: JobReport): string {
  if (job.failure?.why === 'needs') return 'needs'
  return JSON.stringify([job.ending, messageOf(job), job.hint])
}

function messageOf(job: JobReport): string {
  // The words of the failure are those of a job that was never sent.
  if (job.ending === 'detached' && job.failure?.why === 'stopped') return 'stopped while it was under way'
  return job.message ?? (job.failure ? failureMessage(job.failure) : '')
}

/**
 *     failed: clip and intro
 *       the service refused the request (422): duration is not possible
 *       = hint: …
 */
function groupLines(group: readonly JobReport[], paint: Colours): string[] {
  const [first] = group
  if (!first) return []
  const isFlaw =
    first.ending === 'made' ||
    first.ending === 'kept' ||
    first.ending === 'fetched' ||
    first.ending === 'moved'
  const word = isFlaw
    ? paint.warning('delivered, but')
    : coloured(first.ending, endingWords[first.ending], paint)
  const said =
    first.failure?.why === 'needs' && group.length > 1 ? 'what they need did not finish' : messageOf(first)
  return [
    `${word}: ${namesText(group)}`,
    ...(said ? [`  ${display(said)}`] : []),
    ...(first.hint ? [`  ${paint.dim('=')} hint: ${display(first.hint)}`] : []),
  ]
}

/** `clip (famc-v3)`, `clip, intro, outro, still and 96 more jobs`. */
function namesText(group: readonly JobReport[]): string {
  const [first] = group
  if (group.length === 1 && first) return `${display(first.address)} (${display(first.model)})`
  const names = group.slice(0, mostNames).map(job => display(job.address))
  const hidden = group.length - names.length
  return hidden > 0 ? `${names.join(', ')} and ${counted(hidden, 'more job')}` : names.join(', ')
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return groups
}
