import { describe, expect, test } from 'vitest'
import { jobAddress, type RunId } from '../../../src/base/names.ts'
import { openOrderBlocks, progressText } from '../../../src/cli/words/open-orders.ts'
import type { OrderLeftOpen } from '../../../src/verbs/orders/open-orders.ts'

const about = { manifest: 'tea pots.yaml', cwd: '/project' }

function failed(nth: number, more: Partial<OrderLeftOpen> = {}): OrderLeftOpen {
  return {
    address: jobAddress(`still[${nth}]`),
    is: 'failed',
    detail: `the run r_${nth} failed: out of memory`,
    ids: [],
    next: 'leaves it alone',
    remedy: `genrun run 'tea pots.yaml' 'still[${nth}]' --failed orders it again`,
    ...more,
  }
}

const many = (count: number, more?: Partial<OrderLeftOpen>) =>
  Array.from({ length: count }, (_, nth) => failed(nth, more))

describe('what is open', () => {
  test('is told one by one while it is little', () => {
    expect(openOrderBlocks(many(3), about)).toHaveLength(3)
    expect(openOrderBlocks(many(1), about)).toEqual([
      `still[0]: failed
  the run r_0 failed: out of memory
  the next run leaves it alone
  genrun run 'tea pots.yaml' 'still[0]' --failed orders it again`,
    ])
  })

  test('is one block where hundreds look alike', () => {
    expect(openOrderBlocks(many(240), about)).toEqual([
      `240 jobs failed: still[0], still[1], still[2] and 237 more
  for instance the run r_0 failed: out of memory
  of each, the next run leaves it alone
  genrun run 'tea pots.yaml' --failed orders again all that failed`,
    ])
  })

  test.each([
    [
      'the dates that `resolve --after` goes by',
      [0, 60, 120, 3600],
      ', since 2026-03-01T10:00:00.000Z to 2026-03-01T11:00:00.000Z',
    ],
    ['one date where there is one', [0, 0, 0, 0], ', since 2026-03-01T10:00:00.000Z'],
    [
      'how many have a date',
      [0, undefined, 60, 60],
      ', since 2026-03-01T10:00:00.000Z to 2026-03-01T10:01:00.000Z (3 of them)',
    ],
    ['no date where only the lock knows of them', [undefined, undefined, undefined, undefined], ''],
  ])('says of doubts in one block %s', (_, seconds, since) => {
    const begun = Date.parse('2026-03-01T10:00:00Z')
    const doubts = seconds.map((second, nth) =>
      failed(nth, {
        is: 'doubt',
        detail: 'reset',
        ...(second !== undefined && { since: begun + second * 1000 }),
      }),
    )
    expect(openOrderBlocks(doubts, about).at(0)?.split('\n').at(0)).toBe(
      `4 jobs in doubt${since}: still[0], still[1], still[2] and 1 more`,
    )
  })

  test('that is gone at the service names one way out for all', () => {
    const remedy = "genrun run 'tea pots.yaml' 'still[0]' --rebuy asks for it once more and orders it anew"
    expect(
      openOrderBlocks(many(4, { is: 'gone', remedy }), about)
        .at(0)
        ?.split('\n')
        .at(-1),
    ).toBe("  genrun run 'tea pots.yaml' --rebuy asks for each once more and orders anew what is gone")
  })

  test('of another kind gets its remedy as an example', () => {
    const remedy = 'genrun pick m.yaml hero'
    const held = many(4, { is: 'held', detail: 'it waits for a pick of hero', remedy })
    expect(openOrderBlocks(held, about)).toEqual([
      `4 jobs held: still[0], still[1], still[2] and 1 more
  it waits for a pick of hero
  of each, the next run leaves it alone
  for instance genrun pick m.yaml hero`,
    ])
  })

  test('stands alone where its answer names a run, and a long list ends', () => {
    const doubts = many(30, { is: 'doubt', detail: 'the answer was cut', ids: ['r_7' as RunId] })
    const blocks = openOrderBlocks([...doubts, ...many(240)], about)
    expect(blocks).toHaveLength(21)
    expect(blocks.at(-1)).toBe('and 250 more; --json lists them all')
  })
})

test.each([
  [{ made: 2, left: 10, seconds: 12 }, 'it has made 2 of 12 jobs in 12s'],
  [
    { made: 120, left: 180, seconds: 250, secondsLeft: 375 },
    'it has made 120 of 300 jobs in 4m10s; at this pace the rest takes about 6m15s',
  ],
  [{ made: 12, left: 0, seconds: 70 }, 'it has made 12 of 12 jobs in 1m10s, and is about to end'],
])('the progress of a run at work is said: %j', (progress, said) => {
  expect(progressText(progress)).toBe(said)
})
