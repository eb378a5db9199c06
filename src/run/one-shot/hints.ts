import { type AtWork, commandOn, resultCommand } from '../../wording/command.ts'
import { plainHint } from '../../wording/hints.ts'
import type { JobReport } from '../../wording/report.ts'
import type { SurveyedPlace } from './left-behind.ts'

/** The advice of runs of a manifest speaks of running again, which would buy again here. */
export function singleHint({ failure, ending, files }: JobReport, where: SurveyedPlace): string | undefined {
  if (!failure) return undefined
  const result = `\`${resultCommand(where)}\``
  if (ending === 'detached') return `it is paid for: ${result} fetches it`
  switch (failure.why) {
    case 'in-doubt':
      return `it is not sent again by itself; ${result} tells what is known of it`
    case 'bad-media':
      return files.length > 0 ? 'what came is paid for and kept' : 'it may have been billed'
    case 'remote':
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

/** A lock goes on with what it has by the same call; what needs a decision is settled by the lock's own name. */
export function lockedHint({ ending, elsewhere }: JobReport, atWork: AtWork): string | undefined {
  if (elsewhere !== undefined) return `set GENRUN_BASE_URL to ${elsewhere}: there the same call fetches it`
  switch (ending) {
    case 'held':
    case 'doubt':
      return `it is not ordered again by itself; \`${commandOn(atWork, 'status')}\` tells what is known and how to settle it`
    case 'detached':
      return 'it is paid for: the same call with the same lock fetches it'
    default:
      return undefined
  }
}
