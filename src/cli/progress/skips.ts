import { display } from '../../base/display.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import { amountText, counted } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import { roundAmount } from '../../forms/cost.ts'
import type { Board } from './board.ts'
import { commonNeed } from './words.ts'

/** Jobs that are skipped, gathered by why: a stop is one thing to say, not one for every job that it keeps from being ordered. */
interface Skips {
  add(at: number, address: JobAddress, because: Failure): void
  /** The lines to say now. A reason that was told before comes again only with `isAll`, counting what was added since. */
  take(isAll: boolean, board: Pick<Board, 'ordered' | 'cost' | 'plan'>): readonly SkipLine[]
}

interface SkipLine {
  readonly at: number
  readonly words: readonly string[]
}

interface Group {
  at: number
  count: number
  readonly first: JobAddress[]
  readonly because: Failure
  /** They need different jobs. */
  isMixed: boolean
}

const mostNames = 3

export function openSkips(): Skips {
  const groups = new Map<string, Group>()
  const told = new Set<string>()
  return {
    add(at, address, because) {
      const key = because.why === 'needs' ? 'needs' : failureMessage(because)
      const group = groups.get(key) ?? { at, count: 0, first: [], because, isMixed: false }
      groups.set(key, group)
      group.at = at
      group.count++
      if (group.first.length < mostNames) group.first.push(address)
      group.isMixed ||= failureMessage(because) !== failureMessage(group.because)
    },
    take(isAll, board) {
      const lines: SkipLine[] = []
      for (const [key, group] of groups) {
        if (!isAll && told.has(key)) continue
        groups.delete(key)
        told.add(key)
        lines.push({ at: group.at, words: [namesText(group), 'skipped', whyText(group, board)] })
      }
      return lines
    },
  }
}

function namesText({ first, count }: Group): string {
  const names = first.map(address => display(address)).join(', ')
  return count > first.length ? `${names} and ${counted(count - first.length, 'more job')}` : names
}

/** A stop is told with what was spent until then. */
function whyText(
  { because, isMixed }: Group,
  { ordered, cost, plan }: Pick<Board, 'ordered' | 'cost' | 'plan'>,
): string {
  if (isMixed) return commonNeed
  const why = display(failureMessage(because), 500)
  const isStop = because.why === 'closed' || because.why === 'budget'
  if (!isStop || ordered === 0 || plan?.rehearsal) return why
  const amount = cost ? ` for about ${amountText(roundAmount(cost.amount), cost.currency)}` : ''
  return `${why}; ${counted(ordered, 'order')} until then${amount}`
}
