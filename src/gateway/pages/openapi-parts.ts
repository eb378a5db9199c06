import type { JsonObject } from '../../base/names.ts'

const output: JsonObject = {
  type: 'object',
  properties: {
    url: { type: 'string', format: 'uri' },
    type: { type: 'string', examples: ['image/png', 'video/mp4'] },
    bytes: { type: 'integer' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    seconds: { type: 'number' },
    warning: { type: 'string' },
  },
  required: ['url', 'type', 'bytes'],
}

const problem: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'JSON pointer into the body.', examples: ['/params/duration'] },
    message: { type: 'string' },
    hint: { type: 'string' },
  },
  required: ['path', 'message'],
}

const error: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    problems: { type: 'array', items: problem },
  },
  required: ['code', 'message'],
}

const id: JsonObject = { type: 'string', pattern: '^[0-9a-f]{32}$' }

/** The shapes of answers. */
export const schemas: JsonObject = {
  Output: output,
  Error: { type: 'object', properties: { error }, required: ['error'] },
  Accepted: { type: 'object', properties: { id, status: { const: 'accepted' } }, required: ['id', 'status'] },
  Unfinished: {
    type: 'object',
    properties: {
      id,
      status: { enum: ['accepted', 'processing'] },
      progress: { type: 'number', minimum: 0, maximum: 1 },
    },
    required: ['id', 'status'],
  },
  Completed: {
    type: 'object',
    properties: {
      id,
      status: { const: 'completed' },
      outputs: { type: 'array', items: schema('Output') },
      credits: { type: 'number' },
    },
    required: ['id', 'status', 'outputs'],
  },
  Failed: {
    type: 'object',
    properties: { id, status: { const: 'failed' }, error },
    required: ['id', 'status', 'error'],
  },
  Uploaded: {
    type: 'object',
    properties: {
      id,
      url: { type: 'string', format: 'uri' },
      type: { type: 'string' },
      bytes: { type: 'integer' },
    },
    required: ['id', 'url', 'type', 'bytes'],
  },
}

/** The body of an upload: one file, in a field of any name. */
export const multipart: JsonObject = {
  type: 'object',
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
}

const retryAfter: JsonObject = {
  'Retry-After': { description: 'Seconds to wait at least.', schema: { type: 'number' } },
}

const refusals: { readonly [status: number]: string } = {
  400: 'The body is not JSON.',
  401: 'The key is missing or unknown.',
  403: 'The signature of the link does not hold.',
  404: 'There is no such workflow, run or file.',
  410: 'The result or the link has expired.',
  413: 'The body is too long.',
  415: 'The media type is not taken.',
  416: 'The range lies outside the file.',
  422: 'The parameters are wrong; each problem says where.',
  429: 'Too many requests.',
}

/** Answers by the names that operations refer to. */
export const responses: JsonObject = {
  Accepted: answer('The run is accepted.', schema('Accepted')),
  Unfinished: { ...answer('The run is under way.', schema('Unfinished')), headers: retryAfter },
  Finished: answer('The run is completed or failed.', { oneOf: [schema('Completed'), schema('Failed')] }),
  Uploaded: answer('The file is kept.', schema('Uploaded')),
  ...Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => [
      `Error${status}`,
      { ...answer(description, schema('Error')), ...(status === '429' && { headers: retryAfter }) },
    ]),
  ),
}

function answer(description: string, of: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema: of } } }
}

function schema(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
