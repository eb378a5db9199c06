import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { order, send, start } from './start.ts'

const poster = { model: 'fama-imagine-image', prompt: 'A teapot' }

test.each<[string, string | undefined, string]>([
  ['without a header', undefined, 'the request has no Authorization header'],
  ['with another scheme', 'Basic abc', 'the Authorization header is not of the form Bearer <key>'],
  ['with another key', 'Bearer 0123', 'the key is not known here'],
])('a request %s is asked for the key', async (_, authorization, message) => {
  const gateway = await start()
  const response = await fetch(`${gateway.baseUrl}/workflows/fama-imagine-image/execute`, {
    method: 'POST',
    headers: { ...(authorization !== undefined && { authorization }), 'content-type': 'application/json' },
    body: JSON.stringify({ params: poster }),
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="genrun gateway"')
  expect(await response.json()).toEqual({ error: { code: 'unauthorized', message } })
  expect(gateway.ledger().billed).toEqual({ execute: 0, submit: 0 })
})

test('a key can be given, and is otherwise made up', async () => {
  expect((await start({ key: 'a-key-of-mine' })).key).toBe('a-key-of-mine')
  expect((await start()).key).toMatch(/^[0-9a-f]{32}$/)
})

test.each<[string, string, number, string | null]>([
  ['GET', '/workflows/fama-imagine-image/execute', 405, 'POST'],
  ['PUT', '/workflows/fama-imagine-image/submit', 405, 'POST'],
  ['POST', '/workflows/fama-imagine-image/0123/result', 405, 'GET, HEAD'],
  ['DELETE', '/files/0123/1.png', 405, 'GET, HEAD'],
  ['GET', '/workflows/fama-imagine-image', 404, null],
  ['GET', '/models', 404, null],
  ['POST', '/workflows/fama-imagine-picture/execute', 404, null],
  ['GET', '/workflows/fama-imagine-picture/0123/result', 404, null],
  ['GET', '/workflows/fama-imagine-image/0123/result', 404, null],
  ['GET', '/files/0123/1.png', 404, null],
])('%s %s is answered with %i', async (method, path, status, allow) => {
  const gateway = await start()
  const reply = await send(gateway, path, { method })
  expect(reply.status).toBe(status)
  expect(reply.headers.get('allow')).toBe(allow)
  expect(reply.body.error.message).toMatch(/\w/)
})

test.each<[string, string | undefined, string, number, string]>([
  ['another media type', 'text/plain', '{}', 415, 'text/plain is not taken here'],
  ['no media type', undefined, '{}', 415, 'the request has no Content-Type'],
  ['a list', 'application/json', '[]', 400, 'the body is not a JSON object'],
  ['no body', 'application/json', '', 400, 'the body is not JSON: Unexpected end of JSON input'],
])('a body that is %s is refused', async (_, type, body, status, message) => {
  const gateway = await start()
  const bytes = new TextEncoder().encode(body)
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
  const reply = await send(gateway, '/workflows/fama-imagine-image/submit', {
    method: 'POST',
    body: bytes,
    headers,
  })
  expect([reply.status, reply.body.error.message]).toEqual([status, message])
})

test('JSON with a charset and with a suffix is taken', async () => {
  const gateway = await start()
  for (const type of ['application/json; charset=utf-8', 'application/vnd.any+json']) {
    expect((await order(gateway, 'submit', poster, { 'content-type': type })).status).toBe(202)
  }
})

test('a body that is not UTF-8 is refused', async () => {
  const gateway = await start()
  const body = Buffer.from('{"params":{"prompt":"\xff"}}', 'latin1')
  const headers = { 'content-type': 'application/json' }
  const reply = await send(gateway, '/workflows/fama-imagine-image/submit', { method: 'POST', body, headers })
  expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_json'])
})

test('a body that declares more than 64 MiB is refused before it is read', async () => {
  const gateway = await start()
  const head = [
    'POST /gw-v2/workflows/fama-imagine-image/execute HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${gateway.key}`,
    'Content-Type: application/json',
    `Content-Length: ${64 * 1024 * 1024 + 1}`,
  ]
  const answer = await raw(gateway.baseUrl, `${head.join('\r\n')}\r\n\r\n{`)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toContain('the body is longer than 64 MiB')
})

test('a body that grows beyond 64 MiB without having said so is refused', async () => {
  const gateway = await start()
  const chunk = new Uint8Array(4 * 1024 * 1024).fill(32)
  let left = 18
  const body = new ReadableStream({
    pull: controller => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
  })
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const url = `${gateway.baseUrl}/workflows/fama-imagine-image/execute`
  const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  expect(response.status).toBe(413)
})

test('a model id with slashes is a workflow of several segments', async () => {
  const custom = {
    id: 'acme/paint/v2',
    name: 'Paint',
    family: 'acme',
    inputType: 't2i',
    modes: ['t2i'],
  } as const
  const gateway = await start({
    models: [{ ...custom, params: { prompt: { type: 'text', flag: '-p', required: true } } }],
  })
  const made = await send(gateway, '/workflows/acme/paint/v2/execute', {
    method: 'POST',
    json: { params: { prompt: 'x' } },
  })
  expect(made.status).toBe(200)
  const read = await send(gateway, `/workflows/acme/paint/v2/${made.body.id}/result`)
  expect(read.body).toEqual(made.body)
  expect((await send(gateway, `/workflows/acme/paint/${made.body.id}/result`)).status).toBe(404)
})

test('a name that is not loopback is not answered, so that no other site can read along', async () => {
  const gateway = await start()
  const answer = await raw(
    gateway.baseUrl,
    'GET / HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 421 /)
  expect(answer).toContain('rebound.example is not served here')
})

test('a host that others can reach needs a key', async () => {
  await expect(startGateway({ outputs: 'memory', host: '0.0.0.0' })).rejects.toThrow(
    '0.0.0.0 can be reached by other machines, so it needs a key',
  )
})

test('a port that is taken is told', async () => {
  const gateway = await start()
  const port = Number(new URL(gateway.baseUrl).port)
  await expect(startGateway({ outputs: 'memory', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('closing ends open connections and takes no more', async () => {
  const gateway = await start({ manual: true })
  const waiting = order(gateway, 'execute', poster).then(
    () => 'answered',
    () => 'ended',
  )
  await gateway.nextRun()
  await gateway.close()
  expect(await waiting).toBe('ended')
  await expect(order(gateway, 'execute', poster)).rejects.toThrow()
})

test('closing with grace lets an answer under way come through', async () => {
  const gateway = await start({ manual: true })
  const waiting = order(gateway, 'execute', poster)
  const run = await gateway.nextRun()
  const closed = gateway.close(10_000)
  await run.finish()
  expect((await waiting).status).toBe(200)
  await closed
})

test('a client that goes away in the middle is no trouble and no noise', async () => {
  const said: unknown[] = []
  for (const word of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, word).mockImplementation((...words) => void said.push(words))
  }
  onTestFinished(() => void vi.restoreAllMocks())
  const bytes = Buffer.alloc(30_000_000)
  const gateway = await start({ render: async () => [{ bytes, type: 'image/png', extension: 'png' }] })
  const { body } = await order(gateway, 'execute', poster)
  const leaving = new AbortController()
  const download = await fetch(body.outputs[0].url, { signal: leaving.signal })
  await download.body?.getReader().read()
  leaving.abort()
  const head = `POST /gw-v2/workflows/famb-v4/submit HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}`
  const { hostname, port } = new URL(gateway.baseUrl)
  await new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"params"`, () =>
        socket.destroy(),
      )
    })
    socket.on('close', resolve)
  })
  await vi.waitUntil(() => gateway.requests().submit === 1)
  expect((await order(gateway, 'execute', poster)).status).toBe(200)
  await gateway.close()
  expect(said).toEqual([])
})

/** What a server answers to bytes, until it closes the connection. */
function raw(baseUrl: string, request: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
