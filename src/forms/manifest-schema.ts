import type { Json, JsonObject } from '../base/names.ts'
import { type Model, models } from '../catalog/index.ts'
import { modelFields, paramNames } from './manifest-params.ts'
import { draft, modelTitle } from './schema.ts'

const builtIn: readonly Model[] = Object.values(models)

/**
 * The JSON Schema of a manifest, for editors: it completes and explains while somebody types, and is no stricter than
 * the checks of `genrun validate`, which know templates, defaults and rules across jobs.
 *
 * A job gets the parameters of its model by one `if model = X then …` per model: a `oneOf` of models would offer the
 * parameters of all of them. A job whose model comes from `defaults` or a template gets the names of all.
 */
export function manifestSchema(known: readonly Model[] = builtIn): JsonObject {
  const model = modelKey(known)
  return {
    $schema: draft,
    title: 'genrun manifest',
    description: 'generation jobs and where their files go',
    type: 'object',
    properties: topLevel(model, known),
    patternProperties: free,
    additionalProperties: false,
    definitions: {
      expression: {
        description: 'an expression, filled in before the job is checked',
        type: 'string',
        pattern: '\\$\\{\\{[\\s\\S]*\\}\\}',
      },
      job: jobSchema(model, known),
      anyModel: {
        title: 'a job whose model is not written here',
        properties: { ...accepted(ownKeys(model)), ...paramNames(known, 'usual') },
        patternProperties: free,
        additionalProperties: false,
      },
      ...Object.fromEntries(known.map((each): [string, Json] => [each.id, jobOf(each)])),
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

/** The ids, each with what the model is: an editor shows it beside the id. */
function modelKey(known: readonly Model[]): JsonObject {
  const about = known.map(model => [modelTitle(model).slice(model.id.length + 2), model.note])
  return {
    description: 'the model that does the job',
    anyOf: [
      {
        enum: known.map(model => model.id),
        enumDescriptions: about.map(words => words.filter(Boolean).join('; ')),
      },
      expression,
    ],
  }
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
const ownKeys = (model: JsonObject): JsonObject => ({
  model,
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
    anyOf: [{ enum: ['execute', 'submit'] }, expression],
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
})

// oxlint-disable unicorn/no-thenable -- `then` is JSON Schema's word
function jobSchema(model: JsonObject, known: readonly Model[]): JsonObject {
  const ids = known.map(each => each.id)
  return {
    title: 'a job',
    description: 'its own keys, and the parameters of its model',
    type: 'object',
    properties: ownKeys(model),
    allOf: [
      ...ids.map(id => ({ if: isModel({ const: id }), then: definitionOf(id) })),
      { if: { not: isModel({ enum: ids }) }, then: definitionOf('anyModel') },
    ],
  }
}
// oxlint-enable unicorn/no-thenable

/** The id of a model may hold slashes. */
function definitionOf(id: string): JsonObject {
  return { $ref: `#/definitions/${encodeURIComponent(id.replaceAll('~', '~0').replaceAll('/', '~1'))}` }
}

const topLevel = (model: JsonObject, known: readonly Model[]): JsonObject => ({
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
      model,
      ...paramNames(known, 'all'),
      models: {
        description: 'for some models, by id or glob',
        type: 'object',
        properties: Object.fromEntries(
          known.map(({ id }) => [id, { type: 'object', allOf: [definitionOf(id)] }]),
        ),
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
      total: { description: 'both together', type: 'integer', minimum: 1, maximum: 100_000 },
      families: {
        description: 'jobs of a family at the service at once',
        type: 'object',
        properties: countsOf([...new Set(known.map(({ family }) => family))]),
        additionalProperties: count,
      },
      models: {
        description: 'jobs of a model at the service at once',
        type: 'object',
        properties: countsOf(known.map(({ id }) => id)),
        additionalProperties: count,
      },
      perMinute: { description: 'orders within any minute', type: 'integer', minimum: 1, maximum: 100_000 },
      maxCost: { description: 'what a run may cost at most', type: 'number', minimum: 0 },
      maxPaid: {
        description: 'paid requests of a run at most',
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000,
      },
      tags: {
        description: 'what the jobs of a tag may cost together',
        type: 'object',
        additionalProperties: { type: 'number', minimum: 0 },
      },
    },
    additionalProperties: false,
  },
  jobs: {
    description: 'the jobs, by id or as a list of jobs with an id',
    anyOf: [
      {
        title: 'jobs by id',
        type: 'object',
        // An editor would offer the word `property`; it offers a whole job instead.
        propertyNames: { pattern: '^([A-Za-z0-9_-]+|x-.*)$', doNotSuggest: true },
        patternProperties: free,
        additionalProperties: { allOf: [definitionOf('job'), { properties: { id: false } }] },
        defaultSnippets: [newJob],
      },
      {
        title: 'jobs in a list',
        type: 'array',
        items: { allOf: [definitionOf('job'), { required: ['id'] }] },
      },
    ],
  },
  lint: codes,
})

const count: JsonObject = { type: 'integer', minimum: 1, maximum: 100_000 }

function countsOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, count]))
}

/** What an editor offers under `jobs:`. */
const newJob = {
  label: 'a new job',
  description: 'a job with a model and a prompt',
  body: { '${1:hero}': { model: '${2:fama-imagine-image}', prompt: '${3:a teapot on wet slate}' } },
}

function jobOf(model: Model): JsonObject {
  return {
    title: modelTitle(model),
    ...(model.note && { description: model.note }),
    properties: { ...accepted(ownKeys({})), ...modelFields(model) },
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
