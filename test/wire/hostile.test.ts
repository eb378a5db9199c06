import { readFile } from 'node:fs/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { RunId } from '../../src/base/names.ts'
import { isWhole, rawServer, webServer } from './servers.ts'
import { orderFor, rawOf, wireTo, wireToBytes } from './wire-to.ts'

const free = async () => () => {}
const run = { got: 'run', run: { workflow: 'famc-v3', id: 'r1' } }
const named = '{"id":"r1"}'
const accepted = `HTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n${named}`
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function answered(body: Uint8Array | string, ...headers: string[]): Buffer {
  const bytes = Buffer.from(body as string)
  const head = ['HTTP/1.1 200 OK', `content-length: ${bytes.length}`, ...headers].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes])
}

describe('an answer that names its run is accepted, however oddly it comes', () => {
  test.each<[string, string | Buffer]>([
    ['after 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${accepted}`],
    ['after 100 Continue with headers', `HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n${accepted}`],
    [
      'after 102 and 103',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${accepted}`,
    ],
    ['after 100 and 103', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${accepted}`],
    [
      'after 103 and 100',
      `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${accepted}`,
    ],
    ['after 102 and 100', `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${accepted}`],
    ['after 100 of HTTP/1.0', `HTTP/1.0 100 Continue\r\n\r\n${accepted}`],
    ['with something behind its end', `${accepted}HTTP/1.1 500 Oops\r\n\r\n`],
    ['with an empty line and garbage behind its end', `${accepted}\r\n\0\0garbage`],
    ['in HTTP/1.0, to the end of the connection', `HTTP/1.0 200 OK\r\n\r\n${named}`],
    ['without any length, to the end of the connection', `HTTP/1.1 200 OK\r\n\r\n${named}`],
    [
      'in chunks, with a trailer',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\n${named}\r\n0\r\nx-sum: 1\r\n\r\n`,
    ],
    [
      'with 20 KB of headers',
      answered(named, ...Array.from({ length: 40 }, (_, nth) => `x-${nth}: ${'a'.repeat(500)}`)),
    ],
    ['with a status line of 1 MB', `HTTP/1.1 200 ${'O'.repeat(1_000_000)}\r\n\r\n${named}`],
    ['with a byte order mark', answered(`\ufeff${named}`)],
    [
      'in UTF-16',
      answered(Buffer.from(`\ufeff${named}`, 'utf16le'), 'content-type: application/json; charset=utf-16'),
    ],
    [
      'in Latin-1',
      answered(
        Buffer.from('{"message":"accept\xe9e","id":"r1"}', 'latin1'),
        'content-type: application/json',
      ),
    ],
    ['with one key twice', answered('{"id":"r0","id":"r1"}')],
    [
      'with a key that means something to JavaScript',
      answered('{"__proto__":{"id":"r0"},"constructor":1,"id":"r1"}'),
    ],
    ['with an error beside it', answered('{"id":"r1","error":{"message":"a warning"}}')],
    ['with another id inside', answered('{"id":"r1","data":{"id":"r0"},"request_id":"x"}')],
    ['as gzip', answered(gzipSync(named), 'content-encoding: x-gzip')],
    ['as gzip that is none', answered(named, 'content-encoding: gzip')],
    ['as deflate', answered(deflateSync(named), 'content-encoding: deflate')],
    ['as deflate without its wrapper', answered(deflateRawSync(named), 'content-encoding: deflate')],
    ['as brotli', answered(brotliCompressSync(named), 'content-encoding: br')],
    ['twice encoded', answered(gzipSync(brotliCompressSync(named)), 'content-encoding: br, gzip')],
    ['with a charset for an encoding', answered(named, 'content-encoding: utf-8')],
  ])('%s', async (_, bytes) => {
    const { wire, server } = await wireToBytes(bytes)
    expect(await wire.order(orderFor(), free)).toEqual(run)
    expect(server.connections()).toBe(1)
  })

  test('byte by byte', async () => {
    const server = await rawServer({
      data: (socket, sofar) => {
        if (!isWhole(sofar)) return
        const bytes = Buffer.from(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${accepted}`)
        const next = (nth: number) => {
          if (nth === bytes.length) return
          socket.write(bytes.subarray(nth, nth + 1), () => setImmediate(next, nth + 1))
        }
        socket.setNoDelay(true)
        next(0)
      },
    })
    const { wire } = await wireTo(server.origin)
    expect(await wire.order(orderFor(), free)).toEqual(run)
  })

  test('before the request was read to its end', async () => {
    const server = await rawServer({
      data: (socket, sofar) => {
        if (sofar.length < 200_000) socket.write(accepted)
      },
    })
    const { wire } = await wireTo(server.origin)
    const reply = await wire.order(orderFor('submit', { params: { prompt: 'x'.repeat(100_000) } }), free)
    expect(reply).toEqual(run)
  })
})

describe('an answer that cannot be read is doubt, and what came is kept', () => {
  test.each<[string, string | Buffer]>([
    ['another protocol', `SSH-2.0-teapot\r\n${named}`],
    [
      'a switch of protocols',
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n${named}`,
    ],
    [
      'a length and chunks',
      `HTTP/1.1 200 OK\r\ncontent-length: 11\r\ntransfer-encoding: chunked\r\n\r\nb\r\n${named}\r\n0\r\n\r\n`,
    ],
    ['two lengths', `HTTP/1.1 200 OK\r\ncontent-length: 11\r\ncontent-length: 12\r\n\r\n${named}`],
    ['a length below nothing', `HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n${named}`],
    ['a length that is a word', `HTTP/1.1 200 OK\r\ncontent-length: long\r\n\r\n${named}`],
    ['a header without a colon', `HTTP/1.1 200 OK\r\nbroken\r\n\r\n${named}`],
    ['a flood of headers', `HTTP/1.1 200 OK\r\n${'x-flood: 1\r\n'.repeat(40_000)}\r\n${named}`],
    ['100 Continue and nothing more', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const { wire, server } = await wireToBytes(bytes)
    const reply = await wire.order(orderFor(), free)
    expect(reply.got).toBe('doubt')
    const kept = (await rawOf(reply)) ?? ''
    expect(String(bytes).startsWith(kept)).toBe(true)
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(String(bytes).length, 60_000))
    expect(server.connections()).toBe(1)
  })

  test.each<[string, string | Buffer, string]>([
    [
      'a chunk of no size',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\n${named}\r\nzz\r\n`,
      named,
    ],
    [
      'a chunk shorter than it says',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n${named}`,
      named,
    ],
    ['gzip that is cut', answered(gzipSync(named).subarray(0, 20), 'content-encoding: gzip'), '{"id":"r1'],
    ['brotli that is none', answered(`\xff\xff${named}`, 'content-encoding: br'), named],
    ['an encoding that nobody knows', answered(named, 'content-encoding: pigeon'), named],
  ])('%s', async (_, bytes, inside) => {
    for (const mode of ['submit', 'execute'] as const) {
      const { wire } = await wireToBytes(bytes)
      const reply = await wire.order(orderFor(mode), free)
      expect(reply.got).toBe('doubt')
      expect(await rawOf(reply)).toContain(inside)
    }
  })

  test('and the run is told when it can be made out', async () => {
    const { wire } = await wireToBytes(`HTTP/1.1 200 OK\r\nbroken\r\n\r\n${named}`)
    expect(await wire.order(orderFor(), free)).toMatchObject({
      got: 'doubt',
      detail: expect.stringMatching(/; it names the run r1$/),
    })
  })

  test('also when the disk is full: what did not fit is asked for by it', async () => {
    const { wire } = await wireToBytes(answered(named), {
      spool: () => Promise.reject(new Error('no space left')),
    })
    expect(await wire.order(orderFor('execute'), free)).toMatchObject({ got: 'run', run: { id: 'r1' } })
  })
})

describe('a page or a text is no file, in whatever charset', () => {
  test.each<[string, Buffer]>([
    [
      'a page in Latin-1',
      answered(Buffer.from('<html><p>caf\xe9</p></html>', 'latin1'), 'content-type: text/html'),
    ],
    ['a text in Latin-1', answered(Buffer.from('rien re\xe7u', 'latin1'), 'content-type: text/plain')],
    [
      'a page that says it is a video',
      answered(Buffer.from('<html>\xe9', 'latin1'), 'content-type: video/mp4'),
    ],
    ['JSON in Latin-1 without an id', answered(Buffer.from('{"message":"re\xe7u"}', 'latin1'))],
  ])('%s', async (_, bytes) => {
    for (const mode of ['submit', 'execute'] as const) {
      const { wire } = await wireToBytes(bytes)
      expect((await wire.order(orderFor(mode), free)).got).toBe('doubt')
    }
  })
})

test.each<[string, Buffer]>([
  ['raw', answered(gzipSync(png), 'content-encoding: gzip', 'content-type: image/png')],
  ['with a wrong word for its encoding', answered(png, 'content-encoding: gzip', 'content-type: image/png')],
])('media that comes encoded is a file: %s', async (_, bytes) => {
  const { wire } = await wireToBytes(bytes)
  const reply = await wire.order(orderFor('execute'), free)
  const file = reply.got === 'files' ? reply.files[0] : undefined
  expect(file?.from === 'spool' && (await readFile(file.path)).equals(png)).toBe(true)
})

test('a bomb in gzip inside gzip stays under the cap', async () => {
  const bomb = gzipSync(gzipSync(Buffer.alloc(60_000_000)))
  const { wire } = await wireToBytes(answered(bomb, 'content-encoding: gzip, gzip'))
  expect(await wire.order(orderFor(), free)).toMatchObject({
    got: 'doubt',
    detail: expect.stringContaining('the answer is longer than 1048576 bytes'),
  })
})

test('an answer that is a wall of quotes is read in no time', async () => {
  const { wire } = await wireToBytes(answered(`["${'\\"'.repeat(400_000)}1234567890123456`))
  expect((await wire.order(orderFor(), free)).got).toBe('doubt')
})

const deep = 'the answer has more than 64 lists and objects in each other'
const wide = 'the answer has more than 100000 values'
const keys = Array.from({ length: 150_000 }, (_, nth) => `"k${nth}":1`).join()

test.each<[string, string, string]>([
  ['brackets', '['.repeat(40_000_000), deep],
  ['objects', `[${'{},'.repeat(12_000_000)}{}]`, wide],
  ['keys', `{"id":"r1","status":"done",${keys}}`, wide],
])('a result that is nothing but %s is not unfolded in memory', async (_, body, detail) => {
  const { wire } = await wireToBytes(answered(body))
  const before = process.memoryUsage().heapTotal
  const reply = await wire.read({ workflow: 'famc-v3', id: 'r1' as RunId }, new AbortController().signal)
  expect(reply).toMatchObject({ got: 'trouble', failure: { why: 'bad-reply', detail } })
  expect(process.memoryUsage().heapTotal - before).toBeLessThan(50_000_000)
})

describe('of an answer that cannot be read whole, the run is told that it named before', () => {
  const long = `"${'x'.repeat(70_000)}"`
  test.each<[string, 'submit' | 'execute', string, string]>([
    ['too deep', 'submit', `{"id":"r1","x":${'['.repeat(500_000)}`, deep],
    ['too deep', 'execute', `{"id":"r1","x":${'['.repeat(500_000)}`, deep],
    ['too many keys', 'submit', `{"data":{"id":"r1",${'"k":1,'.repeat(110_000)}"z":1}}`, wide],
    ['too many keys', 'execute', `{"data":{"id":"r1","x":${long},${keys}}}`, wide],
    ['too long', 'submit', `{"id":"r1","x":"${'x'.repeat(1_100_000)}"}`, 'the answer is longer than 1048576'],
  ])('%s (%s)', async (_, mode, body, why) => {
    const { wire } = await wireToBytes(answered(body))
    const reply = await wire.order(orderFor(mode), free)
    expect(reply).toMatchObject({ got: 'doubt', detail: expect.stringContaining(why) })
    expect(reply).toMatchObject({ detail: expect.stringMatching(/it names the run r1$/) })
    // All of it that came: a person may make more of it.
    expect((await rawOf(reply))?.length).toBe(Math.min(body.length, mode === 'submit' ? 1_048_576 : Infinity))
  })

  test.each<'submit' | 'execute'>(['submit', 'execute'])('broken off (%s)', async mode => {
    const { wire } = await wireToBytes(
      'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"id":"r1","status":"que',
    )
    expect(await wire.order(orderFor(mode), free)).toMatchObject({
      got: 'doubt',
      detail: expect.stringMatching(/it names the run r1$/),
    })
  })
})

test('an error in an answer that broke off refuses nothing for good', async () => {
  const { wire } = await wireToBytes('HTTP/1.1 422 No\r\ncontent-length: 900\r\n\r\n{"error":"nsfw","x":"')
  const reply = await wire.read({ workflow: 'famc-v3', id: 'r1' as RunId }, new AbortController().signal)
  expect(reply).toMatchObject({ got: 'trouble' })
})

test('a result of many megabytes in base64 is read', async () => {
  const image = Buffer.alloc(3_000_000, png)
  const { wire } = await wireToBytes(
    answered(JSON.stringify({ id: 'r1', b64_json: image.toString('base64') })),
  )
  const reply = await wire.read({ workflow: 'famc-v3', id: 'r1' as RunId }, new AbortController().signal)
  expect(reply).toMatchObject({ got: 'files', files: [{ from: 'spool' }] })
})

test.each([
  '/gw-v2/workflows/famc-v3/submit',
  '/gw-v2/workflows/famc-v3/execute',
  '/gw-v2/workflows',
  '/',
  'https://service.example',
  '/gw-v2/workflows/famc-v3/%2e%2e/result',
  '/gw-v2/workflows/famc-v3/a%20b/result',
])('the Location %s names no run', async location => {
  const { wire } = await wireToBytes(
    `HTTP/1.1 202 Accepted\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
  )
  expect((await wire.order(orderFor(), free)).got).toBe('doubt')
})

test('an id with slashes, dots and signs is asked for as it is', async () => {
  const server = await webServer((request, response) => {
    if (request.method === 'POST') response.writeHead(202).end('{"id":"../a/./b?c#d%2F"}')
    else response.writeHead(200).end('{"status":"running"}')
  })
  const { wire } = await wireTo(server.origin)
  const reply = await wire.order(orderFor(), free)
  if (reply.got !== 'run') return expect.fail(reply.got)
  expect((await wire.read(reply.run, new AbortController().signal)).got).toBe('pending')
  expect(server.requests[1]?.path).toBe('/gw-v2/workflows/famc-v3/..%2Fa%2F.%2Fb%3Fc%23d%252F/result')
})
