import { expect, test } from 'vitest'
import type { Recipe } from '../../../src/base/state.ts'
import { compareRecipes, linkIdentity, sameRecipe } from '../../../src/plan/shapes/recipe.ts'

const base: Recipe = {
  version: 1,
  model: 'm',
  params: { prompt: 'tea' },
  defaults: { duration: 5 },
  inputs: {},
  take: 1,
}

test.each<[string, Recipe, boolean]>([
  ['the same', { ...base }, true],
  ['a default spelled out', { ...base, params: { prompt: 'tea', duration: 5 }, defaults: {} }, true],
  ['a default that the catalog changed', { ...base, defaults: { duration: 8 } }, true],
  ['a default that the catalog added', { ...base, defaults: { duration: 5, style: 'AUTO' } }, true],
  [
    'another value than the default',
    { ...base, params: { prompt: 'tea', duration: 8 }, defaults: {} },
    false,
  ],
  ['another prompt', { ...base, params: { prompt: 'coffee' } }, false],
  ['another input', { ...base, inputs: { '/startFrame': ['sha256:a'] } as Recipe['inputs'] }, false],
  ['another take', { ...base, take: 2 }, false],
  ['another model', { ...base, model: 'n' }, false],
])('%s: same %s', (_, other, same) => {
  expect(sameRecipe(base, other)).toBe(same)
  expect(sameRecipe(other, base)).toBe(same)
})

test('deep values are compared by meaning', () => {
  const shots = (shot: object): Recipe => ({ ...base, params: { multiPrompt: [shot] as never } })
  expect(sameRecipe(shots({ index: 1, prompt: 'a' }), shots({ prompt: 'a', index: 1 }))).toBe(true)
  expect(compareRecipes(shots({ index: 1 }), shots({ index: 2 }))).toEqual([
    { field: 'multiPrompt', was: [{ index: 1 }], is: [{ index: 2 }] },
  ])
})

test('a signed link is stored without its query, and still counts by all of its text', () => {
  expect(linkIdentity('https://x.example/a.png')).toBe('url:https://x.example/a.png')
  const signed = linkIdentity('https://x.example/a.png?sig=secret')
  expect(signed).toMatch(/^url:https:\/\/x\.example\/a\.png\?[0-9a-f]{16}$/)
  expect(signed).not.toBe(linkIdentity('https://x.example/a.png?sig=other'))
})
