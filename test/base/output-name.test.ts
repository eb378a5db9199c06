import { expect, test } from 'vitest'
import { namesTakes, outputName, outputOfTake } from '../../src/base/output-name.ts'

test.each([
  ['hero', 0, 1, 'hero'],
  ['hero', 1, 4, 'hero-2'],
  ['stills/<n>_fox', 1, 4, 'stills/2_fox'],
  ['stills/<n>_fox', 0, 1, 'stills/1_fox'],
  ['<n:3>/<n>', 11, 12, '012/12'],
])('%s, file %i of %i', (output, nth, of, expected) => {
  expect(outputName(output, nth, of)).toBe(expected)
})

test.each([
  ['hero', 1, 'hero', false],
  ['hero', 2, 'takes/hero.take2', false],
  ['hero_<take>', 1, 'hero_1', true],
  ['<take:2>/hero_<n>', 3, '03/hero_<n>', true],
])('%s, take %i', (output, take, expected, isNamed) => {
  expect(outputOfTake(output, take)).toBe(expected)
  expect(namesTakes(output)).toBe(isNamed)
})
