import { display } from '../../base/display.ts'
import { failureMessage } from '../../base/failure.ts'
import { counted } from '../../base/measure.ts'
import { endingWords, isDelivered, isTrouble } from '../../reports/endings.ts'
import { commandOn } from '../../wording/command.ts'
import type { Ending, JobReport, Report } from '../../wording/report.ts'
import type { Colours } from '../io/colour.ts'
import { commonNeed } from '../progress/words.ts'
import { likeness } from '../words/likeness.ts'
import { coloured } from './endings.ts'
import { shownPath } from './made.ts'

const mostGroups = 20
const mostNames = 4

/** What did not go well, grouped by what there is to say about it, gravest first. */
export function troubleLines(report: Report, cwd: string, paint: Colours): string[] {
  const groups = grouped(report.jobs.filter(isTrouble)).toSorted((a, b) => gravity(a) - gravity(b))
  const shown = groups
    .slice(0, mostGroups)
    .flatMap(group => groupLines(group, keptPaths(group, report, cwd), paint))
  const hidden = groups.slice(mostGroups).flat().length
  const first = doubtLines(report, cwd, paint)
  if (hidden === 0) return [...first, ...shown]
  return [...first, ...shown, `… and ${counted(hidden, 'more job')} in trouble; --json lists all of them`]
}

/** They give the run its exit code, and no line of the jobs tells of them. */
function doubtLines({ doubts = [], manifest, rehearsal }: Report, cwd: string, paint: Colours): string[] {
  if (doubts.length === 0) return []
  const [hidden, it] = [doubts.length - mostNames, doubts.length === 1 ? 'it' : 'them']
  const rest = hidden > 0 ? ` and ${counted(hidden, 'more order')}` : ''
  const status = commandOn({ manifest, cwd, rehearsal }, 'status')
  return [
    `${coloured('doubt', endingWords.doubt, paint)}: ${display(doubts.slice(0, mostNames).join(', '))}${rest}`,
    `  no job of the manifest has ${it} now, and ${it === 'it' ? 'it' : 'they'} may be paid for`,
    `  ${paint.dim('=')} hint: \`${status}\` tells what is known and how to settle ${it}`,
  ]
}

/** Jobs with one and the same thing to say. */
type Group = [JobReport, ...JobReport[]]

function grouped(jobs: readonly JobReport[]): Group[] {
  const groups = new Map<string, Group>()
  for (const job of jobs) {
    const key = groupKey(job)
    const group = groups.get(key)
    if (group) group.push(job)
    else groups.set(key, [job])
  }
  return [...groups.values()]
}

// Whatever need they wait for, jobs that were not started for lack of one are one thing to say. So are those whose runs are
// gone and those that a cap keeps back: only names and numbers differ there. Elsewhere a number may be the code of an error.
function groupKey(job: JobReport): string {
  const { ending, failure, hint = '' } = job
  if (failure?.why === 'needs') return 'needs'
  // Each failed at a file of its own, on one disk.
  if (isIdAllThereIs(job)) return 'unrecorded'
  const said = [messageOf(job), hint]
  const isNumbered = failure?.why === 'gone' || failure?.why === 'budget'
  return JSON.stringify([ending, ...(isNumbered ? said.map(likeness) : said)])
}

/** No record keeps its id: it has to be told, however many there are. */
function isIdAllThereIs({ ending, run, hint }: JobReport): boolean {
  return ending === 'detached' && run !== undefined && hint?.includes(run) === true
}

const gravest: readonly Ending[] = [
  'doubt',
  'failed',
  'held',
  'detached',
  'made',
  'fetched',
  'moved',
  'kept',
  'skipped',
]

function gravity([first]: Group): number {
  return isIdAllThereIs(first) ? -1 : gravest.indexOf(first.ending)
}

function messageOf(job: JobReport): string {
  // The words of the failure are those of a job that was never sent.
  if (job.ending === 'detached' && job.failure?.why === 'stopped') return 'stopped while it was under way'
  return job.message ?? (job.failure ? failureMessage(job.failure) : '')
}

/**
 *     failed: clip, intro
 *       the service refused the request (422): duration is not possible
 *       kept: out/campaign/unusual/clip.mkv
 *       = hint: …
 */
function groupLines(group: Group, kept: readonly string[], paint: Colours): string[] {
  const [first] = group
  const word = isDelivered(first)
    ? paint.warning('delivered, but')
    : coloured(first.ending, endingWords[first.ending], paint)
  const isCommonNeed = first.failure?.why === 'needs' && group.length > 1
  const said = isCommonNeed ? commonNeed : example(group, messageOf)
  const hint = example(group, job => job.hint ?? '')
  return [
    `${word}: ${namesText(group)}`,
    ...(said ? [`  ${display(said)}`] : []),
    ...kept.map(path => `  kept: ${path}`),
    ...(isIdAllThereIs(first) && group.length > 1
      ? group.map(job => `  ${display(job.address)}: run ${job.run}`)
      : []),
    ...(hint ? [`  ${paint.dim('=')} hint: ${display(hint)}`] : []),
  ]
}

/** What all of them say, or the first for the others. */
function example(group: Group, said: (job: JobReport) => string): string {
  const first = said(group[0])
  return group.every(job => said(job) === first) ? first : `for instance ${first}`
}

/** What came and is no result, from where the user stands. */
function keptPaths(group: Group, report: Report, cwd: string): string[] {
  const files = group.flatMap(({ ending, files }) => (ending === 'failed' || ending === 'held' ? files : []))
  const paths = files.slice(0, mostNames).map(file => shownPath(report, file, cwd))
  const hidden = files.length - paths.length
  return hidden > 0 ? [...paths, `and ${counted(hidden, 'more file')} beside them`] : paths
}

/** `clip (famc-v3)`, `clip, intro, outro, still and 96 more jobs`. */
function namesText(group: Group): string {
  const [first] = group
  if (group.length === 1) return `${display(first.address)} (${display(first.model)})`
  const names = group.slice(0, mostNames).map(job => display(job.address))
  const hidden = group.length - names.length
  return hidden > 0 ? `${names.join(', ')} and ${counted(hidden, 'more job')}` : names.join(', ')
}
