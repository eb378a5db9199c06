import { amountText } from '../base/measure.ts'
import type { Ending, JobReport, Report } from '../wording/report.ts'

/** In the order in which they are told. */
export const endings: readonly Ending[] = [
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

/** How an ending is called. */
export const endingWords: { readonly [ending in Ending]: string } = {
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

/** Its files are there. */
export function isDelivered({ ending }: Pick<JobReport, 'ending'>): boolean {
  switch (ending) {
    case 'made':
    case 'kept':
    case 'fetched':
    case 'moved':
      return true
    case 'failed':
    case 'held':
    case 'doubt':
    case 'detached':
    case 'skipped':
      return false
  }
}

/** It did not end well, or what was delivered has a flaw. */
export function isTrouble(job: JobReport): boolean {
  return !isDelivered(job) || job.failure !== undefined || job.message !== undefined
}

/** ` (about 4.20 USD; the service says 12 credits)`: the estimate against what was told; empty without both. */
export function costText({ cost }: Pick<Report, 'cost'>): string {
  const parts = [
    cost?.estimated !== undefined &&
      cost.currency !== undefined &&
      `about ${amountText(cost.estimated, cost.currency)}`,
    cost?.credits !== undefined && `the service says ${amountText(cost.credits, 'credits')}`,
  ].filter(part => part !== false)
  return parts.length > 0 ? ` (${parts.join('; ')})` : ''
}
