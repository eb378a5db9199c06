import { describe, expect, test } from 'vitest'
import { pollMs } from '../../src/engine/deadlines.ts'
import { openDurations, seenEarlier, usualMs } from '../../src/engine/durations.ts'
import { seededRandom } from './fake.ts'

const second = 1000
const random = seededRandom(5)

/** About 30 s each, log-normal with σ 0.4. */
function duration(): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return 30 * second * Math.exp(0.4 * normal)
}

function learned(count: number, times = 1) {
  const durations = openDurations()
  for (let nth = 0; nth < count; nth++) {
    const ms = times * duration()
    durations.ended('clip', 0.95 * ms, 1.05 * ms)
  }
  return durations
}

test('nothing is known of a kind before eight of it have ended', () => {
  expect(learned(7).gapMs('clip', 0)).toBeUndefined()
  expect(learned(8).gapMs('clip', 0)).toBeGreaterThan(0)
  expect(learned(8).gapMs('still', 0)).toBeUndefined()
})

test('a run is asked after late at first, most often when its end is likely, and seldom when it is long overdue', () => {
  const durations = learned(200)
  const gap = (seconds: number) => (durations.gapMs('clip', seconds * second) ?? Number.NaN) / second
  expect(gap(0)).toBeGreaterThan(10)
  expect(gap(0)).toBeLessThan(20)
  expect(gap(30)).toBeGreaterThan(2)
  expect(gap(30)).toBeLessThan(4)
  expect(gap(200)).toBeGreaterThan(gap(60))
})

/** What 2,000 runs are asked, each `times` as long as usual, and how late their ends are noticed, as a share of all time. */
function asked(times: number, learnedGapMs?: (ageMs: number) => number | undefined) {
  let [questions, late, all] = [0, 0, 0]
  for (let nth = 0; nth < 2000; nth++) {
    const length = times * duration()
    let age = 0
    while (age < length) {
      questions++
      age += pollMs(age, {
        deadline: 0,
        from: 0,
        pollFloorMs: second,
        chance: () => 0,
        ...(learnedGapMs && { learnedGapMs }),
      })
    }
    late += age - length
    all += length
  }
  return { questions: questions / 2000, late: late / all }
}

test('7 questions a run lose 5 percent of all time, where by age 19 lose 6', () => {
  const durations = learned(200)
  const byAge = asked(1)
  const byDuration = asked(1, age => durations.gapMs('clip', age))
  expect(byAge.late).toBeGreaterThan(0.06)
  expect(byAge.questions).toBeGreaterThan(15)
  expect(byDuration.late).toBeLessThan(0.055)
  expect(byDuration.questions).toBeLessThan(8)
})

test('runs of four times that length are asked twice as often, and lose less of their time', () => {
  const durations = learned(200, 4)
  const { questions, late } = asked(4, age => durations.gapMs('clip', age))
  expect(questions).toBeGreaterThan(12)
  expect(questions).toBeLessThan(16)
  expect(late).toBeLessThan(0.03)
})

test('what took as long to the millisecond is not counted on to the millisecond', () => {
  const durations = openDurations()
  for (let nth = 0; nth < 20; nth++) durations.ended('clip', 30 * second, 30 * second)
  const gap = durations.gapMs('clip', 30 * second) ?? Number.NaN
  expect(gap).toBeGreaterThan(0.2 * second)
  expect(gap).toBeLessThan(3 * second)
})

describe('what earlier runs took', () => {
  const usual = (took: Parameters<typeof seenEarlier>[0]) => usualMs(seenEarlier(took)) / second
  const exact = (seconds: number) => ({ from: seconds * second, to: seconds * second })

  test.each<[string, Parameters<typeof seenEarlier>[0], number]>([
    ['exactly, counts as it is', [exact(30), exact(30)], 30],
    ['and was noticed late, counts as a span of 13 percent', [{ from: 0, to: 33.9 * second }], 31.95],
    ['is as short as it was at least', [{ from: 33 * second, to: 34 * second }], 33.5],
    ['is not what a machine noticed that slept', [exact(30), exact(30), exact(3600)], 30],
  ])('%s', (_, took, seconds) => {
    expect(usual(took)).toBeCloseTo(seconds)
  })

  test('is forgotten over what runs take today', () => {
    const durations = openDurations([['clip', seenEarlier(Array.from({ length: 1000 }, () => exact(30)))]])
    // When the end of the earlier ones was likely.
    const gapThen = () => durations.gapMs('clip', 30 * second) ?? Number.NaN
    const before = gapThen()
    for (let nth = 0; nth < 100; nth++) durations.ended('clip', 300 * second, 300 * second)
    expect(gapThen()).toBeGreaterThan(2 * before)
  })
})

test.each<[string, number, number, number | undefined, number]>([
  ['as learned', 20 * second, 4000, undefined, 4000],
  ['a second at least', 20 * second, 10, undefined, 1000],
  ['15 s at most for a young run', 20 * second, 60_000, undefined, 15_000],
  ['13 percent of its age at most for an old one', 600 * second, 600_000, undefined, 78_000],
  ['as the service asks', 20 * second, 4000, 30_000, 30_000],
])('the next question comes %s', (_, ageMs, learnedMs, hintMs, wanted) => {
  const deadlines = {
    deadline: 0,
    from: 0,
    pollFloorMs: second,
    chance: () => 0,
    learnedGapMs: () => learnedMs,
  }
  expect(pollMs(ageMs, deadlines, hintMs)).toBe(wanted)
})
