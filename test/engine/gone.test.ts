import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import { runEngine } from '../../src/engine/engine.ts'
import { usualLimits } from '../../src/engine/gates/slot-limits.ts'
import type { ReadReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, purchaseOf, run, task } from './fake.ts'

const notFound: ReadReply = { got: 'trouble', failure: { why: 'refused', status: 404, detail: '' } }
const a = jobAddress('a')

test('a run that an earlier process ordered and nobody knows ends in seconds, for good, with its id', async () => {
  const world = fakeWorld({ read: () => notFound })
  const begun = world.clock.now()
  const start = { is: 'remote', run: run('r1'), since: begun, tries: 0, notBefore: begun } as const
  const outcomes = await world.clock.run(
    runEngine([task(job('a', { mode: 'submit', retries: 3 }), start)], world, usualLimits),
  )
  const failure = { why: 'gone', run: 'r1', detail: '' }
  expect(outcomes.get(a)).toEqual({ is: 'failed', failure, billed: 'unknown', run: run('r1') })
  expect(world.clock.now() - begun).toBeLessThan(12_000)
  expect(world.orders).toEqual([])
  expect(world.records).toEqual([
    { kind: 'FAILED', purchase: purchaseOf('a'), failure, billed: 'unknown', run: run('r1') },
  ])
  expect(world.cleaned.get(a)).toMatchObject({ is: 'failed', run: run('r1') })
})

test('a run whose name cannot be asked for is asked for once, and stays as it is', async () => {
  const failure = { why: 'not-served', workflow: '../../admin', detail: 'no address', unasked: true } as const
  const world = fakeWorld({ read: () => ({ got: 'trouble', failure }) })
  const begun = world.clock.now()
  const start = { is: 'remote', run: run('r1'), since: begun, tries: 0, notBefore: begun } as const
  const outcomes = await world.clock.run(runEngine([task(job('a'), start)], world, usualLimits))
  expect(outcomes.get(a)).toEqual({ is: 'detached', run: run('r1'), because: failure })
  expect(world.clock.now() - begun).toBeLessThan(1000)
})

test('a run that was just taken has a minute to appear', async () => {
  const world = fakeWorld({
    order: () => ({ got: 'run', run: run('r1') }),
    read: () => (world.clock.now() < 1_000_000 + 55_000 ? notFound : { got: 'files', files: [] }),
  })
  const outcomes = await world.clock.run(runEngine([task(job('a', { mode: 'submit' }))], world, usualLimits))
  expect(outcomes.get(a)).toMatchObject({ is: 'done', run: run('r1') })
})

test('five orders that were taken and then forgotten end the buying; old ones do not', async () => {
  const world = fakeWorld({
    order: ({ address }) => ({ got: 'run', run: run(address) }),
    read: () => notFound,
  })
  const tasks = Array.from({ length: 12 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const ends = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect(world.orders).toHaveLength(5)
  expect(ends.get(jobAddress('j11'))).toMatchObject({
    is: 'skipped',
    because: { why: 'closed', because: { why: 'gone' }, rule: { is: 'useless', orders: 5 } },
  })
  const later = fakeWorld({
    read: ({ id }) => (id.startsWith('old') ? notFound : { got: 'files', files: [] }),
  })
  const old = Array.from({ length: 6 }, (_, nth) =>
    task(job(`o${nth}`), { is: 'remote', run: run(`old${nth}`), since: 0, tries: 0, notBefore: 0 }),
  )
  const outcomes = await later.clock.run(runEngine([...old, task(job('new'))], later, usualLimits))
  expect(outcomes.get(jobAddress('new'))?.is).toBe('done')
})

test.each([8, 60])('%i runs that are gone are settled side by side', async many => {
  const world = fakeWorld({ read: () => notFound })
  const begun = world.clock.now()
  const tasks = Array.from({ length: many }, (_, nth) =>
    task(job(`j${nth}`, { mode: 'submit' }), {
      is: 'remote',
      run: run(`r${nth}`),
      since: begun,
      tries: 0,
      notBefore: begun,
    }),
  )
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].map(({ is }) => is)).toEqual(tasks.map(() => 'failed'))
  // One alone takes eight seconds; the others wait for their turns to be asked after, no longer.
  expect(world.clock.now() - begun).toBeLessThan(20_000)
})

test('runs that were just taken, and are gone, are settled side by side when their minute is over', async () => {
  const world = fakeWorld({
    order: ({ address }) => ({ got: 'run', run: run(address) }),
    read: () => notFound,
  })
  const begun = world.clock.now()
  const tasks = Array.from({ length: 5 }, (_, nth) => task(job(`j${nth}`, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  expect([...outcomes.values()].map(({ is }) => is)).toEqual(tasks.map(() => 'failed'))
  expect(world.clock.now() - begun).toBeLessThan(70_000)
})
