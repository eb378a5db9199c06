import type { Json, JsonObject } from '../base/names.ts'
import { type Model, models } from '../catalog/index.ts'
import { modelFields, paramNames } from './manifest-params.ts'
import { draft, modelTitle } from './schema.ts'

/**
 * The JSON Schema of a manifest, for editors: it completes and explains while somebody types, and is no stricter than
 * the checks of `genrun validate`, which know templates, defaults and rules across jobs.
 *
 * A job gets the parameters of its model by one `if model = X then …` per model: a `oneOf` of models would offer the
 * parameters of all of them. A job whose model comes from `defaults` or a template gets the names of all.
 */
export function manifestSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'genrun manifest',
    description: 'generation jobs and where their files go',
    type: 'object',
    properties: topLevel,
    patternProperties: free,
    additionalProperties: false,
    definitions: {
      expression: {
        description: 'an expression, filled in before the job is checked',
        type: 'string',
        pattern: '\\$\\{\\{[\\s\\S]*\\}\\}',
      },
      job,
      anyModel: {
        title: 'a job whose model is not written here',
        type: 'object',
        properties: { ...accepted(ownKeys), ...paramNames() },
        patternProperties: free,
        additionalProperties: false,
      },
      ...Object.fromEntries(Object.values(models).map((model): [string, Json] => [model.id, jobOf(model)])),
    },
  }
}

const free = { '^x-': true }
const expression = { $ref: '#/definitions/expression' }
const texts = { type: 'array', items: { type: 'string' } }
const wholeOrExpression = (minimum: number, maximum: number) => ({
  anyOf: [{ type: 'integer', minimum, maximum }, expression],
})
const codes = { description: 'codes of warnings to leave out', anyOf: [{ type: 'string' }, texts] }

const modelKey = {
  description: 'the model that does the job',
  anyOf: [{ enum: Object.keys(models) }, expression],
}

const axes = {
  description: 'axes by name: a list, rows of a file, files of a glob; one job per combination',
  anyOf: [
    expression,
    {
      type: 'object',
      properties: {
        exclude: {
          description: 'cells to leave out, by partial match',
          type: 'array',
          items: { type: 'object' },
        },
        include: { description: 'whole cells to add', type: 'array', items: { type: 'object' } },
      },
    },
  ],
}

/** A job's own keys; everything else in a job is a parameter of its model. */
const ownKeys: JsonObject = {
  model: modelKey,
  description: { description: 'for readers; it changes nothing', type: 'string' },
  matrix: axes,
  forEach: {
    description: 'short for an axis named item: a data file gives its rows, a glob its files',
    anyOf: [{ type: 'string' }, { type: 'array' }, { type: 'object' }],
  },
  if: {
    description: 'false: the job does not exist',
    anyOf: [{ type: 'boolean' }, expression],
  },
  takes: { description: 'how many independent results', default: 1, ...wholeOrExpression(1, 1000) },
  needs: {
    description: 'jobs that must be done first, beside those whose files are used',
    anyOf: [{ type: 'string' }, texts],
  },
  output: { description: 'the path of its file in the output folder, without extension', type: 'string' },
  tags: { description: 'words to select jobs by', anyOf: [{ type: 'string' }, texts] },
  mode: {
    description: 'one exchange (execute), or submit and poll; images execute, all else submits',
    enum: ['execute', 'submit'],
  },
  workflow: { description: 'the name of the workflow, where it is not the model id', type: 'string' },
  timeout: {
    description: 'how long to wait for the result: seconds, or text such as 90s, 15m, 1h',
    anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'string' }],
  },
  retries: {
    description: 'how often a run that failed at the service is ordered again; each may cost money',
    default: 0,
    ...wholeOrExpression(0, 100),
  },
  override: {
    description: 'other values for the cells that match',
    type: 'array',
    items: { type: 'object', properties: { match: { type: 'object' } }, required: ['match'] },
  },
  lint: codes,
}

// oxlint-disable unicorn/no-thenable -- `then` is JSON Schema's word
const job: JsonObject = {
  description: 'a job: its own keys, and the parameters of its model',
  type: 'object',
  properties: ownKeys,
  allOf: [
    ...Object.keys(models).map(id => ({ if: isModel({ const: id }), then: { $ref: `#/definitions/${id}` } })),
    { if: { not: isModel({ enum: Object.keys(models) }) }, then: { $ref: '#/definitions/anyModel' } },
  ],
}
// oxlint-enable unicorn/no-thenable

const topLevel: JsonObject = {
  $schema: { description: 'for editors', type: 'string' },
  name: { description: "the manifest's name; by default that of its file", type: 'string' },
  description: { description: 'for readers; it changes nothing', type: 'string' },
  output: { description: 'the output folder, beside the manifest; by default out/<name>', type: 'string' },
  include: {
    description: 'files that bring vars, defaults and jobs, relative to this one',
    anyOf: [{ type: 'string' }, texts],
  },
  catalog: { description: 'files that declare further models', anyOf: [{ type: 'string' }, texts] },
  vars: { description: 'values for expressions: vars.<name>', type: 'object' },
  defaults: {
    description: 'given to every job whose model has the parameter',
    type: 'object',
    properties: {
      model: modelKey,
      ...paramNames(),
      models: {
        description: 'for some models, by id or glob',
        type: 'object',
        properties: Object.fromEntries(Object.keys(models).map(id => [id, { $ref: `#/definitions/${id}` }])),
        additionalProperties: { type: 'object' },
      },
    },
    patternProperties: free,
    additionalProperties: false,
  },
  limits: {
    description: 'bounds of a run',
    type: 'object',
    properties: {
      execute: { description: 'paid requests in flight at once', type: 'integer', minimum: 1, maximum: 1000 },
      submit: {
        description: 'runs alive at the service at once',
        type: 'integer',
        minimum: 1,
        maximum: 100_000,
      },
      maxCost: { description: 'what a run may cost at most', type: 'number', minimum: 0 },
    },
    additionalProperties: false,
  },
  jobs: {
    description: 'the jobs, by id or as a list of jobs with an id',
    anyOf: [
      {
        type: 'object',
        propertyNames: { pattern: '^([A-Za-z0-9_-]+|x-.*)$' },
        patternProperties: free,
        additionalProperties: { allOf: [{ $ref: '#/definitions/job' }, { not: { required: ['id'] } }] },
      },
      { type: 'array', items: { allOf: [{ $ref: '#/definitions/job' }, { required: ['id'] }] } },
    ],
  },
  lint: codes,
}

function jobOf(model: Model): JsonObject {
  return {
    title: modelTitle(model),
    ...(model.note && { description: model.note }),
    type: 'object',
    properties: { ...accepted(ownKeys), ...modelFields(model) },
    patternProperties: free,
    additionalProperties: false,
  }
}

/** Names that are known here and described elsewhere. `id` is for jobs in a list. */
function accepted(keys: JsonObject): JsonObject {
  return Object.fromEntries(['id', ...Object.keys(keys)].map(key => [key, true]))
}

function isModel(which: JsonObject): JsonObject {
  return { type: 'object', properties: { model: which }, required: ['model'] }
}
