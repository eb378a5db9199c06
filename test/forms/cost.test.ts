import { describe, expect, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import { amountText } from '../../src/base/measure.ts'
import type { JsonObject } from '../../src/base/names.ts'
import { findModel, type Model, models } from '../../src/catalog/index.ts'
import { costDimensions, costOf, quantitiesOf } from '../../src/forms/cost.ts'
import { readPrices } from '../../src/forms/prices.ts'

const modelOf = (id: string) => findModel(id) as Model // in the catalog

const prices = `currency: USD
models:
  fama-imagine-image: { perImage: 0.02 }
  fama-imagine-image-quality: { perImage: 0.07 }
  fama-imagine-video: { perSecond: 0.05 }
  fama-tts: { perCharacter: 0.00001 }
  famb-*:
    - { when: { renderingSpeed: [FLASH, TURBO] }, perImage: 0.03 }
    - { when: { renderingSpeed: QUALITY }, perImage: 0.09 }
    - { perImage: 0.06 }
  famc-v3:
    - { when: { renderingSpeed: std, generateAudio: true }, perSecond: 0.126 }
    - { when: { renderingSpeed: std }, perSecond: 0.084 }
    - { when: { renderingSpeed: pro }, perRun: 0.1, perSecond: 0.2 }
  fama-edit-video: { perSecond: 0.1 }
  famc-v2a: { perRun: 0.05 }
`

function given(text: string) {
  const { value, problems } = readPrices({ name: 'prices.yaml', text })
  if (!value) throw new Error(problems.map(problem => problem.message).join())
  return value
}

describe('what one run costs', () => {
  test.each<[string, JsonObject, string]>([
    ['fama-imagine-image', { prompt: 'tea' }, '0.02 USD'],
    ['fama-imagine-image', { prompt: 'tea', count: 4 }, '0.08 USD'],
    ['fama-imagine-image-quality', { prompt: 'tea', count: 2 }, '0.14 USD'],
    ['fama-imagine-video', { prompt: 'tea' }, '0.30 USD'],
    ['fama-imagine-video', { prompt: 'tea', duration: 10 }, '0.50 USD'],
    ['fama-tts', { prompt: 'Grüße 🫖' }, '0.00007 USD'],
    ['famb-v3', { prompt: 'tea', renderingSpeed: 'FLASH', count: 10 }, '0.30 USD'],
    ['famb-v3', { prompt: 'tea' }, '0.06 USD'],
    ['famb-character', { prompt: 'tea', renderingSpeed: 'QUALITY' }, '0.09 USD'],
    ['famb-v4', { prompt: 'tea', renderingSpeed: 'TURBO' }, '0.03 USD'],
    ['famc-v3', { prompt: 'tea' }, '0.63 USD'],
    ['famc-v3', { prompt: 'tea', generateAudio: false }, '0.42 USD'],
    ['famc-v3', { prompt: 'tea', renderingSpeed: 'pro', duration: 10 }, '2.10 USD'],
    ['famc-v2a', {}, '0.05 USD'],
    ['famc-v3', { prompt: 'tea', renderingSpeed: '4k' }, 'no price of famc-v3 is for these parameters'],
    ['famc-v2-6', { prompt: 'tea' }, 'there is no price for famc-v2-6'],
    ['fama-edit-video', { prompt: 'tea' }, 'fama-edit-video does not tell how many seconds'],
  ])('%s %j: %s', (id, params, expected) => {
    const cost = costOf(modelOf(id), params, given(prices))
    expect(cost.is === 'known' ? amountText(cost.amount, 'USD') : cost.why).toBe(expected)
  })

  test.each<[string, string | undefined, string]>([
    ['fama-imagine-image', undefined, '0.02 USD'],
    ['fama-imagine-image', 'fama-imagine-image', '0.02 USD'],
    ['fama-imagine-image', 'hero-flow', '0.40 USD'],
    ['famc-v3', 'hero-flow', '0.40 USD'],
    ['fama-imagine-image', 'famc-v3', 'there is no price for the workflow famc-v3'],
    ['fama-imagine-image', 'other-flow', 'there is no price for the workflow other-flow'],
    ['famb-v3', 'famb-v4', 'there is no price for the workflow famb-v4'],
  ])('%s that is sent to the workflow %s: %s', (id, workflow, expected) => {
    const known = given(`${prices}workflows:\n  hero-flow: { perRun: 0.4 }\n`)
    const cost = costOf(modelOf(id), { prompt: 'tea' }, known, workflow)
    expect(cost.is === 'known' ? amountText(cost.amount, 'USD') : cost.why).toBe(expected)
  })

  test('prices may be of workflows alone, and these are checked as the others are', () => {
    expect(given('workflows: { hero-flow: { perImage: 1 } }').models).toEqual([])
    const codesOf = (text: string) => readPrices({ name: 'p.yaml', text }).problems.map(({ code }) => code)
    expect(codesOf('workflows: { hero-flow: { perFrame: 1 } }')).toEqual(['no-prices', 'unknown-key'])
    expect(codesOf('workflows: 4')).toEqual(['wrong-type'])
    expect(codesOf('workflow: { a: { perRun: 1 } }')).toEqual(['unknown-key', 'no-prices'])
  })

  test('is unknown without prices, and never 0', () => {
    expect(costOf(modelOf('famc-v3'), { prompt: 'tea' }, undefined)).toEqual({
      is: 'unknown',
      why: 'no prices are given',
    })
  })

  test('an exact id goes before a glob', () => {
    const both = given('models: { famb-*: { perImage: 1 }, famb-v3: { perImage: 2 } }')
    expect(costOf(modelOf('famb-v3'), { prompt: 'tea' }, both)).toEqual({ is: 'known', amount: 2 })
  })
})

test('quantities come from parameters and defaults', () => {
  expect(quantitiesOf(modelOf('famc-v3'), { prompt: 'tea', duration: 12 })).toEqual({
    perRun: 1,
    perSecond: 12,
  })
  expect(quantitiesOf(modelOf('famc-3.0-image'), { prompt: 'tea', count: 9 })).toEqual({
    perRun: 1,
    perImage: 9,
  })
  expect(quantitiesOf(modelOf('fama-tts'), { prompt: 'tea' })).toEqual({ perRun: 1, perCharacter: 3 })
})

test.each<[string, string]>([
  ['fama-imagine-video', 'seconds'],
  ['fama-edit-video', 'seconds'],
  ['fama-imagine-image-2.0', 'tier count'],
  ['fama-tts', 'characters'],
  ['famb-v3', 'count renderingSpeed'],
  ['famb-v4', 'renderingSpeed'],
  ['famc-v3', 'seconds renderingSpeed audio'],
  ['famc-v3-omni', 'seconds renderingSpeed resolution audio'],
  ['famc-3.0-image', 'count resolution'],
  ['famc-t2a', 'seconds'],
])('the cost of %s scales with %s', (id, expected) => {
  expect(
    costDimensions(modelOf(id))
      .map(({ dimension }) => dimension)
      .join(' '),
  ).toBe(expected)
})

test('every model has a cost dimension', () => {
  const without = Object.values<Model>(models).filter(model => costDimensions(model).length === 0)
  expect(without.map(model => model.id)).toEqual([])
})

test.each<[number, string]>([
  [0, '0 USD'],
  [1, '1 USD'],
  [0.5, '0.50 USD'],
  [12.4, '12.40 USD'],
  [1234567.891, '1,234,567.89 USD'],
  [0.000015, '0.000015 USD'],
])('%d is written %s', (amount, expected) => {
  expect(amountText(amount, 'USD')).toBe(expected)
})

test('problems of prices point', () => {
  const text = `curency: USD
models:
  famc-v33: { perSecond: 1 }
  famc-v3:
    - { when: { renderingSpeed: proo, sped: 1, prompt: tea }, perSecond: -1 }
    - { perSeconds: 1 }
  famb-v3: 2
`
  const { value, problems } = readPrices({ name: 'prices.yaml', text })
  expect(value).toBeUndefined()
  expect(
    problems
      .map(problem => renderProblem(problem))
      .join('\n')
      .split('\n')
      .filter(line => /error|hint/.test(line)),
  ).toEqual([
    'prices.yaml:1:1: error: `curency` is no key of prices [unknown-key]',
    '  = hint: did you mean currency',
    'prices.yaml:3:3: error: there is no model famc-v33 [unknown-model]',
    '  = hint: did you mean famc-v3',
    'prices.yaml:5:33: error: this is no value of renderingSpeed [bad-value]',
    '  = hint: did you mean pro',
    'prices.yaml:5:39: error: sped is no parameter of famc-v3 [unknown-param]',
    'prices.yaml:5:56: error: a price cannot depend on prompt [bad-value]',
    'prices.yaml:5:74: error: `perSecond` is a number from 0 [wrong-type]',
    'prices.yaml:6:7: error: this price names no amount [no-prices]',
    '  = hint: there are perRun, perImage, perSecond and perCharacter',
    'prices.yaml:6:9: error: `perSeconds` is no key of a price [unknown-key]',
    '  = hint: did you mean perSecond',
    'prices.yaml:7:12: error: the price of famb-v3 is a mapping or a list of mappings [wrong-type]',
    '  = hint: for instance { perSecond: 0.05 }',
  ])
})

test.each<[price: string, hint: string]>([
  ['{ perRun: 0,2 }', 'decimals are written with a point, as in 0.2'],
  ['\n    perRun: 0,2', 'write 0.2, with a point'],
  ['\n    perRun: much', ''],
])('a decimal comma of a price is told as that: %s', (price, hint) => {
  const text = `currency: USD\nmodels:\n  fama-imagine-image: ${price}\n`
  expect(readPrices({ name: 'prices.yaml', text }).problems[0]?.hint ?? '').toBe(hint)
})
