import { expect, test } from 'vitest'
import { columnsIn, gridCards, scrolledTo } from '../../../../src/page/client/desk/layout.ts'

const gap = 8

test.each<[string, Parameters<typeof gridCards>[0], ReturnType<typeof gridCards>]>([
  ['fill what is there', { room: 880, columns: 3, most: 2, wanted: 220, gap }, { across: 1, width: 285 }],
  [
    'stand beside each other where there is room',
    { room: 2160, columns: 3, most: 2, wanted: 320, gap },
    { across: 2, width: 352 },
  ],
  [
    'are no wider than is of use',
    { room: 2160, columns: 1, most: 2, wanted: 220, gap },
    { across: 2, width: 352 },
  ],
  [
    'are as wide as wanted where the grid is wider than its frame',
    { room: 250, columns: 3, most: 4, wanted: 157, gap },
    { across: 1, width: 157 },
  ],
  [
    'are there although nothing fits',
    { room: 500, columns: 0, most: 1, wanted: 220, gap },
    { across: 1, width: 352 },
  ],
])('cards of a grid %s', (_, given, expected) => {
  expect(gridCards(given)).toEqual(expected)
  if (given.columns > 0 && given.room >= given.columns * (given.wanted + gap))
    expect(given.columns * expected.across * (expected.width + gap)).toBeLessThanOrEqual(given.room)
})

test.each([
  ['as many as fit, over the whole width', 1000, Infinity, { columns: 4, cardWidth: 242 }],
  ['fewer, and no wider than twice', 2540, 4, { columns: 4, cardWidth: 440 }],
  ['fewer, over the whole width', 1250, 4, { columns: 4, cardWidth: 305 }],
  ['more than fit', 700, 9, { columns: 3, cardWidth: 226 }],
  ['none', 700, -Infinity, { columns: 1, cardWidth: 440 }],
  ['a telephone', 330, 1, { columns: 1, cardWidth: 330 }],
])('cards beside each other: %s', (_, width, most, expected) => {
  expect(columnsIn(width, { wanted: 220, gap: 10, most })).toEqual(expected)
})

test.each([
  ['what is in sight moves nothing', { from: 150, to: 250 }, 100, 100],
  ['what is under the heads comes out from there', { from: 120, to: 220 }, 100, 80],
  ['what is below comes up, and no further', { from: 450, to: 550 }, 100, 160],
  ['what is longer than there is room shows its beginning', { from: 600, to: 1300 }, 0, 560],
  ['and stays there', { from: 600, to: 1300 }, 560, 560],
  ['nothing lies before the beginning', { from: 10, to: 60 }, 5, 0],
])('a frame is scrolled so far that the chosen one is in sight: %s', (_, part, scroll, expected) => {
  const frame = { size: 400, before: 40, after: 10 }
  expect(scrolledTo(part, { scroll, ...frame })).toBe(expected)
  // Once more it stands still.
  expect(scrolledTo(part, { scroll: expected, ...frame })).toBe(expected)
})
