import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/base/failure.ts'
import {
  afterSign,
  type Breaker,
  closedBreaker,
  isProbing,
  type Sign,
} from '../../../src/engine/gates/breaker.ts'
import { longestRow } from '../../../src/engine/gates/sent-row.ts'

const inDoubt: Failure = { why: 'in-doubt', detail: 'reset' }

/** Signs with the seconds at which they come; what is sent is let go a tenth of a second before, one after the other. */
function after(...signs: readonly (readonly [second: number, what: Answer | Failure])[]): Breaker {
  return signs.reduce((breaker, [second, what], nth) => {
    const now = second * 1000
    const sign: Sign =
      typeof what === 'string' ? signOf(what, nth, now) : { is: 'refused', nth, failure: what }
    return afterSign(afterSign(breaker, { is: 'sent', nth }, now - 100), sign, now)
  }, closedBreaker)
}

type Answer = 'taken' | 'doubt' | 'refused'

function signOf(is: Answer, nth: number, now: number): Sign {
  const sentAt = now - 100
  switch (is) {
    case 'taken':
      return { is, nth, sentAt }
    case 'doubt':
      return { is, nth, sentAt, failure: inDoubt }
    case 'refused':
      return { is, nth, failure: { why: 'refused', status: 422, detail: '' } }
  }
}

/** How many in a row, and how often it opened. */
function standing({ row, openings }: Breaker): { doubts: number; openings: number } {
  return { doubts: longestRow(row), openings }
}

const five = [1, 2, 3, 4, 5].map(second => [second, 'doubt'] as const)

describe('doubts', () => {
  test('interrupt at the fifth in a row, for half a minute', () => {
    expect(standing(after(...five.slice(1)))).toEqual({ doubts: 4, openings: 0 })
    expect(after(...five.slice(1)).until).toBe(-Infinity)
    expect(standing(after(...five))).toEqual({ doubts: 0, openings: 1 })
    expect(after(...five).until).toBe(35_000)
    expect(isProbing(after(...five))).toBe(true)
  })

  test('are counted anew when an order is taken', () => {
    const counted = after(...five.slice(0, 4), [4.5, 'taken'], [5, 'doubt'])
    expect(standing(counted)).toEqual({ doubts: 1, openings: 0 })
  })

  test('are not counted anew by a refusal, which only says no', () => {
    expect(after(...five.slice(0, 4), [4.5, 'refused'], [5, 'doubt'])).toMatchObject({ openings: 1 })
  })

  test('of a probe interrupt again, twice as long, and the third time is the last', () => {
    const second = after(...five, [36, 'doubt'])
    expect(second).toMatchObject({ openings: 2, until: 96_000 })
    expect(second.ended).toBeUndefined()
    expect(after(...five, [36, 'doubt'], [97, 'doubt'])).toMatchObject({ openings: 3, ended: inDoubt })
  })

  test('of orders that were on their way already say nothing about the probe', () => {
    const opened = after(...five)
    const late = afterSign(opened, { is: 'doubt', nth: 4, sentAt: 4900, failure: inDoubt }, 40_000)
    expect(late).toEqual(opened)
    expect(afterSign(opened, { is: 'taken', nth: 4, sentAt: 4900 }, 40_000)).toEqual(opened)
  })

  test('are forgiven once a probe is taken', () => {
    const closed = after(...five, [36, 'taken'])
    expect(closed).toEqual({ ...closedBreaker, taken: 1, row: { stretches: [[]], isFresh: false } })
    expect(standing(after(...five, [36, 'taken'], [37, 'doubt']))).toEqual({ doubts: 1, openings: 0 })
  })

  test('stand in a row by when they were sent: what is known soon is not all there is', () => {
    const sent = (breaker: Breaker, nth: number) => afterSign(breaker, { is: 'sent', nth }, 1000)
    const doubt = (breaker: Breaker, nth: number) =>
      afterSign(breaker, { is: 'doubt', nth, sentAt: 1000, failure: inDoubt }, 2000)
    const out = [...Array(12).keys()].reduce(sent, closedBreaker)
    const half = [0, 2, 4, 6, 8, 10].reduce(doubt, out)
    expect(standing(half)).toEqual({ doubts: 1, openings: 0 })
    expect(standing([1, 3].reduce(doubt, half))).toEqual({ doubts: 0, openings: 1 })
  })

  test.each([
    [0, 5],
    [1, 6],
    [7, 8],
    [1000, 15],
  ])('interrupt after %i orders that were taken at number %i in a row', (good, most) => {
    const taken = Array.from({ length: good }, () => [1, 'taken'] as const)
    const doubts = Array.from({ length: most }, () => [2, 'doubt'] as const)
    expect(after(...taken, ...doubts.slice(1)).openings).toBe(0)
    expect(after(...taken, ...doubts).openings).toBe(1)
  })
})

describe('the end of buying', () => {
  test.each<[string, Breaker, Failure | undefined]>([
    [
      '401',
      after([1, { why: 'unauthorized', status: 401, detail: '' }]),
      { why: 'unauthorized', status: 401, detail: '' },
    ],
    ['402', after([1, { why: 'no-credit', detail: '' }]), { why: 'no-credit', detail: '' }],
    ['422', after([1, 'refused']), undefined],
    [
      'a certificate',
      after([1, { why: 'unreachable', origin: 'o', detail: 'd', certificate: true }]),
      { why: 'unreachable', origin: 'o', detail: 'd', certificate: true },
    ],
    ['a network that is down', after([1, { why: 'unreachable', origin: 'o', detail: 'd' }]), undefined],
  ])('%s', (_, { ended }, because) => {
    expect(ended).toEqual(because)
  })

  test('is final', () => {
    const ended = after([1, { why: 'no-credit', detail: '' }])
    expect(afterSign(ended, { is: 'taken', nth: 9, sentAt: 8000 }, 9000)).toBe(ended)
  })
})
