import { display } from '../../base/display.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import { aboutTimeText, amountText, bytesText, clockText, counted, grouped } from '../../base/measure.ts'
import type { SavedFile } from '../../base/state.ts'

import type { Planned } from '../../wording/report.ts'
import type { Ended, EndedAs, Running } from './board.ts'

/** How the ending of a job is called, in lines and summaries. */
export const endedWords: Readonly<Record<EndedAs, string>> = {
  made: 'made',
  failed: 'failed',
  doubt: 'in doubt',
  unfinished: 'unfinished',
  skipped: 'skipped',
}

/** Why several jobs were not started that wait for different ones. */
export const commonNeed = 'what they need did not finish'

/** What is going on with a running job; empty when there is nothing to say beyond the time. */
export function stageText({ stage }: Running, now: number): string {
  switch (stage.is) {
    case 'sent':
    case 'accepted':
      return ''
    case 'resumed':
      return 'resumed'
    case 'fetching':
      return 'fetching'
    case 'progress':
      return percent(stage.fraction)
    case 'bytes':
      return stage.total === undefined
        ? bytesText(stage.bytes)
        : `${bytesText(stage.bytes)} of ${bytesText(stage.total)}`
    case 'uploading':
      return `uploading ${bytesText(stage.bytes)} of ${bytesText(stage.total)}`
    case 'waiting':
      return `${waitingText(stage.failure)}; again in ${clockText((stage.untilMs - now) / 1000)}`
  }
}

/** Why a job waits before it is tried again. The words of a final failure would say too much for a busy service. */
export function waitingText(failure: Failure): string {
  return failure.why === 'busy' ? 'the service is busy' : display(failureMessage(failure), 300)
}

/** What became of a job: its files, or why there are none, and what it cost where the service tells. */
export function endText({
  as,
  files,
  failure,
  credits,
}: Pick<Ended, 'as' | 'files' | 'failure' | 'credits'>): string {
  // The words of the failure are those of a job that was never sent.
  if (as === 'unfinished' && failure?.why === 'stopped') return 'stopped while it was under way'
  const parts = [
    filesText(files),
    failure ? display(failureMessage(failure), 500) : '',
    credits === undefined ? '' : amountText(credits, 'credits'),
  ]
  return parts.filter(part => part !== '').join('; ')
}

/** `clip.mp4 (1.2 MB)`; of many files the first and how many more. */
function filesText(files: readonly SavedFile[]): string {
  const [first, ...others] = files
  if (!first) return ''
  const more = others.length > 0 ? ` and ${counted(others.length, 'more file')}` : ''
  return `${display(first.path)} (${bytesText(first.bytes)})${more}`
}

export function percent(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 100)} %`
}

/** `5 jobs: 3 to make, 2 up to date`. */
export function planText({ jobs, steps, expectedSeconds }: Planned): string {
  const parts: readonly [number, string][] = [
    [steps.buy, 'to make'],
    [steps.resume, 'to resume'],
    [steps.fetch, 'to fetch again'],
    [steps.restore ?? 0, 'to copy from the cache'],
    [steps.adopt, 'to move'],
    [steps.keep, 'up to date'],
    [steps.hold, 'held'],
    [steps.doubt, 'in doubt'],
  ]
  const said = parts.filter(([count]) => count > 0).map(([count, words]) => `${grouped(count)} ${words}`)
  const time = expectedSeconds === undefined ? '' : `; ${aboutTimeText(expectedSeconds)}`
  return `${counted(jobs, 'job')}: ${said.join(', ') || 'nothing to do'}${time}`
}
