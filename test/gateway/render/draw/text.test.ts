import { expect, test } from 'vitest'
import { font, newSheet, systemFamilies } from '../../../../src/gateway/render/draw/canvas.ts'
import { illegibleWarning, legible } from '../../../../src/gateway/render/draw/legible.ts'
import { fitText } from '../../../../src/gateway/render/draw/text.ts'

const { pen } = newSheet(16, 16)
const room = { width: 400, height: 200, largest: 60, smallest: 14, weight: 600 } as const

function widest(lines: readonly string[], size: number): number {
  pen.font = font(size, 600, systemFamilies())
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

test.each(['A brass teapot', 'Ünïcödé, “quotes” – and … €', 'Портрет лисы', 'Ελληνικά', 'Tiếng Việt'])(
  '%s is drawn as it is, by our font alone',
  text => {
    expect(legible(pen, text)).toEqual({ text, families: [] })
  },
)

// Private characters are in no font, so that the test sees the same on every machine.
test.each([
  ['a \u{10f000}\u{10f001} b', 'a [signs ×2] b'],
  ['\u{10f000} \u{10f001}', '[signs ×2]'],
])('what no font has is told: %j', (text, expected) => {
  expect(legible(pen, text).text).toBe(expected)
})

test.each([
  ['早上好，茶', /^(早上好，茶|\[Han ×\d\].*)$/],
  ['おはよう日本', /^(おはよう日本|\[Han, Hiragana ×6\])$/],
  ['a 🐶 day', /^a (🐶|\[emoji 1F436\]) day$/u],
  ['नमस्ते दुनिया', /^(नमस्ते दुनिया|\[Devanagari ×\d+\])$/u],
])('%s is drawn where the machine has a font, and told where not', (text, expected) => {
  expect(legible(pen, text).text).toMatch(expected)
})

test.each(['A naïve café, Ελληνικά', 'ᏣᎳᎩ and ᠮᠣᠩᠭᠣᠯ', '早上好', 'نص', 'สวัสดี'])(
  'a person is told of %s where no font has it, and not where one has',
  text => {
    const warning = illegibleWarning(pen, text)
    expect(warning === undefined).toBe(legible(pen, text).text === text)
    if (warning)
      expect(warning).toMatch(/^no font of this machine has [A-Z][a-z, A-Z]+, so pictures tell such letters/)
  },
)
