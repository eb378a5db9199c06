import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { type Model, models } from '../../src/catalog/index.ts'
import { modelSchema, paramSchema, stepKeyword } from '../../src/forms/schema.ts'
import { lockSchema } from '../../src/forms/schemas/lock-schema.ts'
import { fullest, smallest } from './samples.ts'

// A stranger's validator: draft-07 and nothing of ours but the name of our keyword.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, keywords: [stepKeyword] })

test.each(Object.values<Model>(models))(
  'the schema of $id is draft-07 and agrees with the catalog',
  model => {
    const validate = ajv.compile(modelSchema(model))
    expect(validate(smallest(model))).toBe(true)
    expect(validate(fullest(model))).toBe(true)
    expect(validate({ ...smallest(model), zebra: 1 })).toBe(false)
    if (Object.keys(smallest(model)).length > 0) expect(validate({})).toBe(false)
  },
)

describe('a parameter in a schema', () => {
  const { 'famc-v3': v3, 'famb-v4': v4, 'famb-v3': famb3, 'famc-v2-6': v26, 'famc-t2a': t2a } = models

  test.each([
    [
      'a text',
      v3.params.prompt,
      { description: 'required, at most 2500 characters', type: 'string', maxLength: 2500, pattern: '\\S' },
    ],
    [
      'a choice with labels',
      v4.params.renderingSpeed,
      {
        description: 'TURBO (Turbo), DEFAULT (Balanced), QUALITY (Quality) (default DEFAULT)',
        enum: ['TURBO', 'DEFAULT', 'QUALITY'],
        default: 'DEFAULT',
      },
    ],
    [
      'a toggle',
      v3.params.multiShot,
      { description: 'true, false (default false)', type: 'boolean', default: false },
    ],
    [
      'a step that binary holds',
      t2a.params.duration,
      {
        description: '3 to 10, step 0.5, default 5',
        type: 'number',
        minimum: 3,
        maximum: 10,
        multipleOf: 0.5,
        default: 5,
      },
    ],
    [
      'a step that binary does not hold',
      v26.params.cfgScale,
      {
        description: '0 to 1, step 0.1, default 0.5',
        type: 'number',
        minimum: 0,
        maximum: 1,
        'x-step': 0.1,
        default: 0.5,
      },
    ],
    [
      'a step that is advice',
      famb3.params.imageWeight,
      {
        description:
          '1 to 100, step 5, default 50; counts only with an image; a value that is neither 1 nor a multiple of 5 is a warning',
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 50,
      },
    ],
    ['a file', v3.params.startFrame, { description: 'image', type: 'string', pattern: '\\S' }],
    [
      'files',
      models['famc-video-effects'].params.imageUrls,
      {
        description: 'required image, up to 2',
        type: 'array',
        items: { type: 'string', pattern: '\\S' },
        minItems: 1,
        maxItems: 2,
      },
    ],
    [
      'mappings, whose files are texts and whose other members are any scalar',
      models['famc-v3-omni'].params.omniImageList,
      {
        description: 'up to 10 items, members {image_url, type}',
        type: 'array',
        items: {
          type: 'object',
          properties: {
            image_url: { description: 'image', type: 'string', pattern: '\\S' },
            type: { type: ['string', 'number', 'boolean', 'null'] },
          },
          additionalProperties: false,
        },
        maxItems: 10,
      },
    ],
  ])('%s', (_what, param, expected) => {
    expect(paramSchema(param)).toEqual(expected)
  })

  test('a very long list is counted in words and listed as values', () => {
    const schema = paramSchema(models['famc-video-effects'].params.style)
    expect(schema.description).toBe('one of 266 values (default korean_baseball)')
    expect(schema.enum).toHaveLength(266)
  })
})

describe('the lock', () => {
  const validate = ajv.compile(lockSchema())
  const file = {
    path: 'hero.png',
    digest: `sha256:${'0'.repeat(64)}`,
    bytes: 9,
    type: 'image/png',
    width: 1,
    height: 1,
  }
  const recipe = { version: 1, model: 'famc-v3', params: { prompt: 'x' }, defaults: {}, inputs: {}, take: 1 }
  const entry = { address: 'still[fox,noir]#2', state: 'done', id: 'k-1', recipe, files: [file] }
  const lock = {
    genrun: 2,
    lineage: '0123456789abcdef'.repeat(2),
    manifest: 'teapots.yaml',
    jobs: [entry, null],
  }

  test('is accepted with everything and with nothing', () => {
    const run = { workflow: 'famc-v3', id: 'r-1', origin: 'https://x.example' }
    const flaw = { why: 'short-delivery', message: '1 of 2 files were delivered' }
    const inputs = { '/startFrame': [`sha256:${'1'.repeat(64)}`] }
    const made = { ...recipe, inputs }
    const whole = { ...entry, state: 'failed', run, flaw, recipe: made, acceptedAs: recipe, picked: true }
    expect(validate({ ...lock, jobs: [entry, whole, null] })).toBe(true)
    expect(validate({ ...lock, jobs: [{ ...entry, state: 'aside' }, null] })).toBe(true)
    expect(validate({ ...lock, jobs: [null] })).toBe(true)
  })

  test.each([
    ['another format', { ...lock, genrun: 3 }],
    ['no sentinel', { ...lock, jobs: [entry] }],
    ['a short lineage', { ...lock, lineage: 'abc' }],
    ['an unknown state', { ...lock, jobs: [{ ...entry, state: 'ready' }, null] }],
    ['a missing recipe', { ...lock, jobs: [{ address: 'a', id: 'k', state: 'done', files: [] }, null] }],
    ['a missing id', { ...lock, jobs: [{ address: 'a', state: 'done', recipe, files: [] }, null] }],
    ['an id that is none', { ...lock, jobs: [{ ...entry, id: '../k' }, null] }],
    ['a digest that is none', { ...lock, jobs: [{ ...entry, files: [{ ...file, digest: 'md5:1' }] }, null] }],
    ['a timestamp', { ...lock, jobs: [{ ...entry, at: '2020-01-01' }, null] }],
    ['an unknown flaw', { ...lock, jobs: [{ ...entry, flaw: { why: 'bored', message: '' } }, null] }],
    ['a take before the first', { ...lock, jobs: [{ ...entry, recipe: { ...recipe, take: 0 } }, null] }],
  ])('is refused with %s', (_what, broken) => {
    expect(validate(broken)).toBe(false)
  })
})
