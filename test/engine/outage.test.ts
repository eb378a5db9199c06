import { describe, expect, test } from 'vitest'
import { runEngine } from '../../src/engine/engine.ts'
import type { Outcomes, Task } from '../../src/engine/world.ts'
import type { OrderReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, run, type Script, saved, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const doubt: OrderReply = { got: 'doubt', detail: 'answered 502' }

function tasks(count: number, mode: 'execute' | 'submit' = 'submit'): Task[] {
  return Array.from({ length: count }, (_, nth) => task(job(`job${nth}`, { mode })))
}

function counts(outcomes: Outcomes): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { is } of outcomes.values()) found[is] = (found[is] ?? 0) + 1
  return found
}

/** When orders reached the service, in seconds from the first. */
async function outage(script: Script, mode: 'execute' | 'submit', count = 40) {
  const at: number[] = []
  const world = fakeWorld({
    ...script,
    order: (order, nth) => {
      at.push(world.clock.now())
      return script.order?.(order, nth) ?? doubt
    },
  })
  const outcomes = await world.clock.run(runEngine(tasks(count, mode), world, limits))
  const seconds = at.map(each => (each - (at[0] ?? 0)) / 1000)
  return { outcomes, seconds, world }
}

describe.each(['submit', 'execute'] as const)('a service that leaves every order in doubt (%s)', mode => {
  test('is tried three times, half a minute and a minute apart, and then sent nothing more', async () => {
    const { outcomes, seconds } = await outage({}, mode)
    const waves = seconds.reduce<number[]>(
      (found, second, nth) =>
        nth === 0 || second - (seconds[nth - 1] ?? 0) > 20 ? [...found, second] : found,
      [],
    )
    expect(waves).toHaveLength(3)
    expect((waves[1] ?? 0) - (waves[0] ?? 0)).toBeGreaterThanOrEqual(30)
    expect((waves[2] ?? 0) - (waves[1] ?? 0)).toBeGreaterThanOrEqual(60)
    // Each try is one order alone.
    expect(seconds.filter(second => second >= (waves[1] ?? 0))).toHaveLength(2)
    expect(seconds.length).toBeLessThanOrEqual(5 + 3 + 2)
    expect(counts(outcomes)).toEqual({ doubt: seconds.length, skipped: 40 - seconds.length })
    expect([...outcomes.values()]).toContainEqual({
      is: 'skipped',
      because: {
        why: 'closed',
        because: { why: 'in-doubt', detail: 'answered 502' },
        rule: { is: 'doubts' },
      },
    })
  })

  test('is bought from again after it has taken one', async () => {
    let orders = 0
    const { outcomes } = await outage(
      {
        order: ({ address }) =>
          orders++ < 5
            ? doubt
            : mode === 'submit'
              ? { got: 'run', run: run(address) }
              : { got: 'files', files: [] },
      },
      mode,
    )
    expect(counts(outcomes)).toEqual({ doubt: 5, done: 35 })
  })
})

test('a service that answers a page for every video is paid five times, and what is under way is fetched', async () => {
  const { outcomes, world } = await outage(
    {
      order: () => ({ got: 'files', files: [] }),
      save: () => ({ got: 'unusable', failure: { why: 'bad-media', detail: 'a page' } }),
    },
    'execute',
  )
  expect(counts(outcomes)).toEqual({ failed: 5, skipped: 35 })
  expect(world.orders).toHaveLength(5)
})

test('results are asked for and saved while nothing is bought', async () => {
  const { outcomes } = await outage(
    {
      order: ({ address }) => (address === 'job0' ? { got: 'run', run: run('long') } : doubt),
      read: (_, nth) => (nth < 40 ? { got: 'pending' } : { got: 'files', files: [] }),
      save: () => saved,
    },
    'submit',
  )
  expect(outcomes.get(tasks(1)[0]?.job.address as never)?.is).toBe('done')
  expect(counts(outcomes)).toMatchObject({ done: 1 })
})

test.each([
  [
    'a key that is not taken',
    { got: 'refused', canRetry: false, failure: { why: 'unauthorized', status: 403, detail: '' } },
  ],
  ['an empty account', { got: 'refused', canRetry: false, failure: { why: 'no-credit', detail: '' } }],
  [
    'a certificate that proves nothing',
    { got: 'not-sent', failure: { why: 'unreachable', origin: 'o', detail: 'd', certificate: true } },
  ],
] as const)('%s ends the buying at once', async (_, reply) => {
  const { outcomes, seconds } = await outage({ order: () => reply }, 'submit')
  expect(seconds).toHaveLength(1)
  expect(counts(outcomes)).toEqual({ failed: 1, skipped: 39 })
})
