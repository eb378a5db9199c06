import type { Failure } from '../../base/failure.ts'
import type { JsonObject } from '../../base/names.ts'
import type { Purchase } from '../../base/purchase.ts'
import { draft } from '../schema.ts'

/** The JSON Schema of the lock (`<manifest>.lock.json`). */
export function lockSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'genrun lock',
    description:
      'what was bought, or is under way, from what; written by genrun, one purchase a line, to be committed',
    ...closedRecord({
      genrun: { description: 'the format', const: 2 },
      lineage: { description: 'ties the lock to its journal', type: 'string', pattern: '^[0-9a-f]{32}$' },
      manifest: { description: "the manifest's file name", type: 'string' },
      jobs: {
        description: 'sorted by address and id; the closing null lets every purchase end in a comma',
        type: 'array',
        items: { anyOf: [{ $ref: '#/definitions/entry' }, { type: 'null' }] },
        contains: { type: 'null' },
      },
    }),
    definitions: { entry, recipe, run, file: fileSchema },
  }
}

const states = ['done', 'aside', 'running', 'doubt', 'failed'] satisfies readonly (
  | Purchase['is']
  | 'aside'
  | 'running'
)[]

export const whys = {
  refused: true,
  unauthorized: true,
  'no-credit': true,
  'not-served': true,
  busy: true,
  unreachable: true,
  'in-doubt': true,
  remote: true,
  'rejected-content': true,
  'short-delivery': true,
  'unlike-asked': true,
  overdue: true,
  'bad-reply': true,
  'bad-media': true,
  undelivered: true,
  gone: true,
  unsaved: true,
  'bad-input': true,
  needs: true,
  closed: true,
  budget: true,
  'on-hold': true,
  stopped: true,
} satisfies { [why in Failure['why']]: true }

const text = { type: 'string' }
const countFrom = (minimum: number) => ({ type: 'integer', minimum })

const entry = closedRecord(
  {
    address: { description: 'the name of the expanded job: still[fox,noir]#2', type: 'string', minLength: 1 },
    state: {
      description: 'aside: paid for, and kept for the day that something asks for it again',
      enum: states,
    },
    id: { description: 'the name of the purchase, for good', type: 'string', pattern: '^[\\w.-]{1,80}$' },
    recipe: { $ref: '#/definitions/recipe' },
    acceptedAs: {
      description: 'what a person takes it for, beside what it was made from',
      allOf: [{ $ref: '#/definitions/recipe' }],
    },
    run: { $ref: '#/definitions/run' },
    files: { type: 'array', items: { $ref: '#/definitions/file' } },
    picked: { description: 'the take that was chosen', const: true },
    byHand: { description: 'a person picked it, and no run', const: true },
    redo: { description: 'ordered by redo, to be picked when it is there; not picked yet', const: true },
    past: { description: 'of what failed: its job got something else after it', const: true },
    credits: { description: 'what the service says that it cost', type: 'number' },
    flaw: {
      description: 'what went wrong, or was told about a finished job',
      ...closedRecord({ why: { enum: Object.keys(whys) }, message: text }),
    },
  },
  ['acceptedAs', 'run', 'picked', 'byHand', 'redo', 'past', 'credits', 'flaw'],
)

const recipe = closedRecord(
  {
    version: { const: 1 },
    model: text,
    service: { description: 'of which it was ordered; absent: the usual one', type: 'string' },
    params: { description: 'what was asked for, files excepted', type: 'object' },
    defaults: { description: 'defaults of the catalog that applied', type: 'object' },
    inputs: {
      description: 'digests of input files by their place in the parameters; a link counts by its text',
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: { type: 'array', items: text },
    },
    take: countFrom(1),
  },
  ['service'],
)

const run = closedRecord(
  {
    workflow: text,
    id: { type: 'string', pattern: '^[\\x21-\\x7e]{1,256}$' },
    origin: { description: 'of the service that has it', type: 'string' },
  },
  ['origin'],
)

export const fileSchema = closedRecord(
  {
    path: { description: 'relative to the output folder', type: 'string', minLength: 1 },
    digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    bytes: countFrom(0),
    type: { description: 'media type by the bytes', type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+$' },
    width: countFrom(1),
    height: countFrom(1),
    seconds: { type: 'number', minimum: 0 },
    looked: looked(),
    link: { description: 'where it was published', type: 'string', pattern: '^(s3|file)://' },
  },
  ['width', 'height', 'seconds', 'looked', 'link'],
)

/** What came of looking at a file. */
function looked(): JsonObject {
  const verdict = { enum: ['ok', 'warn', 'fail', 'not looked at'] }
  const look = { description: 'what it was looked at for', type: 'string' }
  const finding = closedRecord({ look, verdict, why: text }, ['why'])
  const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' }
  return closedRecord(
    {
      verdict: { description: 'the gravest; `not looked at` says nothing of the file', ...verdict },
      found: { type: 'array', items: finding },
      why: { description: 'why it was not looked at', type: 'string' },
      shows: {
        description: 'hashes of what it shows: a picture, or three frames',
        type: 'array',
        items: hash,
      },
    },
    ['found', 'why', 'shows'],
  )
}

export function closedRecord(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter(key => !optional.includes(key))
  return { type: 'object', properties, required, additionalProperties: false }
}
