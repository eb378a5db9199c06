import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createWire } from '../../src/wire/client.ts'
import { wireLimits } from '../../src/wire/http/limits.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { handClock } from './hand-clock.ts'
import { isWhole, rawServer, webServer } from './servers.ts'
import { testSpool } from './spool.ts'
import { orderFor, wireTo, wireToBytes } from './wire-to.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const free = async () => () => {}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

test('a date of Retry-After is read by the wall clock where the answer has no date of its own', async () => {
  const later = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const { wire } = await wireToBytes(
    `HTTP/1.1 429 Later\r\nRetry-After: ${later}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    { clock: { ...systemClock, wall: () => Date.parse(later) - 10_000 } },
  )
  expect(await wire.order(orderFor(), free)).toMatchObject({ got: 'refused', waitMs: 10_000 })
})

test('a submission is one POST with the key, the idempotency key and the parameters', async () => {
  const server = await webServer(json(202, { id: 'r1' }, { 'retry-after': '2' }))
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor(), free)
  expect(reply).toEqual({ got: 'run', run: { workflow: 'famc-v3', id: 'r1' }, waitMs: 2000 })
  expect(wire.origin).toBe(server.origin)
  const [request, second] = server.requests
  expect(second).toBeUndefined()
  expect(request).toMatchObject({
    method: 'POST',
    path: '/gw-v2/workflows/famc-v3/submit',
    body: '{"params":{"model":"famc-v3","prompt":"a teapot"}}',
    headers: {
      authorization: 'Bearer sk-secret',
      'idempotency-key': 'k-1',
      'content-type': 'application/json',
      connection: 'close',
    },
  })
})

test('every part of a workflow is encoded by itself', async () => {
  const server = await webServer(json(202, { id: 'r1' }))
  const { wire } = await wireTo(`${server.origin}/`.replace(/\/$/, ''))
  await wire.order(orderFor('execute', { workflow: 'image/teapot v2?' }), free)
  expect(server.requests[0]?.path).toBe('/gw-v2/workflows/image/teapot%20v2%3F/execute')
})

test.each(['', '..', 'a/../../b', 'a//b', '/a', '.', 'a\ud800'])(
  'a workflow called %j is refused without a connection',
  async workflow => {
    const server = await rawServer({})
    const { wire } = await wireTo(server.origin)
    const failure = {
      why: 'not-served',
      workflow,
      detail: 'its name cannot stand in an address',
      unasked: true,
    }
    expect(await wire.order(orderFor('submit', { workflow }), free)).toEqual({
      got: 'refused',
      failure,
      canRetry: false,
    })
    expect(server.connections()).toBe(0)
  },
)

test('the first byte leaves after beforeFirstByte has resolved', async () => {
  const server = await rawServer({
    data: (socket, sofar) => {
      if (isWhole(sofar)) socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n{"id":"r1"}')
    },
  })
  const { wire } = await wireTo(server.origin)
  const seen: number[] = []
  const reply = await wire.order(orderFor(), async () => () => void seen.push(server.bytes()))
  expect(reply.got).toBe('run')
  expect(seen).toEqual([0])
})

test('not one byte leaves when beforeFirstByte rejects', async () => {
  const server = await rawServer({})
  const { wire } = await wireTo(server.origin)
  const cause = new Error('the claim is gone')
  const reply = await wire.order(orderFor(), async () => {
    throw cause
  })
  expect(reply).toEqual({ got: 'not-sent', failure: { why: 'stopped' }, cause })
  expect(server.bytes()).toBe(0)
  expect(server.connections()).toBeLessThanOrEqual(1)
})

test('a service that is not there was not sent to', async () => {
  const server = await rawServer({})
  const { wire } = await wireTo(`http://127.0.0.1:1`)
  let asked = 0
  const reply = await wire.order(orderFor(), async () => () => void asked++)
  expect(reply).toEqual({
    got: 'not-sent',
    failure: { why: 'unreachable', origin: 'http://127.0.0.1:1', detail: 'connect ECONNREFUSED 127.0.0.1:1' },
  })
  expect([asked, server.connections()]).toEqual([0, 0])
})

test('a connection that takes too long was not sent on', async () => {
  const clock = handClock()
  const server = await rawServer({})
  // TLS to a server that never answers the handshake: the connection does not come to stand.
  const { wire } = await wireTo(server.origin.replace('http:', 'https:'), { clock })
  const reply = wire.order(orderFor(), async () => expect.unreachable())
  await clock.awaited(10_000)
  clock.advance(10_000)
  expect(await reply).toMatchObject({
    got: 'not-sent',
    failure: { why: 'unreachable', detail: 'no connection within 10 s' },
  })
})

test('a service that speaks before it is asked is not sent to', async () => {
  const server = await rawServer({
    connect: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"id":"r0"}'),
  })
  const { wire } = await wireTo(server.origin)
  // By the time the journal has synced, the service's word has come.
  const reply = await wire.order(orderFor(), async () => {
    waitForKernel()
    return () => expect.unreachable()
  })
  expect(reply).toMatchObject({ got: 'not-sent' })
  expect([server.bytes(), server.connections()]).toEqual([0, 1])
})

test.each(['execute', 'submit'] as const)(
  'an answer that never comes is doubt after its time (%s)',
  async mode => {
    const clock = handClock()
    const server = await rawServer({})
    const { wire } = await wireTo(server.origin, { clock })
    const waitMs = mode === 'execute' ? 600_000 : 60_000
    const reply = wire.order(orderFor(mode), free)
    await clock.awaited(waitMs)
    clock.advance(waitMs)
    expect(await reply).toEqual({ got: 'doubt', detail: `no answer within ${waitMs / 1000} s` })
    expect(server.connections()).toBe(1)
  },
)

test('the deadline of the order shortens the time', async () => {
  const clock = handClock()
  const server = await rawServer({})
  const { wire } = await wireTo(server.origin, { clock })
  const reply = wire.order(orderFor('submit', { deadlineMs: 5000 }), free)
  await clock.awaited(5000)
  clock.advance(5000)
  expect(await reply).toEqual({ got: 'doubt', detail: 'no answer within 5 s' })
})

test('an answer that stops in its middle is doubt after the total time, and what came is kept', async () => {
  const clock = handClock()
  const server = await rawServer({
    data: (socket, sofar) => {
      if (isWhole(sofar)) socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 99\r\n\r\n{"id":"r1"')
    },
  })
  const { wire } = await wireTo(server.origin, { clock })
  const reply = wire.order(orderFor(), free)
  await clock.awaited(90_000)
  clock.advance(90_000)
  const settled = await reply
  const detail = 'the answer broke off after 10 bytes (no complete answer within 90 s)'
  expect(settled).toMatchObject({ got: 'doubt', detail })
  expect(await rawOf(settled)).toBe('{"id":"r1"')
})

test.each<[string, string | undefined]>([
  ['before the head', undefined],
  ['within the head', 'HTTP/1.1 202 Acc'],
])('a connection reset %s is doubt, and nothing is sent again', async (_, head) => {
  const server = await rawServer({
    data: (socket, sofar) => {
      if (!isWhole(sofar)) return
      if (head !== undefined) socket.write(head)
      socket.resetAndDestroy()
    },
  })
  const { wire } = await wireTo(server.origin)
  let asked = 0
  const reply = await wire.order(orderFor(), async () => () => void asked++)
  expect(reply.got).toBe('doubt')
  expect([asked, server.connections()]).toEqual([1, 1])
})

test('a connection closed without an answer is doubt, and nothing is sent again', async () => {
  const server = await rawServer({
    data: (socket, sofar) => {
      if (isWhole(sofar)) socket.end()
    },
  })
  const { wire } = await wireTo(server.origin)
  expect(await wire.order(orderFor(), free)).toEqual({ got: 'doubt', detail: 'other side closed' })
  expect(server.connections()).toBe(1)
})

test('a connection closed in the middle of the request is doubt', async () => {
  const server = await rawServer({ data: socket => socket.resetAndDestroy() })
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor('submit', { params: { prompt: 'x'.repeat(20_000_000) } }), free)
  expect(reply.got).toBe('doubt')
  expect(server.connections()).toBe(1)
})

test('a service that closes at once gets at most one request, and none when it is told not sent', async () => {
  const server = await rawServer({ connect: socket => socket.destroy() })
  const { wire } = await wireTo(server.origin)
  let asked = 0
  const reply = await wire.order(orderFor(), async () => {
    asked++
    waitForKernel()
    return () => expect.unreachable()
  })
  expect(reply).toMatchObject({ got: 'not-sent', failure: { why: 'unreachable' } })
  expect([asked, server.connections(), server.bytes()]).toEqual([1, 1, 0])
})

test('a connection that is reset while the journal syncs was not sent on', async () => {
  const server = await rawServer({ connect: socket => setTimeout(() => socket.resetAndDestroy(), 20) })
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor(), async () => {
    await new Promise(resolve => setTimeout(resolve, 100))
    return () => expect.unreachable()
  })
  expect(reply).toMatchObject({ got: 'not-sent', failure: { why: 'unreachable' } })
  expect([server.connections(), server.bytes()]).toEqual([1, 0])
})

test.each<[string, string]>([
  ['a declared length', 'content-length: 99\r\n\r\n{"id":"r1"}'],
  ['chunks', 'transfer-encoding: chunked\r\n\r\nb\r\n{"id":"r1"}\r\n'],
])('a 2xx with %s whose body breaks off is doubt, and what came is kept', async (_, rest) => {
  const server = await rawServer({
    data: (socket, sofar) => {
      if (isWhole(sofar)) socket.end(`HTTP/1.1 202 Accepted\r\n${rest}`)
    },
  })
  for (const mode of ['submit', 'execute'] as const) {
    const { wire } = await wireTo(server.origin)
    const reply = await wire.order(orderFor(mode), free)
    expect(reply).toMatchObject({
      got: 'doubt',
      detail: expect.stringMatching(/^the answer broke off after 11 bytes/),
    })
    expect(await rawOf(reply)).toBe('{"id":"r1"}')
  }
})

test('an answer beyond its cap is doubt, and what came is kept', async () => {
  const limits = {
    ...wireLimits,
    submit: { ...wireLimits.submit, bytes: 1000 },
    execute: { ...wireLimits.execute, bytes: 1000 },
  }
  const server = await webServer((_, response) => {
    response.writeHead(200)
    response.write('x'.repeat(900))
    setImmediate(() => response.end('y'.repeat(900)))
  })
  for (const mode of ['submit', 'execute'] as const) {
    const { wire } = await wireTo(server.origin, { limits })
    const reply = await wire.order(orderFor(mode), free)
    expect(reply).toMatchObject({ got: 'doubt', detail: 'the answer is longer than 1000 bytes' })
    expect((await rawOf(reply))?.length).toBeLessThanOrEqual(1000)
  }
})

test('what a doubtful answer said is kept, and the run it names is told', async () => {
  const server = await webServer(json(500, { id: 'r9', error: 'oops' }))
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor(), free)
  expect(reply).toMatchObject({ got: 'doubt', detail: 'status 500, oops; it names the run r9' })
  expect(await rawOf(reply)).toBe('{"id":"r9","error":"oops"}')
})

test.each([301, 302, 307, 308])('a redirect %i is refused and never followed', async status => {
  const other = await webServer(json(200, { id: 'r1' }))
  const server = await webServer((_, response) => {
    response.writeHead(status, { location: `${other.origin}/x?key=1` }).end()
  })
  const { wire } = await wireTo(server.origin)
  const detail = `a redirect to ${other.origin}/x`
  expect(await wire.order(orderFor(), free)).toEqual({
    got: 'refused',
    failure: { why: 'refused', status, detail },
    canRetry: false,
  })
  expect([server.requests.length, other.requests.length]).toEqual([1, 0])
})

test('an execution whose answer is media is a file in the spool', async () => {
  const server = await webServer((_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(png),
  )
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor('execute'), free)
  expect(await spooledOf(reply)).toEqual([png])
})

test('media is taken from a submission as well, whatever it is declared as', async () => {
  const server = await webServer((_, response) => response.writeHead(200).end(png))
  const { wire } = await wireTo(server.origin)
  expect(await spooledOf(await wire.order(orderFor(), free))).toEqual([png])
})

test('base64 in an answer becomes files in the spool', async () => {
  const body = {
    images: [
      { b64_json: png.toString('base64') },
      { url: `data:image/png;base64,${png.toString('base64')}` },
    ],
  }
  const server = await webServer(json(200, body))
  const { wire, spool } = await wireTo(server.origin)
  expect(await spooledOf(await wire.order(orderFor('execute'), free))).toEqual([png, png])
  expect(spool.names).toHaveLength(3)
  expect(spool.names.every(name => /^[\w-]+$/.test(name))).toBe(true)
})

test('links stay links, relative ones on the service’s origin', async () => {
  const server = await webServer(
    json(200, { id: 'r1', outputs: [{ url: 'https://cdn.example/a.png' }, { url: '/files/b.png' }] }),
  )
  const { wire } = await wireTo(server.origin)
  expect(await wire.order(orderFor('execute'), free)).toEqual({
    got: 'files',
    files: [
      { from: 'link', url: 'https://cdn.example/a.png' },
      { from: 'link', url: `${server.origin}/files/b.png` },
    ],
    run: { workflow: 'famc-v3', id: 'r1' },
  })
})

test('an encoded answer is read though none was asked for', async () => {
  const server = await webServer((request, response) => {
    expect(request.headers['accept-encoding']).toBe('identity')
    response.writeHead(202, { 'content-encoding': 'gzip' }).end(gzipSync('{"id":"r1"}'))
  })
  const { wire } = await wireTo(server.origin)
  expect(await wire.order(orderFor(), free)).toMatchObject({ got: 'run', run: { id: 'r1' } })
})

test('an encoded answer cannot grow beyond the cap', async () => {
  const server = await webServer((_, response) => {
    response.writeHead(202, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, 0x20)))
  })
  const { wire } = await wireTo(server.origin)
  expect(await wire.order(orderFor(), free)).toMatchObject({
    got: 'doubt',
    detail: 'the answer is longer than 1048576 bytes',
  })
})

describe('an answer that the disk does not take', () => {
  const full = { spool: () => Promise.reject(new Error('no space left')) }
  const run = { workflow: 'famc-v3', id: 'r1' }

  test('is read all the same when it is short', async () => {
    const server = await webServer(json(200, { output: 'https://cdn.example/a.png' }))
    const { wire } = await wireTo(server.origin, full)
    expect(await wire.order(orderFor('execute'), free)).toMatchObject({
      got: 'files',
      files: [{ from: 'link', url: 'https://cdn.example/a.png' }],
    })
  })

  test('is fetched by the run that it names, however long it is', async () => {
    const image = Buffer.alloc(200_000, png).toString('base64')
    const server = await webServer(json(200, { id: 'r1', image }))
    const { wire } = await wireTo(server.origin, full)
    expect(await wire.order(orderFor('execute'), free)).toEqual({ got: 'run', run })
  })

  test('is fetched by its run when the disk is full after its beginning, or does not sync', async () => {
    const server = await webServer(json(200, { id: 'r1', image: png.toString('base64') }))
    for (const takes of [1, Number.POSITIVE_INFINITY]) {
      const spool = async (bytes: AsyncIterable<Uint8Array>) => {
        let taken = 0
        for await (const _ of bytes) if (++taken >= takes) break
        throw new Error('no space left')
      }
      const { wire } = await wireTo(server.origin, { spool })
      expect(await wire.order(orderFor('execute'), free)).toEqual({ got: 'run', run })
    }
  })

  test('is doubt when it is a file and names no run', async () => {
    const server = await webServer((_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(200_000, png)),
    )
    const { wire } = await wireTo(server.origin, full)
    expect(await wire.order(orderFor('execute'), free)).toEqual({
      got: 'doubt',
      detail: 'the answer could not be kept (no space left)',
    })
  })
})

test('base64 that cannot be kept leaves the run to be read again', async () => {
  const server = await webServer(json(200, { id: 'r1', image: png.toString('base64') }))
  const real = await testSpool()
  let calls = 0
  const { wire } = await wireTo(server.origin, {
    spool: (bytes, name) => (calls++ === 0 ? real(bytes, name) : Promise.reject(new Error('no space left'))),
  })
  expect(await wire.order(orderFor('execute'), free)).toEqual({
    got: 'run',
    run: { workflow: 'famc-v3', id: 'r1' },
  })
})

test('each paid request has a connection of its own', async () => {
  const ports = new Set<number | undefined>()
  const server = await webServer((request, response) => {
    ports.add(request.socket.remotePort)
    json(202, { id: 'r1' })(request, response)
  })
  const { wire } = await wireTo(server.origin)
  await wire.order(orderFor(), free)
  await wire.order(orderFor(), free)
  expect(ports.size).toBe(2)
})

test('headers of the profile are sent, but no key of its own', async () => {
  const server = await webServer(json(202, { id: 'r1' }))
  const profile = { ...gwV2, headers: { 'x-team': 'shop', Authorization: 'Bearer other' } }
  const { wire } = await wireTo(server.origin, { profile })
  await wire.order(orderFor(), free)
  expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'shop', authorization: 'Bearer sk-secret' })
})

async function rawOf(reply: object): Promise<string | undefined> {
  return 'raw' in reply && typeof reply.raw === 'string' ? readFile(reply.raw, 'utf8') : undefined
}

async function spooledOf(
  reply: Awaited<ReturnType<ReturnType<typeof createWire>['order']>>,
): Promise<Buffer[]> {
  if (reply.got !== 'files') return expect.fail(`got ${reply.got}`)
  return Promise.all(
    reply.files.map(file => (file.from === 'spool' ? readFile(file.path) : expect.fail('a link'))),
  )
}

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the thread as a sync to disk does: meanwhile the kernel takes in what the other side did. */
function waitForKernel(): void {
  Atomics.wait(cell, 0, 0, 20)
}

describe.each([
  ['its own', 'sk-secret'],
  ['that of another service', 'another-key'],
])('a run that the service calls by a key, %s', (_, id) => {
  const secrets = ['another-key']
  const byKey = 'the service calls the run by your key'

  test('stands in no record: its order is in doubt', async () => {
    const server = await webServer(json(202, { id }))
    const { wire } = await wireTo(server.origin, { secrets })
    const reply = await wire.order(orderFor(), free)
    expect(reply).toMatchObject({ got: 'doubt', detail: byKey })
    expect(await rawOf(reply)).toBe('{"id":"[secret]"}')
  })

  test('is none of which a failure or a file is told', async () => {
    const failed = await webServer(json(200, { id, status: 'failed', error: { message: 'no' } }))
    const { wire } = await wireTo(failed.origin, { secrets })
    expect(await wire.order(orderFor('execute'), free)).toMatchObject({ got: 'failure', run: undefined })
    const made = await webServer(json(200, { id, output: 'https://cdn.example/a.png' }))
    const other = await wireTo(made.origin, { secrets })
    expect(await other.wire.order(orderFor('execute'), free)).toMatchObject({ got: 'files', run: undefined })
  })

  test('is not asked for what the disk did not take', async () => {
    const image = png.toString('base64')
    const server = await webServer(json(200, { id, image }))
    const real = await testSpool()
    let calls = 0
    const fails = () => Promise.reject(new Error('no space left'))
    const { wire } = await wireTo(server.origin, {
      secrets,
      spool: (bytes, name) => (calls++ === 0 ? real(bytes, name) : fails()),
    })
    expect(await wire.order(orderFor('execute'), free)).toMatchObject({
      got: 'doubt',
      detail: expect.stringMatching(/^the result could not be kept, .*no space left/),
    })
    const large = await webServer(json(200, { id, image: Buffer.alloc(200_000, png).toString('base64') }))
    const full = await wireTo(large.origin, { secrets, spool: fails })
    expect(await full.wire.order(orderFor('execute'), free)).toMatchObject({ got: 'doubt' })
  })
})
