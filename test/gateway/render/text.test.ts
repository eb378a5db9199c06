import { expect, test } from 'vitest'
import { font, newSheet } from '../../../src/gateway/render/canvas.ts'
import { fitText } from '../../../src/gateway/render/text.ts'

const { pen } = newSheet(16, 16)
const room = { width: 400, height: 200, largest: 60, smallest: 14, weight: 600 } as const

function widest(lines: readonly string[], size: number): number {
  pen.font = font(size, 600)
  return Math.max(...lines.map(line => pen.measureText(line).width))
}

test('a short text takes the largest type', () => {
  expect(fitText(pen, 'Fox', room)).toMatchObject({ lines: ['Fox'], size: 60 })
})

test.each([
  'A brass teapot on wet slate, morning light',
  'Портрет лисы в снегу, тёплый свет, крупный план, зерно плёнки',
  'one two three four five six seven eight nine ten '.repeat(8),
  'https://example.test/a/very/long/link/without/any/spaces/at/all/that/never/ends.html',
  '北京的秋天'.repeat(30),
])('%s fits its room', text => {
  const set = fitText(pen, text, room)
  expect(set.height).toBeLessThanOrEqual(room.height)
  expect(set.size).toBeGreaterThanOrEqual(room.smallest)
  expect(widest(set.lines, set.size)).toBeLessThanOrEqual(room.width)
})

test('nothing is lost from a text that fits', () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve'
  expect(fitText(pen, text, room).lines.join(' ')).toBe(text)
})

test('a text that cannot fit ends in an ellipsis', () => {
  const set = fitText(pen, 'word '.repeat(3000), room)
  expect(set.size).toBe(room.smallest)
  expect(set.lines.at(-1)).toMatch(/…$/)
})
