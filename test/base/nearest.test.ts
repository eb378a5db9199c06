import { expect, test } from 'vitest'
import { listed, nearest, offered } from '../../src/base/nearest.ts'

const words = ['prompt', 'aspectRatio', 'negativePrompt', 'duration', 'startFrame', 'endFrame']

test.each([
  ['promt', 'prompt'],
  ['porompt', 'prompt'],
  ['aspect-ratio', 'aspectRatio'],
  ['aspect_ratio', 'aspectRatio'],
  ['ASPECTRATIO', 'aspectRatio'],
  ['negativPrompt', 'negativePrompt'],
  ['endframe', 'endFrame'],
  ['druation', 'duration'],
  ['seed', undefined],
  ['', undefined],
  ['colour', undefined],
])('the nearest word to %j is %j', (word, expected) => {
  expect(nearest(word, words)).toBe(expected)
})

test('words are listed as a person would', () => {
  expect(listed([])).toBe('')
  expect(listed(['a'])).toBe('a')
  expect(listed(['a', 'b'])).toBe('a and b')
  expect(listed(['a', 'b', 'c'], 'or')).toBe('a, b or c')
})

test('of what there is to choose from the first few are shown', () => {
  expect(offered(['a'])).toBe('there is a')
  expect(offered(['a', 'b', 'c'])).toBe('there are a, b and c')
  expect(offered([...'abcdefgh'])).toBe('there are a, b, c, d, e, f, g and h')
  expect(offered([...'abcdefghi'])).toBe('there are a, b, c, d, e, f, g, h and others')
})
