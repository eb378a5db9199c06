import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/base/names.ts'
import { catalogSchema } from '../../src/catalog/catalog-schema.ts'
import { modelInfo } from '../../src/forms/info.ts'
import { valuesCell } from '../../src/forms/table.ts'
import { checkParams } from '../../src/forms/validate.ts'
import { readCatalog } from '../../src/workspace/read/own-models.ts'

const text = `
models:
  acme/paint:5f3c:
    inputType: t2i
    params:
      prompt: { type: text, required: true }
      seed: { type: integer, minimum: 0 }
      strength: { type: number, maximum: 1 }
      steps: { type: integer, minimum: 1, maximum: 50, default: 20 }
      turbo: { type: boolean }
      styles: { type: 'text[]', maxItems: 2 }
      controls: { type: object }
      anything: { type: number }
`

function model() {
  const { value, problems } = readCatalog({ name: 'acme.yaml', text })
  const [first] = value ?? expect.fail(JSON.stringify(problems))
  return first ?? expect.fail('no model')
}

test('a model may leave open what it takes: a number without bounds or default, a mapping, a list of texts', () => {
  const { id, params } = model()
  expect(id).toBe('acme/paint:5f3c')
  expect(Object.entries(params).map(([name, param]) => [name, valuesCell(param)])).toEqual([
    ['prompt', 'required'],
    ['seed', 'from 0, step 1'],
    ['strength', 'to 1'],
    ['steps', '1 to 50, step 1, default 20'],
    ['turbo', 'true, false'],
    ['styles', 'list of texts, up to 2'],
    ['controls', 'any mapping'],
    ['anything', 'any number'],
  ])
  expect(modelInfo(model()).params.find(({ name }) => name === 'seed')).toEqual({
    name: 'seed',
    flag: '--seed',
    longFlag: '--seed',
    type: 'integer',
    required: false,
    minimum: 0,
    step: 1,
  })
})

test.each<[JsonObject, string[]]>([
  [{ seed: 7, strength: 0.123, turbo: true, styles: ['a', 'b'], controls: { depth: { weight: 0.4 } } }, []],
  [{ anything: -1.5e9 }, []],
  [{ styles: 'a' }, []],
  [{ seed: -1 }, ['seed must be from 0 on; the nearest is 0']],
  [{ seed: 1.5 }, ['seed must be a whole number from 0 on; the nearest are 1 and 2']],
  [{ seed: 'x' }, ['seed must be a whole number from 0 on, not text']],
  [{ strength: 2 }, ['strength must be of 1 at most; the nearest is 1']],
  [{ anything: true }, ['anything must be a number, not true']],
  [{ controls: 5 }, ['controls is a mapping, not a number']],
  [{ styles: ['a', 'b', 'c'] }, ['styles takes up to 2 texts, not 3']],
  [{ styles: [1] }, ['each item of styles is text, not a number']],
])('%j', (params, told) => {
  const found = checkParams(model(), { prompt: 'x', ...params })
  expect(found.map(({ message, hint }) => (hint ? `${message}; ${hint}` : message))).toEqual(told)
})

test('what the reader takes an editor takes, and the other way round', () => {
  const isFine = new Ajv({ strict: true }).compile(catalogSchema())
  expect(isFine(parse(text))).toBe(true)
  for (const wrong of [
    'models: {}',
    'models: { a: { inputType: t2x, params: {} } }',
    'models: { a: { inputType: t2i, params: { p: { type: texts } } } }',
    'models: { a: { inputType: t2i, params: { p: { type: enum } } } }',
    'models: { a: { inputType: t2i, params: { p: { type: file } } } }',
    'models: { a: { inputType: t2i, params: { p: { type: text, maximum: 4 } } } }',
    'models: { a: { params: { p: { type: text } } } }',
  ]) {
    expect([wrong, isFine(parse(wrong))]).toEqual([wrong, false])
    expect([wrong, readCatalog({ name: 'wrong.yaml', text: wrong }).value]).toEqual([wrong, undefined])
  }
})
