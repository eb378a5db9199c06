import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { JobAddress } from '../../src/base/names.ts'
import { openFleet } from '../../src/fleet/fleet.ts'
import { type Postgres, postgresFolder, startPostgres } from './server.ts'

let server: Postgres

describe.skipIf(postgresFolder === undefined)('on a real server', () => {
  beforeAll(async () => {
    server = await startPostgres(postgresFolder ?? '')
  })
  afterAll(() => server.end())

  test('a worker whose server is away when it begins is handed its jobs when the server is there', async () => {
    const fleet = await openFleet(await server.database('queue'))
    await server.crash()
    const [stop, taken] = [new AbortController(), new Set<string>()]
    const working = fleet.work('q', async ({ address }) => (taken.add(address), 'settled'), {
      atOnce: 4,
      signal: stop.signal,
    })
    await server.start()
    const { store, enqueue } = fleet
    const works = ['tea', 'jam'].map(address => ({ address: address as JobAddress, identity: address }))
    await store.begin(
      'b',
      works.map(each => ({ ...each, queue: 'q', needs: [], task: {} })),
    )
    await store.handOut('b', (queue, ready, ask) => enqueue('b', queue, ready, ask))
    await vi.waitFor(() => expect([...taken].toSorted()).toEqual(['jam', 'tea']), 15_000)
    stop.abort()
    await working
    await fleet.close()
  }, 30_000)
})
