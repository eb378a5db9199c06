import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runId } from '../../src/base/names.ts'
import { wireLimits } from '../../src/wire/http/limits.ts'
import { handClock } from './hand-clock.ts'
import { rawServer, webServer } from './servers.ts'
import { testFolder } from './spool.ts'
import { wireTo } from './wire-to.ts'

const run = (id = 'r1', workflow = 'famc-v3') => ({ workflow, id: runId(id) ?? expect.fail(`bad id ${id}`) })
const never = new AbortController().signal

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

test('a result is asked for by GET under its workflow and id, each encoded by itself', async () => {
  const server = await webServer(json(200, { status: 'running', progress: 50 }))
  const { wire } = await wireTo(server.origin)
  expect(await wire.read(run('a/b?c%2e', 'image/teapot'), never)).toEqual({ got: 'pending', progress: 0.5 })
  expect(server.requests[0]).toMatchObject({
    method: 'GET',
    path: '/gw-v2/workflows/image/teapot/a%2Fb%3Fc%252e/result',
    body: '',
    headers: { authorization: 'Bearer sk-secret' },
  })
})

test('before each answer over one connection may come others, and a download is no different', async () => {
  const ports = new Set<number | undefined>()
  const server = await webServer((request, response) => {
    ports.add(request.socket.remotePort)
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    response.writeContinue()
    if (request.url === '/file') response.end('bytes')
    else json(202, {})(request, response)
  })
  const { wire } = await wireTo(server.origin)
  for (let time = 0; time < 5; time++) expect(await wire.read(run(), never)).toEqual({ got: 'pending' })
  expect(ports.size).toBeLessThanOrEqual(2)
  const to = join(await testFolder(), 'file')
  for (let time = 0; time < 5; time++)
    expect(
      await wire.download({ from: 'link', url: `${server.origin}/file` }, to, { signal: never }),
    ).toMatchObject({ got: 'bytes', bytes: 5 })
  expect(ports.size).toBeLessThanOrEqual(4)
})

test('nothing of questions and downloads stays at a signal that lives as long as a run', async () => {
  const server = await webServer((request, response) => {
    if (request.url === '/file') response.end('bytes')
    else json(202, {})(request, response)
  })
  const { wire } = await wireTo(server.origin)
  const { signal } = new AbortController()
  const to = join(await testFolder(), 'file')
  for (let time = 0; time < 3; time++) {
    await wire.read(run(), signal)
    await wire.download({ from: 'link', url: `${server.origin}/file` }, to, { signal })
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(madeOf(signal)).toBe(0)
})

/** How many signals Node notes that were made of this one by `AbortSignal.any`. */
function madeOf(signal: AbortSignal): number {
  const noted = Object.getOwnPropertySymbols(signal).find(symbol =>
    String(symbol).includes('DependantSignals'),
  )
  return noted ? (Reflect.get(signal, noted)?.size ?? 0) : 0
}

test('result requests share connections', async () => {
  const ports = new Set<number | undefined>()
  const server = await webServer((request, response) => {
    ports.add(request.socket.remotePort)
    json(202, {})(request, response)
  })
  const { wire } = await wireTo(server.origin)
  for (let time = 0; time < 9; time++) expect(await wire.read(run(), never)).toEqual({ got: 'pending' })
  expect(ports.size).toBeLessThanOrEqual(2)
})

test('files come as links, as base64 and as the body', async () => {
  const video = Buffer.from('00000018667479706d70343200000000', 'hex')
  const server = await webServer((request, response) => {
    if (request.url?.includes('/raw/')) response.writeHead(200, { 'content-type': 'video/mp4' }).end(video)
    else if (request.url?.includes('/plain/')) response.writeHead(200).end(video)
    else if (request.url?.includes('/inline/'))
      json(200, { video: { b64_json: video.toString('base64') } })(request, response)
    else json(200, { status: 'Completed', video: { url: 'https://cdn.example/v.mp4' } })(request, response)
  })
  const { wire } = await wireTo(server.origin)
  expect(await wire.read(run('link'), never)).toEqual({
    got: 'files',
    files: [{ from: 'link', url: 'https://cdn.example/v.mp4' }],
  })
  for (const id of ['raw', 'plain', 'inline']) {
    const reply = await wire.read(run(id), never)
    const file = reply.got === 'files' ? reply.files[0] : undefined
    expect(file?.from === 'spool' && (await readFile(file.path)), id).toEqual(video)
  }
})

test('an answer about another run is trouble', async () => {
  const server = await webServer(
    json(200, { id: 'r2', status: 'completed', output: 'https://cdn.example/a.png' }),
  )
  const { wire } = await wireTo(server.origin)
  const failure = { why: 'bad-reply', detail: 'the answer names another run' }
  expect(await wire.read(run('r1'), never)).toEqual({ got: 'trouble', failure })
})

test.each<[string, string, string]>([
  ['closed without an answer', '', 'other side closed'],
  [
    'broken off within the body',
    'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"status"',
    'the answer broke off after 9 bytes (other side closed)',
  ],
])('a connection %s is trouble', async (_, text, detail) => {
  const server = await rawServer({ data: socket => socket.end(text) })
  const { wire } = await wireTo(server.origin)
  expect(await wire.read(run(), never)).toMatchObject({ got: 'trouble', failure: { detail } })
})

test('a service that is not there is trouble', async () => {
  const { wire } = await wireTo('http://127.0.0.1:1')
  const failure = {
    why: 'unreachable',
    origin: 'http://127.0.0.1:1',
    detail: 'connect ECONNREFUSED 127.0.0.1:1',
  }
  expect(await wire.read(run(), never)).toEqual({ got: 'trouble', failure })
})

test('an answer that does not come is trouble after 30 s, one that does not end after 45 s', async () => {
  const clock = handClock()
  const server = await rawServer({
    data: (socket, sofar) => {
      if (sofar.includes('/slow/')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{')
    },
  })
  const { wire } = await wireTo(server.origin, { clock })
  const mute = wire.read(run('mute'), never)
  await clock.awaited(30_000)
  clock.advance(30_000)
  expect(await mute).toMatchObject({
    got: 'trouble',
    failure: { why: 'unreachable', detail: 'no answer within 30 s' },
  })
  const slow = wire.read(run('slow'), never)
  await clock.awaited(45_000)
  clock.advance(45_000)
  const detail = 'the answer broke off after 1 bytes (no complete answer within 45 s)'
  expect(await slow).toMatchObject({ got: 'trouble', failure: { why: 'bad-reply', detail } })
})

test('the signal ends a request that waits', async () => {
  const stop = new AbortController()
  const server = await rawServer({ data: () => stop.abort() })
  const { wire } = await wireTo(server.origin)
  expect(await wire.read(run(), stop.signal)).toEqual({ got: 'trouble', failure: { why: 'stopped' } })
  expect(await wire.read(run(), stop.signal)).toEqual({ got: 'trouble', failure: { why: 'stopped' } })
  expect(server.connections()).toBe(1)
})

test('an answer beyond its cap is trouble', async () => {
  const limits = { ...wireLimits, result: { ...wireLimits.result, bytes: 10 } }
  const server = await webServer(json(200, { status: 'completed', output: 'https://cdn.example/a.png' }))
  const { wire } = await wireTo(server.origin, { limits })
  const failure = { why: 'bad-reply', detail: 'the answer is longer than 10 bytes' }
  expect(await wire.read(run(), never)).toEqual({ got: 'trouble', failure })
})

test('redirects of a result are not followed', async () => {
  const other = await webServer(json(200, {}))
  const server = await webServer((_, response) => response.writeHead(307, { location: other.origin }).end())
  const { wire } = await wireTo(server.origin)
  expect(await wire.read(run(), never)).toEqual({
    got: 'trouble',
    failure: { why: 'refused', status: 307, detail: '' },
  })
  expect(other.requests).toEqual([])
})

test('a spool that fails is trouble', async () => {
  const server = await webServer(json(200, { b64_json: 'iVBORw0KGgoAAAANSUhEUgAA' }))
  const { wire } = await wireTo(server.origin, { spool: () => Promise.reject(new Error('no space left')) })
  const failure = { why: 'unsaved', path: 'the spool', detail: 'no space left' }
  expect(await wire.read(run(), never)).toEqual({ got: 'trouble', failure })
})

test('a run whose workflow cannot stand in an address is trouble without a request', async () => {
  const server = await rawServer({})
  const { wire } = await wireTo(server.origin)
  const failure = {
    why: 'not-served',
    workflow: '../x',
    detail: 'its name cannot stand in an address',
    unasked: true,
  }
  expect(await wire.read(run('r1', '../x'), never)).toEqual({ got: 'trouble', failure })
  expect(server.connections()).toBe(0)
})
