import { expect, test } from 'vitest'
import { firstTake } from '../../src/plan/picks.ts'
import { budget, hangsAfterMs, seedsOf } from './budget.ts'
import { liveRetaking } from './retaking.ts'
import type { Staging } from './scene.ts'

test(
  'what fails its looks is bought anew as often as its job says, whatever that is called, and never past a person',
  async () => {
    const { first, count } = budget.replay ? { first: budget.replay, count: 1 } : seedsOf(budget.seeds / 2000)
    const log = budget.replay ? { log: (line: string) => console.log(line) } : {}
    const accused: string[] = []
    const all = { billed: 0, retakes: 0, left: 0, asked: 0 }
    for (let seed = first; seed < first + count; seed++) {
      const { accusations, billed, retakes, left, asked } = await liveRetaking(seed, log)
      accused.push(...accusations.map(each => `${seed}: ${each}`))
      all.billed += billed
      all.retakes += retakes
      all.left += left
      all.asked += asked
    }
    console.log(`retakes: ${count} histories,`, all)
    expect(accused).toEqual([])
    // A history in which nothing is ordered anew, and nobody decides, would prove nothing.
    for (const counted of Object.values(all)) expect(counted).toBeGreaterThan(0)
  },
  hangsAfterMs,
)

/** What was bought beyond the first under a name that no job has counts for nothing. */
const byName: NonNullable<Staging['heeding']> = (purchases, jobs) => {
  const names = new Set(jobs.map(({ address }) => address))
  return purchases.filter(({ address }) => address === firstTake(address) || names.has(firstTake(address)))
}

/** Nobody knows who picked a take. */
const byNobody: NonNullable<Staging['heeding']> = purchases =>
  purchases.map(each => {
    if (each.is !== 'done') return each
    const { byHand: _, ...rest } = each
    return rest
  })

test.each([
  ['what was bought under another name', byName, 'is bought', 2],
  ['who picked a take', byNobody, 'past a take that was picked', 54],
])('a plan that does not know %s is accused', async (_, heeding, accusation, last) => {
  const seeds = [last, ...Array.from({ length: 100 }, (__, nth) => nth + 1)]
  for (const seed of seeds) {
    const { accusations } = await liveRetaking(seed, { heeding })
    if (accusations.some(each => each.includes(accusation))) return
  }
  expect.unreachable('nothing was accused')
})
