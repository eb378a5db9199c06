import { describe, expect, test } from 'vitest'
import type { WireMode } from '../../src/base/state.ts'
import { runEngine } from '../../src/engine/engine.ts'
import { openRateLimit } from '../../src/engine/gates/rate-limit.ts'
import { usualLimits } from '../../src/engine/gates/slot-limits.ts'
import { openSlots, type Slot } from '../../src/engine/gates/slots.ts'
import type { OrderReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, handClock, job, run, seededRandom, task } from './fake.ts'

const second = 1000
const rateLimit = 60 * second

/** A service that takes so many at a time, and so many a minute, and says no more than 429 about it. */
interface Room {
  readonly mode: WireMode
  readonly limit: number
  readonly perMinute?: number
  /** What Retry-After says, when it is sent. */
  readonly retryAfterMs?: number
}

interface Batch extends Room {
  readonly jobs: number
  /** How long a job takes: between half and one and a half of it. */
  readonly jobMs: number
  readonly seed?: number
}

/** Carries a batch out, and compares it with what somebody who knew the limits could have done. */
async function carry({ mode, limit, perMinute, retryAfterMs, jobs, jobMs, seed = 1 }: Batch) {
  const random = seededRandom(seed)
  const lengths = Array.from({ length: jobs }, () => Math.round(jobMs * (0.5 + random.next())))
  const ends: number[] = []
  const taken: number[] = []
  let refusals = 0
  const over = new Map<string, number>()
  const busy = (): OrderReply => {
    refusals++
    const failure = { why: 'busy', detail: '' } as const
    return {
      got: 'refused',
      failure,
      canRetry: true,
      ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }),
    }
  }
  const world = fakeWorld({
    async order({ address }) {
      const now = world.clock.now()
      const isFull = ends.filter(end => end > now).length >= limit
      const recent = taken.filter(at => at > now - rateLimit).length
      if (isFull || (perMinute !== undefined && recent >= perMinute)) return busy()
      const end = now + (lengths[Number(address.slice(1))] ?? 0)
      ends.push(end)
      taken.push(now)
      if (mode === 'submit') {
        over.set(address, end)
        return { got: 'run', run: run(address) }
      }
      await world.clock.until(end)
      return { got: 'files', files: [] }
    },
    read: ({ id }) =>
      world.clock.now() >= (over.get(id) ?? 0) ? { got: 'files', files: [] } : { got: 'pending' },
  })
  const began = world.clock.now()
  const tasks = lengths.map((_, nth) => task(job(`j${nth}`, { mode })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].filter(state => state.is !== 'done')).toEqual([])
  expect(taken).toHaveLength(jobs)
  const ideal = Math.max(
    lengths.reduce((sum, each) => sum + each, 0) / limit,
    Math.max(...lengths),
    perMinute === undefined ? 0 : (Math.ceil(jobs / perMinute) - 1) * rateLimit,
  )
  return { ratio: (world.clock.now() - began) / ideal, refusals: refusals / jobs }
}

// Jobs of many lengths, a minute that slides: what a real service has and the tests of pace have not (P23).
describe('a limit that nobody tells is found, whatever the jobs', () => {
  test.each<[string, Batch, number]>([
    ['L = 1', { mode: 'execute', limit: 1, jobs: 60, jobMs: 20 * second, retryAfterMs: 5 * second }, 1.25],
    ['L = 3', { mode: 'submit', limit: 3, jobs: 90, jobMs: 90 * second, retryAfterMs: 5 * second }, 1.25],
    ['L = 10', { mode: 'execute', limit: 10, jobs: 150, jobMs: 20 * second }, 1.25],
    ['L = 40, executed', { mode: 'execute', limit: 40, jobs: 200, jobMs: 20 * second }, 1.6],
    ['L = 40, submitted', { mode: 'submit', limit: 40, jobs: 200, jobMs: 90 * second }, 1.6],
    [
      '30 a minute, executed',
      { mode: 'execute', limit: 40, perMinute: 30, jobs: 200, jobMs: 20 * second },
      1.6,
    ],
    [
      '30 a minute, submitted',
      { mode: 'submit', limit: 40, perMinute: 30, jobs: 200, jobMs: 90 * second },
      1.6,
    ],
  ])('%s', { timeout: 60_000 }, async (name, batch, most) => {
    const { ratio, refusals } = await carry(batch)
    if (process.env.SHOW) console.log(name, ratio.toFixed(2), refusals.toFixed(2))
    expect(ratio).toBeLessThanOrEqual(most)
    expect(refusals).toBeLessThanOrEqual(0.3)
  })
})

describe('how many may begin in a minute', () => {
  const start = 1_000_000
  test('is what the user allows, in any minute', () => {
    const limit = openRateLimit(2)
    limit.begin(start)
    limit.begin(start + 10 * second)
    expect(limit.opensAt(start + 20 * second)).toBe(start + rateLimit)
    expect(limit.opensAt(start + rateLimit)).toBeUndefined()
    limit.begin(start + rateLimit)
    expect(limit.opensAt(start + rateLimit)).toBe(start + 70 * second)
  })

  /** So many are taken at that time, and three are turned away with room to spare. */
  const guessed = (taken: number, at: number) => {
    const limit = openRateLimit()
    for (let nth = 0; nth < taken + 3; nth++) limit.begin(at)
    for (let nth = 0; nth < 3; nth++) limit.turnedAway(at, true)
    return limit
  }

  test('is what was taken in the minute before three refusals that cannot be for want of room', () => {
    const limit = guessed(30, start)
    const tried = start + 6 * second
    expect(limit.opensAt(start)).toBe(start + 5 * second)
    expect(limit.opensAt(tried)).toBeUndefined()
    limit.begin(tried)
    limit.turnedAway(tried, true)
    expect(limit.opensAt(tried)).toBe(start + 20 * second)
    limit.begin(start + 20 * second)
    limit.turnedAway(start + 20 * second, true)
    expect(limit.opensAt(start + 20 * second)).toBe(start + rateLimit)
  })

  test('is no longer guessed when an order is taken against the guess', () => {
    const limit = guessed(30, start)
    limit.taken(start)
    expect(limit.opensAt(start)).toBe(start + 5 * second)
    limit.begin(start + 5 * second)
    limit.taken(start + 5 * second)
    expect(limit.opensAt(start + 5 * second)).toBeUndefined()
  })

  test('is not guessed while orders are taken in between', () => {
    const limit = openRateLimit()
    for (let nth = 0; nth < 20; nth++) {
      limit.begin(start + nth)
      if (nth % 3 === 0) limit.taken(start + nth)
      else limit.turnedAway(start + nth, true)
    }
    expect(limit.opensAt(start + 20)).toBeUndefined()
  })

  test('is not guessed from a refusal for want of room', () => {
    const limit = openRateLimit()
    limit.begin(start)
    limit.turnedAway(start, false)
    expect(limit.opensAt(start)).toBeUndefined()
  })

  test('is tried for more after a minute without trouble', () => {
    const limit = guessed(30, start)
    for (const after of [5, 20]) {
      limit.begin(start + after * second)
      limit.turnedAway(start + after * second, true)
    }
    let begun = 0
    for (; limit.opensAt(start + 81 * second) === undefined; begun++) limit.begin(start + 81 * second)
    expect(begun).toBe(33)
  })
})

describe('an order that executes', () => {
  const busy = async (answered: number) => {
    const clock = handClock()
    const slots = openSlots({ execute: 64, submit: 64, download: 6 }, clock)
    let inFlight = 0
    const forEver = async (slot: Slot) => {
      inFlight++
      slot.sends().leaves()
      await clock.until(clock.now() + 10 * rateLimit)
    }
    for (let nth = 0; nth < answered; nth++)
      await slots.execute({ priority: 0 }, async slot => slot.sends().answered('taken'))
    for (let nth = 0; nth < 64; nth++) void slots.execute({ priority: 0 }, forEver)
    await clock.run(clock.until(clock.now() + rateLimit))
    return inFlight
  }

  test('counts as taken when it is not turned away soon', async () => {
    expect(await busy(2)).toBeGreaterThanOrEqual(16)
  })

  test('proves little by that: a service that falls silent is not sent everything', async () => {
    expect(await busy(0)).toBe(4)
    expect(await busy(1)).toBeLessThanOrEqual(9)
  })
})
