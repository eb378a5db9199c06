// A workflow that closes is heard at once by everybody who waits to send to it.
import { expect, test } from 'vitest'
import type { JobState } from '../../src/base/state.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Order, OrderReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, type HandClock, job, run, type Script, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const refused = {
  got: 'refused',
  failure: { why: 'refused', status: 422, detail: 'no' },
  canRetry: false,
} as const
const made: OrderReply = { got: 'files', files: [] }
const busy = { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, waitMs: 60_000 } as const

/** Jobs of workflows of these names, so many of each; which took how long, and how they ended. */
async function carriedOut(
  workflows: Record<string, number>,
  script: Script | ((clock: HandClock) => Script),
  more: Partial<Parameters<typeof runEngine>[2]> = {},
) {
  const world = fakeWorld(typeof script === 'function' ? { order: (...its) => ordered(...its) } : script)
  const ordered = (typeof script === 'function' && script(world.clock).order) || (() => made)
  const began = world.clock.now()
  const tasks = Object.entries(workflows).flatMap(([workflow, count]) =>
    Array.from({ length: count }, (_, nth) => task(job(`${workflow}${nth}`, { workflow }))),
  )
  const outcomes = await world.clock.run(runEngine(tasks, world, { ...limits, ...more }))
  const endedAt = new Map(
    world.events.flatMap(each => (each.event === 'settled' ? [[String(each.address), each.at - began]] : [])),
  )
  const count = (workflow: string, is: JobState['is']) =>
    [...outcomes].filter(([address, state]) => address.startsWith(workflow) && state.is === is).length
  return { world, endedAt, count }
}

const byWorkflow = (replies: Record<string, OrderReply>) => ({
  order: ({ workflow }: Order) => replies[workflow] ?? made,
})

test('also who waits for the next minute', async () => {
  const { endedAt, count, world } = await carriedOut({ a: 20 }, byWorkflow({ a: refused }), { perMinute: 3 })
  expect(world.orders).toHaveLength(3)
  expect(count('a', 'skipped')).toBe(17)
  expect(Math.max(...endedAt.values())).toBeLessThan(1000)
})

test('and takes no room from those of others, which go on as the limits say', async () => {
  const script = (clock: HandClock): Script => ({
    async order({ workflow }) {
      if (workflow === 'a') return refused
      // Or those of `b` would have all of the first minute before `a` is closed.
      await clock.until(clock.now() + 100)
      return made
    },
  })
  const { endedAt, count, world } = await carriedOut({ a: 20, b: 8 }, script, { perMinute: 5 })
  expect([count('a', 'failed'), count('a', 'skipped'), count('b', 'done')]).toEqual([3, 17, 8])
  expect(world.orders).toHaveLength(11)
  const ends = [...endedAt].filter(([address]) => address.startsWith('a')).map(([, at]) => at)
  expect(Math.max(...ends)).toBeLessThan(1000)
  // Of eleven orders five go in any minute.
  expect(Math.max(...endedAt.values())).toBeGreaterThanOrEqual(120_000)
})

test('and counts in no minute', async () => {
  const tight = { perMinute: 11, execute: 1 }
  const { endedAt, count } = await carriedOut({ a: 20, b: 8 }, byWorkflow({ a: refused }), tight)
  expect([count('a', 'failed'), count('b', 'done')]).toEqual([3, 8])
  expect(Math.max(...endedAt.values())).toBeLessThan(1000)
})

test('also where every slot is in use, and stays so', async () => {
  const world = fakeWorld({
    journal: ({ kind }) => {
      if (kind === 'ACCEPTED') throw new Error('the disk is full')
    },
    async order({ mode }) {
      if (mode === 'submit') return { got: 'run', run: run('r1') }
      await world.clock.until(world.clock.now() + 300_000)
      return made
    },
    read: (_, nth) => (nth < 10 ? { got: 'pending', waitMs: 60_000 } : { got: 'files', files: [] }),
  })
  const began = world.clock.now()
  const tasks = [...'0123'].map(nth => task(job(`a${nth}`, { mode: 'submit', workflow: 'a' })))
  const long = task(job('b', { workflow: 'b' }))
  await world.clock.run(runEngine([long, ...tasks], world, { ...limits, submit: 1, execute: 1 }))
  const ends = world.events.flatMap(each =>
    each.event === 'settled' ? [[each.state.is, each.at - began < 1000]] : [],
  )
  const done = ['done', false]
  expect(ends.toSorted()).toEqual([done, done, ...Array.from({ length: 3 }, () => ['skipped', true])])
})

test('also who holds a slot while the service wants to be left alone', async () => {
  let nth = 0
  const { endedAt, count } = await carriedOut(
    { a: 4 },
    { order: () => (nth++ === 0 ? busy : refused), revoked: () => undefined },
    { failures: 1 },
  )
  expect(count('a', 'failed') + count('a', 'skipped')).toBe(4)
  const [first = 0, ...others] = [...endedAt.values()]
  expect(first).toBeGreaterThanOrEqual(60_000)
  for (const at of others) expect(at - first).toBeLessThan(1000)
})

test('but not who was only thought to send to it', async () => {
  const script = byWorkflow({ x: refused })
  const world = fakeWorld(script)
  const began = world.clock.now()
  // By its inputs, once they are there, every second job is of another workflow.
  const wire = {
    ...world.wire,
    workflow: (_: string, params: object) => (JSON.stringify(params).includes('link') ? 'y' : 'x'),
  }
  const prepare: typeof world.prepare = async its => {
    const prepared = await world.prepare(its)
    const isOther = its.job.address.startsWith('y')
    return 'params' in prepared && isOther ? { ...prepared, params: { link: 'a link' } } : prepared
  }
  const tasks = [...'0123456'].flatMap(nth => [task(job(`x${nth}`)), task(job(`y${nth}`))])
  const strange = { ...world, wire, prepare }
  const outcomes = await world.clock.run(runEngine(tasks, strange, { ...limits, perMinute: 4 }))
  const of = (letter: string, is: JobState['is']) =>
    [...outcomes].filter(([address, state]) => address.startsWith(letter) && state.is === is).length
  expect([of('x', 'failed'), of('x', 'skipped'), of('y', 'done')]).toEqual([3, 4, 7])
  expect(world.orders).toHaveLength(10)
  expect(world.clock.now() - began).toBeGreaterThanOrEqual(120_000)
})
