import { type Diagnostic, error } from '../base/diagnostic.ts'
import { listed } from '../base/nearest.ts'
import type { Step } from '../plan/plan.ts'
import type { Drawn } from './draw.ts'
import type { RunRequest } from './setting.ts'

/** So many results may be bought anew by one run without a word. */
const mostAgain = 20

/** What must be said before this plan may spend money. */
export function guardsAgainst(drawn: Drawn, request: Pick<RunRequest, 'yes' | 'redo'>): Diagnostic[] {
  return [...manyAgain(drawn, request), ...unknownCosts(drawn)]
}

/** One edit of something shared can make hundreds of paid results stale. */
function manyAgain({ plan }: Drawn, { yes, redo }: Pick<RunRequest, 'yes' | 'redo'>): Diagnostic[] {
  const again = plan.steps.filter(
    (step): step is Step & { do: 'buy' } => step.do === 'buy' && step.again === true,
  )
  const [first] = again
  if (!first || again.length <= mostAgain || yes || redo) return []
  const names = again.slice(0, 3).map(step => step.job.address)
  const message = `${again.length} results that are paid for would be bought again (${listed([...names, '…'])})`
  const reason = first.because[0]
  const at = reason?.why === 'changed' ? reason.at : first.job.at
  const hint = '`genrun plan` shows why; --yes buys them, `genrun accept` keeps the files as they are'
  return [error('many-again', at, message, hint)]
}

/** A cap on the cost cannot be kept when nobody knows the cost. */
function unknownCosts({ plan, bill, caps }: Drawn): Diagnostic[] {
  const cappedTags = Object.keys(caps.tags ?? {})
  const isCapped = (tags: readonly string[]) =>
    caps.maxCost !== undefined || tags.some(tag => cappedTags.includes(tag))
  const first = plan.steps.find(step => step.do === 'buy' && isCapped(step.job.tags))
  if (bill.unknown.length === 0 || first?.do !== 'buy') return []
  const hint = 'give the prices with --prices, or limit the paid requests with --max-paid'
  const message = `the cost is limited, and not all of it is known: ${listed(bill.unknown)}`
  return [error('unknown-cost', first.job.at, message, hint)]
}
