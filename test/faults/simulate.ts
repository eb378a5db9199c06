import { expect } from 'vitest'
import { apart } from './apart.ts'
import { budget, seedsOf } from './budget.ts'
import { live } from './history.ts'
import { type Kind, kinds } from './kinds.ts'
import { tallyText } from './tally.ts'

/**
 * Lives the histories of this kind, says what was counted, and fails when anything went wrong in one of them. Or the one
 * seed that a failing test named, told from its beginning to its end.
 */
export async function simulate(kind: Kind): Promise<void> {
  if (budget.replay !== undefined) return replay(budget.replay, kind)
  const { first, count } = seedsOf(budget.seeds * kinds[kind].share)
  const tally = await apart('all', first, count, kinds[kind].staging)
  const text = tallyText(tally, kind)
  console.log(text)
  expect(tally.bad.length, text).toBe(0)
  expect(tally.seeds).toBe(count)
  // A simulation in which nothing happens would prove nothing.
  expect(Math.min(tally.crashes, tally.paid, tally.doubts)).toBeGreaterThanOrEqual(Math.floor(count / 50))
}

async function replay(seed: number, kind: Kind): Promise<void> {
  const history = await live(seed, { ...kinds[kind].staging, log: line => console.log(line) })
  expect(history.accusations).toEqual([])
}

// Hours: the number of seeds is for the environment to say.
export const longest = 12 * 3_600_000
