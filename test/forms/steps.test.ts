import { expect, test } from 'vitest'
import { isExactStep, onStep, stepsAround, stepsOf } from '../../src/forms/steps.ts'
import fc from '../cases.ts'

test('every tenth is a step of 0.1, however it was computed', () => {
  for (let tenths = 0; tenths <= 1000; tenths++) {
    let summed = 0
    for (let at = 0; at < tenths; at++) summed += 0.1
    expect(stepsOf(tenths / 10, { minimum: 0, step: 0.1 })).toBe(tenths)
    expect(onStep(summed, { minimum: 0, step: 0.1 })).toBe(tenths / 10)
  }
})

test.each([
  [0.35, 0, 0.1],
  [0.3001, 0, 0.1],
  [4.25, 3, 0.5],
  [4, 1, 2],
])('%d lies between two steps from %d by %d', (value, minimum, step) => {
  expect(stepsOf(value, { minimum, step })).toBeUndefined()
  expect(onStep(value, { minimum, step })).toBe(value)
})

test('a value put on its step prints no more decimals than the step', () => {
  const decimals = fc.integer({ min: 0, max: 4 })
  fc.assert(
    fc.property(
      decimals,
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 0, max: 9999 }),
      (places, digits, count) => {
        const step = digits / 10 ** places
        const value = onStep(count * step, { minimum: 0, step })
        expect(value).toBe(Number((count * step).toFixed(places)))
        expect(String(value).split('.')[1]?.length ?? 0).toBeLessThanOrEqual(places)
      },
    ),
  )
})

test('very small steps are counted too', () => {
  expect(stepsOf(3e-7, { minimum: 0, step: 1e-7 })).toBe(3)
  expect(onStep(3e-7, { minimum: 0, step: 1e-7 })).toBe(3e-7)
})

test.each([
  [0.35, [0.3, 0.4]],
  [0.05, [0, 0.1]],
  [0.99, [0.9, 1]],
])('around %d are %j', (value, around) => {
  const param = { type: 'number', flag: '-x', minimum: 0, maximum: 1, step: 0.1, default: 0.5 } as const
  expect(stepsAround(value, param)).toEqual(around)
})

test('only sums of powers of two are exact in binary', () => {
  expect([1, 5, 0.5, 0.25].every(isExactStep)).toBe(true)
  expect([0.1, 0.3, 0.05].some(isExactStep)).toBe(false)
})
