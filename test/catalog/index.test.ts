import { describe, expect, test } from 'vitest'
import {
  findModel,
  type Model,
  memberMedia,
  modelIds,
  models,
  outputKind,
  ownInputTypes,
  type Param,
  paramOf,
  usualMode,
} from '../../src/catalog/index.ts'

const all: readonly Model[] = Object.values(models)
const rows = all.flatMap(model =>
  Object.entries(model.params).map(([name, param]): [string, Param] => [`${model.id} ${name}`, param]),
)

describe('the catalog', () => {
  test('finds a model by its exact id only', () => {
    expect(findModel('famc-v3')).toBe(models['famc-v3'])
    expect(findModel('FAMC-V3')).toBeUndefined()
    expect(findModel('famc-v9')).toBeUndefined()
    expect(findModel('constructor')).toBeUndefined()
  })

  test('has each id once, under that id', () => {
    expect(new Set(modelIds).size).toBe(25)
    expect(Object.keys(models)).toEqual(all.map(model => model.id))
  })

  test('knows what goes in and out of each model', () => {
    const faces = all.map(model =>
      [model.id, model.modes.join('+'), outputKind(model), usualMode(model)].join(' '),
    )
    expect(faces).toEqual([
      'fama-imagine-video t2v+i2v video submit',
      'fama-imagine-video-1.5 i2v video submit',
      'fama-edit-video v2v video submit',
      'fama-extend-video v2v video submit',
      'fama-imagine-image t2i+i2i image execute',
      'fama-imagine-image-quality t2i+i2i image execute',
      'fama-imagine-image-2.0 t2i+i2i image execute',
      'fama-tts tts audio submit',
      'famb-v4 t2i image execute',
      'famb-p-image t2i image execute',
      'famb-v3 t2i+i2i image execute',
      'famb-character i2i image execute',
      'famc-v3 t2v+i2v video submit',
      'famc-v3-turbo t2v+i2v video submit',
      'famc-v2-6 t2v+i2v video submit',
      'famc-v3-omni t2v+i2v+v2v video submit',
      'famc-video-o1 t2v video submit',
      'famc-motion-control-v3 i2v video submit',
      'famc-motion-control i2v video submit',
      'famc-avatar i2v video submit',
      'famc-3.0-image t2i+i2i image execute',
      'famc-o1-image t2i+i2i image execute',
      'famc-video-effects i2v video submit',
      'famc-t2a t2a audio submit',
      'famc-v2a v2a audio submit',
    ])
  })

  test('says where the specification contradicts itself', () => {
    expect(models['fama-imagine-video-1.5'].note).toBe(
      'one list of the specification says t2v; its parameters require an image, so it is i2v',
    )
  })
})

describe.each(all)('$id', model => {
  test('has its input type as the first of its modes', () => {
    expect(model.modes[0]).toBe(model.inputType)
    expect(model.modes.every(mode => ownInputTypes.includes(mode))).toBe(true)
  })

  test('takes another way in only where it has the file for it', () => {
    const kinds = new Set(Object.values(model.params).flatMap(mediaOf))
    const [, ...others] = model.modes
    expect(others.every(mode => kinds.has(mode === 'v2v' ? 'video' : 'image'))).toBe(true)
    if (kinds.has('image')) expect(model.modes.some(mode => mode.startsWith('i'))).toBe(true)
  })

  test('has each flag once', () => {
    const flags = Object.values(model.params).map(param => param.flag)
    expect(new Set(flags).size).toBe(flags.length)
  })
})

describe.each(rows)('%s', (_name, param) => {
  test('is well formed', () => {
    expect(_name).toMatch(/^\S+ [a-z][a-zA-Z]*$/)
    expect(param.flag).toMatch(/^(-[a-z]|--[a-z]+(-[a-z]+)*)$/)
  })

  test('agrees with itself', () => {
    switch (param.type) {
      case 'enum':
        expect(new Set(param.values).size).toBe(param.values.length)
        expect(new Set(param.values.map(value => typeof value)).size).toBe(1)
        expect(param.values).toContain(param.default)
        for (const value of Object.keys(param.labels ?? {})) expect(param.values).toContain(value)
        for (const value of Object.keys(param.referenceSeconds ?? {})) expect(param.values).toContain(value)
        return
      case 'integer':
      case 'number':
        expect(param.minimum).toBeLessThan(param.maximum ?? Number.NaN)
        expect(param.default).toBeGreaterThanOrEqual(param.minimum ?? Number.NaN)
        expect(param.default).toBeLessThanOrEqual(param.maximum ?? Number.NaN)
        expect(param.step).toBeGreaterThan(0)
        return
      case 'object[]':
        expect(param.members.length).toBeGreaterThan(0)
        expect(new Set(param.members).size).toBe(param.members.length)
        expect(param.maxItems).toBeGreaterThan(0)
        return
      case 'file':
        expect(param.maxItems ?? 1).toBeGreaterThan(0)
        return
      case 'text':
        expect(param.maxLength ?? 1).toBeGreaterThan(0)
        return
      case 'boolean':
        expect(typeof param.default).toBe('boolean')
    }
  })
})

test('a parameter is what the model declares, not what every object has', () => {
  expect(paramOf(models['famc-v3'], 'duration')?.type).toBe('enum')
  expect(paramOf(models['famc-v3'], 'constructor')).toBeUndefined()
  expect(paramOf(models['famc-v3'], '__proto__')).toBeUndefined()
})

test.each([
  ['image_url', 'image'],
  ['video_url', 'video'],
  ['audio_url', 'audio'],
  ['element_id', undefined],
  ['keep_original_sound', undefined],
  ['type', undefined],
])('a member named %s carries %s', (member, kind) => {
  expect(memberMedia(member)).toBe(kind)
})

function mediaOf(param: Param): (string | undefined)[] {
  if (param.type === 'file') return [param.media]
  return param.type === 'object[]' ? param.members.map(memberMedia) : []
}
