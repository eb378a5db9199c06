import { expect, test } from 'vitest'
import { type Model, models } from '../../src/catalog/index.ts'
import { modelInfo } from '../../src/forms/info.ts'

test('a model’s record, with what applies to each type and nothing else', () => {
  expect(modelInfo(models['famc-t2a'])).toEqual({
    id: 'famc-t2a',
    name: 'T2A',
    family: 'famc',
    inputType: 't2a',
    modes: ['t2a'],
    mode: 'submit',
    params: [
      { name: 'prompt', flag: '-p', longFlag: '--prompt', type: 'text', required: true, maxLength: 2500 },
      {
        name: 'duration',
        flag: '-d',
        longFlag: '--duration',
        type: 'number',
        required: false,
        default: 5,
        minimum: 3,
        maximum: 10,
        step: 0.5,
      },
    ],
  })
})

test('numbers are numbers, labels go by value, files and lists have their bounds', () => {
  const params = Object.fromEntries(modelInfo(models['famc-v3']).params.map(param => [param.name, param]))
  expect(params.duration).toMatchObject({ type: 'enum', default: 5, values: [3, 5, 8, 10, 12, 15] })
  expect(params.renderingSpeed?.labels).toEqual({ std: 'Standard', pro: 'Pro', '4k': '4K' })
  expect(params.generateAudio).toEqual({
    name: 'generateAudio',
    flag: '--audio-gen',
    longFlag: '--generate-audio',
    type: 'boolean',
    required: false,
    default: true,
  })
  expect(params.startFrame).toEqual({
    name: 'startFrame',
    flag: '--start-frame',
    longFlag: '--start-frame',
    type: 'file',
    required: false,
    media: 'image',
  })
  expect(params.multiPrompt).toMatchObject({ maxItems: 6, members: ['index', 'prompt', 'duration'] })
})

test('the contradiction of the specification is a note of the model', () => {
  expect(modelInfo(models['fama-imagine-video-1.5'])).toMatchObject({
    inputType: 'i2v',
    modes: ['i2v'],
    note: 'one list of the specification says t2v; its parameters require an image, so it is i2v',
  })
  expect(modelInfo(models['fama-imagine-video'])).toMatchObject({ inputType: 't2v', modes: ['t2v', 'i2v'] })
  expect(modelInfo(models['famc-v3'])).not.toHaveProperty('note')
})

test('bounds on reference videos are notes of the parameter', () => {
  const orientation = modelInfo(models['famc-motion-control']).params.find(
    row => row.name === 'characterOrientation',
  )
  expect(orientation?.note).toBe(
    'with image the reference video lasts at most 10 s; with video the reference video lasts at most 30 s',
  )
})

test('every record survives JSON, with the keys that issue readers are promised and no other', () => {
  const known = 'id name family inputType modes mode note params'.split(' ')
  const knownOfParams =
    'name flag longFlag type required default values labels minimum maximum step maxItems maxLength media members note'.split(
      ' ',
    )
  for (const model of Object.values<Model>(models)) {
    const info = modelInfo(model)
    expect(JSON.parse(JSON.stringify(info))).toEqual(info)
    expect(Object.keys(info).filter(key => !known.includes(key))).toEqual([])
    expect(info.params.map(param => param.name)).toEqual(Object.keys(model.params))
    expect(info.params.flatMap(Object.keys).filter(key => !knownOfParams.includes(key))).toEqual([])
  }
})
