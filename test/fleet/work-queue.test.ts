import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { JobAddress } from '../../src/base/names.ts'
import { openFleet } from '../../src/fleet/fleet.ts'
import { type Handed, restMs } from '../../src/fleet/work-queue.ts'
import { type Postgres, postgresFolder, startPostgres } from './server.ts'

let server: Postgres

describe.skipIf(postgresFolder === undefined)('on a real server', () => {
  beforeAll(async () => {
    server = await startPostgres(postgresFolder ?? '')
  })
  afterAll(() => server.end())

  test('a worker whose server is away when it begins is handed its jobs when the server is there, and again what it gave back', async () => {
    const fleet = await openFleet(await server.database('queue'))
    await server.crash()
    const [stop, taken] = [new AbortController(), [] as string[]]
    const take = async ({ addresses }: Handed) => (taken.push(...addresses) === 1 ? 'again' : 'settled')
    const working = fleet.work('q', take, { atOnce: 1, signal: stop.signal })
    await server.start()
    const { store, enqueue } = fleet
    const works = ['tea', 'jam'].map(address => ({ address: address as JobAddress, identity: address }))
    const planner = { batch: 'b', planner: 'pat', checkout: 'here', queue: 'q' }
    await store.plan(planner)
    await store.begin(
      planner,
      works.map(each => ({ ...each, queue: 'q', needs: [], task: {} })),
    )
    await store.handOut('b', (queue, ready, ask) => enqueue('b', queue, ready, { ask }))
    await vi.waitFor(() => expect(taken).toEqual(['tea', 'jam', 'tea']), 15_000)
    stop.abort()
    await working
    await fleet.close()
  }, 30_000)
})

test.each([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [5, 8_000, 16_000],
  [6, 15_000, 30_000],
  [2_000, 15_000, 30_000],
])('what came back %i times rests for %i to %i ms', (times, least, most) => {
  expect([restMs(times, { next: () => 0 }), restMs(times, { next: () => 1 })]).toEqual([least, most])
})
