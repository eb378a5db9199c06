import { expect, test } from 'vitest'
import { type Digest, jobAddress, type Pointer } from '../../src/base/names.ts'
import type { Purchase } from '../../src/base/purchase.ts'
import type { Recipe } from '../../src/base/state.ts'
import { registerOf } from '../../src/plan/register.ts'
import { named } from '../store/records.ts'

const frame = '/startFrame' as Pointer // a pointer as text
const digest = (name: string) => `sha256:${name}` as Digest // only compared

function recipe(prompt: string | undefined, rest: Partial<Recipe> = {}): Recipe {
  const params: Recipe['params'] = prompt === undefined ? {} : { prompt }
  return { version: 1, model: 'famc-v3', params, defaults: {}, inputs: {}, take: 1, ...rest }
}

function underWay(id: string, of: Recipe, rest: Partial<Purchase> = {}): Purchase {
  const address = jobAddress('hero')
  return { id: named(id), address, recipe: of, is: 'under-way', saved: [], parts: [], ...rest } as Purchase // `rest` keeps its kind
}

function among(recipes: { readonly [id: string]: Recipe }) {
  return registerOf(Object.entries(recipes).map(([id, of]) => underWay(id, of)))
}

const ids = (purchases: readonly Purchase[]) => purchases.map(({ id }) => id)

function alike(recipes: { readonly [id: string]: Recipe }, wanted: Recipe) {
  return ids(among(recipes).like(wanted))
}

test('only what is the same is found, in the order in which it was bought', () => {
  const cells = {
    c: recipe('tea'),
    a: recipe('coffee'),
    b: recipe('tea', { params: { prompt: 'tea', duration: 5 } }),
    d: recipe('tea'),
  }
  expect(alike(cells, recipe('tea'))).toEqual(['c', 'd'])
  expect(alike(cells, recipe('milk'))).toEqual([])
})

test('a default that is spelled out is the same', () => {
  const spelled = recipe('tea', { params: { duration: 5, prompt: 'tea' } })
  const unwritten = recipe('tea', { defaults: { duration: 5 } })
  expect(alike({ spelled, unwritten }, unwritten)).toEqual(['spelled', 'unwritten'])
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
})

test('a prompt that was or is a default is found, however it is written', () => {
  const unwritten = recipe(undefined, { defaults: { prompt: 'tea' } })
  expect(alike({ spelled: recipe('tea') }, unwritten)).toEqual(['spelled'])
  expect(alike({ unwritten }, recipe('tea'))).toEqual(['unwritten'])
})

test('what a person takes for something else is found as either', () => {
  const register = registerOf([underWay('a', recipe('tea'), { acceptedAs: recipe('mud') })])
  expect(ids(register.like(recipe('mud')))).toEqual(['a'])
  expect(ids(register.like(recipe('tea')))).toEqual(['a'])
})

test('what a job had is found by its name, in the order in which it was bought', () => {
  const fox = jobAddress('fox')
  const register = registerOf([
    underWay('b', recipe('tea')),
    underWay('x', recipe('tea'), { address: fox }),
    underWay('a', recipe('mud')),
  ])
  expect(ids(register.at(jobAddress('hero')))).toEqual(['b', 'a'])
  expect(ids(register.at(fox))).toEqual(['x'])
  expect(register.at(jobAddress('nobody'))).toEqual([])
})

test('what is claimed is not left', () => {
  const register = among({ a: recipe('tea'), b: recipe('tea') })
  register.claim(named('a'))
  expect([register.isClaimed(named('a')), register.isClaimed(named('b'))]).toEqual([true, false])
  expect(ids(register.left())).toEqual(['b'])
})
