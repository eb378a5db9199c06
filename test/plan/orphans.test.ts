import { expect, test } from 'vitest'
import { type Digest, jobAddress, type Pointer } from '../../src/base/names.ts'
import type { Recipe } from '../../src/base/state.ts'
import type { Memory } from '../../src/plan/facts.ts'
import { orphansAmong } from '../../src/plan/orphans.ts'

const frame = '/startFrame' as Pointer // a pointer as text
const digest = (name: string) => `sha256:${name}` as Digest // only compared

function recipe(prompt: string | undefined, rest: Partial<Recipe> = {}): Recipe {
  const params: Recipe['params'] = prompt === undefined ? {} : { prompt }
  return { version: 1, model: 'famc-v3', params, defaults: {}, inputs: {}, take: 1, ...rest }
}

function underWay(of: Recipe): Memory {
  return { is: 'under-way', recipe: of, key: 'k' }
}

function among(recipes: { readonly [address: string]: Recipe }) {
  return orphansAmong(Object.entries(recipes).map(([name, of]) => [jobAddress(name), underWay(of)] as const))
}

function alike(recipes: { readonly [address: string]: Recipe }, wanted: Recipe): string[] {
  return among(recipes)
    .like(wanted)
    .map(([address]) => address)
}

test('only what may be the same is looked at, in the order of the records', () => {
  const cells = {
    c: recipe('tea'),
    a: recipe('coffee'),
    b: recipe('tea', { params: { prompt: 'tea', duration: 5 } }),
  }
  expect(alike(cells, recipe('tea'))).toEqual(['c', 'b'])
  expect(alike(cells, recipe('milk'))).toEqual([])
})

test('model, take and input files set recipes apart', () => {
  const cells = {
    other: recipe('tea', { model: 'famc-v2' }),
    second: recipe('tea', { take: 2 }),
    framed: recipe('tea', { inputs: { [frame]: [digest('fox')] } }),
  }
  expect(alike(cells, recipe('tea'))).toEqual([])
  expect(alike(cells, recipe('tea', { inputs: { [frame]: [digest('fox')] } }))).toEqual(['framed'])
})

test('a run that was adopted before its input was made may be of any', () => {
  const cells = { early: recipe('tea', { inputs: { [frame]: ['unmade'] } }), late: recipe('tea') }
  expect(alike(cells, recipe('tea', { inputs: { [frame]: [digest('fox')] } }))).toEqual(['early'])
  expect(alike(cells, recipe('tea'))).toEqual(['early', 'late'])
})

test('a prompt that was or is a default is found, however it is written', () => {
  const unwritten = recipe(undefined, { defaults: { prompt: 'tea' } })
  expect(alike({ spelled: recipe('tea') }, unwritten)).toEqual(['spelled'])
  expect(alike({ unwritten }, recipe('tea'))).toEqual(['unwritten'])
})

test('what is taken over is no longer there, and is not dropped', () => {
  const orphans = among({ a: recipe('tea'), b: recipe('tea') })
  orphans.take(jobAddress('a'))
  expect(orphans.like(recipe('tea')).map(([address]) => address)).toEqual(['b'])
  expect([...orphans.left()].map(([address]) => address)).toEqual(['b'])
})
