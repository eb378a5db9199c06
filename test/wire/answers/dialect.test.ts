import { describe, expect, test } from 'vitest'
import { type JsonObject, runId } from '../../../src/base/names.ts'
import { readOrderAnswer, readResultAnswer } from '../../../src/wire/answers/dialect.ts'
import { type Answer, readBody } from '../../../src/wire/http/answer.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import type { Profile } from '../../../src/wire/profile/profile.ts'
import { requestBody } from '../../../src/wire/profile/request.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const jpeg = '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRof'
const page = '<!doctype html><title>502</title><p>Bad gateway</p>'
const a = 'https://cdn.example/a.png'
const b = 'https://cdn.example/b.png'
const clip = 'https://cdn.example/clip?signature=abc'

type Sent = string | Uint8Array | object

function answer(status: number, body: Sent = '', headers: { [name: string]: string } = {}): Answer {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return {
    status,
    headers,
    body: readBody(Buffer.from(text as string)),
    at: Date.parse('2026-03-01T12:00:00Z'),
  }
}

const params = { prompt: 'a teapot', startFrame: 'https://shop.example/in.png' }
const order = (mode: 'execute' | 'submit', more: JsonObject = {}) => ({
  mode,
  workflow: 'famc-v3',
  params: { ...params, ...more },
})
const submitted = (status: number, body?: Sent, headers?: { [name: string]: string }) =>
  readOrderAnswer(gwV2, order('submit'), answer(status, body, headers))
const executed = (status: number, body?: Sent, headers?: { [name: string]: string }) =>
  readOrderAnswer(gwV2, order('execute'), answer(status, body, headers))
const read = (status: number, body?: Sent, headers?: { [name: string]: string }) =>
  readResultAnswer(gwV2, runId('r1') ?? expect.fail('no id'), answer(status, body, headers))

const links = (...urls: string[]) => urls.map(url => ({ is: 'link', url }))
const bytes = (text: string) => [{ is: 'base64', text }]

describe('a submission names its run', () => {
  test.each<[string, Sent, string]>([
    ['at the top', { id: 'r1' }, 'r1'],
    ['at the top, as a number', { id: 4711 }, '4711'],
    [
      'at the top, as a number beyond what a double holds',
      '{"id": 12345678901234567890}',
      '12345678901234567890',
    ],
    ['under response', { response: { id: 'r1', status: 'QUEUED' } }, 'r1'],
    ['under data', { code: 0, data: { id: 'r1' } }, 'r1'],
    ['as jobId', { jobId: 'r1', status: 'accepted' }, 'r1'],
    ['as request_id', { request_id: 'r1', status: 'IN_QUEUE' }, 'r1'],
    ['as task_id', { task_id: 'r1' }, 'r1'],
    ['as task_id beside the id of the exchange', { request_id: 'x', data: { task_id: 'r1' } }, 'r1'],
    ['while the envelope says success', { status: 'success', data: { id: 'r1', status: 'Pending' } }, 'r1'],
    ['beside links of other kinds', { id: 'r1', url: 'https://service.example/runs/r1' }, 'r1'],
    ['beside what was sent', { id: 'r1', params: { imageUrls: [a] } }, 'r1'],
    ['beside an error of null', { id: 'r1', error: null }, 'r1'],
  ])('%s', (_, body, id) => {
    expect(submitted(200, body)).toEqual({ got: 'run', id })
  })

  test.each([
    ['https://service.example/gw-v2/workflows/famc-v3/r1/result'],
    ['/gw-v2/workflows/famc-v3/r1/result?x=1'],
    ['runs/r1'],
  ])('in the Location header %s', location => {
    expect(submitted(202, '', { location })).toEqual({ got: 'run', id: 'r1' })
  })

  test('and is told how long to wait before asking', () => {
    expect(submitted(202, { id: 'r1' }, { 'retry-after': '2.5' })).toEqual({
      got: 'run',
      id: 'r1',
      waitMs: 2500,
    })
  })
})

describe('an answer to a paid request that proves nothing is doubt', () => {
  test.each<[string, number, Sent, string]>([
    [
      'an id that cannot stand in an address',
      200,
      { id: '..' },
      'the answer holds neither an id nor a result',
    ],
    ['an id with a line end', 200, { id: 'r1\n' }, 'the answer holds neither an id nor a result'],
    ['an empty body', 200, '', 'the answer holds neither an id nor a result'],
    ['no content', 204, '', 'the answer holds neither an id nor a result'],
    [
      'a running word without an id',
      200,
      { status: 'processing', output: a },
      'the answer holds neither an id nor a result',
    ],
    ['408', 408, '', 'status 408'],
    ['a redirect by 303', 303, '', 'status 303'],
    ['423', 423, { error: 'locked' }, 'status 423, locked'],
    ['500', 500, { error: { message: 'oops' } }, 'status 500, oops'],
    ['502 with a page', 502, page, 'status 502'],
    ['503', 503, 'overloaded', 'status 503, overloaded'],
    [
      '504 that names a run',
      504,
      { id: 'r1', message: 'timed out' },
      'status 504, timed out; it names the run r1',
    ],
    ['a status that nobody has defined', 599, '', 'status 599'],
  ])('%s', (_, status, body, detail) => {
    expect(submitted(status, body)).toEqual({ got: 'doubt', detail })
  })

  test.each<[string, Sent, string | undefined, string | undefined]>([
    ['a page', page, 'text/html; charset=utf-8', 'text/html'],
    ['a page of no type', page, undefined, 'text of no type'],
    ['a page that is called JSON', page, 'application/json', 'application/json'],
    ['nothing, as a page', '', 'Text/HTML', 'text/html'],
    ['text', 'OK', 'text/plain', 'text/plain'],
    ['nothing', '', undefined, undefined],
    ['JSON of another shape', { ok: true }, 'application/json', undefined],
  ])('%s: whether it is evidently of no such service', (_, body, type, foreign) => {
    const detail = expect.stringContaining('the answer holds neither an id nor a result')
    for (const mode of ['submit', 'execute'] as const) {
      const sent = { ...answer(200, body), headers: { 'content-type': type } }
      expect(readOrderAnswer(gwV2, order(mode), sent)).toEqual({ got: 'doubt', detail, foreign })
    }
  })

  test('a body that broke off, even when it begins like an answer', () => {
    const cut = { ...answer(200, { id: 'r1' }), flaw: 'the answer broke off after 11 bytes' }
    const detail = 'the answer broke off after 11 bytes; it names the run r1'
    expect(readOrderAnswer(gwV2, order('submit'), cut)).toEqual({ got: 'doubt', detail })
  })
})

describe('an answer to a paid request is a refusal', () => {
  test.each<[number, Sent, object]>([
    [
      400,
      { error: 'duration must be one of 3, 5' },
      { why: 'refused', status: 400, detail: 'duration must be one of 3, 5' },
    ],
    [401, { message: 'bad key' }, { why: 'unauthorized', status: 401, detail: 'bad key' }],
    [402, { detail: 'no credits' }, { why: 'no-credit', detail: 'no credits' }],
    [403, page, { why: 'unauthorized', status: 403, detail: '' }],
    [404, '', { why: 'not-served', workflow: 'famc-v3', detail: '' }],
    [405, '', { why: 'refused', status: 405, detail: '' }],
    [406, '', { why: 'refused', status: 406, detail: '' }],
    [409, '', { why: 'refused', status: 409, detail: '' }],
    [410, '', { why: 'refused', status: 410, detail: '' }],
    [411, '', { why: 'refused', status: 411, detail: '' }],
    [413, 'too large', { why: 'refused', status: 413, detail: 'too large' }],
    [414, '', { why: 'refused', status: 414, detail: '' }],
    [415, '', { why: 'refused', status: 415, detail: '' }],
    [421, '', { why: 'refused', status: 421, detail: '' }],
    [422, { detail: [{ msg: 'field required' }] }, { why: 'refused', status: 422, detail: 'field required' }],
    [428, '', { why: 'refused', status: 428, detail: '' }],
    [431, '', { why: 'refused', status: 431, detail: '' }],
    [451, '', { why: 'refused', status: 451, detail: '' }],
    [501, '', { why: 'refused', status: 501, detail: '' }],
    [
      400,
      { error: { message: 'blocked by our content policy' } },
      { why: 'rejected-content', detail: 'blocked by our content policy' },
    ],
    [
      422,
      { error: { message: 'no', code: 'CONTENT_MODERATION' } },
      { why: 'rejected-content', detail: 'no' },
    ],
    [
      403,
      { error: 'Your prompt was flagged by the safety system' },
      { why: 'rejected-content', detail: 'Your prompt was flagged by the safety system' },
    ],
  ])('by status %i', (status, body, failure) => {
    expect(submitted(status, body)).toEqual({ got: 'refused', failure, canRetry: false })
  })

  test.each([425, 429])('by status %i, and may be sent again', status => {
    const reply = submitted(status, { error: 'slow down' }, { 'retry-after': '3' })
    expect(reply).toEqual({
      got: 'refused',
      failure: { why: 'busy', detail: 'slow down' },
      canRetry: true,
      waitMs: 3000,
    })
  })

  test.each([301, 302, 307, 308])('by a redirect %i, which is told without its query', status => {
    const location = 'https://elsewhere.example/x?token=secret'
    const detail = 'a redirect to https://elsewhere.example/x'
    expect(submitted(status, '', { location })).toEqual({
      got: 'refused',
      failure: { why: 'refused', status, detail },
      canRetry: false,
    })
  })

  test('by its status alone: a body that broke off changes nothing', () => {
    const cut = { ...answer(429, ''), flaw: 'the answer broke off after 0 bytes' }
    expect(readOrderAnswer(gwV2, order('submit'), cut)).toMatchObject({ got: 'refused', canRetry: true })
  })

  test('by a status that a profile moved', () => {
    const moved: Profile = { ...gwV2, refused: { ...gwV2.refused, 503: 'always' } }
    const reply = readOrderAnswer(moved, order('submit'), answer(503, '', { 'retry-after': '7' }))
    expect(reply).toEqual({
      got: 'refused',
      failure: { why: 'busy', detail: '' },
      canRetry: true,
      waitMs: 7000,
    })
  })

  test('but 409 is doubt where a key may meet its own first order', () => {
    const honoured: Profile = { ...gwV2, idempotency: { header: 'Idempotency-Key', honoured: true } }
    expect(readOrderAnswer(honoured, order('submit'), answer(409))).toEqual({
      got: 'doubt',
      detail: 'status 409',
    })
  })
})

describe('outputs are found', () => {
  test.each<[string, Sent, object[]]>([
    ['as one link', { url: clip }, links(clip)],
    ['as one link and nothing else', `"${clip}"`, links(clip)],
    ['as one link in plain text', `${clip}\n`, links(clip)],
    ['as a list of links', { output: [a, b] }, links(a, b)],
    ['as a bare list', [a, b], links(a, b)],
    ['as a list of objects', { images: [{ url: a, width: 1 }, { url: b }] }, links(a, b)],
    ['under video', { video: { url: clip, content_type: 'video/mp4' } }, links(clip)],
    ['under audio', { data: { audio: { url: clip } } }, links(clip)],
    [
      'under response.outputs',
      { response: { id: 'r1', status: 'Completed', outputs: [{ url: clip }] } },
      links(clip),
    ],
    [
      'under data.task_result',
      { data: { task_id: 'r1', task_status: 'succeed', task_result: { videos: [{ url: clip }] } } },
      links(clip),
    ],
    ['in a list below data', { data: [{ url: a }, { url: b }] }, links(a, b)],
    ['as camelCase links', { result: { videoUrl: clip } }, links(clip)],
    ['as a list of image_urls', { data: { image_urls: [a, b] } }, links(a, b)],
    ['as links in chat style', { content: [{ type: 'image_url', image_url: { url: a } }] }, links(a)],
    ['as a link on the same host', { result: { url: '/files/a.png' } }, links('/files/a.png')],
    ['once, when two keys show the same file', { url: a, images: [{ url: a }] }, links(a)],
    ['once, when an object shows one file in two ways', { output: { url: a, download_url: b } }, links(a)],
    [
      'without thumbnails and covers',
      { video: { url: clip, thumbnail: { url: a } }, cover: { url: b } },
      links(clip),
    ],
    [
      'beside links of the run itself',
      { urls: { get: 'https://s.example/r1', cancel: 'https://s.example/x' }, output: a },
      links(a),
    ],
    ['beside a link to the run', { url: 'https://s.example/runs/r1', outputs: [{ url: clip }] }, links(clip)],
    [
      'beside the inputs that were sent',
      { params: { startFrame: b }, input: { image: b }, request: { url: b }, output: { url: a } },
      links(a),
    ],
    ['beside inputs echoed at the top', { imageUrls: [b], videoUrl: b, result: { url: a } }, links(a)],
    [
      'under a key nobody knows, by the name of the file',
      { foo: { bar: [{ mp4: 'https://cdn.example/x.mp4?s=1' }] } },
      links('https://cdn.example/x.mp4?s=1'),
    ],
    ['as base64', { data: [{ b64_json: png }] }, bytes(png)],
    ['as base64 of a JPEG, which begins like a path', { image: jpeg }, bytes(jpeg)],
    ['as base64 where a link is null', { images: [{ url: null, b64_json: png }] }, bytes(png)],
    ['as a data URI', { images: [`data:image/png;base64,${png}`] }, bytes(`data:image/png;base64,${png}`)],
    [
      'as a data URI where a link is expected',
      { image: { url: `data:image/png;base64,${png}` } },
      bytes(`data:image/png;base64,${png}`),
    ],
    ['as the raw bytes', Buffer.from(png, 'base64'), [{ is: 'body' }]],
    ['as raw bytes of a video', Buffer.from('00000018667479706d703432', 'hex'), [{ is: 'body' }]],
  ])('%s', (_, body, outputs) => {
    expect(executed(200, body)).toMatchObject({ got: 'files', outputs })
    expect(read(200, body)).toMatchObject({ got: 'files', outputs })
  })

  test.each<[string, Sent]>([
    [
      'what was sent, under params',
      { params: { imageUrls: [a] }, input: { image: a }, request: { body: { url: a } } },
    ],
    [
      'thumbnails and addresses of the run',
      { status_url: 'https://s.example/1', preview: { url: a }, links: { self: 'https://s.example/2' } },
    ],
    [
      'names of files',
      { output: 'file-123', result: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' },
    ],
    ['a prompt with a link in it', { output: `see ${a}` }],
  ])('but not in %s', (_, body) => {
    expect(executed(200, body).got).toBe('doubt')
    expect(read(200, body)).toEqual({ got: 'pending' })
  })

  test('but an input that comes back is no output of a paid request', () => {
    const body = { output: { url: params.startFrame } }
    expect(readOrderAnswer(gwV2, order('execute'), answer(200, body)).got).toBe('doubt')
  })

  test('at the place a profile names, before anywhere else', () => {
    const custom: Profile = { ...gwV2, response: { ...gwV2.response, outputs: ['/made/here'] } }
    const reply = readOrderAnswer(custom, order('execute'), answer(200, { output: b, made: { here: [a] } }))
    expect(reply).toMatchObject({ got: 'files', outputs: links(a) })
  })

  test('within bounds of depth and number', () => {
    const deep = `${'{"data":'.repeat(50_000)}{"url":"${a}"}${'}'.repeat(50_000)}`
    expect(executed(200, deep).got).toBe('doubt')
    const many = { outputs: Array.from({ length: 9000 }, (_, n) => `https://cdn.example/${n}.png`) }
    const reply = executed(200, many)
    expect(reply.got === 'files' && reply.outputs.length).toBe(64)
  })
})

describe('an execution', () => {
  test('that finished is its files, with its run and what it cost', () => {
    const body = { id: 'r1', status: 'completed', credits: 12.5, outputs: [{ url: a }] }
    expect(executed(200, body)).toEqual({ got: 'files', outputs: links(a), id: 'r1', credits: 12.5 })
  })

  test('that became asynchronous is a run', () => {
    expect(executed(202, { id: 'r1', status: 'IN PROGRESS' })).toEqual({ got: 'run', id: 'r1' })
    expect(executed(200, { request_id: 'r1', response_url: 'https://s.example/r1' })).toEqual({
      got: 'run',
      id: 'r1',
    })
  })

  test('whose files come with the id of the exchange only has no run to go back to', () => {
    expect(executed(200, { request_id: 'x', images: [{ url: a }] })).toEqual({
      got: 'files',
      outputs: links(a),
    })
  })

  test.each<[string, Sent, object]>([
    [
      'a failure word',
      { id: 'r1', status: 'FAILED', error: { message: 'out of memory' } },
      { failure: { why: 'remote', detail: 'out of memory' }, id: 'r1' },
    ],
    [
      'a canceled run',
      { id: 'r1', status: 'Cancelled' },
      { failure: { why: 'remote', detail: 'Cancelled' }, id: 'r1' },
    ],
    [
      'refused content',
      { status: 'failed', error: 'Content policy violation' },
      { failure: { why: 'rejected-content', detail: 'Content policy violation' } },
    ],
    [
      'a word for refused content',
      { id: 'r1', status: 'Content Moderated' },
      { failure: { why: 'rejected-content', detail: 'Content Moderated' }, id: 'r1' },
    ],
    [
      'an error and nothing else',
      { error: { message: 'model crashed' } },
      { failure: { why: 'remote', detail: 'model crashed' } },
    ],
    ['a flag', { success: false, message: 'no worker' }, { failure: { why: 'remote', detail: 'no worker' } }],
  ])('that failed at the service is a failure: %s', (_, body, failure) => {
    expect(executed(200, body)).toEqual({ got: 'failure', ...failure })
  })
})

describe('a result', () => {
  test.each<[string, number, Sent, object]>([
    ['200 with a word', 200, { id: 'r1', status: 'IN_PROGRESS' }, {}],
    ['200 with a word in another spelling', 200, { status: 'In Progress' }, {}],
    ['200 with a word under data', 200, { status: 'success', data: { task_status: 'processing' } }, {}],
    ['200 with an empty body', 200, '', {}],
    ['200 with an empty object', 200, {}, {}],
    ['200 with only its id', 200, { id: 'r1' }, {}],
    ['200 with a flag', 200, { success: true }, {}],
    ['202', 202, '', {}],
    ['202 with links of its own', 202, { id: 'r1', url: 'https://s.example/r1' }, {}],
    ['202 that went well as an exchange', 202, { status: 'ok' }, {}],
    ['204', 204, '', {}],
    ['425', 425, { error: 'too early' }, {}],
    ['a word nobody knows', 200, { status: 'Percolating', output: a }, { word: 'Percolating' }],
    ['progress as a fraction', 200, { status: 'running', progress: 0.25 }, { progress: 0.25 }],
    ['progress in percent', 200, { data: { status: 'running', progress: 40 } }, { progress: 0.4 }],
    ['progress as text', 200, { status: 'running', progress: '40%' }, { progress: 0.4 }],
  ])('is not there yet: %s', (_, status, body, more) => {
    expect(read(status, body)).toEqual({ got: 'pending', ...more })
  })

  test('that is not there yet can say when to ask again', () => {
    expect(read(202, '', { 'retry-after': '1' })).toEqual({ got: 'pending', waitMs: 1000 })
  })

  test('is its files once it is finished, also with 202', () => {
    const body = { id: 'r1', status: 'completed', cost: 3, outputs: [a] }
    expect(read(200, body)).toEqual({ got: 'files', outputs: links(a), credits: 3 })
    expect(read(202, body)).toEqual({ got: 'files', outputs: links(a), credits: 3 })
  })

  test.each<[string, number, Sent, object]>([
    [
      'a failure word',
      200,
      { status: 'ERROR', message: 'out of memory' },
      { why: 'remote', detail: 'out of memory' },
    ],
    [
      'a failure within a good envelope',
      200,
      {
        code: 0,
        message: 'SUCCEED',
        data: { task_id: 'r1', task_status: 'failed', task_status_msg: 'bad frame' },
      },
      { why: 'remote', detail: 'bad frame' },
    ],
    ['an error without a word', 200, { error: 'gone wrong' }, { why: 'remote', detail: 'gone wrong' }],
    [
      'refused content',
      200,
      { status: 'failed', error: { message: 'x', type: 'nsfw' } },
      { why: 'rejected-content', detail: 'x' },
    ],
    [
      'refused content by status 422',
      422,
      { detail: [{ msg: 'flagged by the content checker' }] },
      { why: 'rejected-content', detail: 'flagged by the content checker' },
    ],
    [
      'an error status that names the run',
      500,
      { id: 'r1', status: 'failed', error: 'worker died' },
      { why: 'remote', detail: 'worker died' },
    ],
  ])('has failed: %s', (_, status, body, failure) => {
    expect(read(status, body)).toEqual({ got: 'failure', failure })
  })

  test.each<[string, number, Sent, object]>([
    [
      'another id',
      200,
      { id: 'r2', status: 'completed', output: a },
      { why: 'bad-reply', detail: 'the answer names another run' },
    ],
    [
      'the failure of another run',
      200,
      { id: 'r2', status: 'failed' },
      { why: 'bad-reply', detail: 'the answer names another run' },
    ],
    ['a page', 200, page, { why: 'bad-reply', detail: 'the answer is not JSON' }],
    ['broken JSON', 200, '{"status": "comp', { why: 'bad-reply', detail: 'the answer is not JSON' }],
    [
      '401',
      401,
      { success: false, message: 'bad key' },
      { why: 'unauthorized', status: 401, detail: 'bad key' },
    ],
    [
      '404',
      404,
      { status: 'error', message: 'no such run' },
      { why: 'refused', status: 404, detail: 'no such run' },
    ],
    ['429', 429, '', { why: 'busy', detail: '' }],
    [
      '500 with a word for the exchange',
      500,
      { status: 'error', message: 'oops' },
      { why: 'bad-reply', detail: 'status 500, oops' },
    ],
    ['502 with a page', 502, page, { why: 'bad-reply', detail: 'status 502' }],
    ['503', 503, '', { why: 'busy', detail: '' }],
    ['a redirect', 302, '', { why: 'refused', status: 302, detail: '' }],
  ])('told nothing about the run: %s', (_, status, body, failure) => {
    expect(read(status, body)).toEqual({ got: 'trouble', failure })
  })

  test('told that the run is finished, and nothing of what it made', () => {
    const failure = { why: 'bad-reply', detail: 'the run is finished, but its answer holds no output' }
    expect(read(200, { status: 'completed' })).toEqual({ got: 'trouble', failure, isFinished: true })
  })

  test('may name the exchange beside the run', () => {
    expect(read(200, { request_id: 'x', output: [a] })).toEqual({ got: 'files', outputs: links(a) })
    expect(read(200, { id: 'output-7', task_id: 'r1', output: [a] })).toEqual({
      got: 'files',
      outputs: links(a),
    })
  })
})

describe('a request body', () => {
  const given = { model: 'famc-v3', params: { prompt: 'a teapot', aspectRatio: '16:9', duration: 5 } }

  test('is the model and the parameters under params, in their order', () => {
    expect(JSON.stringify(requestBody(gwV2, given))).toBe(
      '{"params":{"model":"famc-v3","prompt":"a teapot","aspectRatio":"16:9","duration":5}}',
    )
  })

  test('is what the profile makes of it', () => {
    const request = {
      ...gwV2.request,
      envelope: ['input', 'params'],
      model: undefined,
      case: 'snake',
      rename: { duration: 'lengthSeconds' },
      constants: { version: 2 },
    } as const
    expect(requestBody({ ...gwV2, request }, given)).toEqual({
      version: 2,
      input: { params: { prompt: 'a teapot', aspect_ratio: '16:9', lengthSeconds: 5 } },
    })
  })

  test('can have no envelope', () => {
    const request = { ...gwV2.request, envelope: [] }
    expect(requestBody({ ...gwV2, request }, given)).toMatchObject({ model: 'famc-v3', prompt: 'a teapot' })
  })
})

describe('a state that is a number', () => {
  const { response } = gwV2
  const words = { ...response.words, running: ['1', '2'], succeeded: ['3'], failed: ['4'] }
  const numbered = { ...gwV2, response: { ...response, status: ['/job/state'], words } }
  const state = (value: number, more: object = {}) =>
    readResultAnswer(
      numbered,
      runId('r1') ?? expect.fail('no id'),
      answer(200, { job: { state: value }, ...more } as Sent),
    ).got

  test.each<[number, string]>([
    [2, 'pending'],
    [3, 'files'],
    [4, 'failure'],
    [9, 'pending'],
  ])('counts by its digits where the profile names its place: %s', (value, got) => {
    expect(state(value, { output: 'https://cdn.example/a.png' })).toBe(got)
  })

  test('says nothing at the places that many services use for a status of the exchange', () => {
    expect(read(200, { status: 4, output: 'https://cdn.example/a.png' })).toMatchObject({ got: 'files' })
  })
})
