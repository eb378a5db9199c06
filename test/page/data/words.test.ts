import { expect, test } from 'vitest'
import {
  cardName,
  characterParts,
  looksBeside,
  messageBeside,
  resultsText,
  stateText,
} from '../../../src/page/data/words.ts'
import { shown } from './shown.ts'

const of = (...files: number[]) => files.map(count => ({ files: Array.from({ length: count }) }))

test.each([
  [of(1, 1), '2 results, 2 files'],
  [of(2, 1, 0), '3 results, 3 files, 1 without a file'],
  [of(1), '1 result, 1 file'],
  [of(0, 0), '2 results, 0 files: nothing is made yet'],
  [of(), '0 results, 0 files'],
])('results are counted take by take, files one by one', (results, text) => {
  expect(resultsText(results)).toBe(text)
})

test('what was made and is gone, or altered, or cannot be read is not called not made', () => {
  for (const gone of [{ missing: ['a.png'] }, { altered: ['a.png'] }, { unread: ['a.png cannot be read'] }])
    expect(resultsText([{ files: [], ...gone }])).toBe('1 result, 0 files, 1 without a file')
})

const odd = 'what came is not what was asked'
const dark = { look: 'dark', verdict: 'warn', why: 'it is near black' } as const
const twice = { look: 'twice', verdict: 'fail', why: 'it shows the same as take 1' } as const
const unseen = { look: 'all', verdict: 'not looked at', why: 'it is no picture' } as const

test.each([
  ['made', {}, '0.04 USD · fama-imagine-image', undefined],
  [
    'what was found first',
    { message: `${odd}: a.png: it is near black`, looks: [dark, unseen] },
    '! it is near black · 0.04 USD',
    odd,
  ],
  [
    'all that was found',
    {
      message: `${odd}: a.png: it is near black; takes/b: c.png: it shows the same as take 1`,
      looks: [dark, twice],
    },
    '! it is near black; it shows the same as take 1 · 0.04 USD',
    odd,
  ],
  [
    'more than what was found',
    { message: 'it waits until a is approved: it fails its looks (dark: it is near black)', looks: [dark] },
    '! it waits until a is approved: it fails its looks (dark: it is near black) · 0.04 USD',
    'it waits until a is approved: it fails its looks (dark: it is near black)',
  ],
  [
    'nothing twice',
    { standing: 'not made', message: 'not made yet' },
    'not made yet · 0.04 USD',
    'not made yet',
  ],
  [
    'why it waits',
    { standing: 'held', message: 'a is not made' },
    'held: a is not made · 0.04 USD',
    'a is not made',
  ],
] as const)('a card says %s, and the panel beside it says each finding once', (_, more, card, panel) => {
  const result = shown('a', more)
  expect(stateText(result, { cost: '0.04 USD', isOrdered: false })).toBe(card)
  expect(messageBeside(result)).toBe(panel)
})

test('what is ordered and not made says so', () => {
  const result = shown('a', { standing: 'not made', message: 'not made yet' })
  expect(stateText(result, { cost: '0.30 USD', isOrdered: true })).toBe('being ordered · 0.30 USD')
})

test('a card among those of other jobs names its own', () => {
  const cell = shown('rain[slate]#2', { cell: { roof: 'slate' }, take: 2 })
  expect(cardName(cell, true)).toEqual({ of: 'rain', name: 'slate', nth: ' #2' })
  expect(cardName(cell, false)).toEqual({ name: 'slate', nth: ' #2' })
  expect(cardName(shown('hero'), true)).toEqual({ name: 'hero', nth: '' })
})

test.each([
  ['a pot', 'a pot'],
  ['safe\u202egnp.exe \u2066x', 'safe[\\u{202e}]gnp.exe [\\u{2066}]x'],
  ['\u200fa\u200e', '[\\u{200f}]a[\\u{200e}]'],
  ['a\u0007\u2028b\r\nc\rd', 'a[\\u{7}][\\u{2028}]b\r\nc[\\u{d}]d'],
  // Ordinary words: Persian with what keeps two letters apart, lines, tabs, a family that is joined.
  ['می\u200cخواهم\n\tשלום 👩\u200d👧', 'می\u200cخواهم\n\tשלום 👩\u200d👧'],
  ['a\u200c b', 'a[\\u{200c}] b'],
  ['', ''],
])('what is not seen of a text has a code, and the text stays as it is: %j', (text, expected) => {
  const parts = characterParts(text)
  expect(parts.map(each => each.text).join('')).toBe(text)
  expect(parts.map(({ text: part, code }) => (code === undefined ? part : `[${code}]`)).join('')).toBe(
    expected,
  )
})

test('a look that the message beside it tells is not told again', () => {
  const looks = [{ ...dark, look: 'dark' }, twice]
  const message = 'it waits until a is approved: it fails its looks (dark: it is near black)'
  expect(looksBeside(shown('a', { looks, message }))).toEqual([twice])
  expect(looksBeside(shown('a', { looks }))).toEqual(looks)
})
