import { expect, test } from 'vitest'
import { shellWords } from '../../src/text/shell.ts'

test('a space that no shell divides by is part of a word', () => {
  const words = shellWords({ name: 'x', text: '\u00a0a b\u2028c' })
  expect(words.map(line => line.map(word => word.text))).toEqual([['\u00a0a', 'b\u2028c']])
})
