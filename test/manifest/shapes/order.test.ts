import { expect, test } from 'vitest'
import { orderByNeeds } from '../../../src/manifest/shapes/order.ts'
import fc from '../../cases.ts'

function order(needs: { readonly [thing: string]: string }) {
  return orderByNeeds(Object.keys(needs), thing => (needs[thing] ?? '').split('').filter(Boolean))
}

test.each<[string, { [thing: string]: string }, string, string[]]>([
  ['things without needs stay as given', { c: '', a: '', b: '' }, 'cab', []],
  ['what is needed comes first', { a: 'b', b: 'c', c: '' }, 'cba', []],
  ['needs shared by two come once', { a: 'bc', b: 'd', c: 'd', d: '' }, 'dbca', []],
  ['needs that are not there do not count', { a: 'x', b: 'a' }, 'ab', []],
  ['a need named twice counts once', { a: 'bb', b: '' }, 'ba', []],
  ['a thing that needs itself is a circle of one', { a: 'a', b: '' }, 'b', ['a']],
  ['a circle is a path of needs', { a: 'b', b: 'c', c: 'a' }, '', ['abc']],
  ['what needs a circle is not ordered', { z: 'a', a: 'b', b: 'a', y: '' }, 'y', ['ab']],
  ['what a circle needs is ordered', { a: 'bx', b: 'a', x: '' }, 'x', ['ab']],
  ['two circles are told apart', { a: 'b', b: 'a', c: 'd', d: 'c' }, '', ['ab', 'cd']],
])('%s', (_, needs, expected, circles) => {
  const found = order(needs)
  expect(found.order.join('')).toBe(expected)
  expect(found.circles.map(circle => circle.join(''))).toEqual(circles)
})

test('a chain of a hundred thousand is ordered', () => {
  const count = 100_000
  const things = Array.from({ length: count }, (_, index) => index)
  const { order } = orderByNeeds(things, thing => (thing + 1 < count ? [thing + 1] : []))
  expect(order[0]).toBe(count - 1)
  expect(order).toHaveLength(count)
})

test('circles without end are told twenty times', () => {
  const things = Array.from({ length: 50_000 }, (_, index) => index)
  const { circles } = orderByNeeds(things, thing => [thing + 1, 0])
  expect(circles.length).toBeLessThanOrEqual(20)
})

test('everything stands behind what it needs, and only circles are missing', () => {
  const graph = fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(graph, needs => {
      const things = needs.map((_, index) => index)
      const { order, circles } = orderByNeeds(things, thing => needs[thing] ?? [])
      const place = new Map(order.map((thing, index) => [thing, index]))
      for (const thing of order) {
        for (const need of needs[thing] ?? []) expect(place.get(need)).toBeLessThan(place.get(thing) ?? -1)
      }
      for (const circle of circles) {
        circle.forEach((thing, index) => expect(needs[thing]).toContain(circle[(index + 1) % circle.length]))
      }
      expect(order.length === things.length).toBe(circles.length === 0)
    }),
  )
})
