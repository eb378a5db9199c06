import { expect, test } from 'vitest'
import { tellSilent, workerName } from '../../../src/run/planner/fleet-records.ts'
import type { Setting } from '../../../src/workspace/workspace.ts'

test('who waits for a worker is told which order it is, whose, and what can be done', () => {
  const told: unknown[] = []
  const request = { emit: (event: unknown) => void told.push(event) }
  const machine = { clock: { now: () => 0 } }
  const setting = { request, machine, manifest: { file: { name: 'tea time.yaml' } } } as unknown as Setting // all that it looks at
  const worker = workerName({ host: 'render-2', pid: 4711 }, 'a1b2')
  const orders = ['a', 'b', 'c', 'd', 'e'].map((address, nth) => ({
    address,
    worker,
    seconds: nth === 1 ? null : 45,
  }))
  tellSilent(orders, setting)
  expect(told).toMatchObject([
    {
      event: 'warned',
      message:
        "a waits for the worker 4711 on render-2, which was heard 45s ago; b waits for the worker 4711 on render-2, which has left; c waits for the worker 4711 on render-2, which was heard 45s ago; and 2 more: wake or end it, so that another one (genrun work 'tea time.yaml') takes it over",
    },
  ])
})
