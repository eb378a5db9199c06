import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, stat, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { createWire, type WireOptions } from '../../../src/wire/client.ts'
import { wireLimits } from '../../../src/wire/http/limits.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import { handClock } from '../hand-clock.ts'
import { rawServer, webServer } from '../servers.ts'
import { testFolder, testSpool } from '../spool.ts'
import { wireTo } from '../wire-to.ts'

const never = new AbortController().signal

async function downloaderFor(origin: string, more: Partial<WireOptions> = {}) {
  const to = join(await testFolder(), 'part')
  const { wire } = await wireTo(origin, more)
  const get = (url: string, signal = never, progress?: (bytes: number, total: number | undefined) => void) =>
    wire.download({ from: 'link', url }, to, { signal, ...(progress && { progress }) })
  return { get, to }
}

const file =
  (bytes: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-length': String(bytes.byteLength), ...headers }).end(bytes)
  }

const undelivered = (detail: string) => ({ got: 'trouble', failure: { why: 'undelivered', detail } })

test('a file is written whole, with its digest, and its progress is told', async () => {
  const bytes = Buffer.alloc(3_000_000, 'genrun')
  const server = await webServer(file(bytes))
  const { get, to } = await downloaderFor(server.origin)
  const steps: [number, number | undefined][] = []
  const reply = await get(`${server.origin}/files/a.png?s=1`, never, (...step) => steps.push(step))
  expect(reply).toEqual({
    got: 'bytes',
    bytes: 3_000_000,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  expect((await readFile(to)).equals(bytes)).toBe(true)
  expect(steps.at(-1)).toEqual([3_000_000, 3_000_000])
  expect(server.requests[0]).toMatchObject({
    path: '/files/a.png?s=1',
    headers: { 'accept-encoding': 'identity' },
  })
})

test('of much that comes, what is written is collected on the way where the collector is exposed', async () => {
  const collect = vi.fn()
  globalThis.gc = collect as unknown as NodeJS.GCFunction
  onTestFinished(() => {
    globalThis.gc = undefined
  })
  const server = await webServer(file(Buffer.alloc(9 * 1024 * 1024, 'genrun')))
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/large`)).toMatchObject({ got: 'bytes' })
  expect(collect.mock.calls).toEqual([[{ type: 'minor' }], [{ type: 'minor' }]])
})

test('a part that is another file too leaves that as it is', async () => {
  const server = await webServer(file(Buffer.from('new')))
  const { get, to } = await downloaderFor(server.origin)
  await writeFile(`${to}.spooled`, 'paid for')
  await link(`${to}.spooled`, to)
  expect(await get(`${server.origin}/short`)).toMatchObject({ got: 'bytes', bytes: 3 })
  expect(await readFile(to, 'utf8')).toBe('new')
  expect(await readFile(`${to}.spooled`, 'utf8')).toBe('paid for')
})

test('an older and longer part is begun anew', async () => {
  const server = await webServer((request, response) =>
    file(Buffer.from(request.url === '/long' ? 'longer' : 'new'))(request, response),
  )
  const { get, to } = await downloaderFor(server.origin)
  await get(`${server.origin}/long`)
  expect(await get(`${server.origin}/short`)).toMatchObject({ got: 'bytes', bytes: 3 })
  expect(await readFile(to, 'utf8')).toBe('new')
})

test('a body without a declared length is taken to its end', async () => {
  const server = await webServer((_, response) => {
    response.write('one')
    response.end('two')
  })
  const { get } = await downloaderFor(server.origin)
  const totals: (number | undefined)[] = []
  expect(await get(`${server.origin}/a`, never, (_, total) => totals.push(total))).toMatchObject({
    got: 'bytes',
    bytes: 6,
  })
  expect(new Set(totals)).toEqual(new Set([undefined]))
})

test.each<[string, string, string]>([
  ['cut off', 'content-length: 10\r\n\r\nhello', 'other side closed'],
  ['cut off between chunks', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'other side closed'],
  ['empty', 'content-length: 0\r\n\r\n', 'the file is empty'],
  ['encoded', 'content-length: 5\r\ncontent-encoding: gzip\r\n\r\nhello', 'the file comes encoded as gzip'],
  [
    'declared as too large',
    'content-length: 3000000000\r\n\r\nhello',
    'the file is longer than 2147483648 bytes',
  ],
])('a file that is %s is trouble', async (_, rest, detail) => {
  const server = await rawServer({ data: socket => socket.end(`HTTP/1.1 200 OK\r\n${rest}`) })
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/a`)).toEqual(undelivered(detail))
})

test('bytes behind the declared length never become part of the file', async () => {
  const server = await rawServer({
    data: socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more'),
  })
  const { get, to } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/a`)).toMatchObject({ got: 'bytes', bytes: 5 })
  expect(await readFile(to, 'utf8')).toBe('hello')
})

test('a file that turns out too large is cut off', async () => {
  const limits = { ...wireLimits, download: { ...wireLimits.download, bytes: 1000 } }
  const server = await webServer((_, response) => {
    response.write(Buffer.alloc(900))
    setImmediate(() => response.end(Buffer.alloc(900)))
  })
  const { get, to } = await downloaderFor(server.origin, { limits })
  expect(await get(`${server.origin}/a`)).toEqual(undelivered('the file is longer than 1000 bytes'))
  expect((await stat(to)).size).toBeLessThanOrEqual(1000)
})

test.each([400, 401, 403, 404, 410])('status %i means that the link has expired', async status => {
  const server = await webServer((_, response) => response.writeHead(status).end('no'))
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/a`)).toEqual({
    got: 'expired',
    failure: { why: 'undelivered', detail: `status ${status}` },
  })
})

test.each<[number, Record<string, string>, number | undefined]>([
  [429, { 'retry-after': '1.5' }, 1500],
  [503, { 'retry-after': '2' }, 2000],
  [500, {}, undefined],
  [202, {}, undefined],
  [204, {}, undefined],
  [206, {}, undefined],
])('status %i is trouble', async (status, headers, waitMs) => {
  const server = await webServer((_, response) => response.writeHead(status, headers).end())
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/a`)).toEqual({ ...undelivered(`status ${status}`), waitMs })
})

test('the key goes to the service’s own origin and to no other', async () => {
  const other = await webServer(file(Buffer.from('other')))
  const server = await webServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `${other.origin}/b` }).end('see there')
    else if (request.url === '/near') response.writeHead(302, { location: '/c' }).end()
    else file(Buffer.from('own'))(request, response)
  })
  const { get, to } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/away`)).toMatchObject({ got: 'bytes', bytes: 5 })
  expect(await get(`${other.origin}/direct`)).toMatchObject({ got: 'bytes', bytes: 5 })
  expect(await get(`${server.origin}/near`)).toMatchObject({ got: 'bytes', bytes: 3 })
  expect(await readFile(to, 'utf8')).toBe('own')
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer sk-secret',
    'Bearer sk-secret',
    'Bearer sk-secret',
  ])
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
})

test('what a profile has for every request goes with a file of the service’s own, and with no other', async () => {
  const other = await webServer(file(Buffer.from('other')))
  const server = await webServer(file(Buffer.from('own')))
  const headers = { 'X-Studio': 'north', Accept: 'application/json' }
  const { get } = await downloaderFor(server.origin, { profile: { ...gwV2, headers } })
  for (const { origin } of [server, other]) await get(`${origin}/a`)
  const sent = [...server.requests, ...other.requests].map(each => [
    each.headers['x-studio'],
    each.headers.accept,
  ])
  expect(sent).toEqual([
    ['north', '*/*'],
    [undefined, '*/*'],
  ])
})

test('five redirects are followed, a sixth is not', async () => {
  const server = await webServer((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
    else file(Buffer.from('here'))(request, response)
  })
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/5`)).toMatchObject({ got: 'bytes', bytes: 4 })
  expect(await get(`${server.origin}/6`)).toEqual(undelivered('more than 5 redirects'))
})

test('a redirect that says endless things is not listened to', async () => {
  const server = await rawServer({
    data: (socket, sofar) => {
      const isFirst = sofar.includes('GET /first')
      socket.write(
        isFirst
          ? 'HTTP/1.1 302 Found\r\nlocation: /second\r\ncontent-length: 1000000\r\n\r\nx'
          : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      )
    },
  })
  const { get } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/first`)).toMatchObject({ got: 'bytes', bytes: 2 })
})

test.each([
  ['http://10.0.0.1/x', 'the link leads to 10.0.0.1, a private address'],
  ['http://169.254.169.254/latest/meta-data', 'the link leads to 169.254.169.254, a metadata address'],
  ['http://[fd00::1]/x', 'the link leads to fd00::1, a private address'],
  ['http://[::ffff:192.168.1.1]/x', 'the link leads to ::ffff:c0a8:101, a private address'],
  ['http://0x0a000001/x', 'the link leads to 10.0.0.1, a private address'],
  ['http://intern.example/x', 'intern.example is at 10.1.2.3, a private address'],
  ['ftp://127.0.0.1/x', 'the link is not https: ftp:'],
  ['file:///etc/passwd', 'the link is not https: file:'],
  ['http://user:word@127.0.0.1/x', 'the link holds a user name'],
])('a redirect to %s is refused before anything is dialled', async (location, detail) => {
  const server = await webServer((_, response) => response.writeHead(302, { location }).end())
  const { get } = await downloaderFor(server.origin, { lookup: names({ 'intern.example': ['10.1.2.3'] }) })
  expect(await get(`${server.origin}/a`)).toEqual(undelivered(detail))
})

test.each([
  ['https://127.0.0.1:PORT/x', 'the link leads to 127.0.0.1, a loopback address'],
  ['https://[::1]:PORT/x', 'the link leads to ::1, a loopback address'],
  ['https://2130706433:PORT/x', 'the link leads to 127.0.0.1, a loopback address'],
  ['https://files.example:PORT/x', 'files.example is at 127.0.0.1, a loopback address'],
  ['http://127.0.0.1:PORT/x?token=1', 'the link is not https: http://127.0.0.1:PORT/x'],
])('from a service that is elsewhere, %s is refused without a connection', async (link, detail) => {
  const server = await rawServer({})
  const lookup = names({ 'files.example': ['127.0.0.1'], 'service.example': ['203.0.114.1'] })
  const { get } = await downloaderFor('https://service.example', { lookup })
  const port = String(server.port)
  expect(await get(link.replace('PORT', port))).toEqual(undelivered(detail.replace('PORT', port)))
  expect(server.connections()).toBe(0)
})

test('a link to a network is open to a service in that network, and to a host that is allowed', async () => {
  const server = await rawServer({ connect: socket => socket.destroy() })
  const lookup = names({
    'files.example': ['127.0.0.1'],
    'service.example': ['127.0.0.2'],
    'far.example': ['203.0.114.1'],
  })
  const near = await downloaderFor('https://service.example', { lookup })
  await near.get(`https://files.example:${server.port}/x`)
  expect(server.connections()).toBe(1)
  const far = await downloaderFor('https://far.example', { lookup, allowHosts: ['files.example'] })
  await far.get(`https://files.example:${server.port}/x`)
  expect(server.connections()).toBe(2)
})

test('of several addresses only those that may be dialled are dialled', async () => {
  const server = await webServer(file(Buffer.from('ok')))
  const lookup = names({ 'files.example': ['10.0.0.1', '127.0.0.1'] })
  const { get } = await downloaderFor(server.origin, { lookup })
  expect(await get(`http://files.example:${server.port}/x`)).toMatchObject({ got: 'bytes' })
})

test('a name that does not resolve is trouble', async () => {
  const { get } = await downloaderFor('http://127.0.0.1:1', { lookup: names({}) })
  expect(await get('https://nowhere.example/x')).toEqual(undelivered('no such name: nowhere.example'))
})

test('a server that says nothing is given up after 30 s', async () => {
  const clock = handClock()
  const server = await rawServer({})
  const { get } = await downloaderFor(server.origin, { clock })
  const reply = get(`${server.origin}/a`)
  await clock.awaited(30_000)
  clock.advance(30_000)
  expect(await reply).toEqual(undelivered('no answer within 30 s'))
})

test('a server that drips is cut off after a slow minute', async () => {
  const clock = handClock()
  const server = await rawServer({
    data: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\nslow'),
  })
  const { get } = await downloaderFor(server.origin, { clock })
  const reply = get(`${server.origin}/a`)
  await clock.awaited(60_000)
  clock.advance(60_000)
  expect(await reply).toEqual(undelivered('slower than 10240 bytes a second'))
})

test('a stop ends a download and leaves its part', async () => {
  const stop = new AbortController()
  const server = await rawServer({
    data: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart'),
  })
  const { get, to } = await downloaderFor(server.origin)
  expect(await get(`${server.origin}/a`, stop.signal, () => stop.abort())).toEqual({
    got: 'trouble',
    failure: { why: 'stopped' },
  })
  expect(await readFile(to, 'utf8')).toBe('part')
})

test('a file that cannot be written is told with its path', async () => {
  const server = await webServer(file(Buffer.from('ok')))
  const spool = await testSpool()
  const wire = createWire({
    baseUrl: `${server.origin}/gw-v2`,
    key: 'k',
    profile: gwV2,
    spool,
    clock: systemClock,
  })
  onTestFinished(() => wire.close())
  const to = join(await testFolder(), 'missing', 'part')
  const reply = await wire.download({ from: 'link', url: `${server.origin}/a` }, to, { signal: never })
  expect(reply).toMatchObject({
    got: 'trouble',
    failure: { why: 'unsaved', path: to, detail: expect.stringContaining('ENOENT') },
  })
})

test.runIf(existsSync('/dev/full')).each(['link', 'data URI'])(
  'a disk that is full is told (%s)',
  async kind => {
    const server = await webServer(file(Buffer.from('ok')))
    const spool = await testSpool()
    const wire = createWire({
      baseUrl: `${server.origin}/gw-v2`,
      key: 'k',
      profile: gwV2,
      spool,
      clock: systemClock,
    })
    onTestFinished(() => wire.close())
    const url = kind === 'link' ? `${server.origin}/a` : 'data:,ok'
    const failure = { why: 'unsaved', path: '/dev/full', detail: 'ENOSPC: no space left on device, write' }
    expect(await wire.download({ from: 'link', url }, '/dev/full', { signal: never })).toEqual({
      got: 'trouble',
      failure,
    })
  },
)

test.each<[string, string]>([
  ['data:image/png;base64,aGVsbG8=', 'hello'],
  ['data:;base64,aGVs bG8=', 'hello'],
  ['data:text/plain,hello%20there%ff', 'hello there\xff'],
])('the link %s is written without a request', async (link, text) => {
  const { get, to } = await downloaderFor('http://127.0.0.1:1')
  const sha256 = createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')
  expect(await get(link)).toEqual({ got: 'bytes', bytes: text.length, sha256 })
  expect(await readFile(to, 'latin1')).toBe(text)
})

test('an empty data URI is trouble', async () => {
  const { get } = await downloaderFor('http://127.0.0.1:1')
  expect(await get('data:image/png;base64,')).toEqual(undelivered('the data URI is empty'))
})

/** A name server that knows these names. */
function names(known: Record<string, string[]>): LookupFunction {
  return (hostname, options, done) => {
    const found = (known[hostname] ?? []).map(address => ({ address, family: 4 }))
    const [first] = found
    if (!first) return done(new Error(`no such name: ${hostname}`), [])
    return options.all ? done(null, found) : done(null, first.address, first.family)
  }
}
