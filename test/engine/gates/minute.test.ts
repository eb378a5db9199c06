// The user's limit of orders per minute holds for what leaves, whatever an order waits for before and whatever becomes of it.
import { expect, test } from 'vitest'
import { runEngine } from '../../../src/engine/engine.ts'
import type { Task, World } from '../../../src/engine/world.ts'
import type { OrderReply } from '../../../src/wire/http/wire.ts'
import { fakeWorld, job, type Script, seededRandom, task } from '../fake.ts'

const minute = 60_000
const limits = { execute: 64, submit: 64, download: 6 }
const made: OrderReply = { got: 'files', files: [] }
const unsent: OrderReply = {
  got: 'not-sent',
  failure: { why: 'unreachable', origin: 'https://service.example', detail: 'refused' },
}
const many = (length: number) => Array.from({ length }, (_, nth) => task(job(`j${nth}`)))

/** Runs it with a wire of its own; tells when each order left, and how each job ended. */
async function carriedOut(
  tasks: readonly Task[],
  perMinute: number,
  wireOf: (world: ReturnType<typeof fakeWorld>, leave: () => void) => World['wire']['order'],
  script: Script = {},
) {
  const world = fakeWorld(script)
  const began = world.clock.now()
  const left: number[] = []
  const order = wireOf(world, () => left.push(world.clock.now() - began))
  const its = { ...world, wire: { ...world.wire, order } }
  const outcomes = await world.clock.run(runEngine(tasks, its, { ...limits, perMinute }))
  const most = Math.max(...left.map(at => left.filter(other => other >= at && other < at + minute).length))
  const done = [...outcomes.values()].filter(({ is }) => is === 'done').length
  return { left, most, done, outcomes, events: world.events }
}

test('who waits for the first order of a workflow leaves after it, and counts from then on', async () => {
  const { left, most, done } = await carriedOut(
    many(30),
    10,
    ({ clock }, leave) =>
      async ({ address }, ask) => {
        const lastWord = await ask()
        lastWord()
        leave()
        await clock.until(clock.now() + (address === 'j0' ? 55_000 : 1000))
        return made
      },
  )
  expect([most, done]).toEqual([10, 30])
  // None is wasted either: the first ten go as soon as the first of them is answered.
  expect(left.filter(at => at <= 56_000)).toHaveLength(10)
  expect(left.at(-1)).toBeLessThanOrEqual(3 * minute)
})

test('an order counts when its first byte leaves, however long its connection takes', async () => {
  const { most, done } = await carriedOut(many(30), 5, ({ clock }, leave) => {
    let nth = 0
    return async (_, ask) => {
      // The second to fifth find their connection late, and those after them at once.
      const ms = nth > 0 && nth < 5 ? 20_000 : 0
      nth++
      await clock.until(clock.now() + ms)
      const lastWord = await ask()
      lastWord()
      leave()
      return made
    }
  })
  expect([most, done]).toEqual([5, 30])
})

test('and no longer than a minute, however long its answer takes', async () => {
  const { left, done } = await carriedOut(many(4), 2, ({ clock }, leave) => async ({ address }, ask) => {
    const lastWord = await ask()
    lastWord()
    leave()
    await clock.until(clock.now() + (address === 'j0' ? 1000 : 300_000))
    return made
  })
  expect([left, done]).toEqual([[0, 1000, minute, minute + 1000], 4])
})

test('what is not sent takes nobody’s place in the minute', async () => {
  const { left, done } = await carriedOut(many(4), 3, (_, leave) => async ({ address }, ask) => {
    if (address === 'j0') return unsent
    const lastWord = await ask()
    lastWord()
    leave()
    return made
  })
  expect(done).toBe(3)
  expect(Math.max(...left)).toBeLessThan(minute)
})

test('nor does what is held back at the last moment', async () => {
  const gate: Script['gate'] = ({ job: { address } }) =>
    address < 'j5' ? { why: 'budget', detail: 'spent' } : undefined
  const { left, outcomes } = await carriedOut(
    many(8),
    3,
    (_, leave) => async (__, ask) => {
      const lastWord = await ask().catch(() => undefined)
      if (!lastWord) return unsent
      lastWord()
      leave()
      return made
    },
    { gate },
  )
  expect([...outcomes.values()].filter(({ is }) => is === 'skipped')).toHaveLength(5)
  expect(left).toHaveLength(3)
  expect(Math.max(...left)).toBeLessThan(minute)
})

test('a word that comes too late leaves nothing behind: what was to leave and is held back counts not', async () => {
  let isRevoked = true
  const { left } = await carriedOut(
    many(6),
    2,
    ({ clock }, leave) =>
      async ({ address }, ask) => {
        isRevoked = address < 'j4'
        try {
          const lastWord = await ask()
          lastWord()
        } catch {
          return unsent
        }
        leave()
        await clock.until(clock.now() + 10)
        return made
      },
    { revoked: () => (isRevoked ? { why: 'stopped' } : undefined) },
  )
  expect(left).toHaveLength(2)
  expect(Math.max(...left)).toBeLessThan(minute)
})

test('an order that is turned away has left, and so has each repetition', async () => {
  const { left, most, done } = await carriedOut(many(12), 4, ({ clock }, leave) => {
    let nth = 0
    return async (_, ask) => {
      const lastWord = await ask()
      lastWord()
      leave()
      await clock.until(clock.now() + 100)
      return ++nth % 3 === 0
        ? { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, waitMs: 1000 }
        : made
    }
  })
  expect([most, done]).toEqual([4, 12])
  expect(left.length).toBeGreaterThan(12)
})

test.each([1, 2, 3, 4, 5, 6])('whatever a service does, by chance %i', async seed => {
  const random = seededRandom(seed)
  const tasks = Array.from({ length: 80 }, (_, nth) => task(job(`j${nth}`, { workflow: `w${nth % 4}` })))
  const { most, outcomes } = await carriedOut(tasks, 7, ({ clock }, leave) => async (_, ask) => {
    const [way, work, luck] = [random.next(), random.next(), random.next()]
    await clock.until(clock.now() + Math.round(way * 9000))
    if (luck < 0.2) return unsent
    const lastWord = await ask()
    lastWord()
    leave()
    await clock.until(clock.now() + Math.round(work * 40_000))
    return luck < 0.35 ? { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true } : made
  })
  expect(most).toBeLessThanOrEqual(7)
  expect([...outcomes.values()].every(({ is }) => is === 'done' || is === 'failed')).toBe(true)
})
