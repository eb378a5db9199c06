import { counted } from '../base/measure.ts'
import { listed } from '../base/nearest.ts'
import type { Model } from '../catalog/index.ts'
import { type Budget, openBudget } from '../engine/gates/budget.ts'
import { roundAmount } from '../forms/cost.ts'
import { type Caps, lowestCaps } from '../plan/budget.ts'
import { openPrices } from './read/prices.ts'
import type { Trust } from './read/trust.ts'
import { limitsAt, type Service } from './service/service.ts'

/** What several generations and runs may spend together. */
export interface SessionBudget extends Budget {
  /** Caps for a run of its own, by what is left, and by `own`. */
  left(own?: Caps): Caps
  /** What such a run spent. */
  spend(paid: number, cost: number): void
  /** For `reserved` alone: so much of what is spent a run at work may still bring back; less than nothing when it is over. */
  note(paid: number, cost: number): void
  /** What runs at work have reserved, in words; undefined where nothing is. */
  reserved(): string | undefined
}

/** What a run spent, by its report. */
type Spending = { readonly paid: number; readonly cost?: { readonly estimated?: number } } | undefined

/**
 * Lets a run, with caps of its own, have what is left for as long as it lasts: nothing else can spend it a second time. What it did not
 * spend comes back.
 */
export async function spendInRun<Result>(
  budget: SessionBudget,
  own: Caps,
  run: (caps: Caps) => Promise<Result>,
  spentBy: (result: Result) => Spending,
): Promise<Result> {
  const caps = budget.left()
  const [maxPaid, maxCost] = [caps.maxPaid ?? 0, caps.maxCost ?? 0]
  budget.spend(maxPaid, maxCost)
  budget.note(maxPaid, maxCost)
  const result = await run(lowestCaps(caps, own)).finally(() => budget.note(-maxPaid, -maxCost))
  const spent = spentBy(result)
  budget.spend((spent?.paid ?? 0) - maxPaid, (spent?.cost?.estimated ?? 0) - maxCost)
  return result
}

interface Around {
  readonly within?: SessionBudget
  readonly trust?: Trust
  /** Models whose catalogs may name their prices. */
  readonly own?: readonly Model[]
  /** Its own limits count beside the caps. */
  readonly service?: Pick<Service, 'name' | 'others'>
}

/**
 * Prices that cannot be read count as none: a cap on the cost then lets nothing through. What is spent from a budget
 * `within` another is spent from both, and neither may be overdrawn.
 */
export function openSessionBudget(
  given: Caps,
  prices: string | undefined,
  cwd: string,
  { within, trust, own, service }: Around = {},
): SessionBudget {
  const caps = lowestCaps(given, service && limitsAt(service))
  let further = { paid: 0, cost: 0 }
  let atWork = { paid: 0, cost: 0 }
  const known = openPrices(prices, cwd, { trust, own }).value
  const budget = openBudget(caps, known)
  const left = (more: Caps = {}) => {
    const { paid, cost } = budget.spent()
    const { maxPaid, maxCost } = caps
    const own = {
      ...(maxPaid !== undefined && { maxPaid: Math.max(0, maxPaid - paid - further.paid) }),
      ...(maxCost !== undefined && { maxCost: Math.max(0, maxCost - cost - further.cost) }),
    }
    return lowestCaps(own, within?.left(more) ?? more)
  }
  /** Asks the caps of what is left as well, so that runs count for generations. */
  const beyond = (job: Parameters<Budget['check']>[0]) => {
    const over = openBudget(left(), known).check(job)
    const others = reserved()
    return over?.why === 'budget' && others ? { ...over, detail: `${over.detail}: ${others}` } : over
  }
  /** All around one budget are noted there. */
  const reserved = (): string | undefined => (within ? within.reserved() : reservedText(atWork))
  const check = (job: Parameters<Budget['check']>[0]) => budget.check(job) ?? beyond(job)
  return {
    ...budget,
    check,
    // Asked first, so that nothing is taken from one budget when the other is empty.
    take: job => check(job) ?? within?.take(job) ?? budget.take(job),
    watch: wire => budget.watch(within?.watch(wire) ?? wire),
    left,
    spend(paid, cost) {
      further = { paid: further.paid + paid, cost: further.cost + cost }
      within?.spend(paid, cost)
    },
    note(paid, cost) {
      atWork = { paid: atWork.paid + paid, cost: roundAmount(atWork.cost + cost) }
      within?.note(paid, cost)
    },
    reserved,
  }
}

/** Without it, whoever hears of a cap of 0 takes what a run has reserved for spent. */
function reservedText({ paid, cost }: { readonly paid: number; readonly cost: number }): string | undefined {
  const what = [
    ...(paid > 0 ? [counted(paid, 'paid request')] : []),
    ...(cost > 0 ? [`a cost of ${cost}`] : []),
  ]
  if (what.length === 0) return undefined
  return `a run at work has reserved ${listed(what, 'and')}; what it does not spend is free when it is over`
}
