import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Model, modelIds, models } from '../../src/catalog/index.ts'
import type { ChoiceParam, Param } from '../../src/catalog/param.ts'
import { valuesCell } from '../../src/forms/table.ts'
import { limitProblems } from './limits.ts'
import { printSpec, readLimits, readSpecification, type SpecModel } from './specification.ts'

const text = readFileSync(new URL('../fixtures/service.md', import.meta.url), 'utf8')
const specified = readSpecification(text)
const catalog: readonly Model[] = Object.values(models)

describe('the specification as it is read here', () => {
  test('has 25 models, 138 parameters, 266 effects and 15 limits', () => {
    expect(specified).toHaveLength(25)
    expect(specified.flatMap(model => model.rows)).toHaveLength(138)
    const effects = specified.find(model => model.id === 'famc-video-effects')?.rows[0]?.values
    expect(effects?.split(', ')).toHaveLength(266)
    expect(readLimits(text)).toHaveLength(15)
  })

  test('contradicts itself about one input type only', () => {
    const odd = specified.filter(model => model.listedAs !== model.inputType)
    expect(odd.map(model => [model.id, model.listedAs, model.inputType])).toEqual([
      ['fama-imagine-video-1.5', 't2v in the model list, i2v in the parameter section', 'i2v'],
    ])
  })

  test('has its shorthands written out', () => {
    const cell = (id: string, param: string) =>
      specified.find(model => model.id === id)?.rows.find(row => row.param === param)?.values
    expect(cell('famb-p-image', 'resolution')?.split(', ')).toHaveLength(36)
    expect(cell('famc-3.0-image', 'count')).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9 (default 1)')
    expect(cell('famc-o1-image', 'count')).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9 (default 1)')
    expect(cell('famc-o1-image', 'resolution')).toBe('1k, 2k (default 1k)')
    expect(cell('fama-imagine-image-quality', 'resolution')).toBe('1k, 2k (default 2k)')
    expect(cell('fama-imagine-image-2.0', 'resolution')).toBe('1k, 2k (default 1k)')
    expect(cell('fama-imagine-image-2.0', 'quality')).toBe('low, medium (default medium)')
    expect(cell('famc-motion-control', 'videoUrl')).toBe('required video')
  })
})

describe('the catalog', () => {
  test('has the 25 models of the specification, in its order', () => {
    expect(modelIds).toEqual(specified.map(model => model.id))
    expect(Object.keys(models)).toEqual(specified.map(model => model.id))
  })

  test.each(specified)('prints $id as the specification does', spec => {
    const model = catalog.find(candidate => candidate.id === spec.id)
    if (!model) throw new Error(`${spec.id} is not in the catalog`)
    expect(modelTable(model)).toBe(printSpec(spec))
    expect(differences(spec, model)).toEqual([])
  })

  test.each(readLimits(text))('keeps the limit: $limit, $appliesTo, $value', limit => {
    expect(limitProblems(limit, catalog)).toEqual([])
  })
})

describe('a catalog with one mistake is caught', () => {
  const { 'famc-v3': v3, 'famc-t2a': t2a, 'famc-3.0-image': image30, 'famc-motion-control': motion } = models
  const { staticMask: _, ...withoutMask } = v3.params
  const { prompt, ...promptLast } = v3.params

  test.each<[string, Model]>([
    ['a value changed', put(v3, { duration: { ...v3.params.duration, values: [3, 5, 8, 10, 12, 14] } })],
    ['a value removed', put(v3, { duration: { ...v3.params.duration, values: [3, 5, 8, 10, 12] } })],
    [
      'a value added',
      put(v3, { aspectRatio: { ...v3.params.aspectRatio, values: ['16:9', '9:16', '1:1', '4:3'] } }),
    ],
    ['another default', put(v3, { duration: { ...v3.params.duration, default: 8 } })],
    ['a default removed', put(v3, { duration: withoutDefault(v3.params.duration) })],
    ['another toggle default', put(v3, { generateAudio: { ...v3.params.generateAudio, default: false } })],
    ['another label', put(v3, { shotType: { ...v3.params.shotType, labels: { customize: 'Custom' } } })],
    ['another flag', put(v3, { negativePrompt: { ...v3.params.negativePrompt, flag: '--neg-prompt' } })],
    ['another type', put(t2a, { duration: { ...t2a.params.duration, type: 'integer' } })],
    ['another step', put(t2a, { duration: { ...t2a.params.duration, step: 0.1 } })],
    ['another bound', put(t2a, { duration: { ...t2a.params.duration, maximum: 11 } })],
    ['another kind of file', put(v3, { startFrame: { ...v3.params.startFrame, media: 'video' } })],
    ['another number of files', put(image30, { imageUrls: { ...image30.params.imageUrls, maxItems: 9 } })],
    [
      'a member missing',
      put(v3, { multiPrompt: { ...v3.params.multiPrompt, members: ['index', 'prompt'] } }),
    ],
    ['another number of items', put(v3, { voiceList: { ...v3.params.voiceList, maxItems: 3 } })],
    ['no longer required', put(v3, { prompt: { type: 'text', flag: '-p', maxLength: 2500 } })],
    ['another length', put(v3, { prompt: { ...prompt, maxLength: 2000 } })],
    [
      'another reference length',
      put(motion, {
        characterOrientation: {
          ...motion.params.characterOrientation,
          referenceSeconds: { image: 10, video: 20 },
        },
      }),
    ],
    ['a parameter removed', { ...v3, params: withoutMask }],
    ['a parameter moved', { ...v3, params: { ...promptLast, prompt } }],
    ['a parameter added', put(v3, { seed: { type: 'text', flag: '--seed' } })],
    ['another input type', { ...v3, inputType: 'i2v' }],
    ['another name', { ...v3, name: 'V3.0' }],
  ])('%s', (_what, broken) => {
    const spec = specified.find(model => model.id === broken.id)
    if (!spec) throw new Error(`${broken.id} is not in the specification`)
    expect(differences(spec, broken)).not.toEqual([])
  })

  test('a broken limit is told by the limits table as well', () => {
    const [ttsLength] = readLimits(text)
    if (!ttsLength) throw new Error('no limits')
    const broken = put(models['fama-tts'], {
      prompt: { type: 'text', flag: '-p', required: true, maxLength: 9 },
    })
    const with9 = catalog.map(model => (model.id === broken.id ? broken : model))
    expect(limitProblems(ttsLength, with9)).toEqual(['fama-tts prompt: 9'])
  })
})

/** Every line of the printed table that differs, and what no table shows: name and family. */
function differences(spec: SpecModel, model: Model): string[] {
  const wanted = [spec.name, spec.family, ...printSpec(spec).split('\n')]
  const printed = [model.name, model.family, ...modelTable(model).split('\n')]
  const longest = Math.max(wanted.length, printed.length)
  return Array.from({ length: longest }, (_, at) => at)
    .filter(at => wanted[at] !== printed[at])
    .map(at => `- ${wanted[at]}\n+ ${printed[at]}`)
}

function withoutDefault(param: ChoiceParam<number>): Param {
  const { default: _, ...rest } = param
  return rest
}

function put(model: Model, params: Model['params']): Model {
  return { ...model, params: { ...model.params, ...params } }
}

/**
 * A model in the specification's own table format, every shorthand written out:
 *
 *     `famc-t2a` (t2a)
 *
 *     | Param | CLI flag | Type | Values |
 *     |---|---|---|---|
 *     | prompt | -p | text | required, at most 2500 characters |
 *     | duration | -d | number | 3 to 10, step 0.5, default 5 |
 */
function modelTable(model: Model): string {
  const rows = Object.entries(model.params).map(
    ([name, param]) => `| ${name} | ${param.flag} | ${param.type} | ${valuesCell(param)} |`,
  )
  const head = ['| Param | CLI flag | Type | Values |', '|---|---|---|---|']
  return [`\`${model.id}\` (${model.inputType})`, '', ...head, ...rows, ''].join('\n')
}
