import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { World } from '../../src/engine/world.ts'
import type { ReadReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, run, saved, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const [rateLimit, hour] = [60_000, 3_600_000]
const pending: ReadReply = { got: 'pending' }
const files: ReadReply = { got: 'files', files: [{ from: 'link', url: 'https://x/1.png' }] }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const steps: [string, number][] = [
  ['is not touched', 0],
  ['is set back ten minutes', -10 * rateLimit],
  ['is set forward ten minutes', 10 * rateLimit],
  ['is set back two hours', -2 * hour],
  ['is set forward two hours', 2 * hour],
]

interface Lived {
  readonly end: unknown
  /** When each poll was, in milliseconds since the beginning. */
  readonly polls: readonly number[]
  readonly endedMs: number
}

/** A job on the machine's own clock, which is set three seconds after the beginning. */
async function live(byMs: number, read: (elapsedMs: number) => ReadReply, its = {}): Promise<Lived> {
  const began = systemClock.now()
  const polls: number[] = []
  const fake = fakeWorld()
  const world: World = {
    ...fake,
    clock: systemClock,
    wire: {
      ...fake.wire,
      async order(_, beforeFirstByte) {
        const lastWord = await beforeFirstByte()
        lastWord()
        return { got: 'run', run: run('r1') }
      },
      async read() {
        const elapsedMs = systemClock.now() - began
        polls.push(elapsedMs)
        return read(elapsedMs)
      },
    },
    save: async () => saved,
  }
  let endedMs = Number.POSITIVE_INFINITY
  let end: unknown
  void runEngine([task(job('clip', { mode: 'submit', ...its }))], world, limits).then(outcomes => {
    endedMs = systemClock.now() - began
    end = [...outcomes.values()][0]
  })
  await vi.advanceTimersByTimeAsync(3000)
  vi.setSystemTime(Date.now() + byMs)
  await vi.advanceTimersByTimeAsync(30 * rateLimit)
  return { end, polls, endedMs }
}

describe.each(steps)('while a run is waited for, the clock of the machine %s', (_, byMs) => {
  test('and it is asked after as often, and comes as soon', async () => {
    const { end, polls, endedMs } = await live(byMs, elapsed => (elapsed < 2 * rateLimit ? pending : files))
    expect(end).toMatchObject({ is: 'done', run: { id: 'r1' } })
    const gaps = polls.map((at, nth) => at - (polls[nth - 1] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15_001)
    expect(endedMs).toBeGreaterThanOrEqual(2 * rateLimit)
    expect(endedMs).toBeLessThanOrEqual(2 * rateLimit + 16_000)
  })

  test('and its deadline is where it was', async () => {
    const { end, endedMs } = await live(byMs, () => pending, { timeoutMs: 5 * rateLimit })
    expect(end).toMatchObject({
      is: 'detached',
      run: { id: 'r1' },
      because: { why: 'overdue', seconds: 300 },
    })
    expect(endedMs).toBeGreaterThanOrEqual(5 * rateLimit)
    expect(endedMs).toBeLessThanOrEqual(5 * rateLimit + 1000)
  })

  test('and what the service asked for is kept', async () => {
    const { end, polls } = await live(byMs, elapsed =>
      elapsed < rateLimit
        ? { got: 'trouble', failure: { why: 'busy', detail: 'later' }, waitMs: 2 * rateLimit }
        : files,
    )
    expect(end).toMatchObject({ is: 'done' })
    expect(polls).toHaveLength(2)
    expect((polls[1] ?? 0) - (polls[0] ?? 0)).toBeGreaterThanOrEqual(2 * rateLimit)
    expect((polls[1] ?? 0) - (polls[0] ?? 0)).toBeLessThanOrEqual(2.2 * rateLimit + 1)
  })
})
