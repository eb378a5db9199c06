import { expect, test } from 'vitest'
import { freshness } from '../../src/fleet/right.ts'

test.each([
  ['at once', 0, 0, true],
  ['within five seconds', 4_999, 4_999, true],
  ['after five seconds', 5_000, 5_000, false],
  ['after a sleep in which the one clock stood still', 10, 25_000, false],
  ['when the clock on the wall was set back', 10, -3_600_000, false],
])('a right that is used %s', (_, elapsedMs, wallMs, isGood) => {
  const at = { now: 1_000, wall: 1_700_000_000_000 }
  const clock = { now: () => at.now, wall: () => at.wall, until: () => Promise.resolve() }
  const fresh = freshness(clock)
  at.now += elapsedMs
  at.wall += wallMs
  expect(fresh.isGood()).toBe(isGood)
})
