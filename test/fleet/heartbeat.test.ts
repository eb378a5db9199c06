import { expect, test } from 'vitest'
import { keepLease } from '../../src/fleet/heartbeat.ts'

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
    async beat(_: string, attempts: readonly string[]) {
      said.push([now, ...attempts])
      return now !== 4_000
    },
  }
  await keepLease(store, 'ann', { queue: 'q', clock, attempts: () => [`sent ${now}`], signal: stop.signal })
  expect(said).toEqual([
    [2_000, 'sent 2000'],
    [4_000, 'sent 4000'],
    [4_000, 'join', 'q'],
    [6_000, 'sent 6000'],
  ])
})
