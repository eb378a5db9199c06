import { expect, test } from 'vitest'
import { pointer, pointerSteps, runId } from '../../src/base/names.ts'

test.each([
  ['r-1', true],
  ['a/b?c', true],
  ['.', false],
  ['..', false],
  ['', false],
  ['has space', false],
  ['ümlaut', false],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
])('%j is a run id: %s', (text, isOne) => {
  expect(runId(text) !== undefined).toBe(isOne)
})

test('a pointer escapes and gives its steps back', () => {
  expect(pointer(['a/b', 0, 'c~d'])).toBe('/a~1b/0/c~0d')
  expect(pointerSteps(pointer(['a/b', 0, 'c~d']))).toEqual(['a/b', '0', 'c~d'])
})
