import { afterEach, expect, test, vi } from 'vitest'
import { exposeCollector, keepHeapLow } from '../../../src/cli/io/process.ts'

afterEach(() => {
  globalThis.gc = undefined
})

test('the collector is there for who asks, and is the one of the engine from then on', () => {
  exposeCollector()
  const first = globalThis.gc
  expect(String(first)).not.toContain('[native code]')
  first?.({ type: 'minor' })
  expect(String(globalThis.gc)).toContain('[native code]')
  globalThis.gc?.()
})

test('a collector that was exposed by flag stays', () => {
  const given = vi.fn() as unknown as NodeJS.GCFunction
  globalThis.gc = given
  exposeCollector()
  expect(globalThis.gc).toBe(given)
})

test.each([
  [9999, 0],
  [10_000, 1],
])('when %i jobs are planned, what planning left behind is collected %i times', (jobs, times) => {
  const collect = vi.fn()
  globalThis.gc = collect as unknown as NodeJS.GCFunction
  keepHeapLow(jobs)
  expect(collect.mock.calls).toEqual(Array.from({ length: times }, () => []))
})
