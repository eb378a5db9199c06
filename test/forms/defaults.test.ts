import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { type Model, models } from '../../src/catalog/index.ts'
import { canonicalParams, defaultsOf, withDefaults } from '../../src/forms/defaults.ts'
import { fullest } from './samples.ts'

const { 'famc-v3': v3, 'famb-v3': famb3, 'famc-v2-6': v26, 'famc-video-effects': effects } = models

test('defaults are those of the catalog, in its order, false among them', () => {
  expect(JSON.stringify(defaultsOf(v3))).toBe(
    '{"aspectRatio":"16:9","duration":5,"generateAudio":true,"multiShot":false,"shotType":"customize","renderingSpeed":"std"}',
  )
  expect(defaultsOf(models['famc-v2a'])).toEqual({})
})

test('what is written wins over a default, and the order is the catalog’s', () => {
  const filled = withDefaults(models['fama-imagine-image'], { count: 4, prompt: 'a fox' })
  expect(JSON.stringify(filled)).toBe('{"prompt":"a fox","aspectRatio":"1:1","resolution":"1k","count":4}')
})

describe('the canonical form', () => {
  test.each<[string, Model, JsonObject, string]>([
    ['is in the catalog’s order', v3, { duration: 5, prompt: 'a' }, '{"prompt":"a","duration":5}'],
    ['has its texts trimmed', v3, { prompt: ' a fox \n' }, '{"prompt":"a fox"}'],
    ['has one file as a list', famb3, { imageUrls: 'a.png' }, '{"imageUrls":["a.png"]}'],
    ['leaves a single file alone', v3, { startFrame: 'a.png' }, '{"startFrame":"a.png"}'],
    ['has numbers on their step', v26, { cfgScale: 0.1 + 0.2 }, '{"cfgScale":0.3}'],
    ['leaves numbers between steps', v26, { cfgScale: 0.35 }, '{"cfgScale":0.35}'],
    ['does not move a number to an advised step', famb3, { imageWeight: 52 }, '{"imageWeight":52}'],
    ['leaves out an empty optional text', v3, { negativePrompt: ' ' }, '{}'],
    ['leaves out an empty optional list', v3, { voiceList: [] }, '{}'],
    ['keeps an empty required text', v3, { prompt: ' ' }, '{"prompt":""}'],
    ['keeps an empty required list', effects, { imageUrls: [] }, '{"imageUrls":[]}'],
    ['keeps an empty path, which is a mistake', v3, { startFrame: '' }, '{"startFrame":""}'],
    ['keeps spelled-out defaults', v3, { duration: 5 }, '{"duration":5}'],
    [
      'keeps what is wrong',
      v3,
      { zebra: 1, prompt: 5, duration: '5' },
      '{"prompt":5,"duration":"5","zebra":1}',
    ],
  ])('%s', (_what, model, params, expected) => {
    expect(JSON.stringify(canonicalParams(model, params))).toBe(expected)
  })

  test('is the canonical form of itself, for every model', () => {
    for (const model of Object.values<Model>(models)) {
      const once = canonicalParams(model, fullest(model))
      expect(canonicalParams(model, once)).toEqual(once)
      expect(Object.keys(once)).toEqual(Object.keys(model.params))
    }
  })

  test('carries an own key named __proto__ along, without effect', () => {
    const canonical = canonicalParams(v3, JSON.parse('{"__proto__":{"prompt":"x"}}') as JsonObject)
    expect(Object.keys(canonical)).toEqual(['__proto__'])
    expect(canonical.prompt).toBeUndefined()
  })
})
