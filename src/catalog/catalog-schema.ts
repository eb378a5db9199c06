import type { JsonObject } from '../base/names.ts'
import { ownInputTypes } from './model.ts'
import { ratesSchema } from './rates.ts'

/** The schema of a file that declares models (`catalog:`), for editors. The reader says more, at its place. */
export function catalogSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'genrun catalog',
    description: 'Models of a service, in the words of the catalog.',
    type: 'object',
    properties: {
      currency: { description: 'of the prices here, as it is shown: USD, credits', type: 'string' },
      models: {
        description: 'models by their ids, as the service knows them: `acme/paint`, `acme/paint:5f3c`',
        type: 'object',
        minProperties: 1,
        additionalProperties: modelOfCatalog,
      },
    },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
    required: ['models'],
  }
}

const text = { type: 'string', minLength: 1 }
const positive = { type: 'integer', minimum: 1 }
const number = { type: 'number' }

const rows = {
  flag: {
    description: 'on the command line; --kebab-case when left out',
    type: 'string',
    pattern: '^(-[a-zA-Z]|--[a-z0-9]+(-[a-z0-9]+)*)$',
  },
  required: { type: 'boolean' },
  note: text,
}

const range = {
  minimum: number,
  maximum: number,
  step: { type: 'number', exclusiveMinimum: 0 },
  default: number,
}

const kinds = {
  text: typed('text', { maxLength: positive }),
  enum: typed(
    'enum',
    {
      values: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'string' }, number] } },
      default: { anyOf: [{ type: 'string' }, number] },
      labels: { description: 'words for values', type: 'object', additionalProperties: { type: 'string' } },
    },
    ['values'],
  ),
  boolean: typed('boolean', { default: { type: 'boolean' } }),
  integer: typed('integer', range),
  number: typed('number', range),
  file: typed(
    'file',
    {
      media: { description: 'file: of any kind', enum: ['image', 'video', 'audio', 'file'] },
      maxItems: positive,
    },
    ['media'],
  ),
  'object[]': typed(
    'object[]',
    { maxItems: positive, members: { type: 'array', minItems: 1, items: text } },
    ['maxItems', 'members'],
  ),
  object: typed('object', {}),
  'text[]': typed('text[]', { maxItems: positive }),
} as const

const paramOfCatalog = {
  description: 'one parameter, by the name that manifests use: camelCase',
  type: 'object',
  // Stands beside the kinds, so that an editor offers those as well that need more than their type.
  properties: { type: { description: 'what it takes', enum: Object.keys(kinds) } },
  required: ['type'],
  anyOf: Object.values(kinds),
}

const modelOfCatalog = {
  type: 'object',
  properties: {
    name: text,
    family: text,
    inputType: { description: 'what it takes and makes', enum: [...ownInputTypes] },
    modes: { description: 'what else it does', type: 'array', items: { enum: [...ownInputTypes] } },
    note: text,
    sound: { description: 'its videos have sound', const: 'native' },
    service: {
      description: 'where its jobs are ordered that name no service, by its name in your own settings',
      type: 'string',
      pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
    },
    price: {
      description: 'what one run costs; your own prices count beside it, the higher of both',
      ...ratesSchema,
    },
    params: { type: 'object', additionalProperties: paramOfCatalog },
  },
  additionalProperties: false,
  required: ['inputType', 'params'],
}

function typed(type: string, properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties: { type: { const: type }, ...rows, ...properties },
    additionalProperties: false,
    required: ['type', ...required],
  }
}
