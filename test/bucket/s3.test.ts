import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type ObjectStore, openObjectStore } from '../../src/bucket/s3.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A store that answers as a test says, once for each; the last of the answers stays. */
async function storeThat(
  ...answers: Answer[]
): Promise<{ readonly store: ObjectStore; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const condition = request.headers['if-none-match'] === undefined ? '' : ' if new'
    seen.push(`${request.method} ${request.url}${condition}`)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    request.resume().on('end', () => answer?.(response, request))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const endpoint = `http://127.0.0.1:${port}`
  const access = {
    endpoint,
    region: 'eu-west-1',
    accessKeyId: 'id-of-mine',
    secretAccessKey: 'secret-of-mine',
  }
  const tools = { clock: systemClock, signal: new AbortController().signal, way: {}, waitMs: 1 }
  const store = await openObjectStore({ bucket: 'b', prefix: '' }, access, tools)
  onTestFinished(async () => {
    await store.close()
    server.closeAllConnections()
    server.close()
  })
  return { store, seen }
}

const xml = (status: number, text: string): Answer => {
  return response => response.writeHead(status, { 'content-type': 'application/xml' }).end(text)
}
const code = (status: number, word: string) => xml(status, `<Error><Code>${word}</Code></Error>`)
const contents = {
  type: 'text/plain',
  bytes: 3,
  body: () => Buffer.from('tea'),
}
const written: Answer = response => response.writeHead(200, { etag: '"1"' }).end()

test.each<[string, Answer, string, string, number]>([
  [
    'sends elsewhere',
    response => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    'the store answers 307',
    'the bucket is elsewhere: AWS_REGION, or AWS_ENDPOINT_URL_S3',
    1,
  ],
  [
    'has another name for the region',
    code(400, 'AuthorizationHeaderMalformed'),
    '400 Auth',
    'look at AWS_REGION',
    1,
  ],
  ['lets nobody in', code(403, 'AccessDenied'), 'answers 403 AccessDenied', 'look at the credentials', 1],
  ['has no such bucket', code(404, 'NoSuchBucket'), 'answers 404 NoSuchBucket', 'make the bucket', 1],
  [
    'is a page that says of everything that it is not there',
    response => response.writeHead(404, { 'content-type': 'text/html' }).end('<Code>NoSuchKey</Code>'),
    'the store answers 404',
    'look at AWS_ENDPOINT_URL_S3',
    1,
  ],
  ['says 404 of something else', code(404, 'NoSuchUpload'), 'answers 404 NoSuchUpload', 'run again', 1],
  ['is too busy', code(503, 'SlowDown'), 'answers 503 SlowDown', 'run again when it can be reached', 4],
  [
    'echoes what it was sent',
    (response, { headers }) =>
      xml(418, `<Error><Code>${headers.authorization}</Code></Error>`)(response, {} as never),
    'the store answers 418',
    'run again',
    1,
  ],
  [
    'has an answer without end',
    xml(403, `<Error>${'<a>'.repeat(100_000)}</Error>`),
    'the answer is longer than 8192 bytes',
    'run again',
    4,
  ],
  [
    'has an answer that is hard to look through',
    xml(403, '<a '.repeat(2700)),
    'answers 403',
    'look at the cred',
    1,
  ],
])('a store that %s is told of, and is not believed', async (_, answer, message, hint, times) => {
  const { store, seen } = await storeThat(answer)
  const told = await store.read('x').then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(told).toMatchObject({ name: 'ObjectStoreError', hint: expect.stringContaining(hint) })
  expect(String(told)).toContain(message)
  expect(String(told)).not.toMatch(/id-of-mine|Signature/)
  expect(seen).toEqual(Array.from({ length: times }, () => 'GET /b/x'))
})

test('what a store itself says that it has not is not there, and its answer about a size has no body', async () => {
  const { store } = await storeThat(code(404, 'NoSuchKey'), response => response.writeHead(404).end())
  expect(await store.read('x')).toBeUndefined()
  expect(await store.size('x')).toBeUndefined()
})

test.each<[string, Answer[], string, string[]]>([
  ['is there by now', [code(412, 'PreconditionFailed')], 'taken', ['PUT /b/x if new']],
  [
    'is written at the same time',
    [code(409, 'Conflict'), written],
    'written',
    ['PUT /b/x if new', 'PUT /b/x if new'],
  ],
  [
    'meets a store without conditions',
    [code(501, 'NotImplemented'), written],
    'written',
    ['PUT /b/x if new', 'PUT /b/x'],
  ],
])('a new object that %s is there once', async (_, answers, outcome, requests) => {
  const { store, seen } = await storeThat(...answers)
  expect(await store.write('x', contents, { isNew: true })).toBe(outcome)
  expect(seen).toEqual(requests)
})

test('what a store names an upload by is no markup and has an end', async () => {
  const begun = (id: string) =>
    xml(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  const fine = await storeThat(begun('a1-_.~b'))
  expect(await fine.store.parts?.begin('x', 'video/mp4')).toBe('a1-_.~b')
  for (const id of ['a&lt;b&gt;', 'a'.repeat(2000), '']) {
    const { store } = await storeThat(begun(id))
    await expect(store.parts?.begin('x', 'video/mp4')).rejects.toThrow('could not write s3://b/x')
  }
})
