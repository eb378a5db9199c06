import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import { resultCommand } from '../../wording/command.ts'
import type { LeftBehind, SurveyedPlace } from './left-behind.ts'

/** Why a name is not ordered again: an order for it was paid, or may have been, and its files are not there. */
export function owedProblem(left: LeftBehind, where: SurveyedPlace): Diagnostic {
  return error('left-behind', headOf({ name: left.name, text: '' }), owedText(left), owedHint(left, where))
}

/** The same about another name. */
export function owedWarning(left: LeftBehind, where: SurveyedPlace): Diagnostic {
  return warning('left-behind', headOf({ name: left.name, text: '' }), owedText(left), owedHint(left, where))
}

/** What an earlier generation has to get, in words. */
export function owedText(left: LeftBehind): string {
  const what = `an earlier order of ${left.model}`
  switch (left.owes) {
    case 'run':
      return `${what} is paid for and was not fetched: run ${left.run.id}`
    case 'files':
      return `${what} is paid for, and its answer was not saved as files`
    case 'doubt':
      return `${what} is in doubt: ${left.purchase.detail}`
    case 'unreadable':
      return `${what} may be paid for, and what is known of it cannot be read: ${left.detail}`
  }
}

/** Told with what a call goes on with. */
export function goneOnWarning(left: LeftBehind): Diagnostic {
  const message = 'this very call was paid for before: its order is gone on with, and nothing is ordered now'
  return warning('left-behind', headOf({ name: left.name, text: '' }), message, oneMore)
}

/** Told with what a call made that was never heard of. */
export function madeBeforeWarning({ name }: Pick<LeftBehind, 'name'>): Diagnostic {
  const message =
    'this very call was paid for and made before, and nobody was told: here it is, and nothing is ordered now'
  return warning('left-behind', headOf({ name, text: '' }), message, 'give it once more for one more')
}

const oneMore = 'another name (`-o`) orders one more'

function owedHint({ owes }: LeftBehind, where: SurveyedPlace): string {
  return owes === 'run' || owes === 'files'
    ? `\`${resultCommand(where)}\` fetches it; it costs nothing`
    : `\`${resultCommand(where)}\` tells what is known; \`${resultCommand(where, '--forget')}\` gives it up; ${oneMore}`
}
