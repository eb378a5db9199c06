import type { Failure } from '../base/failure.ts'
import type { JsonObject } from '../base/names.ts'
import type { OutputKind } from '../catalog/index.ts'
import { draft } from '../forms/schema.ts'
import { closedRecord, fileSchema, whys } from '../forms/schemas/lock-schema.ts'
import { endings } from './endings.ts'
import { type EventRecord, eventsFormat } from './events.ts'

/** The JSON Schema of one line of `--events`. */
export function eventSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'genrun event',
    description:
      'one line of what `--events` writes: what happened, in order, as it happened; the first is `begin`, the last `end`',
    oneOf: Object.entries(events).map(([event, { says, has, optional }]) => ({
      title: event,
      description: says,
      ...closedRecord({ at: date, event: { const: event }, ...has }, optional),
    })),
    definitions: { file: fileSchema, failure, problem },
  }
}

interface EventForm {
  readonly says: string
  readonly has: JsonObject
  readonly optional?: readonly string[]
}

const text = { type: 'string' }
const date = {
  description: 'in UTC, to the millisecond',
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
}
const countFrom = (minimum: number) => ({ type: 'integer', minimum })
const address = {
  description: 'the name of the expanded job: still[fox,noir]#2',
  type: 'string',
  minLength: 1,
}
const runId = { description: 'with it the result can be had', type: 'string', minLength: 1 }
const workflow = { description: 'to which the run belongs', type: 'string' }
const failed = { $ref: '#/definitions/failure' }

const failure = closedRecord({
  why: { enum: Object.keys(whys satisfies { [why in Failure['why']]: true }) },
  message: text,
})

const problem = closedRecord(
  {
    code: text,
    severity: { enum: ['error', 'warning'] },
    message: text,
    file: text,
    line: countFrom(1),
    column: countFrom(1),
    endLine: countFrom(1),
    endColumn: countFrom(1),
    hint: text,
  },
  ['hint'],
)

const kinds = { image: true, video: true, audio: true, file: true } satisfies { [kind in OutputKind]: true }

const steps = ['buy', 'keep', 'resume', 'fetch', 'adopt', 'hold', 'doubt', 'restore', 'drop']

const work = closedRecord(
  {
    address,
    model: text,
    kind: { enum: Object.keys(kinds) },
    needs: { description: 'jobs of this run that it waits for', type: 'array', items: address },
    cost: { description: "by the user's prices", type: 'number', minimum: 0 },
    seconds: {
      description: 'what it usually takes, by the results of the last day',
      type: 'number',
      minimum: 0,
    },
  },
  ['cost', 'seconds'],
)

const cost = closedRecord(
  {
    estimated: { description: "by the user's prices", type: 'number', minimum: 0 },
    currency: text,
    credits: { description: 'as the service told', type: 'number' },
  },
  ['estimated', 'currency', 'credits'],
)

const events: { readonly [event in EventRecord['event']]: EventForm } = {
  begin: {
    says: 'stands first',
    has: {
      format: { description: 'of the lines', const: eventsFormat },
      genrun: { description: 'its version', type: 'string' },
      manifest: { description: 'as it was asked for', type: 'string' },
    },
  },
  planned: {
    says: 'what will be done; told once, before anything is sent, unless nothing can be done',
    has: {
      jobs: countFrom(0),
      steps: {
        description: 'how many jobs each kind of step concerns',
        ...closedRecord(Object.fromEntries(steps.map(step => [step, countFrom(0)])), ['restore', 'aside']),
      },
      work: { description: 'the jobs that will be carried out, in order', type: 'array', items: work },
      expectedSeconds: {
        description: 'what all of it takes, by the results of the last day; absent where they do not tell',
        type: 'number',
        minimum: 0,
      },
      currency: { description: 'of the costs', type: 'string' },
      output: { description: 'the output folder, absolute', type: 'string' },
      rehearsal: { description: 'nothing is paid, the files are placeholders', type: 'boolean' },
      remarks: { type: 'array', items: text },
    },
    optional: ['currency', 'expectedSeconds'],
  },
  warned: {
    says: 'something about the whole run that a person should know at once',
    has: { message: text },
  },
  sending: {
    says: 'a paid request is about to leave; `again`: so often the job was ordered anew after its run failed',
    has: { address, model: text, attempt: countFrom(1), again: countFrom(1) },
    optional: ['again'],
  },
  accepted: {
    says: 'the service took the job on; told when the run id is safe on disk',
    has: { address, run: runId, workflow },
  },
  resumed: {
    says: 'what an earlier run paid for goes on, without paying',
    has: { address, run: runId, workflow },
    optional: ['run', 'workflow'],
  },
  progress: {
    says: 'as the service tells',
    has: { address, fraction: { type: 'number', minimum: 0, maximum: 1 } },
  },
  made: { says: 'the service has finished; its files are fetched', has: { address } },
  bytes: {
    says: 'received so far, of one file; a few times a second at most',
    has: { address, bytes: countFrom(0), total: countFrom(0) },
    optional: ['total'],
  },
  uploading: {
    says: 'an input on its way to the service, before the job is sent; a few times a second at most',
    has: { address, file: { type: 'string' }, bytes: countFrom(0), total: countFrom(0) },
  },
  waiting: { says: 'tried again, not before a date', has: { address, failure: failed, until: date } },
  settled: {
    says: 'the last that happens to a job in this run',
    has: {
      address,
      state: {
        description: 'done: its files are there; detached: paid for, the next run goes on without paying',
        enum: ['done', 'failed', 'doubt', 'detached', 'skipped', 'open'],
      },
      files: { type: 'array', items: { $ref: '#/definitions/file' } },
      run: runId,
      failure: { description: 'why, or a flaw of what was delivered', ...failed },
      credits: { description: 'what the service says that it cost', type: 'number' },
    },
    optional: ['run', 'failure', 'credits'],
  },
  end: {
    says: 'stands last; the sums are absent when nothing was carried out',
    has: {
      exit: { description: 'the exit code', type: 'integer' },
      counts: {
        description: 'jobs by their ending',
        type: 'object',
        propertyNames: { enum: [...endings] },
        additionalProperties: countFrom(0),
      },
      paid: { description: 'requests that could cost money', ...countFrom(0) },
      requests: { description: 'of any kind', ...countFrom(0) },
      cost,
      seconds: { type: 'number', minimum: 0 },
      problems: { type: 'array', items: { $ref: '#/definitions/problem' } },
      error: {
        description: 'why nothing was done',
        ...closedRecord({ code: text, message: text, hint: text }, ['hint']),
      },
    },
    optional: ['counts', 'paid', 'requests', 'cost', 'seconds', 'error'],
  },
}
