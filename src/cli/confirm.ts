import { display } from '../base/display.ts'
import { counted } from '../base/measure.ts'
import type { ManyAgain } from '../desk/draw/word.ts'
import { aboutText } from './words/plan-text.ts'
import type { Out } from './world/out.ts'
import { isCi, type Surroundings } from './world/surroundings.ts'

const mostReasons = 5

/** Asks on a terminal whether many paid results may be bought anew; undefined where there is nobody to ask. */
export function confirmRebuy(
  { ask, env }: Pick<Surroundings, 'ask' | 'env'>,
  out: Out,
  stop: AbortSignal,
): ((many: ManyAgain) => Promise<boolean>) | undefined {
  if (!ask || isCi(env)) return undefined
  return async many => {
    out.talk(questionLines(many).join('\n'))
    const answer = await ask(out.clean('buy them again? [y/N] '), stop)
    return answer !== undefined && /^\s*y(es)?\s*$/i.test(answer)
  }
}

function questionLines({ results, because, cost, currency }: ManyAgain): string[] {
  const shown = because.slice(0, mostReasons)
  const hidden = because.length - shown.length
  const about = aboutText({ cost: { total: cost, ...(currency !== undefined && { currency }) } })
  return [
    `${counted(results, 'result')} that are paid for would be bought again${about}:`,
    ...shown.map(({ text, jobs }) => `  ${counted(jobs.length, 'job')}: ${display(text, 200)}`),
    ...(hidden > 0 ? [`  and for ${counted(hidden, 'other reason')}`] : []),
  ]
}
