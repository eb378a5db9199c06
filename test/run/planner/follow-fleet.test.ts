import { expect, test } from 'vitest'
import type { JobAddress } from '../../../src/base/names.ts'
import type { SilentOrder } from '../../../src/fleet/batches.ts'
import type { FleetStore } from '../../../src/fleet/fleet-store.ts'
import { followFleet } from '../../../src/run/planner/follow-fleet.ts'

interface Scene {
  /** Whether a worker is at work at that second. */
  readonly isWorked: (at: number) => boolean
  readonly silent?: (at: number) => readonly SilentOrder[]
  /** What is told when jobs are handed out again. */
  readonly handOut?: (at: number) => unknown
  /** In seconds: when each job ends. */
  readonly ends: readonly number[]
}

/** What is told of it, each with its second. */
async function toldOf({ isWorked, silent = () => [], handOut, ends }: Scene) {
  let now = 0
  const seconds = () => Math.round(now / 1000)
  const clock = { now: () => now, wall: () => now, until: async (date: number) => void (now = date) }
  const rows = () =>
    ends.map((end, nth) => ({
      address: `tea${nth}` as JobAddress,
      queue: 'q',
      needs: [],
      ended: seconds() >= end ? ({ is: 'done', files: [] } as const) : null,
    }))
  const store: Pick<FleetStore, 'works' | 'endedWithin' | 'workers' | 'silent' | 'unheard' | 'end'> = {
    works: async () => rows(),
    endedWithin: async () => rows(),
    workers: async () => ({ here: isWorked(seconds()) ? 1 : 0, elsewhere: 2 }),
    silent: async () => silent(seconds()),
    unheard: async () => [],
    end: async () => undefined,
  }
  const told: unknown[] = []
  await followFleet('b', {
    store,
    clock,
    stop: new AbortController().signal,
    ...(handOut && { handOut: async () => void told.push(handOut(seconds())) }),
    alone: left => void told.push([seconds(), left]),
    silent: orders => void told.push([seconds(), orders]),
  })
  return told
}

test('that nobody is at work is told at once, every five minutes, and at once when all of them went away', async () => {
  const told = await toldOf({ isWorked: at => at >= 400 && at < 500, ends: [900] })
  const left = { queue: 'q', elsewhere: 2 }
  expect(told).toEqual([0, 300, 500, 800].map(at => [at, left]))
})

test('whom it waits for is told when nothing has ended for half a minute, and every five minutes', async () => {
  const orders = [{ address: 'tea1', worker: 'ann', seconds: 40 }]
  const silent = (at: number) => (at >= 60 ? orders : [])
  const told = await toldOf({ isWorked: () => true, silent, ends: [20, 500] })
  expect(told).toEqual([60, 360].map(at => [at, orders]))
  expect(await toldOf({ isWorked: () => true, silent: () => orders, ends: [25, 50, 75, 100] })).toEqual([])
})

test('what is to be made is handed out again when nothing has ended for ten seconds, and then each minute', async () => {
  const handed = (ends: readonly number[]) =>
    toldOf({ isWorked: () => true, ends, handOut: at => ['handed out', at] })
  expect(await handed([100])).toEqual([10, 70].map(at => ['handed out', at]))
  expect(await handed([9, 18, 27])).toEqual([])
})
