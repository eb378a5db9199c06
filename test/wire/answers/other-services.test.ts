import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/base/names.ts'
import { type RunId, runId } from '../../../src/base/names.ts'
import { readOrderAnswer, readResultAnswer } from '../../../src/wire/answers/dialect.ts'
import { type Answer, readBody } from '../../../src/wire/http/answer.ts'
import { readProfile } from '../../../src/wire/profile/profile-file.ts'

const profile = (text: string) =>
  readProfile({ name: 'p', text }).value ?? expect.fail('the profile has problems')
const id = (text: string): RunId => runId(text) ?? expect.fail('no id')
const order = { mode: 'submit', workflow: 'w', params: {} } as const
const answer = (status: number, value: Json, more: Partial<Answer> = {}): Answer => ({
  status,
  headers: {},
  body: readBody(Buffer.from(JSON.stringify(value))),
  at: 0,
  ...more,
})

describe('an answer that proves a refusal by its words', () => {
  const words = profile(`
response: { id: /data/id, error: /message }
refusedWhen:
  - { at: /code, is: [1302], means: busy }
  - { at: /code, is: [1002], means: unauthorized }
  - { at: /code, is: [1100], means: no-credit }
  - { status: 500, at: /code, is: [rejected], means: refused }
`)
  const read = (...given: Parameters<typeof answer>) => readOrderAnswer(words, order, answer(...given))
  test.each<[number, Json, object]>([
    [200, { code: 1302, message: 'slow' }, { failure: { why: 'busy', detail: 'slow' }, canRetry: true }],
    [200, { code: '1302', message: 'slow' }, { failure: { why: 'busy' }, canRetry: true }],
    [200, { code: 1002, message: 'who' }, { failure: { why: 'unauthorized' }, canRetry: false }],
    [500, { code: 1100, message: 'empty' }, { failure: { why: 'no-credit' }, canRetry: false }],
    [500, { code: 'rejected', message: 'no' }, { failure: { why: 'refused', status: 500 }, canRetry: false }],
  ])('status %d with %j is one', (status, value, expected) => {
    expect(read(status, value)).toMatchObject({ got: 'refused', ...expected })
  })

  test.each<[string, number, Json, Partial<Answer>, string]>([
    ['another word', 500, { code: 7 }, {}, 'doubt'],
    ['the word at another status', 503, { code: 'rejected' }, {}, 'doubt'],
    ['an answer that broke off', 200, { code: 1302 }, { flaw: 'cut off' }, 'doubt'],
    ['an answer that names a run', 200, { code: 1302, data: { id: 'r1' } }, {}, 'run'],
    ['no word at all', 200, {}, {}, 'doubt'],
  ])('%s is none', (_, status, value, more, got) => {
    expect(read(status, value, more).got).toBe(got)
  })
})

describe('a run is known by the address that its answer gives', () => {
  const polled = profile(
    "endpoints: { order: /v1, result: '/v1/${{ id }}' }\nresponse: { id: /id, poll: [Operation-Location, /urls/get] }",
  )
  const known = (value: Json, headers: Answer['headers'] = {}) => {
    const verdict = readOrderAnswer(polled, order, answer(202, value, { headers }))
    return verdict.got === 'run' ? verdict.id : verdict.got
  }
  test.each<[Json, Answer['headers'], string]>([
    [{ id: 'r1', urls: { get: '/v1/r1' } }, {}, '/v1/r1'],
    [
      { id: 'r1' },
      { 'operation-location': 'https://a.example/ops/r1?api-version=1' },
      'https://a.example/ops/r1?api-version=1',
    ],
    [{ id: 'r1' }, {}, 'r1'],
    // A signature is no name: it would be written down.
    [{ id: 'r1', urls: { get: '/v1/r1?sig=abc' } }, {}, 'r1'],
    [{ id: 'r1', urls: { get: '/v1/r1?X-Amz-Security-Token=abc' } }, {}, 'r1'],
    [{ urls: { get: '/v1/r1?signature=abc' } }, {}, 'doubt'],
    [{ id: 'r1', urls: { get: `/v1/${'x'.repeat(300)}` } }, {}, 'r1'],
  ])('%j with %j by %s', (value, headers, name) => {
    expect(known(value, headers)).toBe(name)
  })

  test.each<[string, Json, string]>([
    ['/v1/runs/r1', { id: 'r1', status: 'running' }, 'pending'],
    ['https://a.example/get?id=r1', { id: 'r1', status: 'running' }, 'pending'],
    ['models/x/operations/r1', { id: 'operations/r1', status: 'running' }, 'pending'],
    ['/v1/runs/r1', { id: 'r2', status: 'running' }, 'trouble'],
    ['/v1/runs/r11', { id: 'r1', status: 'running' }, 'trouble'],
    ['r1', { id: 'r2', status: 'running' }, 'trouble'],
  ])('asked for as %s, %j is %s', (name, value, got) => {
    expect(readResultAnswer(polled, id(name), answer(200, value)).got).toBe(got)
  })
})

describe('a finished run whose files are asked for by a second request', () => {
  const told = profile('response: { id: /id, content: /links/file }')
  const always = profile(
    "endpoints: { order: /v1, result: '/v1/${{ id }}', content: '/v1/${{ id }}/file' }\nresponse: { id: /id }",
  )
  test('is finished, and no link beside its state is taken for a file', () => {
    const value = { id: 'r1', status: 'completed', video: { url: 'https://a.example/thumb.png' } }
    expect(readResultAnswer(always, id('r1'), answer(200, value))).toMatchObject({
      got: 'finished',
      at: undefined,
    })
    const linked = { ...value, links: { file: '/v1/r1/file' } }
    expect(readResultAnswer(told, id('r1'), answer(200, linked))).toMatchObject({
      got: 'finished',
      at: '/v1/r1/file',
    })
  })

  test('is not, while it goes on or when it failed; and without an address its answer is all there is', () => {
    expect(readResultAnswer(always, id('r1'), answer(200, { id: 'r1', status: 'queued' })).got).toBe(
      'pending',
    )
    expect(readResultAnswer(always, id('r1'), answer(200, { id: 'r1', status: 'failed' })).got).toBe(
      'failure',
    )
    const bare = { id: 'r1', status: 'completed', video: { url: 'https://a.example/a.mp4' } }
    expect(readResultAnswer(told, id('r1'), answer(200, bare)).got).toBe('files')
  })
})
