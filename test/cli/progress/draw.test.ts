import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../../src/base/display.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { type Board, openBoard } from '../../../src/cli/progress/board.ts'
import { drawBoard } from '../../../src/cli/progress/draw.ts'
import type { DrawRoom } from '../../../src/cli/progress/rows.ts'
import { done, happens, planned, run, work } from '../fake.ts'

const start = 1_000_000
const seconds = (count: number) => start + count * 1000
const room: DrawRoom = { columns: 100, rows: 30, isAscii: false, paint: colours(false) }

function draw(board: Board, at: number, more: Partial<DrawRoom> = {}): string {
  return drawBoard(board, seconds(at), { ...room, ...more }).join('\n')
}

/** A plan of five with something of everything. */
function small(): Board {
  const board = openBoard()
  board.take(
    planned(start, [
      work('hero', { model: 'fama-imagine-image-2.0' }),
      work('clip', { model: 'famc-v3-turbo', needs: ['hero'] }),
      work('rain', { model: 'famc-t2a' }),
      work('voice', { model: 'fama-tts' }),
      work('outro', { model: 'famc-v3', needs: ['clip', 'rain'] }),
    ]),
  )
  board.take(happens(seconds(1), 'hero', { event: 'sending', model: 'fama-imagine-image-2.0', attempt: 1 }))
  board.take(happens(seconds(9), 'hero', { event: 'settled', state: done('hero.png') }))
  board.take(happens(seconds(9), 'clip', { event: 'sending', model: 'famc-v3-turbo', attempt: 1 }))
  board.take(happens(seconds(10), 'clip', { event: 'accepted', run: run('7f3a') }))
  board.take(happens(seconds(12), 'clip', { event: 'progress', fraction: 0.42 }))
  board.take(happens(seconds(1), 'rain', { event: 'sending', model: 'famc-t2a', attempt: 1 }))
  const failure = { why: 'remote', detail: 'no rain today' } as const
  board.take(
    happens(seconds(3), 'rain', { event: 'settled', state: { is: 'failed', failure, billed: 'no' } }),
  )
  return board
}

/** A plan of 10,000 in the middle of it. */
function large(): Board {
  const board = openBoard()
  const tasks = Array.from({ length: 10_000 }, (_, nth) => work(`still-${nth}`))
  board.take(planned(start, tasks))
  for (const [nth, { address, model }] of tasks.slice(0, 4000).entries()) {
    board.take(happens(seconds(nth / 10), address, { event: 'sending', model, attempt: 1 }))
    if (nth >= 3988) continue
    const failure = { why: 'remote', detail: `no still ${nth}` } as const
    const state =
      nth % 500 === 7 ? ({ is: 'failed', failure, billed: 'no' } as const) : done(`still-${nth}.png`)
    board.take(happens(seconds(nth / 10 + 0.5), address, { event: 'settled', state }))
  }
  return board
}

describe('a small plan', () => {
  test('is shown whole, as a tree: below the last of what it needs', () => {
    expect(draw(small(), 14)).toBe(
      [
        '⠋ 1 of 5 done, 1 failed, 1 running   14s',
        '  ✔ hero     fama-imagine-image-2.0  8s     hero.png (1.2 MB)',
        '  • └ clip   famc-v3-turbo           5s     42 %',
        '  ✖ rain     famc-t2a                the run failed at the service: no rain today',
        '  · └ outro  famc-v3                 waits for clip, rain',
        '  · voice    fama-tts                waiting',
      ].join('\n'),
    )
  })

  test('goes without models where it is narrow, and is cut to the width', () => {
    expect(draw(small(), 14, { columns: 40 })).toBe(
      [
        '⠋ 1 of 5 done, 1 failed, 1 running',
        '  14s',
        '  ✔ hero     8s     hero.png (1.2 MB)',
        '  • └ clip   5s     42 %',
        '  ✖ rain     the run failed at the ser…',
        '  · └ outro  waits for clip, rain',
        '  · voice    waiting',
      ].join('\n'),
    )
  })

  test('is drawn in ASCII where the locale has nothing else', () => {
    const picture = draw(small(), 14, { isAscii: true, columns: 50 })
    expect(picture).toMatch(/^[\x20-\x7e\n]+$/)
    expect(picture).toContain('  + hero')
    expect(picture).toContain('  x rain')
    expect(picture).toContain('  . ` outro')
  })

  test('keeps branches apart, however deep they are', () => {
    const board = openBoard()
    const needs = (address: string, ...of: string[]) => work(address, { needs: of })
    board.take(
      planned(start, [
        needs('d', 'b'),
        needs('a'),
        needs('b', 'a'),
        needs('c', 'a'),
        needs('e', 'd'),
        needs('f', 'a'),
      ]),
    )
    const names = draw(board, 0)
      .split('\n')
      .slice(1)
      .map(line => line.slice(4, 13).trimEnd())
    expect(names).toEqual(['a', '├ b', '│ └ d', '│   └ e', '├ c', '└ f'])
  })

  test('says what was ordered costs, without what the service refused, and nothing of it in a rehearsal', () => {
    const told = (rehearsal: boolean) => {
      const board = openBoard()
      const tasks = ['a', 'b', 'c'].map(address => ({ ...work(address), cost: 1.25 }))
      board.take(planned(start, tasks, { currency: 'USD', rehearsal }))
      for (const address of ['a', 'b']) {
        for (const attempt of [1, 2])
          board.take(happens(start, address, { event: 'sending', model: 'fama-imagine-image', attempt }))
      }
      return board
    }
    expect(draw(told(false), 2).split('\n')[0]).toBe('⠋ 0 of 3 done, 2 running   2s   about 2.50 USD')
    expect(draw(told(true), 2).split('\n')[0]).toBe('⠋ 0 of 3 done, 2 running   2s')
    const board = told(false)
    const failure = { why: 'refused', status: 422, detail: '' } as const
    board.take(happens(start, 'b', { event: 'settled', state: { is: 'failed', failure, billed: 'no' } }))
    expect(draw(board, 2)).toContain('about 1.25 USD')
  })

  test.each([
    ['sent', { event: 'sending', model: 'famc-t2a', attempt: 1 }, '7s'],
    ['resumed', { event: 'resumed' }, '7s     resumed'],
    ['fetching', { event: 'made' }, '7s     fetching'],
    ['bytes of an unknown length', { event: 'bytes', bytes: 4200 }, '7s     4.2 kB'],
    ['bytes', { event: 'bytes', bytes: 4200, total: 84_000 }, '7s     4.2 kB of 84 kB'],
    [
      'waiting',
      { event: 'waiting', failure: { why: 'busy', detail: '' }, untilMs: start + 30_000 },
      '7s     the service is busy; again in 20s',
    ],
  ] as const)('says what a running job does: %s', (_, event, text) => {
    const board = openBoard()
    board.take(planned(start, [work('rain', { model: 'famc-t2a' })]))
    board.take(happens(seconds(3), 'rain', { event: 'sending', model: 'famc-t2a', attempt: 1 }))
    board.take(happens(seconds(5), 'rain', event))
    expect(draw(board, 10).split('\n')[1]).toBe(`  • rain  famc-t2a  ${text}`)
  })
})

describe('a large plan', () => {
  test('is shown by its counts, its last troubles and what runs longest', () => {
    expect(draw(large(), 400, { rows: 14 })).toBe(
      [
        '⠸ 3,980 of 10,000 done (40 %), 8 failed, 12 running   6m40s   about 10m18s left   583 a minute',
        '  ✖ still-1507      fama-imagine-image  the run failed at the service: no still 1507',
        '  ✖ still-2007      fama-imagine-image  the run failed at the service: no still 2007',
        '  ✖ still-2507      fama-imagine-image  the run failed at the service: no still 2507',
        '  ✖ still-3007      fama-imagine-image  the run failed at the service: no still 3007',
        '  ✖ still-3507      fama-imagine-image  the run failed at the service: no still 3507',
        '  • still-3988      fama-imagine-image  1s',
        '  • still-3989      fama-imagine-image  1s',
        '  • still-3990      fama-imagine-image  1s',
        '  • still-3991      fama-imagine-image  0s',
        '  • still-3992      fama-imagine-image  0s',
        '    7 more running',
      ].join('\n'),
    )
  })

  test('says how far each of its models is, those first that go on', () => {
    const board = openBoard()
    const ofModel = (model: string, count: number) =>
      Array.from({ length: count }, (_, nth) => work(`${model}-${nth}`, { model }))
    const [stills, clips, sounds] = [ofModel('still', 1200), ofModel('clip', 40), ofModel('sound', 2)]
    board.take(planned(start, [...sounds, ...stills, ...clips]))
    const send = ({ address, model }: (typeof stills)[number]) =>
      board.take(happens(seconds(1), address, { event: 'sending', model, attempt: 1 }))
    const failure = { why: 'remote', detail: 'too quiet' } as const
    const failed = { is: 'failed', failure, billed: 'no' } as const
    for (const job of [...sounds, ...stills.slice(0, 3)]) send(job)
    for (const [nth, { address }] of [...sounds, ...stills.slice(0, 2)].entries())
      board.take(
        happens(seconds(2), address, { event: 'settled', state: nth === 1 ? failed : done('a.png') }),
      )
    expect(draw(board, 3, { rows: 12 })).toBe(
      [
        '⠦ 3 of 1,242 done (0 %), 1 failed, 1 running   3s',
        '  • still           2 of 1,200 done (0 %), 1 running',
        '  · clip            0 of 40 done (0 %)',
        '  ✖ sound           1 of 2 done, 1 failed',
        '  ✖ sound-1  sound  the run failed at the service: too quiet',
        '  • still-2  still  2s',
      ].join('\n'),
    )
    expect(draw(board, 3, { rows: 8 })).not.toContain('✖ sound  ')
  })

  test.each([
    [200, 80],
    [100, 30],
    [80, 24],
    [40, 20],
    [20, 6],
    [10, 3],
  ])('fits into %d columns and %d rows', (columns, rows) => {
    const picture = drawBoard(large(), seconds(400), { ...room, columns, rows })
    expect(picture.length).toBeLessThanOrEqual(Math.min(21, Math.max(1, rows - 2)))
    for (const line of picture) expect(displayWidth(line)).toBeLessThan(columns)
  })

  test('remembers running jobs and the last troubles, not every job that ended', () => {
    const board = large()
    expect([board.running.size, board.troubles.length, board.ended.size]).toEqual([12, 8, 0])
  })
})

test('what is left is not guessed before enough is known', () => {
  expect(small().secondsLeft(seconds(14))).toBeUndefined()
})

test('foreign text in an address is harmless and takes its width', () => {
  const board = openBoard()
  board.take(planned(start, [work('茶\u001b[2J'), work('tea')]))
  expect(draw(board, 0).split('\n').slice(1)).toEqual([
    '  · 茶\\u{1b}[2J  fama-imagine-image  waiting',
    '  · tea          fama-imagine-image  waiting',
  ])
})

describe('the time left', () => {
  /** 10 pictures of 2 s and 10 clips of 30 s, two at a time; so many of each are done. */
  function mixed(pictures: number, clips: number): Board {
    const board = openBoard()
    const tasks = Array.from({ length: 20 }, (_, nth) =>
      nth < 10 ? work(`still-${nth}`) : work(`clip-${nth}`, { model: 'famc-v3' }),
    )
    board.take(planned(start, tasks))
    let at = 0
    for (const { address, model } of [...tasks.slice(0, pictures), ...tasks.slice(10, 10 + clips)]) {
      const long = model === 'famc-v3' ? 30 : 2
      for (const [ms, what] of [
        [at, { event: 'sending', model, attempt: 1 }],
        [at + long * 1000, { event: 'settled', state: done(`${address}.png`) }],
      ] as const)
        board.take(happens(start + ms, address, what))
      at += (long * 1000) / 2
    }
    return board
  }

  test('is told by what each model took, not by the average of all', () => {
    expect(mixed(10, 2).secondsLeft(seconds(40))).toBeCloseTo((8 * 30) / 2)
    expect(mixed(2, 2).secondsLeft(seconds(32))).toBeCloseTo((8 * 2 + 8 * 30) / 2)
  })

  test('is told by the results of the last day until enough is measured', () => {
    const board = openBoard()
    const tasks = Array.from({ length: 20 }, (_, nth) => ({ ...work(`still-${nth}`), seconds: 30 }))
    board.take(planned(start, tasks, { expectedSeconds: 400 }))
    expect(board.secondsLeft(seconds(60))).toBe(340)
    expect(board.secondsLeft(seconds(400))).toBeUndefined()
    for (const { address, model } of tasks.slice(0, 2))
      board.take(happens(start, address, { event: 'sending', model, attempt: 1 }))
    for (const { address, model } of tasks.slice(2, 6)) {
      board.take(happens(start, address, { event: 'sending', model, attempt: 1 }))
      board.take(happens(start + 60_000, address, { event: 'settled', state: done(`${address}.png`) }))
    }
    // Whatever was told, four of twenty a minute is measured.
    expect(board.secondsLeft(seconds(65))).toBe(240)
  })

  test('is no less than what waits for one another takes', () => {
    const board = openBoard()
    const tasks = Array.from({ length: 20 }, (_, nth) => ({
      ...work(`clip-${nth}`, nth > 10 ? { needs: [`clip-${nth - 1}`] } : {}),
      seconds: 30,
    }))
    board.take(planned(start, tasks, { expectedSeconds: 300 }))
    for (const { address, model } of tasks.slice(0, 11))
      board.take(happens(start, address, { event: 'sending', model, attempt: 1 }))
    for (const { address } of tasks.slice(0, 10))
      board.take(happens(start + 30_000, address, { event: 'settled', state: done(`${address}.png`) }))
    expect(board.secondsLeft(seconds(20))).toBeCloseTo(10 + 9 * 30)
  })

  test('is not told while nothing is known of a model that much of the rest is of', () => {
    expect(mixed(10, 0).secondsLeft(seconds(10))).toBeUndefined()
  })

  test('is not told before enough is measured', () => {
    expect(mixed(2, 0).secondsLeft(seconds(10))).toBeUndefined()
    expect(mixed(4, 0).secondsLeft(seconds(4))).toBeUndefined()
    expect(openBoard().secondsLeft(seconds(4))).toBeUndefined()
  })

  test('is told by the rate of the last minute where most of what runs takes longer than the quick ones did', () => {
    const tasks = Array.from({ length: 20 }, (_, nth) => work(`still-${nth}`))
    const board = openBoard()
    board.take(planned(start, tasks))
    for (const { address, model } of tasks)
      board.take(happens(start, address, { event: 'sending', model, attempt: 1 }))
    for (const [nth, { address }] of tasks.slice(0, 5).entries())
      board.take(
        happens(start + (nth + 1) * 2000, address, { event: 'settled', state: done(`${address}.png`) }),
      )
    // 5 in 12 seconds, 15 are left: those that run for 12 seconds will not all be there in a moment.
    expect(board.secondsLeft(seconds(12))).toBeCloseTo((15 * 12) / 5)
    expect(board.secondsLeft(seconds(70))).toBeUndefined()
  })

  test('comes with the rate of the last minute', () => {
    const board = mixed(10, 2)
    expect(board.perMinute(seconds(40))).toBeCloseTo((12 * 60) / 40)
    expect(board.perMinute(seconds(200))).toBe(0)
  })
})
