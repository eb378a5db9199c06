import type { Json, JsonObject } from '../../base/names.ts'
import type { WireMode } from '../../base/state.ts'
import type { Model } from '../../catalog/index.ts'
import { modelSchema, modelTitle } from '../../forms/schema.ts'
import { multipart, responses, schemas } from './openapi-parts.ts'

/**
 * The gateway's interface as an OpenAPI 3.1 document. The specification's `/workflows/{workflow}/execute` stands once
 * for every model, so that each has its own parameters.
 */
export function openApiDocument(models: readonly Model[], baseUrl: string): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'genrun gateway',
      version: 'gw-v2',
      summary: 'The generative media service, rendered offline',
      description: 'An embedded server of the service interface. It makes real files and charges nothing.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: [...new Set(models.map(({ family }) => family))].map(name => ({ name })),
    paths: { ...workflowPaths(models), ...resultPath(models), ...filePaths },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The API key.' } },
      schemas: {
        ...schemas,
        ...Object.fromEntries(models.map(model => [schemaName(model), paramsSchema(model)])),
      },
      responses,
    },
  }
}

function workflowPaths(models: readonly Model[]): JsonObject {
  const modes: readonly WireMode[] = ['execute', 'submit']
  return Object.fromEntries(
    models.flatMap(model =>
      modes.map((mode): [string, Json] => [
        `/workflows/${pathOf(model.id)}/${mode}`,
        { post: order(model, mode) },
      ]),
    ),
  )
}

function order(model: Model, mode: WireMode): JsonObject {
  const schema: JsonObject = {
    type: 'object',
    properties: { params: { $ref: `#/components/schemas/${schemaName(model)}` } },
    required: ['params'],
  }
  return {
    operationId: `${mode}-${schemaName(model)}`,
    summary: `${mode === 'execute' ? 'Run' : 'Submit'} ${modelTitle(model)}`,
    tags: [model.family],
    parameters: [idempotencyKey],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      ...(mode === 'execute' ? { 200: ref('Finished') } : { 202: ref('Accepted') }),
      ...errors(400, 401, 413, 415, 422, 429),
    },
  }
}

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Counted, and honoured only where the gateway is told to.',
  schema: { type: 'string' },
}

function paramsSchema(model: Model): JsonObject {
  const { $schema: _draft, properties, required, ...rest } = modelSchema(model)
  // `modelSchema` always has both; the types of JSON cannot say so.
  return {
    ...rest,
    properties: { model: { const: model.id }, ...(properties as JsonObject) },
    required: required as readonly Json[],
  }
}

function resultPath(models: readonly Model[]): JsonObject {
  const workflow: JsonObject = { type: 'string', enum: models.map(({ id }) => id) }
  return {
    '/workflows/{workflow}/{id}/result': {
      get: {
        operationId: 'result',
        summary: 'Read the result of a run',
        parameters: [
          { name: 'workflow', in: 'path', required: true, schema: workflow },
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        ],
        responses: { 200: ref('Finished'), 202: ref('Unfinished'), ...errors(401, 404, 410, 429) },
      },
    },
  }
}

const fileResponses: JsonObject = {
  200: { description: 'The file.', content: { '*/*': {} } },
  206: { description: 'A part of the file.', content: { '*/*': {} } },
  304: { description: 'The file is the one the client has.' },
  ...errors(403, 404, 410, 416),
}

const filePaths: JsonObject = {
  '/files': {
    post: {
      operationId: 'upload',
      summary: 'Upload a file, to be named by its link in parameters',
      requestBody: { required: true, content: { 'multipart/form-data': { schema: multipart } } },
      responses: { 201: ref('Uploaded'), ...errors(400, 401, 413, 415, 422) },
    },
  },
  '/files/{run}/{name}': {
    get: {
      operationId: 'file',
      summary: 'Download an output',
      security: [],
      parameters: ['run', 'name'].map(name => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      responses: fileResponses,
    },
  },
}

function errors(...statuses: readonly number[]): JsonObject {
  return Object.fromEntries(statuses.map(status => [status, ref(`Error${status}`)]))
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` }
}

function pathOf(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/')
}

// Names of components are letters, digits, dots, dashes and underscores.
function schemaName({ id }: Model): string {
  return id.replaceAll(/[^A-Za-z0-9._-]/g, '_')
}
