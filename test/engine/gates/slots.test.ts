import { describe, expect, test } from 'vitest'
import { afterFull, afterTaken, openConcurrencyWindow } from '../../../src/engine/gates/concurrency-window.ts'
import type { Who } from '../../../src/engine/gates/order-queue.ts'
import { type SlotLimits } from '../../../src/engine/gates/slot-limits.ts'
import { openSlots } from '../../../src/engine/gates/slots.ts'
import { handClock } from '../fake.ts'

const wide: SlotLimits = { execute: 100, submit: 100, download: 100 }

/** Work that takes a second each; tells the most that were at work at once, by kind. */
function crew(limits: Partial<SlotLimits>, learns = true) {
  const clock = handClock()
  const slots = openSlots({ ...wide, ...limits }, clock)
  const most: Record<string, number> = {}
  const now: Record<string, number> = {}
  const begun: number[] = []
  const one = (mode: 'execute' | 'submit', who: Who, priority = 0) =>
    slots[mode](
      { priority },
      async () => {
        begun.push(clock.now())
        const kinds = [mode, 'all', who.family, who.model]
        for (const kind of kinds) {
          now[kind] = (now[kind] ?? 0) + 1
          most[kind] = Math.max(most[kind] ?? 0, now[kind] ?? 0)
        }
        if (learns) slots.sent(mode)('taken')
        await clock.until(clock.now() + 1000)
        for (const kind of kinds) now[kind] = (now[kind] ?? 0) - 1
      },
      who,
    )
  return { clock, slots, one, most, begun }
}

const fama = (model: string) => ({ family: 'fama', model })
const famc = (model: string) => ({ family: 'famc', model })
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

test('limits nest: by all, family, model and mode', async () => {
  const { clock, one, most } = crew({ total: 6, families: { fama: 4 }, models: { a: 2 }, submit: 3 })
  const all = [
    ...times(10, () => one('execute', fama('a'))),
    ...times(40, () => one('execute', fama('b'))),
    ...times(60, () => one('submit', famc('c'))),
  ]
  await clock.run(Promise.all(all))
  expect(most).toEqual({ all: 6, fama: 4, famc: 3, a: 2, b: 4, c: 3, execute: 4, submit: 3 })
})

test('an order is told the limit that it would wait for', async () => {
  const { clock, slots, one } = crew({ total: 4, families: { fama: 2 }, models: { a: 1 }, perMinute: 5 })
  const full = (who: Who) => slots.full('execute', who)
  expect(full(fama('a'))).toBeUndefined()
  const begun = [one('execute', fama('a'))]
  expect([full(fama('a')), full(fama('b'))]).toEqual(['model', undefined])
  begun.push(one('execute', fama('b')))
  expect([full(fama('b')), full(famc('c'))]).toEqual(['family', undefined])
  begun.push(one('submit', famc('c')), one('submit', famc('c')))
  expect(full(famc('c'))).toBe('total')
  await clock.run(Promise.all(begun))
  await clock.run(one('execute', famc('c')))
  expect(full(famc('c'))).toBe('minute')
  slots.open()
  expect(full(famc('c'))).toBeUndefined()
})

test('an order waits for room at a service that bears only so many', async () => {
  const { clock, slots, one } = crew({ execute: 2 })
  const begun = [one('execute', fama('a')), one('execute', fama('a'))]
  expect([slots.full('execute', fama('b')), slots.full('submit', fama('b'))]).toEqual(['room', undefined])
  await clock.run(Promise.all(begun))
})

test('a model without room keeps nobody else waiting', async () => {
  const { clock, one, begun } = crew({ models: { a: 1 } })
  const start = clock.now()
  await clock.run(Promise.all([...times(3, () => one('execute', fama('a'))), one('execute', fama('b'))]))
  expect(begun.map(at => at - start)).toEqual([0, 0, 1000, 2000])
})

test('an end that makes room in two limits lets one go in each', async () => {
  const { clock, one, begun } = crew({ execute: 1, families: { fama: 1 } }, false)
  const start = clock.now()
  const all = [one('execute', fama('a')), one('submit', fama('b')), one('execute', famc('c'))]
  await clock.run(Promise.all(all))
  expect(begun.map(at => at - start)).toEqual([0, 1000, 1000])
})

test('only so many begin in a minute, in any minute', async () => {
  const { clock, one, begun } = crew({ perMinute: 5 })
  const start = clock.now()
  await clock.run(Promise.all(times(12, () => one('execute', fama('a')))))
  expect(begun.map(at => at - start)).toEqual([
    0, 0, 0, 0, 0, 60_000, 60_000, 60_000, 60_000, 60_000, 120_000, 120_000,
  ])
})

test('the highest priority goes first, then who came first', async () => {
  const { clock, slots } = crew({ total: 1 })
  const order: string[] = []
  const add = (name: string, priority: number) =>
    slots.execute({ priority }, async () => {
      order.push(name)
      await clock.until(clock.now() + 1)
    })
  await clock.run(
    Promise.all([add('first', 0), add('low', 0), add('high', 2), add('low too', 0), add('high too', 2)]),
  )
  expect(order).toEqual(['first', 'high', 'high too', 'low', 'low too'])
})

test('a run that is alive already does not wait, and counts', async () => {
  const { clock, slots, one, begun } = crew({ submit: 1 })
  const start = clock.now()
  const alive = times(3, () => slots.alive('submit', () => clock.until(clock.now() + 5000)))
  await clock.run(Promise.all([...alive, one('submit', famc('c'))]))
  expect(begun.map(at => at - start)).toEqual([5000])
})

test('when all must stop, nobody waits any more', async () => {
  const { clock, slots, one, begun } = crew({ perMinute: 1, total: 1 })
  const all = Promise.all(times(5, () => one('execute', fama('a'))))
  slots.open()
  await clock.run(all)
  expect(begun).toHaveLength(5)
})

describe('the window', () => {
  test('grows with what is taken', () => {
    let window = openConcurrencyWindow(100)
    for (let there = 1; there <= 30; there++) window = afterTaken(window, there)
    expect(window.size).toBe(34)
  })

  test('never passes its ceiling, never falls below one', () => {
    let window = openConcurrencyWindow(3)
    for (let nth = 0; nth < 10; nth++) window = afterTaken(window, 3)
    expect(window.size).toBe(3)
    for (let nth = 0; nth < 10; nth++) window = afterFull(window, 0)
    expect(window.size).toBe(1)
  })

  test('falls to what is there, and tries one more ever more seldom', () => {
    let window = openConcurrencyWindow(100)
    for (let there = 1; there <= 12; there++) window = afterTaken(window, there)
    window = afterFull(window, 10)
    expect(window.size).toBe(10)
    const waits: number[] = []
    for (let round = 0; round < 3; round++) {
      let taken = 0
      while (window.size === 10) {
        window = afterTaken(window, 10)
        taken++
      }
      waits.push(taken)
      window = afterFull(window, 10)
    }
    expect(waits).toEqual([20, 40, 80])
  })

  test('comes back quickly after a bad minute', () => {
    let window = openConcurrencyWindow(100)
    for (let there = 1; there <= 40; there++) window = afterTaken(window, there)
    for (let nth = 0; nth < 3; nth++) window = afterFull(window, 0)
    expect(window.size).toBe(1)
    let taken = 0
    while (window.size < 20) window = afterTaken(window, Math.min(window.size, ++taken))
    expect(taken).toBeLessThan(25)
  })
})

test('while 64 results wait to be fetched nothing more is ordered, and then it goes on', async () => {
  const { clock, slots } = crew({ download: 1 })
  const order: string[] = []
  const fetches = Array.from({ length: 66 }, () =>
    slots.download(async () => {
      await clock.until(clock.now() + 1000)
      order.push('fetched')
    }),
  )
  const paid = slots.execute({ priority: 0 }, async () => order.push('ordered'))
  await Promise.resolve()
  expect(slots.full('execute', { family: 'fama', model: 'tea' })).toBe('saving')
  await clock.run(Promise.all([...fetches, paid]))
  // One is fetched, one after it has begun: 64 waited until then.
  expect(order.indexOf('ordered')).toBe(2)
})
