import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { publishedSchemas } from '../../../src/forms/schemas/published.ts'

const root = new URL('../../../', import.meta.url)
const published = publishedSchemas()

// `UPDATE=1 npx vitest run test/forms/schemas/published.test.ts` writes them anew.
test.each([...published])('%s is what the catalog gives', (path, text) => {
  const file = fileURLToPath(new URL(path, root))
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : 'no file').toBe(text)
})

/** Every file under `schemas/`, whoever makes it. */
const files = readdirSync(new URL('schemas', root), { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.json'),
)

// As `ajv validate --strict=true` does: no word of ours is declared, and no format is known.
test.each(files)('schemas/%s passes a strict validator', name => {
  const schema = JSON.parse(readFileSync(new URL(`schemas/${name}`, root), 'utf8'))
  const Validator = schema.$schema.includes('2020-12') ? Ajv2020 : Ajv
  expect(() => new Validator({ strict: true }).compile(schema)).not.toThrow()
})

test.each([
  [0, true],
  [0.3, true],
  [0.7, true],
  [1, true],
  [0.35, false],
  [1.1, false],
])('a step is told by its values: cfgScale %d', (cfgScale, isRight) => {
  const schema = JSON.parse(published.get('schemas/models/famc-v2-6.schema.json') ?? '')
  expect(new Ajv({ strict: true }).compile(schema)({ prompt: 'x', cfgScale })).toBe(isRight)
})

test('every model has a schema and every schema has a model', () => {
  const ofModels = readdirSync(new URL('schemas/models', root)).map(name => `schemas/models/${name}`)
  expect(ofModels).toHaveLength(25)
  expect(ofModels.filter(path => !published.has(path))).toEqual([])
})
