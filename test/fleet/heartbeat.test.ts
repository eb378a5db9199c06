import { expect, test } from 'vitest'
import type { PurchaseId } from '../../src/base/names.ts'
import type { FleetStore } from '../../src/fleet/fleet-store.ts'
import { keepLease, keepPlanning } from '../../src/fleet/heartbeat.ts'
import type { InAir } from '../../src/fleet/right.ts'

test('a worker beats every two seconds with what it has in the air, and joins where it is not known', async () => {
  let now = 0
  const said: unknown[] = []
  const stop = new AbortController()
  const clock = {
    now: () => now,
    wall: () => now,
    async until(date: number) {
      now = date
      if (now >= 8_000) stop.abort()
    },
  }
  const store = {
    async join(_: string, queue: string) {
      said.push([now, 'join', queue])
    },
    async beat(_: string, air: readonly InAir[]) {
      said.push([now, ...air.map(({ attempt }) => attempt)])
      return now !== 4_000
    },
  }
  const inAir = () => [{ purchase: 'p' as PurchaseId, attempt: `sent ${now}` }]
  await keepLease(store, 'ann', { queue: 'q', clock, inAir, signal: stop.signal })
  expect(said).toEqual([
    [2_000, 'sent 2000'],
    [4_000, 'sent 4000'],
    [4_000, 'join', 'q'],
    [6_000, 'sent 6000'],
  ])
})

test('a planner keeps its lease up while the store is away, and knows when somebody else has it', async () => {
  let now = 0
  const clock = { now: () => now, wall: () => now, until: async (date: number) => void (now = date) }
  const planOn: FleetStore['planOn'] = async () => (now < 4_000 ? 'kept' : now < 8_000 ? 'unheard' : 'lost')
  const planner = { batch: 'b', planner: 'pat', checkout: 'here', queue: 'q' }
  await keepPlanning({ planOn }, planner, { clock, signal: new AbortController().signal })
  expect(now).toBe(8_000)
})
