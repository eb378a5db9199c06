import { setMaxListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openPolls, type Polls } from '../../../src/engine/gates/polls.ts'
import type { SharedTurns, Taken, TurnsSeen } from '../../../src/store/claim/shared-turns.ts'
import { type HandClock, handClock } from '../fake.ts'

const never = new AbortController().signal
setMaxListeners(0, never)

/** So many runs that are asked after without a pause; gives the dates of all questions. */
async function askFor(
  seconds: number,
  askers: readonly { readonly polls: Polls; readonly runs: number; readonly most?: number }[],
  clock: HandClock,
  answer: (at: number) => 'well' | 'busy' = () => 'well',
): Promise<number[]> {
  const dates: number[] = []
  const end = clock.now() + seconds * 1000
  const all = askers.flatMap(({ polls, runs, most }) =>
    Array.from({ length: runs }, async () => {
      const who = {}
      for (let since = clock.now(); clock.now() < end; since = clock.now()) {
        await polls.turn({ who, since, most }, never)
        dates.push(clock.now())
        polls.answered(answer(clock.now()), who)
      }
      polls.leave(who)
    }),
  )
  await clock.run(Promise.all(all))
  return dates
}

/** The most within any second. */
function busiest(dates: readonly number[]): number {
  return Math.max(...dates.map(at => dates.filter(other => other >= at && other < at + 1000).length))
}

describe('within any second at most', () => {
  test.each([
    ['4 are asked with 1 run', 1, undefined, 4],
    ['4 are asked with 12 runs', 12, undefined, 4],
    ['10 are asked with 30 runs', 30, undefined, 10],
    ['50 are asked with 150 runs', 150, undefined, 50],
    ['50 are asked with 400 runs', 400, undefined, 50],
    ['2 are asked with 400 runs, when the user allows 2', 400, 2, 2],
  ])('%s', async (_, runs, most, rate) => {
    const clock = handClock()
    const dates = await askFor(20, [{ polls: openPolls({ clock }), runs, ...(most && { most }) }], clock)
    // The runs are there within the first moment; what was begun by then at the old rate is one question.
    expect(busiest(dates)).toBeLessThanOrEqual(rate + 1)
    const inTime = dates.filter(at => at < 1_000_000 + 20_000)
    expect(inTime.length).toBeGreaterThanOrEqual(0.95 * rate * 20)
  })
})

test('a 429 halves the rate at once, and it is what it was a minute later', async () => {
  const clock = handClock()
  const start = clock.now()
  let isTold = false
  const dates = await askFor(150, [{ polls: openPolls({ clock }), runs: 30 }], clock, at => {
    if (isTold || at < start + 30_000) return 'well'
    isTold = true
    return 'busy'
  })
  const count = (from: number, to: number) =>
    dates.filter(at => at >= start + from * 1000 && at < start + to * 1000).length / (to - from)
  expect(count(10, 30)).toBeCloseTo(10, 0)
  expect(count(31, 35)).toBeGreaterThan(4.5)
  expect(count(31, 35)).toBeLessThan(5.6)
  expect(count(60, 62)).toBeCloseTo(7.1, 0)
  expect(count(92, 150)).toBeCloseTo(10, 0)
})

test('a service on this machine is asked as often as anybody likes, unless the user says how often', async () => {
  const clock = handClock()
  const polls = openPolls({ clock, isFree: true })
  for (let nth = 0; nth < 1000; nth++) await clock.run(polls.turn({ who: {}, since: nth }, never))
  expect(clock.now()).toBe(1_000_000)
  const dates = await askFor(5, [{ polls, runs: 3, most: 10 }], clock)
  expect(busiest(dates)).toBe(10)
})

test('a run that leaves does not count any more', async () => {
  const clock = handClock()
  const polls = openPolls({ clock })
  const crowd = Array.from({ length: 150 }, () => ({}))
  await clock.run(Promise.all(crowd.map(who => polls.turn({ who, since: 0 }, never))))
  for (const who of crowd) polls.leave(who)
  expect(busiest(await askFor(10, [{ polls, runs: 2 }], clock))).toBeLessThanOrEqual(5)
})

test('who stops is let go at once, and lets nobody else pass', async () => {
  const clock = handClock()
  const polls = openPolls({ clock })
  const stop = new AbortController()
  const order: string[] = []
  const ask = (name: string, since: number, signal: AbortSignal) =>
    polls.turn({ who: {}, since }, signal).then(() => order.push(`${name} ${clock.now() - 1_000_000}`))
  const all = Promise.all([
    ask('first', 0, stop.signal),
    ask('second', 1, never),
    ask('stopped', 2, stop.signal),
    ask('third', 3, never),
  ])
  await new Promise(resolve => setImmediate(resolve))
  stop.abort()
  await clock.run(all)
  // Everybody else comes at the usual rate, although the one that began the waiting is gone.
  expect(order).toEqual(['first 0', 'stopped 0', 'second 250', 'third 500'])
})

test('nobody is waited for when all have stopped', async () => {
  const clock = handClock()
  const polls = openPolls({ clock })
  const who = {}
  await clock.run(polls.turn({ who, since: 0 }, never))
  // Out of tokens, it would be twenty seconds until the next probe.
  for (let nth = 0; nth < 20; nth++) polls.answered('not', who)
  const stop = new AbortController()
  const waiting = polls.turn({ who, since: 0 }, stop.signal)
  await Promise.resolve()
  stop.abort()
  await waiting
  // A clock that somebody still waited for would be moved on.
  await clock.run(new Promise(resolve => setImmediate(resolve)))
  expect(clock.now()).toBe(1_000_000)
})

describe('with other processes', () => {
  function shared(take: (seen: (seen: TurnsSeen) => number) => Taken | undefined) {
    const calls: string[] = []
    const turns: SharedTurns = {
      take: (alive, gapMs) => {
        calls.push(`take ${alive}`)
        return take(gapMs)
      },
      slow: perSecond => void calls.push(`slow ${perSecond}`),
      leave: () => void calls.push('leave'),
    }
    return { turns, calls }
  }

  test('a turn is waited for, counts the runs of all, and is given back by the last run', async () => {
    const clock = handClock()
    const gaps: number[] = []
    const { turns, calls } = shared(gapMs => {
      gaps.push(gapMs({ others: 58 }))
      return { is: 'turn', waitMs: 70 }
    })
    const polls = openPolls({ clock, shared: turns })
    const [a, b] = [{}, {}]
    await clock.run(Promise.all([a, b].map(who => polls.turn({ who, since: 0 }, never))))
    expect(clock.now()).toBe(1_000_000 + 70 + 50 + 70)
    // The first was taken before the second run was there.
    expect(gaps).toEqual([51, 50])
    polls.leave(a)
    polls.leave(b)
    expect(calls).toEqual(['take 1', 'take 2', 'leave'])
  })

  test('a crowd is waited out', async () => {
    const clock = handClock()
    let nth = 0
    const { turns } = shared(() => (nth++ < 3 ? { is: 'crowded', waitMs: 1000 } : { is: 'turn', waitMs: 0 }))
    await clock.run(openPolls({ clock, shared: turns }).turn({ who: {}, since: 0 }, never))
    expect(clock.now()).toBe(1_003_000)
  })

  test('a 429 that another one has seen slows this one as well', async () => {
    const clock = handClock()
    const { turns } = shared(gapMs => {
      gapMs({ others: 1, slowed: { perSecond: 1, agoMs: 0 } })
      return { is: 'turn', waitMs: 0 }
    })
    expect(busiest(await askFor(5, [{ polls: openPolls({ clock, shared: turns }), runs: 2 }], clock))).toBe(1)
  })

  test('its own 429 is told to them once', async () => {
    const clock = handClock()
    const { turns, calls } = shared(() => undefined)
    const polls = openPolls({ clock, shared: turns })
    const [a, b] = [{}, {}]
    await clock.run(Promise.all([a, b].map(who => polls.turn({ who, since: 0 }, never))))
    await clock.run(clock.until(clock.now() + 10))
    polls.answered('busy', a)
    polls.answered('busy', b)
    expect(calls.filter(call => call.startsWith('slow'))).toEqual(['slow 2'])
  })

  test('where nothing can be shared, the rate of this process holds', async () => {
    const clock = handClock()
    const { turns } = shared(() => undefined)
    const dates = await askFor(10, [{ polls: openPolls({ clock, shared: turns }), runs: 3 }], clock)
    expect(busiest(dates)).toBe(4)
  })
})
