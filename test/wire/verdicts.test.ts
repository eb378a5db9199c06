import { expect, test } from 'vitest'
import { runId } from '../../src/base/names.ts'
import { readOrderAnswer, readResultAnswer } from '../../src/wire/answers/dialect.ts'
import { type Answer, readBody } from '../../src/wire/http/answer.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'

/*
 * What a service may answer, and what the built-in profile makes of it: to an order that is to run at the service, to one
 * whose answer is to be its result, and when the result is asked for. dialect.test.ts looks at each of them closely.
 */

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const link = 'https://cdn.example/a.png'
const two = [link, 'https://cdn.example/b.png']
const page = '<!doctype html><title>Sign in</title>'
const finished = { id: 'r1', status: 'completed' }

type Row = [
  what: string,
  status: number,
  body: unknown,
  submit: string,
  execute: string,
  result: string,
  headers?: { readonly [name: string]: string },
]

const rows: readonly Row[] = [
  // Runs.
  ['an id at the top', 200, { id: 'r1' }, 'run r1', 'run r1', 'pending'],
  ['an id under response', 200, { response: { id: 'r1', status: 'QUEUED' } }, 'run r1', 'run r1', 'pending'],
  ['an id under data', 200, { code: 0, data: { id: 'r1' } }, 'run r1', 'run r1', 'pending'],
  ['a jobId', 200, { jobId: 'r1', status: 'Accepted' }, 'run r1', 'run r1', 'pending'],
  ['a request_id', 202, { request_id: 'r1', status: 'IN_QUEUE' }, 'run r1', 'run r1', 'pending'],
  ['a task_id', 200, { data: { task_id: 'r1', task_status: 'submitted' } }, 'run r1', 'run r1', 'pending'],
  ['a Location', 202, '', 'run r1', 'run r1', 'pending', { location: '/gw-v2/workflows/w/r1/result' }],
  ['a created run', 201, { id: 'r1' }, 'run r1', 'run r1', 'pending'],
  // Unfinished.
  ['a running word', 200, { id: 'r1', status: 'In-Progress' }, 'run r1', 'run r1', 'pending'],
  ['a word nobody knows', 200, { id: 'r1', status: 'simmering' }, 'run r1', 'run r1', 'pending'],
  ['an empty 200', 200, '', 'doubt', 'doubt', 'pending'],
  ['an empty 202', 202, '', 'doubt', 'doubt', 'pending'],
  ['no content', 204, '', 'doubt', 'doubt', 'pending'],
  ['too early', 425, '', 'refused busy, again', 'refused busy, again', 'pending'],
  // Results.
  ['one link', 200, { ...finished, url: link }, 'run r1', 'files 1', 'files 1'],
  ['a list of links', 200, { ...finished, output: two }, 'run r1', 'files 2', 'files 2'],
  ['objects with url', 200, { ...finished, outputs: [{ url: link }] }, 'run r1', 'files 1', 'files 1'],
  ['video.url', 200, { ...finished, video: { url: link } }, 'run r1', 'files 1', 'files 1'],
  ['images[].url', 200, { ...finished, images: two.map(url => ({ url })) }, 'run r1', 'files 2', 'files 2'],
  ['audio.url', 200, { ...finished, audio: { url: link } }, 'run r1', 'files 1', 'files 1'],
  ['base64', 200, { ...finished, data: [{ b64_json: png }] }, 'run r1', 'files 1', 'files 1'],
  ['a data URI', 200, { ...finished, image: `data:image/png;base64,${png}` }, 'run r1', 'files 1', 'files 1'],
  ['raw bytes', 200, Buffer.from(png, 'base64'), 'files 1', 'files 1', 'files 1'],
  ['a bare link', 200, `${link}\n`, 'files 1', 'files 1', 'files 1'],
  ['a bare list', 200, two, 'files 2', 'files 2', 'files 2'],
  ['a result of another run', 200, { id: 'r2', output: link }, 'run r2', 'files 1', 'trouble bad-reply'],
  [
    'a finished run without files',
    200,
    { id: 'r1', status: 'done' },
    'run r1',
    'run r1',
    'trouble bad-reply',
  ],
  // Failures.
  [
    'a failed run',
    200,
    { id: 'r1', status: 'FAILED', error: 'boom' },
    'failed remote',
    'failed remote',
    'failed remote',
  ],
  [
    'a cancelled run',
    200,
    { id: 'r1', status: 'cancelled' },
    'failed remote',
    'failed remote',
    'failed remote',
  ],
  // No answers.
  ['a page', 200, page, 'doubt', 'doubt', 'trouble bad-reply'],
  ['broken JSON', 200, '{"id": "r1', 'doubt', 'doubt', 'trouble bad-reply'],
  ['an id that is a path', 200, { id: '..' }, 'doubt', 'doubt', 'pending'],
  // Statuses.
  ['bad request', 400, { error: 'no' }, 'refused refused', 'refused refused', 'trouble refused'],
  [
    'a content refusal',
    400,
    { error: 'content policy' },
    'refused rejected-content',
    'refused rejected-content',
    'failed rejected-content',
  ],
  ['a wrong key', 401, '', 'refused unauthorized', 'refused unauthorized', 'trouble unauthorized'],
  ['no credit', 402, '', 'refused no-credit', 'refused no-credit', 'trouble no-credit'],
  ['forbidden', 403, page, 'refused unauthorized', 'refused unauthorized', 'trouble unauthorized'],
  ['not found', 404, '', 'refused not-served', 'refused not-served', 'trouble refused'],
  ['a timeout of theirs', 408, '', 'doubt', 'doubt', 'trouble bad-reply'],
  ['a conflict', 409, '', 'refused refused', 'refused refused', 'trouble refused'],
  ['too large', 413, '', 'refused refused', 'refused refused', 'trouble refused'],
  ['unprocessable', 422, '', 'refused refused', 'refused refused', 'trouble refused'],
  ['locked', 423, '', 'doubt', 'doubt', 'trouble refused'],
  ['too many', 429, '', 'refused busy, again', 'refused busy, again', 'trouble busy', { 'retry-after': '3' }],
  [
    'a redirect',
    302,
    '',
    'refused refused',
    'refused refused',
    'trouble refused',
    { location: 'https://b.example/' },
  ],
  ['see other', 303, '', 'doubt', 'doubt', 'trouble refused', { location: '/x' }],
  ['their mistake', 500, '', 'doubt', 'doubt', 'trouble bad-reply'],
  ['not implemented', 501, '', 'refused refused', 'refused refused', 'trouble bad-reply'],
  ['a bad gateway', 502, page, 'doubt', 'doubt', 'trouble bad-reply'],
  ['overloaded', 503, '', 'doubt', 'doubt', 'trouble busy'],
  ['a gateway timeout', 504, { id: 'r1' }, 'doubt', 'doubt', 'trouble bad-reply'],
]

test('there are enough of them', () => {
  expect(rows.length).toBeGreaterThanOrEqual(40)
})

test.each<Row>(rows)('%s (%i)', (_, status, body, submit, execute, result, headers = {}) => {
  const answer = answerOf(status, body, headers)
  const order = (mode: 'submit' | 'execute') => ({ mode, workflow: 'w', params: { prompt: 'a teapot' } })
  const id = runId('r1') ?? expect.fail('no id')
  expect({
    submit: verdict(readOrderAnswer(gwV2, order('submit'), answer)),
    execute: verdict(readOrderAnswer(gwV2, order('execute'), answer)),
    result: verdict(readResultAnswer(gwV2, id, answer)),
  }).toEqual({ submit, execute, result })
})

function answerOf(status: number, body: unknown, headers: Answer['headers']): Answer {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return { status, headers, body: readBody(Buffer.from(raw as string)), at: 0 }
}

/** In a word or two. */
function verdict(reply: ReturnType<typeof readOrderAnswer> | ReturnType<typeof readResultAnswer>): string {
  switch (reply.got) {
    case 'run':
      return `run ${reply.id}`
    case 'files':
      return `files ${reply.outputs.length}`
    case 'refused':
      return `refused ${reply.failure.why}${reply.canRetry ? ', again' : ''}`
    case 'failure':
      return `failed ${reply.failure.why}`
    case 'trouble':
      return `trouble ${reply.failure.why}`
    case 'pending':
    case 'finished':
    case 'doubt':
      return reply.got
  }
}
