import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { publishedSchemas } from '../../src/forms/published.ts'

const root = new URL('../../', import.meta.url)
const published = publishedSchemas()

// `UPDATE=1 npx vitest run test/forms/published.test.ts` writes them anew.
test.each([...published])('%s is what the catalog gives', (path, text) => {
  const file = fileURLToPath(new URL(path, root))
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : 'no file').toBe(text)
})

test('every model has a schema and every schema has a model', () => {
  const files = readdirSync(new URL('schemas/models', root)).map(name => `schemas/models/${name}`)
  expect(files).toHaveLength(25)
  expect(files.filter(path => !published.has(path))).toEqual([])
})
