import type { Json, JsonObject } from '../../base/names.ts'
import { type Model, models } from '../../catalog/index.ts'
import { draft, modelTitle, strictSchema } from '../schema.ts'
import { modelFields, paramNames } from './manifest-params.ts'
import {
  definitionOf,
  expression,
  free,
  gateKey,
  gateWord,
  insidePath,
  service,
  shortDelivery,
  silencedCodes,
  texts,
  wholeOrExpression,
} from './manifest-schema-parts.ts'
import { topLevel } from './manifest-schema-top.ts'

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
  return strictSchema({
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
      gateWord,
      job: jobSchema(model, known),
      anyModel: {
        title: 'a job whose model is not written here',
        type: 'object',
        properties: { ...accepted(ownKeys(model)), ...paramNames(known, 'usual') },
        patternProperties: { ...paramNames(known, 'unusual'), ...free },
        additionalProperties: false,
      },
      ...Object.fromEntries(known.map((each): [string, Json] => [each.id, jobOf(each)])),
    },
  })
}

/** The ids, each with what the model is: an editor shows it beside the id. */
function modelKey(known: readonly Model[]): JsonObject {
  const about = (model: Model) =>
    [modelTitle(model).slice(model.id.length + 2), model.note].filter(Boolean).join('; ')
  return {
    description: 'the model that does the job',
    anyOf: [
      ...known.map(model => ({ const: model.id, description: about(model) })),
      { enum: known.map(model => model.id) },
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
      minProperties: 1,
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
  output: {
    description: 'the path of its file in the output folder, without extension',
    anyOf: [{ type: 'string', pattern: insidePath }, expression],
  },
  tags: { description: 'words to select jobs by', anyOf: [{ type: 'string' }, texts] },
  mode: {
    description: 'one exchange (execute), or submit and poll; images execute, all else submits',
    anyOf: [{ enum: ['execute', 'submit'] }, expression],
  },
  service,
  workflow: { description: 'the name of the workflow, where it is not the model id', type: 'string' },
  timeout: {
    description: 'how long to wait for the result: seconds, or text such as 90s, 15m, 1h',
    anyOf: [
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'string', pattern: '^\\s*\\d+(\\.\\d+)?\\s*[smh]?\\s*$' },
      expression,
    ],
  },
  retries: {
    description: 'how often a run that failed at the service is ordered again; each may cost money',
    default: 0,
    ...wholeOrExpression(0, 100),
  },
  shortDelivery,
  require: {
    description: 'approved: what is made from it waits until somebody has approved it',
    anyOf: [{ enum: ['approved'] }, expression],
  },
  gate: gateKey,
  override: {
    description: 'other values for the cells that match',
    type: 'array',
    items: { type: 'object', properties: { match: { type: 'object' } }, required: ['match'] },
  },
  lint: silencedCodes,
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
      { if: { type: 'object', not: isModel({ enum: ids }) }, then: definitionOf('anyModel') },
    ],
  }
}
// oxlint-enable unicorn/no-thenable

function jobOf(model: Model): JsonObject {
  return {
    title: modelTitle(model),
    ...(model.note && { description: model.note }),
    type: 'object',
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
