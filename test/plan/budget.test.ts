import { describe, expect, test } from 'vitest'
import type { Cost } from '../../src/forms/cost.ts'
import { type Caps, giveBack, lowestCaps, nothingSpent, type Outlay, reserve } from '../../src/plan/budget.ts'
import fc from '../cases.ts'

const costs = (amount: number): Cost => ({ is: 'known', amount })
const unknown: Cost = { is: 'unknown', why: 'no prices are given' }
const outlay = (cost: Cost, ...tags: string[]): Outlay => ({ cost, tags })

describe('a request that leaves', () => {
  test.each<[string, Outlay, Caps, string | undefined]>([
    ['is not limited', outlay(unknown), {}, undefined],
    ['fits', outlay(costs(2)), { maxPaid: 1, maxCost: 2 }, undefined],
    ['is one too many', outlay(costs(0)), { maxPaid: 0 }, 'this run may make 0 paid requests at most'],
    ['costs too much', outlay(costs(2.01)), { maxCost: 2 }, 'this run may cost 2 at most'],
    [
      'costs nobody knows what',
      outlay(unknown),
      { maxCost: 2 },
      'what it costs is not known (no prices are given), and the cost is limited',
    ],
    ['may cost anything when only requests are counted', outlay(unknown), { maxPaid: 1 }, undefined],
    [
      'has a tag with a cap',
      outlay(costs(3), 'shop'),
      { tags: { shop: 2 } },
      'the jobs tagged shop may cost 2 at most',
    ],
    ['has another tag', outlay(costs(3), 'web'), { tags: { shop: 2 } }, undefined],
  ])('%s', (_, order, caps, why) => {
    const reserved = reserve(nothingSpent, order, caps)
    expect(reserved.got === 'over' ? reserved.why : undefined).toBe(why)
  })
})

test('ten tenths are one', () => {
  let spent = nothingSpent
  for (let nth = 0; nth < 10; nth++) {
    const reserved = reserve(spent, outlay(costs(0.1)), { maxCost: 1 })
    if (reserved.got === 'over') throw new Error(reserved.why)
    spent = reserved.spent
  }
  expect(spent.cost).toBe(1)
  expect(reserve(spent, outlay(costs(0.000001)), { maxCost: 1 }).got).toBe('over')
})

test('what was not sent, or refused, gives its place and its cost back', () => {
  const caps = { maxPaid: 1, maxCost: 1, tags: { shop: 1 } }
  const order = outlay(costs(1), 'shop')
  const reserved = reserve(nothingSpent, order, caps)
  if (reserved.got === 'over') throw new Error(reserved.why)
  expect(giveBack(reserved.spent, order, caps)).toEqual({
    paid: 0,
    cost: 0,
    tags: { shop: 0 },
    services: {},
  })
})

test('no cap is ever passed, whatever becomes of the requests', () => {
  const order = fc.record({
    amount: fc.integer({ min: 0, max: 1000 }).map(cents => cents / 100),
    tags: fc.subarray(['a', 'b']),
    ends: fc.constantFrom('accepted', 'doubt', 'harmless'),
  })
  const caps = fc.record(
    {
      maxPaid: fc.integer({ min: 0, max: 8 }),
      maxCost: fc.integer({ min: 0, max: 30 }),
      tags: fc.constant({ a: 9 }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(order, { maxLength: 40 }), caps, (orders, given) => {
      let spent = nothingSpent
      const sent = { requests: 0, cents: 0, centsOfA: 0 }
      for (const { amount, tags, ends } of orders) {
        const reserved = reserve(spent, outlay(costs(amount), ...tags), given)
        if (reserved.got === 'over') continue
        spent = reserved.spent
        if (ends === 'harmless') {
          spent = giveBack(spent, outlay(costs(amount), ...tags), given)
          continue
        }
        sent.requests++
        sent.cents += Math.round(amount * 100)
        if (tags.includes('a')) sent.centsOfA += Math.round(amount * 100)
      }
      expect(sent.requests).toBeLessThanOrEqual(given.maxPaid ?? Number.POSITIVE_INFINITY)
      expect(sent.cents).toBeLessThanOrEqual((given.maxCost ?? Number.POSITIVE_INFINITY) * 100)
      expect(sent.centsOfA).toBeLessThanOrEqual((given.tags?.a ?? Number.POSITIVE_INFINITY) * 100)
    }),
  )
})

test('of several caps the lowest counts', () => {
  expect(
    lowestCaps({ maxCost: 5, tags: { a: 1 } }, undefined, { maxPaid: 3, maxCost: 4, tags: { a: 2, b: 3 } }),
  ).toEqual({
    maxPaid: 3,
    maxCost: 4,
    tags: { a: 1, b: 3 },
  })
})
