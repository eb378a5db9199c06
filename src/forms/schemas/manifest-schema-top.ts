import type { JsonObject } from '../../base/names.ts'
import type { Model } from '../../catalog/index.ts'
import { paramNames } from './manifest-params.ts'
import {
  definitionOf,
  free,
  gateKey,
  insidePath,
  service,
  shortDelivery,
  silencedCodes,
  texts,
} from './manifest-schema-parts.ts'

/** The keys of a manifest; `model` is what stands under that name in a job. */
export const topLevel = (model: JsonObject, known: readonly Model[]): JsonObject => ({
  $schema: { description: 'for editors', type: 'string' },
  name: { description: "the manifest's name; by default that of its file", type: 'string' },
  description: { description: 'for readers; it changes nothing', type: 'string' },
  output: {
    description: 'the output folder, beside the manifest; by default out/<name>',
    type: 'string',
    pattern: insidePath,
  },
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
      service,
      shortDelivery,
      gate: gateKey,
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
      maxUseless: {
        description: 'paid orders in a row without a usable file, before there was any, that end the buying',
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
      },
      maxFailures: {
        description: 'jobs that failed, after which a run buys nothing more',
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
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
        minProperties: 1,
        patternProperties: {
          ...free,
          // What begins with x- is anything.
          [`^(?!x-|${newJob}$)[A-Za-z0-9_-]+$`]: jobById,
        },
        // What an editor offers under `jobs:`.
        properties: {
          [newJob]: { ...jobById, default: { model: 'fama-imagine-image', prompt: 'a teapot on wet slate' } },
        },
        additionalProperties: false,
      },
      {
        title: 'jobs in a list',
        type: 'array',
        minItems: 1,
        items: { allOf: [definitionOf('job'), ofObjects({ properties: { id: true }, required: ['id'] })] },
      },
    ],
  },
  lint: silencedCodes,
})

const count: JsonObject = { type: 'integer', minimum: 1, maximum: 100_000 }

function countsOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, count]))
}

const newJob = 'new-job'

// oxlint-disable unicorn/no-thenable -- `then` is JSON Schema's word
/** That a job is an object is said once, where jobs are described. */
function ofObjects(rule: JsonObject): JsonObject {
  return { if: { type: 'object' }, then: { type: 'object', ...rule } }
}
// oxlint-enable unicorn/no-thenable

const jobById: JsonObject = { allOf: [definitionOf('job'), ofObjects({ properties: { id: false } })] }
