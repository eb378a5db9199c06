import { describe, expect, test } from 'vitest'
import { runEngine } from '../../../src/engine/engine.ts'
import { type Ask, openPolls } from '../../../src/engine/gates/polls.ts'
import { usualLimits } from '../../../src/engine/gates/slot-limits.ts'
import type { OrderReply, ReadReply } from '../../../src/wire/http/wire.ts'
import { fakeWorld, job, run, saved, seededRandom, task } from '../fake.ts'

interface Limited {
  readonly jobs: number
  /** How many the service takes at once; nobody is told. */
  readonly atOnce: number
  /** Orders it takes in each minute by the clock. */
  readonly perMinute?: number
  readonly seconds: number
  /** Whether it says when to come again. */
  readonly says?: boolean
  readonly mode: 'submit' | 'execute'
}

/** Carries jobs out against a service with limits of its own, on a clock that nobody waits for. */
async function simulate({ jobs, atOnce, perMinute, seconds, says, mode }: Limited) {
  const ends = new Map<string, number>()
  let refusals = 0
  let rateLimit = { nth: -1, taken: 0 }
  const busy = (waitMs: number): OrderReply => {
    refusals++
    return { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, ...(says && { waitMs }) }
  }
  const world = fakeWorld({
    async order(order) {
      const now = world.clock.now()
      const alive = [...ends.values()].filter(end => end > now)
      const nth = Math.floor((now - start) / 60_000)
      if (nth !== rateLimit.nth) rateLimit = { nth, taken: 0 }
      if (alive.length >= atOnce) return busy(1000)
      if (perMinute !== undefined && rateLimit.taken >= perMinute)
        return busy(start + (nth + 1) * 60_000 - now)
      rateLimit.taken++
      ends.set(order.address, now + seconds * 1000)
      if (mode === 'submit') return { got: 'run', run: run(order.address) }
      await world.clock.until(now + seconds * 1000)
      return { got: 'files', files: [] }
    },
    read: (ref): ReadReply =>
      world.clock.now() >= (ends.get(ref.id) ?? 0) ? { got: 'files', files: [] } : { got: 'pending' },
    save: () => saved,
  })
  const start = world.clock.now()
  const tasks = Array.from({ length: jobs }, (_, nth) => task(job(`job${nth}`, { mode })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  const done = [...outcomes.values()].filter(state => state.is === 'done').length
  const byLimit = Math.ceil(jobs / atOnce) * seconds
  const byMinute = perMinute === undefined ? 0 : Math.floor((jobs - 1) / perMinute) * 60 + seconds
  return {
    done,
    ratio: (world.clock.now() - start) / 1000 / Math.max(byLimit, byMinute),
    refusalsPerJob: refusals / jobs,
  }
}

describe('a limit that nobody tells is found: the batch ends soon, and few orders are turned away', () => {
  test.each<[string, Limited, number]>([
    ['L = 1', { jobs: 40, atOnce: 1, seconds: 30, mode: 'submit' }, 1.25],
    ['L = 3', { jobs: 90, atOnce: 3, seconds: 30, mode: 'submit' }, 1.25],
    ['L = 10', { jobs: 200, atOnce: 10, seconds: 60, mode: 'submit' }, 1.25],
    ['L = 40', { jobs: 400, atOnce: 40, seconds: 60, mode: 'submit' }, 1.6],
    [
      'L = 40 with 30 a minute',
      { jobs: 300, atOnce: 40, perMinute: 30, seconds: 60, says: true, mode: 'submit' },
      1.6,
    ],
    ['L = 1, executed', { jobs: 40, atOnce: 1, seconds: 10, mode: 'execute' }, 1.25],
    ['L = 3, executed', { jobs: 90, atOnce: 3, seconds: 10, mode: 'execute' }, 1.25],
    ['L = 10, executed', { jobs: 200, atOnce: 10, seconds: 10, mode: 'execute' }, 1.25],
    ['L = 40, executed', { jobs: 400, atOnce: 40, seconds: 10, mode: 'execute' }, 1.6],
    [
      'L = 40 with 30 a minute, executed',
      { jobs: 300, atOnce: 40, perMinute: 30, seconds: 10, says: true, mode: 'execute' },
      1.6,
    ],
  ])('%s', { timeout: 90_000 }, async (name, limited, most) => {
    const { done, ratio, refusalsPerJob } = await simulate(limited)
    if (process.env.SHOW) console.log(name, ratio.toFixed(2), refusalsPerJob.toFixed(2))
    expect(done).toBe(limited.jobs)
    expect(ratio).toBeLessThanOrEqual(most)
    expect(refusalsPerJob).toBeLessThanOrEqual(0.3)
  })
})

const unreachable = { why: 'unreachable', origin: 'https://service.example', detail: 'refused' } as const

test('what the service asks for is never undercut, and it pauses orders and results of everybody', async () => {
  const seen: [string, number][] = []
  const pauses: [from: number, until: number][] = []
  const chance = seededRandom(7)
  const note = (what: string) => seen.push([what, world.clock.now()])
  const asked = () => {
    const waitMs = Math.round(chance.next() * 90_000)
    pauses.push([world.clock.now(), world.clock.now() + waitMs])
    return waitMs
  }
  const world = fakeWorld({
    order: order => {
      note(`order ${order.address}`)
      if (chance.next() < 0.3)
        return { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, waitMs: asked() }
      return { got: 'run', run: run(order.address) }
    },
    read: (ref, nth) => {
      note(`read ${ref.id}`)
      if (chance.next() < 0.1)
        return { got: 'trouble', failure: { why: 'busy', detail: '' }, waitMs: asked() }
      return nth > 5 ? { got: 'files', files: [] } : { got: 'pending' }
    },
  })
  const tasks = Array.from({ length: 40 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].every(state => state.is === 'done')).toBe(true)
  expect(pauses.length).toBeGreaterThan(10)
  // An order takes 10 ms: what was under way when the answer came had left before.
  const undercut = seen.filter(([, at]) => pauses.some(([from, until]) => at - 10 > from && at < until))
  expect(undercut).toEqual([])
})

test('at most four results a second are asked for where the user allows four, and every run has its turn', async () => {
  const reads: number[] = []
  const fake = fakeWorld({
    order: order => ({ got: 'run', run: run(order.address) }),
    read: (_, nth) => {
      reads.push(fake.clock.now())
      return nth > 8 ? { got: 'files', files: [] } : { got: 'pending', waitMs: 1000 }
    },
  })
  const polls = openPolls(fake)
  const world = {
    ...fake,
    polls: { ...polls, turn: (ask: Ask, stop: AbortSignal) => polls.turn({ ...ask, most: 4 }, stop) },
  }
  const tasks = Array.from({ length: 40 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].every(state => state.is === 'done')).toBe(true)
  const busiest = reads.map(at => reads.filter(other => other >= at && other < at + 1000).length)
  expect(Math.max(...busiest)).toBeLessThanOrEqual(5)
  expect(reads).toHaveLength(360)
})

test('a service that does not answer is asked less and less, and everybody comes back when it does', async () => {
  let reads = 0
  let readsInOutage = 0
  let outage = { from: 0, until: 0 }
  const world = fakeWorld({
    order: order => ({ got: 'run', run: run(order.address) }),
    read: (_, nth) => {
      reads++
      const now = world.clock.now()
      if (reads === 100) outage = { from: now, until: now + 5 * 60_000 }
      if (now < outage.until && now >= outage.from && reads >= 100) {
        readsInOutage++
        return { got: 'trouble', failure: unreachable }
      }
      return nth > 10 ? { got: 'files', files: [] } : { got: 'pending' }
    },
  })
  const tasks = Array.from({ length: 60 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].every(state => state.is === 'done')).toBe(true)
  expect(readsInOutage).toBeLessThanOrEqual(10 + 0.1 * reads)
})

test('five orders in doubt, one after another, close the shop for a while; the third time for good', async () => {
  const sent: number[] = []
  const world = fakeWorld({
    order: () => {
      sent.push(world.clock.now())
      return { got: 'doubt', detail: 'status 500' }
    },
  })
  const tasks = Array.from({ length: 50 }, (_, nth) => task(job(`j${nth}`)))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect(sent).toHaveLength(7)
  expect((sent[5] ?? 0) - (sent[4] ?? 0)).toBeGreaterThanOrEqual(30_000)
  expect((sent[6] ?? 0) - (sent[5] ?? 0)).toBeGreaterThanOrEqual(60_000)
  expect([...outcomes.values()].filter(state => state.is === 'skipped')).toHaveLength(43)
})

describe('what is evidently no such service', () => {
  const page: OrderReply = { got: 'doubt', detail: 'a page', foreign: 'https://x answers with text/html' }

  async function sentWhen(reply: (nth: number) => OrderReply, workflows: number) {
    let nth = 0
    const world = fakeWorld({ order: () => reply(++nth) })
    const tasks = Array.from({ length: 40 }, (_, at) =>
      task(job(`j${at}`, { workflow: `w${at % workflows}`, mode: at % 2 ? 'submit' : 'execute' })),
    )
    const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
    const skipped = [...outcomes.values()].filter(state => state.is === 'skipped')
    return { sent: world.orders.length, because: skipped[0]?.because }
  }

  test.each([1, 2, 8])('costs two orders over %d workflows', async workflows => {
    expect(await sentWhen(() => page, workflows)).toEqual({
      sent: 2,
      because: {
        why: 'closed',
        because: { why: 'bad-reply', detail: 'https://x answers with text/html' },
      },
    })
  })

  test('counts as any other doubt once the service has taken an order', async () => {
    const { sent } = await sentWhen(nth => (nth === 1 ? { got: 'files', files: [] } : page), 1)
    expect(sent).toBeGreaterThan(5)
  })

  test('is not seen in doubts of another kind', async () => {
    expect((await sentWhen(() => ({ got: 'doubt', detail: 'status 500' }), 8)).sent).toBeGreaterThan(5)
  })
})

test('five paid jobs without anything of use end the buying', async () => {
  const world = fakeWorld({
    order: () => ({ got: 'files', files: [] }),
    save: () => ({ got: 'unusable', failure: { why: 'bad-media', detail: 'it is no media file' } }),
  })
  const tasks = Array.from({ length: 100 }, (_, nth) => task(job(`j${nth}`)))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect(world.orders).toHaveLength(5)
  expect([...outcomes.values()].filter(state => state.is === 'skipped')).toHaveLength(95)
})

test('a service that never has room is given up', async () => {
  const world = fakeWorld({
    order: () => ({ got: 'refused', failure: { why: 'busy', detail: 'full' }, canRetry: true }),
  })
  const start = world.clock.now()
  const tasks = Array.from({ length: 100 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect(outcomes.size).toBe(100)
  expect([...outcomes.values()].every(state => state.is === 'skipped' || state.is === 'failed')).toBe(true)
  expect(world.clock.now() - start).toBeLessThan(30 * 60_000)
})

test.each(['first', 'last'])(
  'a workflow of which all are turned away keeps no other from its turn, written %s',
  async place => {
    const left = new Map<string, number>()
    const world = fakeWorld({
      async order({ address }) {
        if (address.startsWith('full'))
          return { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true }
        left.set(address, world.clock.now() - start)
        await world.clock.until(world.clock.now() + 2000)
        return { got: 'files', files: [] }
      },
      save: () => saved,
    })
    const start = world.clock.now()
    const of = (workflow: string, many: number) =>
      Array.from({ length: many }, (_, nth) => task(job(`${workflow}${nth}`, { workflow, mode: 'execute' })))
    const [full, free] = [of('full', 20), of('free', 30)]
    const tasks = place === 'first' ? [...full, ...free] : [...free, ...full]
    const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
    expect([...outcomes.values()].filter(({ is }) => is === 'done')).toHaveLength(30)
    // Thirty of two seconds each, and what it takes to find that out.
    expect(Math.max(...left.values()) / 1000).toBeLessThan(150)
  },
)
