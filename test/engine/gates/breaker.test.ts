import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/base/failure.ts'
import {
  afterSign,
  type Breaker,
  closedBreaker,
  isProbing,
  type Sign,
} from '../../../src/engine/gates/breaker.ts'

const inDoubt: Failure = { why: 'in-doubt', detail: 'reset' }

/** Signs with the seconds at which they come; what is sent is let go a tenth of a second before. */
function after(...signs: readonly (readonly [second: number, what: Sign['is'] | Failure])[]): Breaker {
  return signs.reduce((breaker, [second, what]) => {
    const now = second * 1000
    return afterSign(
      breaker,
      typeof what === 'string' ? signOf(what, now) : { is: 'refused', failure: what },
      now,
    )
  }, closedBreaker)
}

function signOf(is: Sign['is'], now: number): Sign {
  const sentAt = now - 100
  switch (is) {
    case 'taken':
      return { is, sentAt }
    case 'doubt':
      return { is, sentAt, failure: inDoubt }
    case 'refused':
      return { is, failure: { why: 'refused', status: 422, detail: '' } }
  }
}

const five = [1, 2, 3, 4, 5].map(second => [second, 'doubt'] as const)

describe('doubts', () => {
  test('interrupt at the fifth in a row, for half a minute', () => {
    expect(after(...five.slice(1))).toMatchObject({ doubts: 4, openings: 0, until: -Infinity })
    expect(after(...five)).toMatchObject({ doubts: 0, openings: 1, until: 35_000 })
    expect(isProbing(after(...five))).toBe(true)
  })

  test('are counted anew when an order is taken', () => {
    expect(after(...five.slice(0, 4), [4.5, 'taken'], [5, 'doubt'])).toMatchObject({ doubts: 1, openings: 0 })
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
    const late = afterSign(opened, { is: 'doubt', sentAt: 4900, failure: inDoubt }, 40_000)
    expect(late).toEqual(opened)
    expect(afterSign(opened, { is: 'taken', sentAt: 4900 }, 40_000)).toEqual(opened)
  })

  test('are forgiven once a probe is taken', () => {
    expect(after(...five, [36, 'taken'])).toEqual(closedBreaker)
    expect(after(...five, [36, 'taken'], [37, 'doubt'])).toMatchObject({ doubts: 1, openings: 0 })
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
    expect(afterSign(ended, { is: 'taken', sentAt: 8000 }, 9000)).toBe(ended)
  })
})
