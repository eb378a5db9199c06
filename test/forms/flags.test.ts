import { describe, expect, test } from 'vitest'
import { type Model, models } from '../../src/catalog/index.ts'
import { flagsOf, longFlag, paramByFlag } from '../../src/forms/flags.ts'

test('flags stand in the order of the parameters, the specification’s first', () => {
  expect(flagsOf(models['famc-v2-6']).map(flag => `${flag.name} ${flag.forms.join(' ')}`)).toEqual([
    'prompt -p --prompt',
    'aspectRatio --ar --aspect-ratio',
    'duration -d --duration',
    'startFrame --start-frame',
    'endFrame --end-frame',
    'negativePrompt --neg --negative-prompt --neg-prompt',
    'generateAudio --audio-gen --generate-audio',
    'cfgScale --cfg --cfg-scale',
    'renderingSpeed --speed --rendering-speed',
  ])
})

test('each model shows its own flag for the negative prompt and understands both', () => {
  const turbo = flagsOf(models['famc-v3-turbo']).find(flag => flag.name === 'negativePrompt')
  expect(turbo).toEqual({
    name: 'negativePrompt',
    flag: '--neg-prompt',
    longFlag: '--negative-prompt',
    forms: ['--neg-prompt', '--negative-prompt', '--neg'],
  })
})

describe.each(Object.values<Model>(models))('$id', model => {
  test('has no flag that means two parameters', () => {
    const forms = flagsOf(model).flatMap(flag => flag.forms)
    expect(new Set(forms).size).toBe(forms.length)
  })

  test('has a long form in kebab case for every parameter', () => {
    expect(flagsOf(model).map(flag => flag.name)).toEqual(Object.keys(model.params))
    for (const flag of flagsOf(model)) expect(flag.longFlag).toMatch(/^--[a-z]+(-[a-z]+)*$/)
  })
})

test('a form that means another parameter here is not borrowed from other models', () => {
  const custom: Model = {
    ...models['famc-t2a'],
    params: { negativePrompt: { type: 'text', flag: '-x' }, neck: { type: 'text', flag: '--neg' } },
  }
  expect(flagsOf(custom)[0]?.forms).toEqual(['-x', '--negative-prompt', '--neg-prompt'])
})

test.each([
  ['ar', 'aspectRatio'],
  ['--ar', 'aspectRatio'],
  ['-d', 'duration'],
  ['aspect-ratio', 'aspectRatio'],
  ['neg-prompt', 'negativePrompt'],
  ['aspectRatio', undefined],
])('%s as a flag stands for %s', (word, name) => {
  expect(paramByFlag(models['famc-v3'], word)).toBe(name)
})

test('a long flag is the kebab case of its parameter', () => {
  expect(longFlag('enableCopyrightDetection')).toBe('--enable-copyright-detection')
  expect(longFlag('prompt')).toBe('--prompt')
})
