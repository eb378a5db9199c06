import { expect, test } from 'vitest'
import { display, displayWidth, truncate } from '../../src/base/display.ts'

test.each([
  ['plain text is left alone', 'Tea — für 茶 🍵', 'Tea — für 茶 🍵'],
  ['an escape sequence is shown', '\u001b[31mred', '\\u{1b}[31mred'],
  ['line ends are shown', 'a\r\nb', 'a\\u{d}\\u{a}b'],
  ['bidi overrides are shown', 'a\u202eb', 'a\\u{202e}b'],
  ['zero-width characters are shown', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['a lone surrogate is shown', 'a\ud800b', 'a\\u{d800}b'],
  ['C1 controls are shown', 'a\u009bb', 'a\\u{9b}b'],
  ['a joined emoji stays whole', '👩\u200d🍳', '👩\u200d🍳'],
])('%s', (_, foreign, shown) => {
  expect(display(foreign)).toBe(shown)
})

test('long text is cut and says so', () => {
  expect(display('x'.repeat(30), 10)).toBe(`${'x'.repeat(10)}…`)
})

test('width counts columns of a terminal', () => {
  expect(displayWidth('abc')).toBe(3)
  expect(displayWidth('茶の')).toBe(4)
  expect(displayWidth('e\u0301')).toBe(1)
  expect(truncate('abcdef', 4)).toBe('abc…')
  expect(truncate('茶の湯', 5)).toBe('茶の…')
  expect(truncate('abc', 3)).toBe('abc')
})
