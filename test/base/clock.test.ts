import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock, wallDates } from '../../src/base/clock.ts'

const [minute, hour] = [60_000, 3_600_000]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sets the machine's clock; time itself goes on as it did. */
function setClock(byMs: number): void {
  vi.setSystemTime(Date.now() + byMs)
}

function awaited(ms: number): { isOver: boolean } {
  const wait = { isOver: false }
  void systemClock.until(systemClock.now() + ms).then(() => (wait.isOver = true))
  return wait
}

const steps: [string, number][] = [
  ['set back ten minutes', -10 * minute],
  ['set forward ten minutes', 10 * minute],
  ['set back two hours', -2 * hour],
  ['set forward two hours', 2 * hour],
]

describe.each(steps)('a machine whose clock is %s', (_, byMs) => {
  test('counts on as if nothing had happened', async () => {
    const began = systemClock.now()
    await vi.advanceTimersByTimeAsync(1000)
    setClock(byMs)
    expect(systemClock.now() - began).toBe(1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(systemClock.now() - began).toBe(2000)
  })

  test('shows it on its wall clock', () => {
    const before = systemClock.wall()
    setClock(byMs)
    expect(systemClock.wall() - before).toBe(byMs)
  })

  test.each([1000, 29_999, 30_000, 30_001, 5 * minute, 3 * hour])('waits for %i ms as before', async ms => {
    const wait = awaited(ms)
    await vi.advanceTimersByTimeAsync(ms / 2)
    setClock(byMs)
    await vi.advanceTimersByTimeAsync(ms / 2 - 1)
    expect(wait.isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(wait.isOver).toBe(true)
  })

  test('dates what happened by what its clock shows now, and in order', async () => {
    const dateOf = wallDates(systemClock)
    const first = dateOf(systemClock.now())
    expect(first).toBe(Date.now())
    setClock(byMs)
    expect(dateOf(systemClock.now())).toBe(first + byMs)
  })
})

test.each([
  ['in a wait of two hours', 2 * hour],
  ['in one that is nearly over', 2 * hour + 1000],
])(
  'after a sleep in which timers stood still, %s, the date is noticed within half a minute',
  async (_, ms) => {
    const wait = awaited(ms)
    await vi.advanceTimersByTimeAsync(1000)
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 2 * hour)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(wait.isOver).toBe(true)
  },
)

test('a timer that comes early is waited for again', async () => {
  const wait = awaited(1000)
  const real = performance.now.bind(performance)
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => real() - 500)
  await vi.advanceTimersByTimeAsync(1000)
  expect(wait.isOver).toBe(false)
  slow.mockRestore()
  await vi.advanceTimersByTimeAsync(500)
  expect(wait.isOver).toBe(true)
})

test('a wait leaves nothing behind when it is aborted', async () => {
  const stop = new AbortController()
  const wait = systemClock.until(systemClock.now() + hour, stop.signal)
  expect(vi.getTimerCount()).toBe(1)
  stop.abort()
  await wait
  expect(vi.getTimerCount()).toBe(0)
})

test('dates do not go back and forth with the last millisecond of two clocks', () => {
  let [now, ahead] = [1_000_000, 0]
  const dateOf = wallDates({ now: () => now, wall: () => now + ahead })
  const dates = [0, 1, -1, 1, 999].map(by => {
    ahead = by
    return dateOf(++now)
  })
  expect(dates).toEqual([1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005])
})

test('the clock returns at once for a past date and for an aborted signal', async () => {
  await systemClock.until(0)
  await systemClock.until(systemClock.now() + 60_000, AbortSignal.abort())
  const stop = new AbortController()
  const wait = systemClock.until(systemClock.now() + 60_000, stop.signal)
  stop.abort()
  await wait
})
