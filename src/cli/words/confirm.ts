import { defined } from '../../base/defined.ts'
import { display } from '../../base/display.ts'
import { counted } from '../../base/measure.ts'
import type { ManyAgain } from '../../workspace/expectation.ts'
import type { FormerName } from '../../workspace/workspace.ts'
import type { Out } from '../io/out.ts'
import { isCi, type Surroundings } from '../io/surroundings.ts'
import { aboutText } from './about-cost.ts'

const mostReasons = 5

/** Asks on a terminal whether many paid results may be bought anew; undefined where there is nobody to ask. */
export function confirmRebuy(
  around: Pick<Surroundings, 'ask' | 'env'>,
  out: Out,
  stop: AbortSignal,
): ((many: ManyAgain) => Promise<boolean>) | undefined {
  if (!canAsk(around)) return undefined
  return many => {
    out.talk(questionLines(many).join('\n'))
    return confirm('buy them again? [y/N] ', around, out, stop)
  }
}

/** Asks whether a manifest is one that was renamed; undefined where there is nobody to ask. */
export function confirmFormer(
  around: Pick<Surroundings, 'ask' | 'env'>,
  out: Out,
  stop: AbortSignal,
): ((former: FormerName) => Promise<boolean>) | undefined {
  if (!canAsk(around)) return undefined
  return ({ lock, manifest, now, purchases, isJournal }) => {
    out.talk(display(`${now} looks like ${manifest} under another name: that is not there any more`))
    const what = counted(purchases, 'purchase')
    return confirm(
      `go on with ${isJournal ? 'its journal' : lock}, which knows of ${what}? [y/N] `,
      around,
      out,
      stop,
    )
  }
}

/** Whether somebody can answer. */
export function canAsk({ ask, env }: Pick<Surroundings, 'ask' | 'env'>): boolean {
  return ask !== undefined && !isCi(env)
}

/** False where nobody can answer, or the signal comes first. */
export async function confirm(
  question: string,
  { ask }: Pick<Surroundings, 'ask'>,
  out: Out,
  stop: AbortSignal,
): Promise<boolean> {
  const answer = await ask?.(out.clean(question), stop)
  return answer !== undefined && /^\s*y(es)?\s*$/i.test(answer)
}

function questionLines({ results, because, cost, currency }: ManyAgain): string[] {
  const shown = because.slice(0, mostReasons)
  const hidden = because.length - shown.length
  const about = aboutText({ cost: { total: cost, ...defined({ currency }) } })
  return [
    `${counted(results, 'result')} that are paid for would be bought again${about}:`,
    ...shown.map(({ text, jobs }) => `  ${counted(jobs.length, 'job')}: ${display(text, 200)}`),
    ...(hidden > 0 ? [`  and for ${counted(hidden, 'other reason')}`] : []),
  ]
}
