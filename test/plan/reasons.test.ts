import { expect, test } from 'vitest'
import { changeText } from '../../src/plan/reasons.ts'

const alike = ' (characters that look alike)'

test.each([
  ['a letter that is composed or not', 'caf\u00e9', 'cafe\u0301', alike],
  ['another kind of space', 'tea cup', 'tea\u00a0cup', alike],
  ['a joiner that nobody sees', 'tea', 'te\u200da', alike],
  ['line ends of an older order', 'a\r\nb', 'a\nb', alike],
  ['other words', 'tea', 'coffee', ''],
  ['words that differ behind what is shown', `${'a'.repeat(80)}b`, `${'a'.repeat(80)}c`, ''],
  ['a number of the same digits', '5', 5, ''],
])('%s is told as what it is', (_, was, is, told) => {
  const text = changeText({ field: 'prompt', was, is })
  expect(text.startsWith('prompt ')).toBe(true)
  expect(text.endsWith(alike) ? alike : '').toBe(told)
})
