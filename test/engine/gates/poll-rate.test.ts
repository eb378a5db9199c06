import { describe, expect, test } from 'vitest'
import { afterBusy, pollRate, type Slowed } from '../../../src/engine/gates/poll-rate.ts'

// docs/contract.md P28.

const now = 1_000_000
const rateLimit = 60_000

describe('questions a second', () => {
  test.each([
    [0, 4],
    [1, 4],
    [12, 4],
    [13, 13 / 3],
    [30, 10],
    [90, 30],
    [150, 50],
    [151, 50],
    [2000, 50],
  ])('with %i runs alive: %d', (alive, rate) => {
    expect(pollRate({ alive }, now)).toBeCloseTo(rate, 9)
  })

  test.each([
    [1, 1, 1],
    [1, 4, 4],
    [1, 30, 4],
    [150, 4, 4],
    [150, 50, 50],
    [150, Number.POSITIVE_INFINITY, 50],
  ])('with %i runs alive and %d allowed: %d', (alive, most, rate) => {
    expect(pollRate({ alive, most }, now)).toBe(rate)
  })

  test.each([
    ['halved by a 429', 0, 2],
    ['half of that again by another one a second later', 1000, 1.0116],
  ])('are %s', (_, later, rate) => {
    let slowed: Slowed | undefined = afterBusy({ alive: 1 }, now - 100, now)
    if (later > 0) slowed = afterBusy({ alive: 1, slowed }, now + later - 10, now + later)
    expect(pollRate({ alive: 1, slowed }, now + later)).toBeCloseTo(rate, 4)
  })

  test('are halved once by all answers to what was asked before that', () => {
    const slowed = afterBusy({ alive: 150 }, now - 100, now)
    expect(afterBusy({ alive: 150, slowed }, now - 50, now + 20)).toEqual({ perSecond: 25, since: now })
  })

  test('are never fewer than one in two seconds', () => {
    let slowed: Slowed | undefined
    for (let nth = 0; nth < 20; nth++) slowed = afterBusy({ alive: 150, slowed }, now + nth, now + nth)
    expect(pollRate({ alive: 150, slowed }, now + 20)).toBeCloseTo(0.5, 3)
  })

  test('are half of what the user allows after a 429', () => {
    expect(afterBusy({ alive: 150, most: 10 }, now, now)).toEqual({ perSecond: 5, since: now })
  })

  // Twice as many with every minute without a 429.
  test.each([
    [0, 25],
    [rateLimit / 2, 25 * Math.SQRT2],
    [rateLimit, 50],
    [10 * rateLimit, 50],
  ])('of 150 runs, %i ms after a 429: %d', (later, rate) => {
    const slowed = afterBusy({ alive: 150 }, now, now)
    expect(pollRate({ alive: 150, slowed }, now + later)).toBeCloseTo(rate, 6)
  })

  test.each([
    ['a date in the future, of a clock that was set', { perSecond: 2, since: now + 1e9 }, 2],
    ['a rate that nobody can have meant', { perSecond: 0.0001, since: now }, 0.5],
  ])('stand %s', (_, slowed, rate) => {
    expect(pollRate({ alive: 1, slowed }, now)).toBe(rate)
  })
})
