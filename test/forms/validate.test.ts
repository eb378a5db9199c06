import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/names.ts'
import { type Model, models, type Param } from '../../src/catalog/index.ts'
import { checkParams } from '../../src/forms/validate.ts'
import { fullest, smallest } from './samples.ts'

const all: readonly Model[] = Object.values(models)

describe.each(all)('$id', model => {
  const rows = Object.entries(model.params)
  const errorsWith = (params: JsonObject) => errorsOf(model, { ...smallest(model), ...params })

  test('accepts the least and the most', () => {
    expect(checkParams(model, smallest(model))).toEqual([])
    expect(errorsOf(model, fullest(model))).toEqual([])
  })

  test('misses each required parameter by name', () => {
    for (const [name, param] of rows.filter(([, param]) => param.required)) {
      const { [name]: _, ...without } = fullest(model)
      const [only, ...more] = errorsOf(model, without)
      expect(only).toMatchObject({ code: 'missing-param', path: [] })
      expect(only?.message).toContain(name)
      expect(more).toEqual([])
      expect(param.required).toBe(true)
    }
  })

  test('has no other parameter', () => {
    for (const name of ['seed', 'x', `${rows[0]?.[0]}s`, 'constructor', 'toString']) {
      expect(errorsWith({ [name]: 'x' })).toMatchObject([
        { code: 'unknown-param', path: [name], part: 'key' },
      ])
    }
    const proto = JSON.parse('{"__proto__": "x"}') as JsonObject // an own key of that name, as a parser makes it
    expect(errorsWith(proto)).toMatchObject([{ code: 'unknown-param', path: ['__proto__'] }])
  })

  test('accepts every listed value and no other', () => {
    for (const [name, param] of rows) {
      if (param.type !== 'enum') continue
      for (const value of param.values) expect(errorsWith({ [name]: value })).toEqual([])
      const other = typeof param.values[0] === 'number' ? 1000 : 'no-such-value'
      expect(errorsWith({ [name]: other })).toMatchObject([{ code: 'bad-value', path: [name] }])
      for (const label of Object.values(param.labels ?? {})) {
        if (param.values.some(value => value === label)) continue
        expect(errorsWith({ [name]: label ?? '' })[0]?.hint).toMatch(/^did you mean /)
      }
    }
  })

  test('keeps each bound and refuses one past it', () => {
    for (const [name, param] of rows) {
      const [last, past, code] = edges(param)
      if (last === undefined || past === undefined) continue
      expect(errorsWith({ [name]: last })).toEqual([])
      expect(errorsWith({ [name]: past })).toMatchObject([{ code, path: [name] }])
    }
  })

  test('refuses a value of a wrong type at its place', () => {
    for (const [name, param] of rows) {
      for (const value of wrongTypes(param)) {
        expect(errorsWith({ [name]: value })).toMatchObject([{ path: [name], part: 'value' }])
      }
    }
  })
})

function errorsOf(model: Model, params: JsonObject) {
  return checkParams(model, params).filter(problem => problem.severity === 'error')
}

/** The last value that is allowed, the first that is not, and what is then said. */
function edges(param: Param): [Json, Json, string] | [] {
  switch (param.type) {
    case 'text':
      if (param.maxLength === undefined) return []
      return ['😀'.repeat(param.maxLength), '😀'.repeat(param.maxLength + 1), 'too-long']
    case 'integer':
    case 'number':
      return [param.minimum ?? 0, (param.maximum ?? 0) + (param.step ?? 1), 'out-of-range']
    case 'file':
      if (param.maxItems === undefined) return []
      return [Array(param.maxItems).fill('a'), Array(param.maxItems + 1).fill('a'), 'too-many']
    case 'object[]':
      return [items(param.maxItems), items(param.maxItems + 1), 'too-many']
    case 'enum':
    case 'boolean':
      return []
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

function items(count: number): Json[] {
  return Array.from({ length: count }, () => ({}))
}

function wrongTypes(param: Param): Json[] {
  const scalars: Json[] = [null, { a: 1 }]
  switch (param.type) {
    case 'text':
      return [...scalars, 5, true, ['x']]
    case 'enum':
      return [...scalars, true, ['x']]
    case 'boolean':
      return [...scalars, 'true', 1, [true]]
    case 'integer':
    case 'number':
      return [...scalars, '5', true, [5]]
    case 'file':
      return [...scalars, 5, true, '', '  ', ...(param.maxItems === undefined ? [['a']] : [])]
    case 'object[]':
      return [...scalars, 'x', 5]
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

describe('what is said', () => {
  const v3 = models['famc-v3']
  const effects = models['famc-video-effects']
  const motion = { imageUrls: 'a.png', videoUrl: 'b.mp4' }

  test.each<[Model, JsonObject, string]>([
    [
      v3,
      { duration: 7 },
      'duration must be one of 3, 5, 8, 10, 12, 15 [the nearest are 5 and 8; famc-v3 takes these seconds only]',
    ],
    [
      v3,
      { duration: 99 },
      'duration must be one of 3, 5, 8, 10, 12, 15 [the nearest is 15; famc-v3 takes these seconds only]',
    ],
    [v3, { duration: '5' }, 'duration must be a number, not text [write 5 without quotes]'],
    [v3, { duration: '5s' }, 'duration must be one of 3, 5, 8, 10, 12, 15 [write 5, the number alone]'],
    [v3, { duration: [5] }, 'duration must be one of 3, 5, 8, 10, 12, 15, not a list'],
    [v3, { duration: null }, 'duration has no value [give it a value or remove it]'],
    [v3, { renderingSpeed: 'Standard' }, 'renderingSpeed must be one of std, pro, 4k [did you mean std]'],
    [v3, { renderingSpeed: 'PRO' }, 'renderingSpeed must be one of std, pro, 4k [did you mean pro]'],
    [v3, { aspectRatio: '16x9' }, 'aspectRatio must be one of 16:9, 9:16, 1:1 [did you mean 16:9]'],
    [v3, { aspectRatio: '4:3' }, 'aspectRatio must be one of 16:9, 9:16, 1:1 [the nearest are 16:9 and 1:1]'],
    [v3, { generateAudio: 'yes' }, 'generateAudio must be true or false, not text [write true]'],
    [
      v3,
      { generateAudio: 'false' },
      'generateAudio must be true or false, not text [write false without quotes]',
    ],
    [v3, { generateAudio: 7 }, 'generateAudio must be true or false, not a number'],
    [v3, { negativPrompt: 'x' }, 'famc-v3 has no parameter negativPrompt [did you mean negativePrompt]'],
    [
      v3,
      { 'negative-prompt': 'x' },
      'famc-v3 has no parameter negative-prompt [did you mean negativePrompt]',
    ],
    [v3, { negative_prompt: 'x' }, 'famc-v3 has no parameter negative_prompt [did you mean negativePrompt]'],
    [v3, { ar: '16:9' }, 'famc-v3 has no parameter ar [did you mean aspectRatio]'],
    [v3, { neg: 'x' }, 'famc-v3 has no parameter neg [did you mean negativePrompt]'],
    [v3, { cfgScale: 1 }, 'famc-v3 has no parameter cfgScale [only famc-v2-6 has it]'],
    [v3, { audioUrl: 'a' }, 'famc-v3 has no parameter audioUrl [only famc-avatar has it]'],
    [v3, { count: 2 }, 'famc-v3 has no parameter count [remove it: other models have it, famc-v3 has not]'],
    [v3, { seed: 4 }, 'famc-v3 has no parameter seed [no model has a seed, a result cannot be made again]'],
    [v3, { prompt: 5 }, 'prompt must be text, not a number [put it in quotes: "5"]'],
    [v3, { prompt: ' \n' }, 'prompt is empty [famc-v3 needs a prompt]'],
    [v3, { prompt: null }, 'prompt has no value [famc-v3 needs a prompt]'],
    [
      v3,
      { prompt: 'é'.repeat(2501) },
      'prompt has 2501 characters, famc-v3 takes at most 2500 [cut 1 of them]',
    ],
    [
      v3,
      { startFrame: ['a'] },
      'startFrame takes one image, not a list [write it without brackets and dash]',
    ],
    [v3, { startFrame: 5 }, 'startFrame must be a path or a link, not a number'],
    [v3, { startFrame: '' }, 'startFrame is empty [name an image or remove it]'],
    [
      v3,
      { elementList: {} },
      'elementList must be a list of mappings with element_id, not a mapping [for instance [{ element_id: … }]]',
    ],
    [
      v3,
      { elementList: ['x'] },
      'elementList[0] must be a mapping with element_id, not text [for instance { element_id: … }]',
    ],
    [
      v3,
      { voiceList: [{ voice_id: ['x'] }] },
      'voiceList[0].voice_id must be text, a number, true or false, not a list',
    ],
    [v3, { voiceList: [{ voiceid: 'x' }] }, 'voiceList[0] has no member voiceid [did you mean voice_id]'],
    [v3, { voiceList: [{ name: 'x' }] }, 'voiceList[0] has no member name [it takes voice_id]'],
    [v3, { voiceList: [{}, {}, {}] }, 'voiceList has 3 items, famc-v3 takes at most 2 [remove 1]'],
    [
      models['famc-v3-omni'],
      { omniImageList: [{ image_url: 5 }] },
      'omniImageList[0].image_url must be a path or a link, not a number',
    ],
    [models['famc-t2a'], { length: 5 }, 'famc-t2a has no parameter length [it takes prompt and duration]'],
    [models['famc-t2a'], { duration: 2 }, 'duration must be from 3 to 10 [the nearest is 3]'],
    [
      models['famc-t2a'],
      { duration: 4.25 },
      'duration must be from 3 to 10 in steps of 0.5 [the nearest are 4 and 4.5]',
    ],
    [
      models['famc-t2a'],
      { duration: '4' },
      'duration must be a number from 3 to 10, not text [write 4 without quotes]',
    ],
    [models['famc-t2a'], { duration: Number.NaN }, 'duration must be a number from 3 to 10, not NaN'],
    [
      models['famc-v2-6'],
      { cfgScale: 0.35 },
      'cfgScale must be from 0 to 1 in steps of 0.1 [the nearest are 0.3 and 0.4]',
    ],
    [
      models['famb-v3'],
      { imageUrls: 'a', imageWeight: 50.5 },
      'imageWeight must be a whole number from 1 to 100 [the nearest are 50 and 51]',
    ],
    [
      models['famb-v4'],
      { renderingSpeed: 'Balanced' },
      'renderingSpeed must be one of TURBO, DEFAULT, QUALITY [did you mean DEFAULT]',
    ],
    [
      models['famb-v4'],
      { resolution: '1024x1024' },
      'resolution must be one of the 21 values of famb-v4 [the nearest are 2048x2048 and 1792x2240]',
    ],
    [
      models['famb-v4'],
      { resolution: 'big' },
      'resolution must be one of the 21 values of famb-v4 [genrun models info famb-v4 lists them]',
    ],
    [
      effects,
      { style: 'pet_bees' },
      'style must be one of the 266 values of famc-video-effects [did you mean pet_bee or pet_bee_pro]',
    ],
    [
      effects,
      { style: 'Korean Baseball' },
      'style must be one of the 266 values of famc-video-effects [did you mean korean_baseball]',
    ],
    [
      effects,
      { prompt: 'x' },
      'famc-video-effects has no parameter prompt [remove it: famc-video-effects takes none]',
    ],
    [
      effects,
      { imageUrls: ['a', 'b', 'c'] },
      'imageUrls has 3 images, famc-video-effects takes at most 2 [remove 1]',
    ],
    [effects, { imageUrls: [] }, 'imageUrls is empty, famc-video-effects needs an image'],
    [effects, { imageUrls: '' }, 'imageUrls is empty [famc-video-effects needs an image]'],
    [effects, { imageUrls: ['a', ''] }, 'imageUrls[1] is empty [famc-video-effects needs an image]'],
    [effects, { imageUrls: 7 }, 'imageUrls must be a path or a link, or a list of them, not a number'],
    [
      models['famc-motion-control'],
      { ...motion, keepOriginalSound: true },
      'keepOriginalSound must be one of yes, no, not true [write the word yes, it is text here]',
    ],
    [models['famc-v3-omni'], { shotType: 'intelligence', multiShot: true }, 'shotType must be customize'],
    [
      models['famc-v3'],
      { imageUrls: 'a.png' },
      'famc-v3 has no parameter imageUrls [famc-v3 takes such files as startFrame, endFrame or staticMask]',
    ],
  ])('$id with %j', (model, params, expected) => {
    expect(errorsOf(model, { ...smallest(model), ...params }).map(said)).toEqual([expected])
  })

  test.each<[Model, string[]]>([
    [v3, ['famc-v3 needs a prompt [add `prompt: …`]']],
    [effects, ['famc-video-effects needs an image in imageUrls [add `imageUrls` with a path or a link]']],
    [
      models['famc-avatar'],
      [
        'famc-avatar needs an image in imageUrls [add `imageUrls` with a path or a link]',
        'famc-avatar needs an audio file in audioUrl [add `audioUrl` with a path or a link]',
      ],
    ],
    [models['famc-v2a'], ['famc-v2a needs a video in videoUrl [add `videoUrl` with a path or a link]']],
  ])('$id with nothing at all', (model, expected) => {
    expect(errorsOf(model, {}).map(said)).toEqual(expected)
  })

  test('a misspelt required parameter is told once', () => {
    expect(errorsOf(v3, { promt: 'x' }).map(said)).toEqual([
      'famc-v3 has no parameter promt [did you mean prompt]',
    ])
  })

  test('everything is told in one pass, in the order of the parameters, unknown names first', () => {
    const params = { voiceList: [{}, {}, {}], duration: 7, aspectRatio: '4:3', prompt: '', foo: 1 }
    expect(checkParams(v3, params).map(problem => [problem.code, problem.path])).toEqual([
      ['unknown-param', ['foo']],
      ['blank-text', ['prompt']],
      ['bad-value', ['aspectRatio']],
      ['bad-value', ['duration']],
      ['too-many', ['voiceList']],
    ])
  })

  test('a problem inside a list of mappings is told at its member', () => {
    const multiPrompt: Json = [{ index: 1, promt: 'a' }, { index: {} }, 5]
    expect(errorsOf(v3, { prompt: 'x', multiPrompt }).map(({ path, part }) => [path, part])).toEqual([
      [['multiPrompt', 0, 'promt'], 'key'],
      [['multiPrompt', 1, 'index'], 'value'],
      [['multiPrompt', 2], 'value'],
    ])
  })

  function said({ message, hint }: { message: string; hint?: string }): string {
    return hint === undefined ? message : `${message} [${hint}]`
  }
})

describe('what is accepted in another form', () => {
  test.each([0.1, 0.3, 0.7, 0.1 + 0.2, 1 - 0.9])('cfgScale %d lies on a step', cfgScale => {
    expect(checkParams(models['famc-v2-6'], { prompt: 'x', cfgScale })).toEqual([])
  })

  test('a text is measured as if trimmed', () => {
    expect(checkParams(models['famc-v3'], { prompt: `${'x'.repeat(2500)}\n` })).toEqual([])
  })

  test('one file needs no list, and an empty optional text is none', () => {
    const params = { prompt: 'x', imageUrls: 'a.png', negativePrompt: '' }
    expect(checkParams(models['famb-v3'], params)).toEqual([])
  })
})

test('a custom model is checked by its own rows, whatever its id', () => {
  const custom: Model = {
    ...models['famc-t2a'],
    params: { words: { type: 'text', flag: '-w', required: true } },
  }
  expect(checkParams(models['famc-t2a'], { prompt: 'x' })).toEqual([])
  expect(checkParams(custom, { words: 'x' })).toEqual([])
  expect(checkParams(custom, { prompt: 'x' }).map(problem => problem.message)).toEqual([
    'famc-t2a needs words',
    'famc-t2a has no parameter prompt',
  ])
})

test('a step that counts from its minimum, in whole numbers or decimals', () => {
  const params: Model['params'] = {
    odd: { type: 'integer', flag: '-o', minimum: 1, maximum: 9, step: 2, default: 3 },
    third: { type: 'number', flag: '-t', minimum: 0.05, maximum: 1, step: 0.3, default: 0.35 },
  }
  const custom: Model = { ...models['famc-t2a'], params }
  expect(checkParams(custom, { odd: 7, third: 0.65 })).toEqual([])
  expect(checkParams(custom, { odd: 4, third: 0.6 }).map(problem => problem.hint)).toEqual([
    'the nearest are 3 and 5',
    'the nearest are 0.35 and 0.65',
  ])
})
