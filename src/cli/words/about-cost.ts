import { amountText, counted } from '../../base/measure.ts'
import type { PlanRecord } from '../../planning/plan-record.ts'

/** `, about 12.40 USD`; empty when nothing is bought or no prices are given. */
export function aboutText({
  cost: { currency, total },
}: {
  readonly cost: Pick<PlanRecord['cost'], 'currency' | 'total'>
}): string {
  if (currency === undefined || total.jobs === 0) return ''
  if (total.unknown === total.jobs) return ', at a cost that is not known'
  const more = total.unknown > 0 ? ` and ${counted(total.unknown, 'job')} whose cost is not known` : ''
  return `, about ${amountText(total.amount, currency)}${more}`
}
