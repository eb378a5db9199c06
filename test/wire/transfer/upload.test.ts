import type { RequestListener } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import type { Expression } from '../../../src/text/expression.ts'
import { createWire, type WireOptions } from '../../../src/wire/client.ts'
import { wireLimits } from '../../../src/wire/http/limits.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import type { UploadRules } from '../../../src/wire/profile/profile.ts'
import { uploadProblem, uploadUrl } from '../../../src/wire/transfer/upload-url.ts'
import { rawServer, webServer } from '../servers.ts'
import { testSpool } from '../spool.ts'

const never = new AbortController().signal
const rules: UploadRules = {
  url: 'files',
  field: 'media',
  fields: { purpose: 'input' },
  urlAt: ['/data/link'],
}

async function wireTo(origin: string, more: Partial<UploadRules> = {}, options: Partial<WireOptions> = {}) {
  const wire = createWire({
    baseUrl: `${origin}/v1/gw-v2`,
    key: 'sk-secret',
    profile: { ...gwV2, upload: { ...rules, ...more }, headers: { 'X-Client': 'genrun' } },
    spool: await testSpool(),
    clock: systemClock,
    ...options,
  })
  onTestFinished(() => wire.close())
  return wire
}

const file = (...pieces: string[]) => ({
  name: 'in "1".png',
  type: 'image/png',
  bytes: pieces.join('').length,
  async *chunks() {
    for (const piece of pieces) yield Buffer.from(piece)
  },
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

test('a file goes as one multipart form, its fields before it, and its link comes back', async () => {
  const server = await webServer(json(201, { data: { link: 'https://cdn.example/in.png' } }))
  const wire = await wireTo(server.origin)
  const steps: (number | undefined)[][] = []
  const reply = await wire.upload?.(file('one ', 'two'), {
    signal: never,
    progress: (...step) => steps.push(step),
  })
  expect(reply).toEqual({ got: 'link', link: 'https://cdn.example/in.png' })
  const [sent, second] = server.requests
  expect(second).toBeUndefined()
  expect(sent).toMatchObject({
    method: 'POST',
    path: '/v1/gw-v2/files',
    headers: { authorization: 'Bearer sk-secret', 'x-client': 'genrun' },
  })
  const boundary = /boundary=(\S+)/.exec(sent?.headers['content-type'] ?? '')?.[1]
  expect(sent?.body).toBe(
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="purpose"',
      '',
      'input',
      `--${boundary}`,
      'Content-Disposition: form-data; name="media"; filename="in %221%22.png"',
      'Content-Type: image/png',
      '',
      'one two',
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  )
  expect(sent?.headers['content-length']).toBe(String(sent?.body.length))
  expect(steps.at(-1)).toEqual([sent?.body.length, sent?.body.length])
})

test('it is streamed: a large file never stands in memory as a whole', async () => {
  let whole = Number.POSITIVE_INFINITY
  const server = await rawServer({
    data(socket, sofar) {
      if (whole === Number.POSITIVE_INFINITY) {
        whole = sofar.indexOf('\r\n\r\n') + 4 + Number(/content-length: (\d+)/i.exec(sofar)?.[1])
      }
      if (server.bytes() >= whole)
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 24\r\n\r\n{"data":{"link":"f-17"}}')
    },
  })
  const wire = await wireTo(server.origin)
  const piece = Buffer.alloc(1_000_000, 'x')
  let ahead = 0
  const big = {
    ...file(),
    bytes: 20_000_000,
    async *chunks() {
      for (let nth = 0; nth < 20; nth++) {
        ahead = Math.max(ahead, nth * piece.length - server.bytes())
        yield piece
      }
    },
  }
  expect(await wire.upload?.(big, { signal: never })).toEqual({ got: 'link', link: 'f-17' })
  expect(ahead).toBeLessThan(12_000_000)
})

test.each<[number, unknown, object]>([
  [
    400,
    { error: 'no' },
    { got: 'refused', failure: { why: 'refused', status: 400, detail: 'the upload of in "1".png: no' } },
  ],
  [
    401,
    '',
    { got: 'refused', failure: { why: 'unauthorized', status: 401, detail: 'the upload of in "1".png' } },
  ],
  [413, '', { got: 'refused', failure: { why: 'refused', status: 413, detail: 'the upload of in "1".png' } }],
  [302, '', { got: 'refused', failure: { why: 'refused', status: 302, detail: 'the upload of in "1".png' } }],
  [
    429,
    '',
    {
      got: 'trouble',
      waitMs: 3000,
      failure: { why: 'refused', status: 429, detail: 'the upload of in "1".png' },
    },
  ],
  [
    503,
    '',
    {
      got: 'trouble',
      waitMs: 3000,
      failure: { why: 'refused', status: 503, detail: 'the upload of in "1".png' },
    },
  ],
  [
    200,
    { url: 'elsewhere' },
    {
      got: 'refused',
      failure: { why: 'bad-reply', detail: 'the answer to an upload holds no link at /data/link' },
    },
  ],
])('status %i with %j is told', async (status, body, reply) => {
  const server = await webServer(json(status, body, { 'retry-after': '3' }))
  const wire = await wireTo(server.origin)
  expect(await wire.upload?.(file('x'), { signal: never })).toEqual({ waitMs: undefined, ...reply })
})

test.each<[string, RequestListener, string]>([
  ['plain text', (_, response) => void response.end(' https://cdn.example/x \n'), 'https://cdn.example/x'],
  [
    'the Location header',
    (_, response) => void response.writeHead(201, { location: 'https://cdn.example/y' }).end(),
    'https://cdn.example/y',
  ],
])('the link may come in %s', async (_, listener, link) => {
  const server = await webServer(listener)
  const wire = await wireTo(server.origin)
  expect(await wire.upload?.(file('x'), { signal: never })).toEqual({ got: 'link', link })
})

test('a connection that breaks is trouble, and one that never answers is given up', async () => {
  const broken = await rawServer({ data: socket => socket.destroy() })
  const wire = await wireTo(broken.origin)
  expect(await wire.upload?.(file('x'), { signal: never })).toMatchObject({
    got: 'trouble',
    failure: { why: 'unreachable', origin: broken.origin },
  })
  const silent = await rawServer({})
  const limits = { ...wireLimits, upload: { leastMs: 60, bytesPerSecond: 1_000_000 } }
  const patient = await wireTo(silent.origin, {}, { limits })
  expect(await patient.upload?.(file('x'), { signal: never })).toMatchObject({ got: 'trouble' })
})

test('without a place for uploads there is no such function', async () => {
  const wire = createWire({
    baseUrl: 'http://127.0.0.1:9/gw-v2',
    key: 'k',
    profile: gwV2,
    spool: await testSpool(),
    clock: systemClock,
  })
  onTestFinished(() => wire.close())
  expect(wire.upload).toBeUndefined()
})

test('a profile cannot send files anywhere else, unless the user says so', async () => {
  const base = { baseUrl: 'https://api.example/v1/gw-v2' }
  expect(uploadUrl('files', base)?.href).toBe('https://api.example/v1/gw-v2/files')
  expect(uploadUrl('../files', base)?.href).toBe('https://api.example/v1/files')
  expect(uploadUrl('/files', base)?.href).toBe('https://api.example/files')
  expect(uploadProblem('/files', base)).toBeUndefined()
  expect(uploadProblem('https://evil.example/x', base)).toEqual({
    message: 'the profile sends files to https://evil.example, which is not the service',
    hint: 'if that is right, say so outside of the project: GENRUN_UPLOAD_ORIGINS=https://evil.example',
  })
  expect(uploadProblem('//evil.example/x', base)?.message).toContain('which is not the service')
  const allowed = { ...base, uploadOrigins: ['https://files.example'] }
  expect(uploadProblem('https://files.example/up', allowed)).toBeUndefined()
  expect(uploadProblem('http://files.example/up', allowed)?.message).toContain('must begin with https://')
  await expect(wireTo('http://127.0.0.1:9', { url: 'https://evil.example/x' })).rejects.toThrow(
    'which is not the service',
  )
})

describe('an upload by ticket', () => {
  const ticket: UploadRules['ticket'] = {
    body: {
      is: 'map',
      entries: [
        ['content_type', { is: 'expression', of: ofFile('type') }],
        ['size', { is: 'expression', of: ofFile('bytes') }],
      ],
    },
    putAt: ['/upload_url'],
    headers: { 'x-kind': 'input' },
  }

  function ofFile(name: string): Expression {
    const place = { start: 0, end: 0 }
    return {
      is: 'path',
      head: { is: 'name', name: 'file', ...place },
      steps: [{ by: 'name', name, ...place }],
      ...place,
    }
  }

  const told = (at: string) => json(200, { upload_url: at, data: { link: 'https://cdn.example/in.png' } })

  test('asks for an address, puts the bytes there without the key, and gives the link', async () => {
    const store = await webServer((_, response) => response.writeHead(200).end())
    const server = await webServer(told(`${store.origin}/put/1?X-Signature=abc`))
    const wire = await wireTo(server.origin, { ticket }, { uploadOrigins: [store.origin] })
    const steps: (number | undefined)[][] = []
    const reply = await wire.upload?.(file('one ', 'two'), {
      signal: never,
      progress: (...step) => steps.push(step),
    })
    expect(reply).toEqual({ got: 'link', link: 'https://cdn.example/in.png' })
    expect(server.requests).toMatchObject([
      { method: 'POST', headers: { authorization: 'Bearer sk-secret', 'content-type': 'application/json' } },
    ])
    expect(String(server.requests[0]?.body)).toBe('{"content_type":"image/png","size":7}')
    const [put] = store.requests
    expect(put).toMatchObject({ method: 'PUT', headers: { 'content-type': 'image/png', 'x-kind': 'input' } })
    expect(put?.headers.authorization).toBeUndefined()
    expect(String(put?.body)).toBe('one two')
    expect(steps.at(-1)).toEqual([7, 7])
  })

  test('puts nothing where nobody has named the origin, or where there is no address', async () => {
    const store = await webServer((_, response) => response.writeHead(200).end())
    const server = await webServer(told(`${store.origin}/put/1`))
    const wire = await wireTo(server.origin, { ticket })
    expect(await wire.upload?.(file('x'), { signal: never })).toEqual({
      got: 'refused',
      failure: {
        why: 'bad-reply',
        detail: `the service wants the file at ${store.origin}, which nobody has named; if that is right, say so outside of the project: GENRUN_UPLOAD_ORIGINS=${store.origin}`,
      },
    })
    const silent = await webServer(json(200, { data: { link: 'https://cdn.example/in.png' } }))
    const other = await wireTo(silent.origin, { ticket })
    expect(await other.upload?.(file('x'), { signal: never })).toMatchObject({
      got: 'refused',
      failure: { detail: 'the answer to an upload names no address for the bytes' },
    })
    expect(store.requests).toEqual([])
  })

  test('that the store turns away is no link', async () => {
    const store = await webServer(json(503, { message: 'slow down' }))
    const server = await webServer(told(`${store.origin}/put/1`))
    const wire = await wireTo(server.origin, { ticket }, { uploadOrigins: [store.origin] })
    expect(await wire.upload?.(file('x'), { signal: never })).toMatchObject({ got: 'trouble' })
  })
})
