import { expect, test } from 'vitest'
import { fitsStars } from '../../src/base/wildcard.ts'
import fc from '../cases.ts'

test.each<[string, string, boolean]>([
  ['', '', true],
  ['*', '', true],
  ['**', 'tea', true],
  ['tea', 'tea', true],
  ['tea', 'teas', false],
  ['t*a', 'ta', true],
  ['t*a', 't', false],
  ['ab*ba', 'aba', false],
  ['*a*b*', 'xaxbx', true],
  ['*a*b', 'ba', false],
  ['a.c', 'abc', false],
  ['$*(', '$x(', true],
])('%s fits %s: %s', (pattern, text, isFit) => {
  expect(fitsStars(pattern, text)).toBe(isFit)
})

test('it is what a regular expression says', () => {
  const letters = (of: string, most: number) =>
    fc.array(fc.constantFrom(...of), { maxLength: most }).map(each => each.join(''))
  fc.assert(
    fc.property(letters('ab*', 8), letters('ab', 8), (pattern, text) => {
      const same = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
      expect(fitsStars(pattern, text)).toBe(same.test(text))
    }),
  )
})

test('many stars against a long text of the same letter come to an end', () => {
  const began = performance.now()
  expect(fitsStars(`${'*a'.repeat(200)}b`, 'a'.repeat(50_000))).toBe(false)
  expect(performance.now() - began).toBeLessThan(2000)
})
