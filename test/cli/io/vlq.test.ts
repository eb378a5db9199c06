import { expect, test } from 'vitest'
import { vlqNumbers } from '../../../src/cli/io/vlq.ts'

test.each<[string, number[]]>([
  ['', []],
  ['A', [0]],
  ['AAgBC', [0, 0, 16, 1]],
  ['D', [-1]],
  ['gB', [16]],
  ['hB', [-16]],
  ['2HwcqxB', [123, 456, 789]],
])('%j are the numbers %j', (text, numbers) => {
  expect(vlqNumbers(text)).toEqual(numbers)
})
