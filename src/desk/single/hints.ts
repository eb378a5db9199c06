import { resultCommand } from '../telling/command.ts'
import { plainHint } from '../telling/hints.ts'
import type { JobReport } from '../telling/report.ts'
import type { Where } from './left-behind.ts'

/** The advice of runs of a manifest speaks of running again, which would buy again here. */
export function singleHint({ failure, ending }: JobReport, where: Where): string | undefined {
  if (!failure) return undefined
  const result = `\`${resultCommand(where)}\``
  if (ending === 'detached') return `it is paid for: ${result} fetches it`
  switch (failure.why) {
    case 'in-doubt':
      return `it is not sent again by itself; ${result} tells what is known of it`
    case 'remote':
    case 'bad-media':
    case 'bad-reply':
      return 'it may have been billed'
    case 'gone':
      return `it may have been billed; ${result} asks for it once more`
    case 'overdue':
    case 'undelivered':
    case 'unsaved':
    case 'stopped':
    case 'budget':
      return undefined
    default:
      return plainHint(failure)
  }
}

/** A lock goes on with what it has by the same call. */
export function lockedHint({ ending }: JobReport): string | undefined {
  switch (ending) {
    case 'held':
    case 'doubt':
      return 'what may have been paid is not ordered again under this name; another name orders it anew'
    case 'detached':
      return 'it is paid for: the same call with the same lock fetches it'
    default:
      return undefined
  }
}
