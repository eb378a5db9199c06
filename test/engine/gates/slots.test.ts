import { describe, expect, test } from 'vitest'
import { afterFull, afterTaken, openConcurrencyWindow } from '../../../src/engine/gates/concurrency-window.ts'
import type { Who } from '../../../src/engine/gates/order-queue.ts'
import { type SlotLimits } from '../../../src/engine/gates/slot-limits.ts'
import { openSlots, type Slot } from '../../../src/engine/gates/slots.ts'
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
      async slot => {
        begun.push(clock.now())
        const kinds = [mode, 'all', who.family, who.model]
        for (const kind of kinds) {
          now[kind] = (now[kind] ?? 0) + 1
          most[kind] = Math.max(most[kind] ?? 0, now[kind] ?? 0)
        }
        if (learns) slot.sends().answered('taken')
        await clock.until(clock.now() + 1000)
        for (const kind of kinds) now[kind] = (now[kind] ?? 0) - 1
      },
      who,
    )
  return { clock, slots, one, most, begun }
}

/** As it is about to have its first byte. */
function leaves(sending: ReturnType<Slot['sends']>) {
  sending.leaves()
  return sending
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

test.each<[string, (slot: Slot) => void, number]>([
  ['that left', slot => slot.sends().leaves(), 0],
  ['that was answered', slot => slot.sends().answered('nothing'), 0],
  ['that left and was turned away', slot => leaves(slot.sends()).answered('full'), 0],
  ['that never had a request', () => {}, 1],
  ['that found no connection', slot => slot.sends().answered('unsent'), 1],
  ['that was to leave, and was not sent after all', slot => leaves(slot.sends()).answered('unsent'), 1],
  ['that was not sent, and may try again', slot => void (slot.sends().answered('unsent'), slot.mayGoOn()), 1],
])(
  'of a minute for two, an order %s leaves so many more to another beside the next',
  async (_, work, more) => {
    const clock = handClock()
    const slots = openSlots({ ...wide, perMinute: 2 }, clock)
    const who = fama('a')
    await slots.execute({ priority: 0 }, async slot => work(slot), who)
    const begun: number[] = []
    const next = times(3, () =>
      slots.execute(
        { priority: 0 },
        async slot => {
          slot.sends().leaves()
          begun.push(clock.now())
        },
        who,
      ),
    )
    const start = clock.now()
    await clock.run(Promise.all(next))
    expect(begun.filter(at => at === start)).toHaveLength(1 + more)
    expect(begun.at(-1)).toBe(start + 60_000)
  },
)

test('who waits for one to leave goes a minute after that, however long its answer takes', async () => {
  const clock = handClock()
  const slots = openSlots({ ...wide, perMinute: 1 }, clock)
  const start = clock.now()
  const begun: number[] = []
  const all = times(2, () =>
    slots.submit({ priority: 0 }, async slot => {
      begun.push(clock.now() - start)
      const { leaves: leave } = slot.sends()
      await clock.until(clock.now() + 5000)
      leave()
      await clock.until(clock.now() + 600_000)
    }),
  )
  await clock.run(Promise.all(all))
  expect(begun).toEqual([0, 65_000])
})

test('one that was not sent tries again only when the minute has room for it', async () => {
  const clock = handClock()
  const slots = openSlots({ ...wide, perMinute: 1 }, clock)
  const may: boolean[] = []
  const first = slots.execute({ priority: 0 }, async slot => {
    slot.sends().answered('unsent')
    await clock.until(clock.now() + 1000)
    may.push(slot.mayGoOn())
    await clock.until(clock.now() + 60_000)
    may.push(slot.mayGoOn())
  })
  // It leaves meanwhile.
  const second = slots.execute({ priority: 0 }, async slot => slot.sends().leaves())
  await clock.run(Promise.all([first, second]))
  expect(may).toEqual([false, true])
})

test('of a workflow that goes alone one has a slot, until it is let in or gives up', async () => {
  const clock = handClock()
  let most = 1
  const slots = openSlots(wide, clock, { isShut: () => false, mostOnTheirWay: () => most })
  const who = { ...fama('a'), workflow: 'w' }
  const begun: Slot[] = []
  const all = times(3, () =>
    slots.execute(
      { priority: 0 },
      async slot => {
        begun.push(slot)
        await clock.until(clock.now() + 1000)
      },
      who,
    ),
  )
  expect([begun.length, slots.full('execute', who)]).toEqual([1, 'canary'])
  expect(slots.full('execute', fama('a'))).toBeUndefined()
  // It is let in, and was not sent: another may be the first by now.
  const { answered } = begun[0]?.sends() ?? expect.unreachable()
  most = 0
  answered('unsent')
  expect(begun[0]?.mayGoOn()).toBe(false)
  most = 1
  slots.refill()
  expect(begun).toHaveLength(2)
  expect(begun[0]?.mayGoOn()).toBe(false)
  await clock.run(Promise.all(all))
  expect(begun).toHaveLength(3)
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
