import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/base/names.ts'
import { importCatalog } from '../../../src/convert/openapi/catalog-import.ts'
import { readCatalog } from '../../../src/workspace/read/own-models.ts'

const schemas = {
  PaintRequest: {
    type: 'object',
    required: ['prompt', 'model'],
    properties: {
      prompt: { type: 'string', maxLength: 1000, description: 'What to paint. More words.' },
      model: { type: 'string' },
      n: { type: ['integer', 'null'], minimum: 1, maximum: 10, default: 1 },
      size: { type: 'string', enum: ['256x256', '512x512'], default: '512x512' },
      response_format: { const: 'b64_json' },
      guidance_scale: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
      output: { type: 'string' },
      tags_list: { type: 'array', items: { type: 'string' } },
      user: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      mixed: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      images: { type: 'array', items: { type: 'string', format: 'binary' } },
      options: { type: 'object' },
    },
  },
  FilmInput: {
    allOf: [
      { type: 'object', properties: { seed: { type: 'integer' } } },
      {
        required: ['image_url'],
        properties: {
          image_url: { type: 'string', format: 'uri' },
          duration: { type: 'integer', enum: [5, 10] },
          shots: {
            type: 'array',
            maxItems: 4,
            items: {
              type: 'object',
              properties: { prompt: { type: 'string' }, seconds: { type: 'integer' } },
            },
          },
          mesh: { type: 'string', format: 'binary' },
          loop: { type: 'boolean', default: false },
          HTTPMode: { type: 'string' },
        },
      },
    ],
  },
}

const body = (schema: Json) => ({ content: { 'application/json': { schema } } })

const document: Json = {
  openapi: '3.1.0',
  info: { title: 'Paint' },
  paths: {
    '/v1/images': {
      post: { operationId: 'createImage', requestBody: body({ $ref: '#/components/schemas/PaintRequest' }) },
    },
    '/v1/films/{id}:make': {
      post: {
        summary: 'Make a video of an image',
        requestBody: body({
          type: 'object',
          properties: { version: { type: 'string' }, input: { $ref: '#/components/schemas/FilmInput' } },
        }),
      },
    },
    '/v1/models': { get: { operationId: 'list' } },
  },
  components: { schemas },
}

function drafted(of: Json, ...names: string[]): string {
  const imported = importCatalog(of, names)
  return imported.got === 'catalog' ? imported.text : expect.fail(imported.message)
}

test('operations that take a body become models, and what cannot be read is listed', () => {
  const text = drafted(document)
  expect(
    text,
  ).toBe(`# Drafted from Paint: read it before you order anything. \`inputType\` is guessed, ids are yours to choose.
models:
  # POST /v1/images
  # for the profile: \`model\` names the model: \`request.model: model\`
  # for the profile: \`response_format\` is always "b64_json": \`request.constants\`
  # not read: output: \`output\` is a key of a job; give it another name, and \`request.rename\`
  # not read: mixed: it may be string or integer
  create-image:
    name: createImage
    inputType: t2i
    params:
      prompt: { type: text, maxLength: 1000, required: true, note: "What to paint." }
      "n": { type: integer, minimum: 1, maximum: 10, default: 1 }
      size: { type: enum, values: ["256x256", "512x512"], default: "512x512" }
      guidanceScale: { type: number, minimum: 0, maximum: 20 }
      tagsList: { type: "text[]" }
      user: { type: text }
      images: { type: file, media: image, maxItems: 16 }
      options: { type: object }
  # POST /v1/films/{id}:make
  # for the profile: \`request.envelope: input\`: parameters stand there
  # for the profile: \`version\` stands beside them: \`request.constants\`, or \`request.model\` where it names the model
  # for the profile: \`request.rename: { hTTPMode: HTTPMode }\`
  # not read: mesh: a file of a kind that is not told: \`{ type: file, media: … }\`
  v1/films/id-make:
    name: "POST /v1/films/{id}:make"
    inputType: i2v
    params:
      seed: { type: integer }
      imageUrl: { type: file, media: image, required: true }
      duration: { type: enum, values: [5, 10] }
      shots: { type: "object[]", maxItems: 4, members: [prompt, seconds] }
      loop: { type: boolean, default: false }
      hTTPMode: { type: text }
`)
  const read = readCatalog({ name: 'draft.yaml', text })
  expect(read.problems).toEqual([])
  expect(read.value?.map(({ id }) => id)).toEqual(['create-image', 'v1/films/id-make'])
})

test('a component or an operation is named by its own word', () => {
  expect(drafted(document, 'FilmInput')).toContain('\n  film:\n')
  expect(drafted(document, 'POST /v1/images')).toContain('\n  create-image:\n')
  expect(importCatalog(document, ['FilmInputs'])).toMatchObject({
    got: 'nothing',
    message: 'no component and no operation is called FilmInputs',
    hint: 'did you mean FilmInput',
  })
})

describe('a document that is odd', () => {
  const one = (properties: Json): Json => ({ components: { schemas: { Odd: { properties } } } })

  test.each<[string, Json]>([
    [
      'refers to itself',
      {
        components: {
          schemas: { Loop: { $ref: '#/components/schemas/Loop', properties: { a: { type: 'string' } } } },
        },
      },
    ],
    [
      'is made of itself',
      {
        components: {
          schemas: {
            Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }], properties: { a: { type: 'string' } } },
          },
        },
      },
    ],
    [
      'holds words that mean something to YAML',
      one({ a: { type: 'string', enum: ['no', '- x', '# y', '"', '{ z }', '1'], description: ': {' } }),
    ],
    [
      'holds line breaks',
      one({ a: { type: 'string', description: 'one\ntwo: {' }, 'b\nmodels:': { type: 'string' } }),
    ],
    [
      'holds names of every object',
      one({ a: { type: 'string' }, constructor: { type: 'string' }, toString: { type: 'string' } }),
    ],
  ])('that %s is read all the same', (_, odd) => {
    expect(readCatalog({ name: 'draft.yaml', text: drafted(odd) }).problems).toEqual([])
  })

  test.each<[string, Json]>([
    ['is none', 'openapi'],
    ['orders nothing', { openapi: '3.1.0', paths: { '/a': { get: {} } } }],
    ['has no parameters', one({})],
  ])('that %s is told', (_, odd) => {
    expect(importCatalog(odd, [])).toMatchObject({ got: 'nothing' })
  })
})
