import { expect, test } from 'vitest'
import { type Held, openBacklog } from '../../src/engine/backlog.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Task } from '../../src/engine/world.ts'
import { fakeWorld, job, task } from './fake.ts'

const limits = { execute: 1, submit: 8, download: 4 }

const many = (length: number, prefix = 'job') =>
  Array.from({ length }, (_, nth) => task(job(`${prefix}-${String(nth).padStart(4, '0')}`)))

/** A backlog whose tasks stand in front until they are let in. */
function open() {
  const front: { readonly held: Held; readonly begun: () => void }[] = []
  const workflowOf = ({ job: its }: Task) => its.workflow ?? ''
  const add = openBacklog(workflowOf, (held, begun) => front.push({ held, begun }))
  const names = () => front.map(({ held }) => String(held.task.job.address))
  return { front, add, names }
}

test('of one line 64 stand in front, and each that is let in brings another, once', async () => {
  const { front, add, names } = open()
  for (const [nth, each] of many(100).entries()) add({ task: each, priority: 0, nth })
  expect(front).toHaveLength(64)
  front[0]?.begun()
  front[0]?.begun()
  await Promise.resolve()
  expect(names()).toEqual(many(65).map(({ job: { address } }) => String(address)))
})

test('who is more urgent than some in front goes there at once, and before those that are held back', async () => {
  const { front, add, names } = open()
  const tasks = many(70)
  for (const [nth, each] of tasks.entries()) add({ task: each, priority: nth === 69 ? 2 : 1, nth })
  expect(names().at(-1)).toBe('job-0069')
  expect(front).toHaveLength(65)
  add({ task: task(job('low')), priority: 0, nth: 70 })
  for (const { begun } of front.slice()) begun()
  await Promise.resolve()
  expect(names().slice(65)).toEqual(['job-0064', 'job-0065', 'job-0066', 'job-0067', 'job-0068', 'low'])
})

test('what is under way waits behind nobody, and takes nobody’s place', () => {
  const { front, add } = open()
  const start = { is: 'made', files: [], tries: 0, notBefore: 0 } as const
  const under = many(80, 'under').map((each): Task => ({ ...each, start }))
  for (const [nth, each] of under.entries()) add({ task: each, priority: 0, nth })
  for (const [nth, each] of many(64).entries()) add({ task: each, priority: 0, nth })
  expect(front).toHaveLength(80 + 64)
})

test('all are ordered, in the order in which they are written, whatever is held back', async () => {
  const world = fakeWorld({ order: () => ({ got: 'files', files: [] }) })
  const tasks = many(300)
  await world.clock.run(runEngine(tasks, world, limits))
  expect(world.orders.map(order => order.address)).toEqual(tasks.map(({ job: { address } }) => address))
})

test('a stop ends those that are held back, too', async () => {
  const world = fakeWorld({
    order: () => {
      if (world.orders.length === 5) world.stopNow()
      return { got: 'files', files: [] }
    },
  })
  const outcomes = await world.clock.run(runEngine(many(300), world, limits))
  expect(outcomes.size).toBe(300)
  expect([...outcomes.values()].filter(({ is }) => is === 'skipped')).toHaveLength(295)
  expect(world.orders).toHaveLength(5)
})
