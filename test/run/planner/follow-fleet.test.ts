import { expect, test } from 'vitest'
import type { JobAddress } from '../../../src/base/names.ts'
import type { FleetStore } from '../../../src/fleet/fleet-store.ts'
import { followFleet } from '../../../src/run/planner/follow-fleet.ts'

test('that nobody is at work is told at once, every five minutes, and at once when all of them went away', async () => {
  let now = 0
  const seconds = () => Math.round(now / 1000)
  const clock = { now: () => now, wall: () => now, until: async (date: number) => void (now = date) }
  const isWorked = () => seconds() >= 400 && seconds() < 500
  const ended = () => (seconds() >= 900 ? ({ is: 'done', files: [] } as const) : null)
  const row = () => ({ address: 'tea' as JobAddress, queue: 'q', needs: [], ended: ended() })
  const store: Pick<FleetStore, 'works' | 'endedWithin' | 'workers' | 'unheard' | 'hear' | 'end'> = {
    works: async () => [row()],
    endedWithin: async () => [row()],
    workers: async () => ({ here: isWorked() ? 1 : 0, elsewhere: 2 }),
    unheard: async () => [],
    hear: async () => undefined,
    end: async () => undefined,
  }
  const told: unknown[] = []
  await followFleet('b', {
    store,
    clock,
    stop: new AbortController().signal,
    alone: left => void told.push([seconds(), left]),
  })
  const left = { queue: 'q', elsewhere: 2 }
  expect(told).toEqual([0, 300, 500, 800].map(at => [at, left]))
})
