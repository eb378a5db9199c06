import { describe, expect, test } from 'vitest'
import type { JobState } from '../../src/base/state.ts'
import type { SaveOutcome } from '../../src/engine/advance.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Task, World } from '../../src/engine/world.ts'
import type { ReadReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, run, saved, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const [second, rateLimit] = [1000, 60_000]
const files: ReadReply = { got: 'files', files: [{ from: 'link', url: 'https://x/1.png' }] }
const undelivered: SaveOutcome = { got: 'trouble', failure: { why: 'undelivered', detail: 'no answer' } }

/** One attempt to fetch: how long it takes, and what comes of it. */
interface Try {
  readonly ms: number
  readonly outcome: SaveOutcome
}

interface Fetched {
  readonly states: readonly JobState[]
  readonly endedMs: number
  /** When each attempt began, and whether it was cut off. */
  readonly tries: readonly { readonly atMs: number; readonly isCut: boolean }[]
}

/** Jobs whose runs are done after `runMs`, and whose files come as `attempt` says. */
async function fetched(
  tasks: readonly Task[],
  attempt: (nth: number) => Try,
  { runMs = 2 * second, download = limits.download } = {},
): Promise<Fetched> {
  const began = { ms: 0 }
  const fake = fakeWorld({
    order: ({ address }) => ({ got: 'run', run: run(`r-${address}`) }),
    read: () => (fake.clock.now() - began.ms < runMs ? { got: 'pending' } : files),
  })
  const { clock } = fake
  began.ms = clock.now()
  const tries: { atMs: number; isCut: boolean }[] = []
  const world: World = {
    ...fake,
    async save(_work, _files, _recipe, signal) {
      const { ms, outcome } = attempt(tries.length)
      const its = { atMs: clock.now() - began.ms, isCut: false }
      tries.push(its)
      await clock.until(clock.now() + ms, signal)
      its.isCut = signal.aborted
      return signal.aborted ? { got: 'trouble', failure: { why: 'stopped' } } : outcome
    },
  }
  const outcomes = await clock.run(runEngine(tasks, world, { ...limits, download }))
  return { states: [...outcomes.values()], endedMs: clock.now() - began.ms, tries }
}

const clip = (timeoutMs: number, address = 'clip') => task(job(address, { mode: 'submit', timeoutMs }))

describe('a download that', () => {
  test('does not come is cut off at the deadline of its job, and its run is kept', async () => {
    const { states, endedMs, tries } = await fetched([clip(30 * second)], () => ({
      ms: 60 * second,
      outcome: undelivered,
    }))
    const kept = { ...run('r-clip'), origin: 'https://service.example' }
    expect(states).toEqual([{ is: 'detached', run: kept, because: { why: 'overdue', seconds: 30 } }])
    expect(endedMs).toBe(30 * second)
    expect(tries.map(({ isCut }) => isCut)).toEqual([true])
  })

  test('breaks off again and again is tried no longer than the deadline', async () => {
    const { states, endedMs, tries } = await fetched([clip(30 * second)], () => ({
      ms: 6 * second,
      outcome: undelivered,
    }))
    expect(states).toMatchObject([{ is: 'detached', run: run('r-clip'), because: { why: 'overdue' } }])
    expect(tries.length).toBeGreaterThan(2)
    expect(endedMs).toBeLessThanOrEqual(30 * second)
  })

  test('is told to wait beyond the deadline ends with what it was told', async () => {
    const { states, endedMs } = await fetched([clip(30 * second)], () => ({
      ms: second,
      outcome: { got: 'trouble', failure: { why: 'undelivered', detail: 'status 503' }, waitMs: rateLimit },
    }))
    expect(states).toMatchObject([{ is: 'detached', because: { why: 'undelivered' } }])
    expect(endedMs).toBeLessThanOrEqual(10 * second)
  })

  test('comes in time is not hurried', async () => {
    const { states, endedMs } = await fetched([clip(30 * second)], () => ({
      ms: 26 * second,
      outcome: saved,
    }))
    expect(states).toMatchObject([{ is: 'done' }])
    expect(endedMs).toBeLessThan(30 * second)
  })

  test('has links that die all the time comes to its end at the deadline', async () => {
    const { states, endedMs } = await fetched([clip(30 * second)], () => ({
      ms: 28 * second,
      outcome: { got: 'expired', failure: { why: 'undelivered', detail: 'status 403' } },
    }))
    expect(states).toMatchObject([{ is: 'detached', run: run('r-clip'), because: { why: 'overdue' } }])
    expect(endedMs).toBeLessThanOrEqual(31 * second)
  })
})

describe('a result that is at hand only at the deadline', () => {
  const late = { runMs: 29.5 * second }

  test('gets one real try', async () => {
    const { states, endedMs } = await fetched(
      [clip(30 * second)],
      () => ({ ms: 9 * second, outcome: saved }),
      late,
    )
    expect(states).toMatchObject([{ is: 'done' }])
    expect(endedMs).toBeGreaterThan(38 * second)
  })

  test('is left for the next run when that does not bring it', async () => {
    const { states, endedMs } = await fetched(
      [clip(30 * second)],
      () => ({ ms: rateLimit, outcome: saved }),
      late,
    )
    expect(states).toMatchObject([{ is: 'detached', run: run('r-clip'), because: { why: 'overdue' } }])
    expect(endedMs).toBeLessThanOrEqual(41 * second)
  })

  test('is tried no longer than its whole time', async () => {
    const { endedMs } = await fetched([clip(3 * second)], () => ({ ms: rateLimit, outcome: saved }), {
      runMs: 2.5 * second,
    })
    expect(endedMs).toBeLessThanOrEqual(6.5 * second)
  })
})

test.each<[string, Task['start']]>([
  ['is waited for', { is: 'remote', run: run('r-clip'), since: 0, tries: 0, notBefore: 0 }],
  [
    'is at hand',
    {
      is: 'made',
      run: run('r-clip'),
      files: [{ from: 'link', url: 'https://x/1.png' }],
      tries: 0,
      notBefore: 0,
    },
  ],
])('a result of an earlier run that %s has all of its time anew', async (_, start) => {
  const its = task(job('clip', { mode: 'submit', timeoutMs: 30 * second }), start)
  const { states } = await fetched([its], () => ({ ms: 29 * second, outcome: saved }), { runMs: 0 })
  expect(states).toMatchObject([{ is: 'done' }])
})

test('the time in which others are fetched first is not that of the job', async () => {
  const tasks = ['a', 'b', 'c'].map(address => clip(30 * second, address))
  const { states, tries } = await fetched(tasks, () => ({ ms: 25 * second, outcome: saved }), { download: 1 })
  expect(states.map(({ is }) => is)).toEqual(['done', 'done', 'done'])
  expect(tries.some(({ isCut }) => isCut)).toBe(false)
})

describe('a place that is down', () => {
  const unreachable = { why: 'unreachable', origin: 'https://service.example', detail: 'refused' } as const

  test('is tried for a minute, and the rest is left for the next run with its ids', async () => {
    const world = fakeWorld({ read: () => files, save: () => undelivered })
    const start = (nth: number) =>
      ({ is: 'remote', run: run(`r${nth}`), since: 0, tries: 0, notBefore: 0 }) as const
    const tasks = Array.from({ length: 300 }, (_, nth) =>
      task(job(`j${nth}`, { mode: 'submit' }), start(nth)),
    )
    const began = world.clock.now()
    const outcomes = await world.clock.run(runEngine(tasks, world, limits))
    expect([...outcomes.values()].every(state => state.is === 'detached' && state.run !== undefined)).toBe(
      true,
    )
    expect(world.clock.now() - began).toBeLessThan(4 * rateLimit)
  })

  test.each([
    ['that was never heard is given up after a minute', 0, rateLimit, 2.5 * rateLimit],
    ['that fell silent is given up after ten', 30, 10 * rateLimit, 13 * rateLimit],
  ])('%s', async (_, answers, leastMs, mostMs) => {
    let reads = 0
    const world = fakeWorld({
      read: () => (reads++ < answers ? { got: 'pending' } : { got: 'trouble', failure: unreachable }),
    })
    const start = (nth: number) =>
      ({ is: 'remote', run: run(`r${nth}`), since: world.clock.now(), tries: 0, notBefore: 0 }) as const
    const tasks = Array.from({ length: 200 }, (_each, nth) =>
      task(job(`j${nth}`, { mode: 'submit', timeoutMs: 60 * rateLimit }), start(nth)),
    )
    const began = world.clock.now()
    const outcomes = await world.clock.run(runEngine(tasks, world, limits))
    const lastedMs = world.clock.now() - began
    expect([...outcomes.values()].every(state => state.is === 'detached' && state.run !== undefined)).toBe(
      true,
    )
    expect(lastedMs).toBeGreaterThanOrEqual(leastMs)
    expect(lastedMs).toBeLessThan(mostMs)
  })
})

test.each([
  [1, 1],
  [3, 3],
])('after %i failed jobs nothing more is bought where no more are borne', async (failures, failed) => {
  const world = fakeWorld({
    order: (_, nth) => (nth % 2 ? { got: 'failure', failure: { why: 'remote', detail: '' } } : files),
  })
  const tasks = Array.from({ length: 60 }, (_, nth) => task(job(`j${nth}`)))
  const outcomes = await world.clock.run(runEngine(tasks, world, { ...limits, execute: 1, failures }))
  const of = (is: string) => [...outcomes.values()].filter(state => state.is === is)
  expect([of('failed').length, of('skipped').length]).toEqual([failed, 60 - failed])
  const many = failed === 1 ? '1 job' : `${failed} jobs`
  const because = {
    why: 'budget',
    detail: `${many} failed, and this run may have no more failures`,
    failures: failed,
  }
  expect(of('skipped')[0]).toEqual({ is: 'skipped', because })
})
