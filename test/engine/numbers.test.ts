import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import type { JobState } from '../../src/base/state.ts'
import {
  afterOrder,
  afterRead,
  afterSave,
  type Made,
  type Ready,
  type Remote,
} from '../../src/engine/advance.ts'
import { askedMs, backoffMs, type Deadlines, deadlineMs, pollMs } from '../../src/engine/deadlines.ts'
import { runEngine } from '../../src/engine/engine.ts'
import { usualLimits } from '../../src/engine/gates/slot-limits.ts'
import type { ReadReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, run, task } from './fake.ts'

// docs/contract.md section 4, number by number.

const second = 1000
const rateLimit = 60 * second
const now = 1_000_000
const reset: Failure = { why: 'unreachable', origin: 'o', detail: 'reset' }
const unknown: Failure = { why: 'not-served', workflow: 'w', detail: '' }
const remote: Failure = { why: 'remote', detail: '' }
const undelivered: Failure = { why: 'undelivered', detail: '' }

function deadlines(chance: number, rest: Partial<Deadlines> = {}): Deadlines {
  return { from: now, deadline: now + 15 * rateLimit, pollFloorMs: second, chance: () => chance, ...rest }
}

const most = deadlines(1 - 1e-9)
const ready: Ready = { is: 'ready', tries: 0, notBefore: 0 }
const alive: Remote = { is: 'remote', run: run('r'), since: now, tries: 0, notBefore: 0 }
const made: Made = { is: 'made', files: [], run: run('r'), tries: 0, notBefore: 0 }

/** From a state on, the same again and again: the states that were passed. */
function again<S extends JobState>(from: S, step: (state: S) => JobState): JobState[] {
  const passed: JobState[] = []
  for (let state: JobState = from; state.is === from.is && passed.length < 50; passed.push(state))
    state = step(state as S) // it is of the same kind
  return passed
}

describe('waits', () => {
  test('are at most half a second at first, double, and end at 20 s; with full jitter', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 40].map(tries => backoffMs(tries, most))).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000,
    ])
    expect(backoffMs(6, deadlines(0))).toBe(0)
    expect(backoffMs(0, most, second)).toBe(second)
  })

  test('are what the service asks for, and up to a tenth more', () => {
    expect(askedMs(30_000, deadlines(0))).toBe(30_000)
    expect(askedMs(30_000, most)).toBe(33_000)
  })

  test.each([
    [0, 1000],
    [5000, 1000],
    [20_000, 2600],
    [100_000, 13_000],
    [120_000, 15_000],
    [3_600_000, 15_000],
  ])('between two looks at a run of %i ms are %i ms', (age, ms) => {
    expect(pollMs(age, most)).toBe(ms)
  })

  test('between two looks are what the service says, and not below a second', () => {
    expect([3000, 200].map(hint => pollMs(100_000, most, hint))).toEqual([3000, 1000])
  })

  test('after 429 of an order are a second at most, or what is asked', () => {
    const busy = { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true } as const
    expect(afterOrder(ready, busy, most, now)).toMatchObject({
      is: 'ready',
      tries: 0,
      notBefore: now + second,
    })
    expect(afterOrder(ready, { ...busy, waitMs: 7000 }, deadlines(0), now)).toMatchObject({
      notBefore: now + 7000,
    })
  })
})

describe('deadlines', () => {
  test('are a quarter of an hour, for video an hour', () => {
    expect((['image', 'audio', 'video'] as const).map(deadlineMs)).toEqual([
      15 * rateLimit,
      15 * rateLimit,
      60 * rateLimit,
    ])
  })

  test('detach a run, which keeps its id', () => {
    const pending = (at: number) => afterRead(alive, { got: 'pending' }, most, at)
    expect(pending(now + 15 * rateLimit - 1).is).toBe('remote')
    expect(pending(now + 15 * rateLimit)).toEqual({
      is: 'detached',
      run: run('r'),
      because: { why: 'overdue', seconds: 900 },
    })
  })

  test('end an order early that the service puts off beyond them', () => {
    const busy = {
      got: 'refused',
      failure: { why: 'busy', detail: '' },
      canRetry: true,
      waitMs: 3_600_000,
    } as const
    expect(afterOrder(ready, busy, deadlines(0), now)).toEqual({
      is: 'failed',
      failure: { why: 'busy', detail: 'it asks to be left alone for 3600 s' },
      billed: 'no',
    })
  })
})

describe('attempts', () => {
  test('to send are six', () => {
    const passed = again(ready, state => afterOrder(state, { got: 'not-sent', failure: reset }, most, now))
    expect(passed).toHaveLength(6)
    expect(passed.at(-1)).toEqual({ is: 'failed', failure: reset, billed: 'no' })
  })

  test('to download without progress are eight', () => {
    const passed = again(made, state => afterSave(state, { got: 'trouble', failure: undelivered }, most, now))
    expect(passed).toHaveLength(8)
    expect(passed.at(-1)).toEqual({ is: 'detached', run: run('r'), because: undelivered })
  })

  test('to read go on until the deadline', () => {
    const passed = again(alive, state => afterRead(state, { got: 'trouble', failure: reset }, most, now))
    expect(passed).toHaveLength(50)
    expect(afterRead(alive, { got: 'trouble', failure: reset }, most, now + 15 * rateLimit).is).toBe(
      'detached',
    )
  })
})

describe('what a service says of a run', () => {
  test.each<[string, number, JobState['is']]>([
    ['counts as running for a minute', rateLimit, 'remote'],
    ['is believed after that', rateLimit + 1, 'detached'],
  ])('that it does not know it %s', (_, age, is) => {
    expect(afterRead(alive, { got: 'trouble', failure: unknown }, deadlines(0), now + age).is).toBe(is)
  })

  const notFound: Failure = { why: 'refused', status: 404, detail: 'no such run' }
  const gone = { why: 'gone', run: 'r', detail: 'no such run' } as const

  /** The dates of the looks that all get the same answer, from the first on, and the state after the last. */
  function looks(from: Remote, reply: ReadReply): { at: number[]; end: JobState } {
    const at: number[] = []
    let state: JobState = { ...from, notBefore: now }
    while (state.is === 'remote' && at.length < 100) {
      at.push(state.notBefore)
      state = afterRead(state, reply, most, state.notBefore)
    }
    return { at: at.map(date => date - now), end: state }
  }

  test('that there is no such run is final after three looks in ten seconds, for one of an earlier process', () => {
    const { at, end } = looks(alive, { got: 'trouble', failure: notFound })
    expect(at).toEqual([0, 3000, 8000])
    expect(end).toEqual({ is: 'failed', failure: gone, billed: 'unknown', run: run('r') })
  })

  test('that there is no such run is final for a young one when it has been unknown for a minute', () => {
    const { at, end } = looks({ ...alive, acceptedAt: now - 5000 }, { got: 'trouble', failure: notFound })
    expect(at.at(-2)).toBeLessThanOrEqual(rateLimit - 5000)
    expect(at.at(-1)).toBeGreaterThan(rateLimit - 5000)
    expect(at.at(-1)).toBeLessThanOrEqual(rateLimit + 20 * second)
    expect(end).toEqual({ is: 'failed', failure: gone, billed: 'unknown', run: run('r') })
  })

  test('that the run is gone is final at the second look, young or not', () => {
    for (const acceptedAt of [now, undefined]) {
      const { at, end } = looks(
        { ...alive, acceptedAt },
        { got: 'trouble', failure: { ...notFound, status: 410 } },
      )
      expect(at).toHaveLength(2)
      expect(end).toMatchObject({ is: 'failed', failure: { why: 'gone' }, run: run('r') })
    }
  })

  test.each<[string, number | undefined, number, number]>([
    ['of an earlier process is given up at the third look', undefined, 3, 2000],
    ['of long ago is given up at the third look', now - 600 * second, 3, 2000],
    ['that is young is given up when it is a minute old', now, 7, rateLimit + 20 * second],
  ])('that a run cannot be asked for like this: one %s', (_, acceptedAt, count, latest) => {
    const failure: Failure = { why: 'refused', status: 422, detail: 'no id' }
    const { at, end } = looks({ ...alive, acceptedAt }, { got: 'trouble', failure })
    expect(at.length).toBeGreaterThanOrEqual(count)
    expect(at.at(-1)).toBeLessThanOrEqual(latest)
    expect(end).toEqual({ is: 'detached', run: run('r'), because: failure })
  })

  test('that it does not know the run counts from anew when it knew it in between', () => {
    const twice = { ...alive, unknown: 2 }
    const between = afterRead(twice, { got: 'pending' }, most, now) as Remote // it is one
    expect(afterRead(between, { got: 'trouble', failure: notFound }, most, now).is).toBe('remote')
    expect(afterRead(twice, { got: 'trouble', failure: notFound }, most, now).is).toBe('failed')
  })

  test('that it is finished, without a file, is final after four looks that grow apart', () => {
    const failure: Failure = { why: 'bad-reply', detail: 'no output' }
    const { at, end } = looks(alive, { got: 'trouble', failure, isFinished: true })
    expect(at).toEqual([0, 2000, 6000, 14_000])
    expect(end).toEqual({ is: 'failed', failure, billed: 'yes', run: run('r') })
    expect(looks({ ...alive, empty: 3 }, { got: 'trouble', failure }).at.length).toBeGreaterThan(4)
  })

  test('that it failed counts when it says so again two seconds later', () => {
    const once = afterRead(alive, { got: 'failure', failure: remote }, most, now)
    expect(once).toMatchObject({ is: 'remote', failedOnce: true, notBefore: now + 2000 })
    const twice = afterRead(once as Remote, { got: 'failure', failure: remote }, most, now + 2000) // it is one
    expect(twice).toEqual({ is: 'failed', failure: remote, billed: 'unknown', run: run('r') })
    const between = afterRead(once as Remote, { got: 'pending' }, most, now + 2000) // it is one
    expect(afterRead(between as Remote, { got: 'failure', failure: remote }, most, now + 4000).is).toBe(
      'remote',
    )
  })
})

// P28: each run alone, and many at a time.
describe('the end of a run is noticed', () => {
  async function lateness(
    lengths: readonly number[],
  ): Promise<readonly (readonly [length: number, ms: number])[]> {
    const begun = new Map<string, number>()
    const seen: [number, number][] = []
    const world = fakeWorld({
      order({ address }) {
        begun.set(address, world.clock.now())
        return { got: 'run', run: run(address) }
      },
      read({ id }) {
        const length = lengths[Number(id.slice(1))] ?? 0
        const late = world.clock.now() - (begun.get(id) ?? 0) - length
        if (late < 0) return { got: 'pending' }
        seen.push([length, late])
        return { got: 'files', files: [] }
      },
    })
    const tasks = lengths.map((_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
    await world.clock.run(runEngine(tasks, world, usualLimits))
    return seen
  }

  test.each([10, 900, 3001, 20_017, 61_003, 300_007, 800_011])(
    'of one that takes %i ms: within a share of 0.15 of that, a second at least, 15 s at most',
    async length => {
      const [[, late] = [0, Number.NaN]] = await lateness([length])
      expect(late).toBeLessThanOrEqual(Math.max(second, Math.min(0.15 * length, 15 * second)))
    },
  )

  test('of each of a hundred and twenty: within 15 s, or a share of 0.15 of its time', async () => {
    const late = await lateness(Array.from({ length: 120 }, (_, nth) => 30_000 + ((nth * 7919) % 100_000)))
    expect(late).toHaveLength(120)
    const tooLate = late.filter(([length, ms]) => ms > Math.max(15 * second, 0.15 * length))
    expect(tooLate).toEqual([])
  })

  test.each([
    [1, 60],
    [12, 60],
    [30, 60],
    [60, 60],
    [120, 60],
    [200, 60],
    [200, 120],
  ])(
    'of %i that take %i s and some: within 15 s each, and within 7 percent on average',
    async (runs, seconds) => {
      // Alone it depends on the length where its end lies between two looks: lengths side by side stand for any of them.
      const rounds = Math.ceil(40 / runs)
      const late: (readonly [length: number, ms: number])[] = []
      for (let round = 0; round < rounds; round++)
        late.push(
          ...(await lateness(
            Array.from({ length: runs }, (_, nth) => {
              const share = (((round * runs + nth) * 7919) % (rounds * runs)) / (rounds * runs)
              return Math.round(seconds * 1000 * (1 + share))
            }),
          )),
        )
      expect(late).toHaveLength(rounds * runs)
      const average = late.reduce((sum, [length, ms]) => sum + ms / length, 0) / late.length
      if (process.env.SHOW) console.log(runs, seconds, average.toFixed(4))
      expect(late.filter(([length, ms]) => ms > Math.max(15 * second, 0.15 * length))).toEqual([])
      expect(average).toBeLessThanOrEqual(0.07)
    },
  )
})
