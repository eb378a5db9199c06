import { expect, test } from 'vitest'
import { type OrderKind, OrderQueue } from '../../../src/engine/gates/order-queue.ts'

const tea = { family: 'fama', model: 'tea' }
const rain = { family: 'famb', model: 'rain' }

/** A queue with room for so many of each model, and what starts by name. */
function queueFor(most: { readonly [model: string]: number }, inVain: readonly string[] = []) {
  const used = new Map<string, number>()
  const usedBy = ({ who }: OrderKind) => used.get(who.model) ?? 0
  let arrivals = 0
  const queue = new OrderQueue({
    arrive: () => arrivals++,
    has: kind => usedBy(kind) < (most[kind.who.model] ?? 0),
    take: kind => used.set(kind.who.model, usedBy(kind) + 1),
    isInVain: ({ who }) => inVain.includes(who.model),
  })
  const names = new Map<() => Promise<unknown>, string>()
  return {
    queue,
    add(name: string, who: OrderKind['who'], priority: number, nth?: number) {
      const start = async () => undefined
      names.set(start, name)
      queue.enqueue(start, { mode: 'submit', who, priority, ...(nth !== undefined && { nth }) })
    },
    next: () => {
      const start = queue.dequeue()
      return start && names.get(start)
    },
  }
}

test('what is turned away again and again goes behind all that is taken', () => {
  const { add, next } = queueFor({ tea: 9, rain: 9 }, ['tea'])
  add('a', tea, 2)
  add('b', tea, 3)
  add('c', rain, 1)
  add('d', rain, 1)
  expect([next(), next(), next(), next()]).toEqual(['c', 'd', 'b', 'a'])
})

test('the most urgent goes first, then what came first', () => {
  const { add, next } = queueFor({ tea: 9, rain: 9 })
  add('a', tea, 1)
  add('b', rain, 2)
  add('c', tea, 2)
  add('d', tea, 2.5)
  add('e', rain, 1)
  expect([next(), next(), next(), next(), next(), next()]).toEqual(['d', 'b', 'c', 'a', 'e', undefined])
})

test('who brings a number stands where it belongs, in its own line and beside the others', () => {
  const { add, next } = queueFor({ tea: 9, rain: 9 })
  add('c', tea, 0, 7)
  add('b', rain, 0, 5)
  add('a', tea, 0, 3)
  add('first', rain, 1, 9)
  expect([next(), next(), next(), next()]).toEqual(['first', 'a', 'b', 'c'])
})

test('its size is what may start now: what has no room lets others pass', () => {
  const { queue, add, next } = queueFor({ tea: 1, rain: 1 })
  expect(queue.size).toBe(0)
  add('a', tea, 3)
  add('b', tea, 2)
  add('c', rain, 1)
  expect(queue.size).toBe(2)
  expect(next()).toBe('a')
  expect(queue.size).toBe(1)
  expect(next()).toBe('c')
  expect(queue.size).toBe(0)
  expect(next()).toBeUndefined()
})

test('what waits is found by its priority, and keeps it', () => {
  const { queue, add } = queueFor({ tea: 1 })
  add('a', tea, 3)
  add('b', tea, 2)
  expect(queue.filter({ priority: 2 })).toHaveLength(1)
  expect(() => queue.setPriority()).toThrow()
})
