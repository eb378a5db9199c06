import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../../src/base/names.ts'
import { models } from '../../src/catalog/index.ts'
import { compileModel, type ValidateFunction } from '../../src/forms/compile.ts'
import { compiledModels } from '../../src/forms/standalone.ts'
import { fullest } from './samples.ts'

let ahead: { readonly [id: string]: ValidateFunction }

beforeAll(async () => {
  const made = await build({
    stdin: { contents: compiledModels(), resolveDir: join(import.meta.dirname, '../../src/forms') },
    bundle: true,
    write: false,
    format: 'esm',
  })
  const text = made.outputFiles[0]?.text ?? ''
  ;({ compiledAhead: ahead } = await import(`data:text/javascript,${encodeURIComponent(text)}`))
})

test('the build has a validator for each built-in model', () => {
  expect(Object.keys(ahead)).toEqual(Object.keys(models))
})

const values: readonly Json[] = [
  null,
  true,
  '',
  ' ',
  'x',
  'x'.repeat(6000),
  -1,
  0,
  0.3,
  0.35,
  3,
  1e9,
  [],
  ['x'],
  [1],
  {},
]

test.each(Object.values(models))('what the build wrote for $id finds what ajv finds', model => {
  const usual = fullest(model)
  const compiled = compileModel(model)
  const written = ahead[model.id] as ValidateFunction
  const findings = (validate: ValidateFunction, params: unknown) =>
    validate(params) ? [] : structuredClone(validate.errors)
  const attempts = Object.keys(usual).flatMap(name => values.map(value => ({ ...usual, [name]: value })))
  const found = attempts.map(params => findings(written, params))
  expect(findings(written, usual)).toEqual([])
  expect(found.flat().length).toBeGreaterThan(0)
  expect(found).toEqual(attempts.map(params => findings(compiled, params)))
  expect(findings(written, { ...usual, unknown: 1 })).toEqual(findings(compiled, { ...usual, unknown: 1 }))
})
