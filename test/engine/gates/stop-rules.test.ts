import { describe, expect, test } from 'vitest'
import type { WireMode } from '../../../src/base/state.ts'
import { runEngine } from '../../../src/engine/engine.ts'
import { usualLimits } from '../../../src/engine/gates/slot-limits.ts'
import type { EngineLimits } from '../../../src/engine/limits.ts'
import { fakeWorld, job, run, type Script, seededRandom, task } from '../fake.ts'
import { type Night, sleepThrough } from './stop-rules.ts'

// docs/contract.md P9 and P46, section 6: what a stop rule is worth is both how rarely it is wrong and what it saves.

const delays = [
  ['are known at once', { failMs: 500, goodMs: 60_000 }],
  ['take as long as others', { failMs: 30_000, goodMs: 30_000 }],
  ['are known late', { failMs: 120_000, goodMs: 10_000 }],
] as const

describe.each(delays)('failures that %s', (_, ms) => {
  test.each([
    [0.1, 2000],
    [0.2, 2000],
    [0.2, 10_000],
  ])('by chance, %f of all, never stop a batch of %i', (rate, jobs) => {
    expect(sleepThrough({ jobs, slots: 40, rate, ...ms }, 7)).toMatchObject({ isStopped: false, paid: jobs })
  })

  test.each<[string, Partial<Night>, number]>([
    ['from the beginning', { diesAfter: 0 }, 5],
    ['from the beginning, one at a time', { diesAfter: 0, slots: 1 }, 5],
    ['from the beginning, where two are borne', { diesAfter: 0, first: 2 }, 2],
    ['after one file, one at a time', { diesAfter: 1, slots: 1 }, 6],
    ['after ten files, one at a time', { diesAfter: 10, slots: 1 }, 9],
    ['after a hundred, one at a time', { diesAfter: 100, slots: 1 }, 12],
    ['after a hundred, forty at a time: what is out', { diesAfter: 100 }, 40],
    ['after a thousand, forty at a time: what is out', { diesAfter: 1000 }, 40],
  ])('of a service that gives nothing %s cost so many orders', (_, night, lost) => {
    const morning = sleepThrough({ jobs: 2000, slots: 40, rate: 0, ...ms, ...night }, 7)
    expect(morning).toMatchObject({ isStopped: true, lost })
  })

  test('of a service that turns bad cost what is out also where others fail by chance', () => {
    for (const seed of [1, 2, 3]) {
      const night = { jobs: 2000, slots: 40, rate: 0.2, diesAfter: 200, ...ms }
      expect(sleepThrough(night, seed)).toMatchObject({ isStopped: true })
      expect(sleepThrough(night, seed).lost).toBeLessThanOrEqual(40 + 13)
    }
  })
})

/** How a batch of 400 ends of which a fifth is `bad`, which is known at once, and the rest takes a minute. */
async function batch(
  mode: WireMode,
  bad: (random: () => boolean) => Script,
  limits: Partial<EngineLimits> = {},
) {
  const chance = seededRandom(3)
  const world = fakeWorld(bad(() => chance.next() < 0.2))
  const slow = { ...world, wire: { ...world.wire, order: slowly } }
  async function slowly(...[order, first]: Parameters<typeof world.wire.order>) {
    const reply = await world.wire.order(order, first)
    if (reply.got === 'files') await world.clock.until(world.clock.now() + 60_000)
    return reply
  }
  const tasks = Array.from({ length: 400 }, (_, nth) => task(job(`job${nth}`, { mode })))
  const outcomes = await world.clock.run(runEngine(tasks, slow, { ...usualLimits, ...limits }))
  return (is: string) => [...outcomes.values()].filter(state => state.is === is).length
}

test('a fifth of the runs that fails at once, while files take a minute, ends no batch', async () => {
  const failure = { got: 'failure', failure: { why: 'remote', detail: '' } } as const
  const failing = (isBad: () => boolean): Script => {
    const fate = new Map<string, boolean>()
    return {
      order: ({ address }) => {
        fate.set(address, isBad())
        return { got: 'run', run: run(address) }
      },
      read: ({ id }, nth) =>
        fate.get(id) ? failure : nth < 12 ? { got: 'pending' } : { got: 'files', files: [] },
    }
  }
  const count = await batch('submit', failing)
  expect([count('skipped'), count('done') + count('failed')]).toEqual([0, 400])
  expect(count('failed')).toBeGreaterThan(60)
})

test('so many useless orders are borne as the limits say', async () => {
  const failing = () => ({
    order: () => ({ got: 'failure', failure: { why: 'remote', detail: '' } }) as const,
  })
  const count = await batch('execute', failing, { useless: 2 })
  expect([count('failed'), count('skipped')]).toEqual([2, 398])
})

test('a fifth of the orders in doubt at once, while files take a minute, ends no batch', async () => {
  const count = await batch('execute', isBad => ({
    order: () => (isBad() ? { got: 'doubt', detail: 'status 500' } : { got: 'files', files: [] }),
  }))
  expect([count('skipped'), count('done') + count('doubt')]).toEqual([0, 400])
})
