// Who waits for the first order of a workflow holds no slot that another could use.
import { expect, test } from 'vitest'
import { runEngine } from '../../../src/engine/engine.ts'
import type { SlotLimits } from '../../../src/engine/gates/slot-limits.ts'
import type { Task } from '../../../src/engine/world.ts'
import type { Order, OrderReply } from '../../../src/wire/http/wire.ts'
import { fakeWorld, job, type Script, task } from '../fake.ts'

const limits: SlotLimits = { execute: 4, submit: 4, download: 4 }
const made: OrderReply = { got: 'files', files: [] }

const of = (workflow: string, length: number, rest: Parameters<typeof job>[1] = {}) =>
  Array.from({ length }, (_, nth) => task(job(`${workflow}${nth}`, { workflow, ...rest })))

/** When each order left, in the order in which they did; what `seconds` says is how long each takes. */
async function carriedOut(
  tasks: readonly Task[],
  seconds: (order: Order, nth: number) => number,
  { its = limits, reply = () => made }: { its?: SlotLimits; reply?: NonNullable<Script['order']> } = {},
) {
  const left = new Map<string, number>()
  const world = fakeWorld({
    async order(order, nth) {
      // An order takes 10 ms to get here.
      left.set(order.address, (world.clock.now() - began - 10) / 1000)
      await world.clock.until(world.clock.now() + 1000 * seconds(order, nth))
      return reply(order, nth)
    },
  })
  const began = world.clock.now()
  const outcomes = await world.clock.run(runEngine(tasks, world, its))
  const done = [...outcomes.values()].filter(({ is }) => is === 'done').length
  return { left, done, world }
}

test.each<[string, SlotLimits]>([
  ['what its mode bears', limits],
  ['all of them', { ...limits, execute: 20, total: 2 }],
  ['its family', { ...limits, execute: 20, families: { fama: 2 } }],
  ['its model', { ...limits, execute: 20, models: { 'fama-imagine-image': 2 } }],
])('another workflow’s orders go at once where the limit is of %s', async (_, its) => {
  const { left, done } = await carriedOut([...of('a', 8), ...of('b', 1)], () => 10, { its })
  expect([left.get('a0'), left.get('b0')]).toEqual([0, 0])
  expect(left.get('a1')).toBeCloseTo(10, 1)
  expect(done).toBe(9)
})

test('and where they stand behind more than are begun at a time', async () => {
  const { left, done } = await carriedOut([...of('a', 200), ...of('b', 1)], () => 10)
  expect(left.get('b0')).toBe(0)
  expect(done).toBe(201)
})

test('whoever waited goes in its order once the first is answered', async () => {
  const its = { ...limits, execute: 1, total: 1 }
  const { left } = await carriedOut([...of('a', 3), ...of('b', 3)], () => 1, { its })
  expect([...left.keys()]).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
})

test('and the longest chain of those that waited before the others', async () => {
  const [first, ...others] = of('a', 3)
  const long = task(job('long', { workflow: 'a' }))
  const after = task(job('after', { workflow: 'b', needs: [long.job.address] }))
  const tasks = [first, ...others, long, after].filter(each => each !== undefined)
  const { left } = await carriedOut(tasks, () => 1, { its: { ...limits, total: 1 } })
  expect([...left.keys()]).toEqual(['a0', 'long', 'a1', 'a2', 'after'])
})

test('a refusal lets the next go alone, and only that one', async () => {
  const { left, world } = await carriedOut([...of('a', 10), ...of('b', 1)], () => 10, {
    reply: ({ workflow }) =>
      workflow === 'a'
        ? { got: 'refused', failure: { why: 'refused', status: 422, detail: 'no' }, canRetry: false }
        : made,
  })
  expect([...left.keys()]).toEqual(['a0', 'b0', 'a1', 'a2'])
  expect(world.orders).toHaveLength(4)
})

test('one that was not sent gives its slot up when another goes alone by then, and has its turn after it', async () => {
  const world = fakeWorld()
  const left = new Map<string, number>()
  const began = world.clock.now()
  const tried: string[] = []
  const order = async ({ address }: Order, ask: () => Promise<() => void>): Promise<OrderReply> => {
    tried.push(address)
    if (tried.length === 1) {
      const failure = { why: 'unreachable', origin: 'https://service.example', detail: '' } as const
      return { got: 'not-sent', failure }
    }
    const lastWord = await ask()
    lastWord()
    left.set(address, (world.clock.now() - began) / 1000)
    await world.clock.until(world.clock.now() + (address === 'b0' ? 10 : 10_000))
    return made
  }
  const its = { ...limits, total: 2 }
  const tasks = [...of('a', 4), ...of('b', 1), ...of('c', 1)]
  const outcomes = await world.clock.run(runEngine(tasks, { ...world, wire: { ...world.wire, order } }, its))
  expect([...outcomes.values()].every(({ is }) => is === 'done')).toBe(true)
  expect(left.get('a1')).toBeLessThan(0.1)
  // It takes the slot of `a0`, which waits for less than a second before it would try again.
  expect(left.get('c0')).toBeLessThan(1)
  expect([...left.keys()]).toEqual(['b0', 'a1', 'c0', 'a0', 'a2', 'a3'])
})

test('and no more are out before the first result than ever', async () => {
  let [out, most] = [0, 0]
  const world = fakeWorld({
    async order() {
      most = Math.max(most, ++out)
      await world.clock.until(world.clock.now() + 10_000)
      out--
      return { got: 'files', files: [] }
    },
    save: () => ({ got: 'unusable', failure: { why: 'bad-media', detail: 'it is no media file' } }),
  })
  const tasks = [...'abcdefgh'].flatMap(workflow => of(workflow, 10))
  await world.clock.run(runEngine(tasks, world, { ...limits, execute: 64 }))
  // Two until the service has shown to be one, and five useless ones in all.
  expect(most).toBeLessThanOrEqual(5)
  expect(world.orders).toHaveLength(5)
})
