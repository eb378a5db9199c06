import { expect } from 'vitest'
import { budget, seedsOf } from './budget.ts'
import { live } from './history.ts'
import type { Staging } from './scene.ts'
import { liveAll, tallyText } from './tally.ts'

/** Lives so many histories, says what was counted, and fails when anything went wrong in one of them. */
export async function simulate(seeds: number, staging?: Staging): Promise<void> {
  const { first, count } = seedsOf(seeds)
  const tally = await liveAll(first, count, staging)
  const text = tallyText(tally, staging)
  console.log(text)
  expect(tally.bad.length, text).toBe(0)
  // A simulation in which nothing happens would prove nothing.
  expect(Math.min(tally.crashes, tally.paid, tally.doubts)).toBeGreaterThanOrEqual(Math.floor(count / 50))
}

/** The seed that a failing test named, told from its beginning to its end. */
export async function replay(staging?: Staging): Promise<void> {
  const history = await live(budget.replay ?? 1, { ...staging, log: line => console.log(line) })
  expect(history.accusations).toEqual([])
}

// Hours: the number of seeds is for the environment to say.
export const longest = 12 * 3_600_000
