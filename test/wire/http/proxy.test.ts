import { readFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import tls from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { jobAddress } from '../../../src/base/names.ts'
import { createWire, type WireOptions } from '../../../src/wire/client.ts'
import { wireLimits } from '../../../src/wire/http/limits.ts'
import { proxyFor, proxyProblem } from '../../../src/wire/http/proxy.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import { certificate } from '../certificate.ts'
import { rawServer } from '../servers.ts'
import { testFolder, testSpool } from '../spool.ts'
import { proxyServer, secureServer } from '../tunnel.ts'

test.each<[string, string | undefined, string, boolean]>([
  ['without exceptions', undefined, 'api.example', true],
  ['this machine by name', undefined, 'localhost', false],
  ['this machine by address', undefined, '127.0.0.1', false],
  ['this machine by its other address', undefined, '[::1]', false],
  ['a name that is excepted', 'api.example', 'api.example', false],
  ['a name below', 'example', 'api.example', false],
  ['a name below, with a dot', '.example', 'api.example', false],
  ['a name below, with a star', '*.example', 'api.example', false],
  ['a name that only ends so', 'ample', 'api.example', true],
  ['one of several', 'a.test, api.example b.test', 'api.example', false],
  ['in capitals', 'API.EXAMPLE', 'Api.Example', false],
  ['its port', 'api.example:443', 'api.example', false],
  ['another port', 'api.example:8443', 'api.example', true],
  ['everything', '*', 'api.example', false],
  ['an address', '10.1.2.3', '10.1.2.3', false],
  ['a network', '10.0.0.0/8', '10.1.2.3', false],
  ['another network', '10.0.0.0/16', '10.1.2.3', true],
  ['an address of IPv6', '2606:4700::1111', '[2606:4700::1111]', false],
  ['an address of IPv6 with its port', '[2606:4700::1111]:443', '[2606:4700::1111]', false],
  ['a network of IPv6', 'fd00::/8', '[fd12::1]', false],
  ['a network of the other family', '::/0', '10.1.2.3', true],
  ['a network that is none', '10.0.0.0/99', '10.1.2.3', true],
])('whether a proxy is on the way: %s', (_, no, host, isOnTheWay) => {
  const rules = { https: 'http://proxy.example:3128', ...(no !== undefined && { no }) }
  expect(proxyFor(rules, host, 443)?.href).toBe(isOnTheWay ? 'http://proxy.example:3128/' : undefined)
})

test.each([
  ['http://proxy.example:3128', undefined],
  ['proxy.example:3128', undefined],
  ['socks5://proxy.example', 'the address of the proxy must look like http://host:port'],
  ['http://', 'the address of the proxy must look like http://host:port'],
])('%s is the address of a proxy: %s', (text, problem) => {
  expect(proxyProblem(text)).toBe(problem)
})

async function wireBy(proxy: string, port: number, more: Partial<WireOptions> = {}) {
  const wire = createWire({
    baseUrl: `https://service.test:${port}/gw-v2`,
    key: 'sk-secret',
    profile: gwV2,
    spool: await testSpool(),
    clock: systemClock,
    proxy: { https: proxy },
    ca: certificate,
    ...more,
  })
  onTestFinished(() => wire.close())
  return wire
}

const order = {
  address: jobAddress('clip'),
  mode: 'submit',
  workflow: 'famc-v3',
  model: 'famc-v3',
  params: { prompt: 'a' },
  key: 'k-1',
  deadlineMs: 600_000,
} as const
const never = new AbortController().signal

describe('through a proxy', () => {
  test('orders, results and downloads go by a tunnel, and the proxy sees no key', async () => {
    const server = await secureServer((request, response) => {
      if (request.method === 'POST') return response.end('{"id":"r1"}')
      if (request.url?.endsWith('/result')) return response.end('{"status":"running"}')
      return response.end('bytes')
    })
    const proxy = await proxyServer()
    const wire = await wireBy(`http://ann:p%40ss@127.0.0.1:${proxy.port}`, server.port)
    const to = join(await testFolder(), 'part')
    let calls = 0
    expect(await wire.order(order, async () => () => void calls++)).toMatchObject({
      got: 'run',
      run: { id: 'r1' },
    })
    expect(calls).toBe(1)
    expect(await wire.read({ workflow: 'famc-v3', id: 'r1' as never }, never)).toMatchObject({
      got: 'pending',
    })
    const link = { from: 'link', url: `https://files.test:${server.port}/a.png` } as const
    expect(await wire.download(link, to, { signal: never })).toMatchObject({ got: 'bytes', bytes: 5 })
    expect(await readFile(to, 'utf8')).toBe('bytes')
    expect(proxy.asked.map(each => each.split('\r\n')[0])).toEqual([
      `CONNECT service.test:${server.port} HTTP/1.1`,
      `CONNECT service.test:${server.port} HTTP/1.1`,
      `CONNECT files.test:${server.port} HTTP/1.1`,
    ])
    expect(proxy.asked[0]).toContain(`proxy-authorization: Basic ${btoa('ann:p@ss')}`)
    expect(proxy.asked.join('')).not.toContain('sk-secret')
    expect(server.seen).toHaveLength(3)
  })

  test.each([
    ['ann:50%off', 'ann:50%off'],
    ['ann:%C3%BC%E2%82%AC', 'ann:ü€'],
    ['ann', 'ann:'],
  ])('its user %s is told as RFC 7617 has it', async (user, told) => {
    const proxy = await proxyServer('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const wire = await wireBy(`http://${user}@127.0.0.1:${proxy.port}`, 9)
    expect(await wire.order(order, () => expect.fail('a connection stands'))).toMatchObject({
      got: 'not-sent',
    })
    const expected = `proxy-authorization: Basic ${Buffer.from(told).toString('base64')}\r\n`
    expect(proxy.asked.map(each => each.includes(expected))).toEqual([true])
  })

  test('an answer within TLS is heard like any other, after 100 Continue and when it cannot be read', async () => {
    let isBroken = false
    const server = await secureServer((_, response) => {
      if (!isBroken) response.writeContinue()
      else response.socket?.write('HTTP/1.1 200 OK\r\nbroken\r\n\r\n')
      response.end('{"id":"r1"}')
    })
    const proxy = await proxyServer()
    const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, server.port)
    expect(await wire.order(order, async () => () => {})).toMatchObject({ got: 'run', run: { id: 'r1' } })
    isBroken = true
    const reply = await wire.order(order, async () => () => {})
    expect(reply).toMatchObject({ got: 'doubt', raw: expect.any(String) })
  })

  test('an address of IPv6 is named in brackets', async () => {
    const proxy = await proxyServer('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const baseUrl = 'https://[2606:4700::1111]/gw-v2'
    const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, 9, { baseUrl })
    expect(await wire.order(order, () => expect.fail('a connection stands'))).toMatchObject({
      got: 'not-sent',
    })
    expect(proxy.asked[0]?.split('\r\n').slice(0, 2)).toEqual([
      'CONNECT [2606:4700::1111]:443 HTTP/1.1',
      'host: [2606:4700::1111]:443',
    ])
  })

  test('what a proxy says before the tunnel stands, and after, is no answer of the service', async () => {
    const hasty = 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n{"id":"r1"}'
    const proxy = await proxyServer(hasty)
    const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, 9)
    const reply = await wire.order(order, () => expect.fail('a connection stands'))
    expect(reply).toMatchObject({ got: 'not-sent', failure: { why: 'unreachable' } })
  })

  test.each([
    [
      'a refusal for want of a password',
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      'it answered 407',
    ],
    ['a refusal for want of a way', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'it answered 502'],
    ['another protocol', 'SSH-2.0\r\n\r\n', 'it answered no HTTP'],
    ['nothing', '', 'it closed the connection'],
    ['chatter', 'x'.repeat(70_000), 'its answer is too long'],
  ])('%s is no tunnel, and nothing was sent', async (_, refusal, detail) => {
    const proxy = await proxyServer(refusal)
    const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, 9)
    const reply = await wire.order(order, () => expect.fail('a connection stands'))
    expect(reply).toMatchObject({
      got: 'not-sent',
      failure: { why: 'unreachable', detail: `the proxy 127.0.0.1:${proxy.port}: ${detail}` },
    })
  })

  test('a proxy that never answers is given up in time, before and within TLS', async () => {
    const limits = { ...wireLimits, connectMs: 80 }
    const silent = await rawServer({})
    const wire = await wireBy(`http://127.0.0.1:${silent.port}`, 9, { limits })
    expect(await wire.order(order, async () => () => {})).toMatchObject({ got: 'not-sent' })
    const mute = await rawServer({ data: socket => socket.write('HTTP/1.1 200 OK\r\n\r\n') })
    const other = await wireBy(`http://127.0.0.1:${mute.port}`, 9, { limits })
    expect(await other.order(order, async () => () => {})).toMatchObject({ got: 'not-sent' })
  })

  test('a link to a private address is refused all the same', async () => {
    const proxy = await proxyServer()
    const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, 9)
    const to = join(await testFolder(), 'part')
    const link = { from: 'link', url: 'https://10.0.0.1/a.png' } as const
    expect(await wire.download(link, to, { signal: never })).toEqual({
      got: 'trouble',
      failure: { why: 'undelivered', detail: 'the link leads to 10.0.0.1, a private address' },
    })
    expect(proxy.asked).toEqual([])
  })
})

test('authorities are read once, however many orders have connections of their own', async () => {
  const server = await secureServer((_, response) => response.end('{"id":"r1"}'))
  const proxy = await proxyServer()
  const made = vi.spyOn(tls, 'createSecureContext')
  syncBuiltinESMExports()
  onTestFinished(() => {
    made.mockRestore()
    syncBuiltinESMExports()
  })
  // Another text of the same: what an earlier test has read is no help.
  const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, server.port, { ca: `\n${certificate}` })
  for (let nth = 0; nth < 3; nth++)
    expect(await wire.order(order, async () => () => {})).toMatchObject({ got: 'run' })
  expect(made.mock.calls.filter(([options]) => options?.ca !== undefined)).toHaveLength(1)
})

test('a certificate for another name is not accepted', async () => {
  const server = await secureServer((_, response) => response.end('{"id":"r1"}'))
  const proxy = await proxyServer()
  const baseUrl = `https://other.test:${server.port}/gw-v2`
  const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, server.port, { baseUrl })
  const reply = await wire.order(order, () => expect.fail('a connection stands'))
  expect(reply).toMatchObject({ got: 'not-sent', failure: { why: 'unreachable', certificate: true } })
  expect(server.seen).toEqual([])
})

test('a server that speaks no TLS is not sent to', async () => {
  const plain = await rawServer({ data: socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') })
  const wire = await wireBy('', plain.port, { baseUrl: `https://localhost:${plain.port}/gw-v2` })
  const reply = await wire.order(order, () => expect.fail('a connection stands'))
  expect(reply).toMatchObject({ got: 'not-sent', failure: { why: 'unreachable' } })
  expect(reply).not.toHaveProperty('failure.certificate')
})

test('a certificate that nobody vouches for is not accepted', async () => {
  const server = await secureServer((_, response) => response.end('{"id":"r1"}'))
  const proxy = await proxyServer()
  const wire = await wireBy(`http://127.0.0.1:${proxy.port}`, server.port, { ca: undefined })
  expect(await wire.order(order, async () => () => {})).toMatchObject({
    got: 'not-sent',
    failure: { why: 'unreachable', detail: expect.stringContaining('SELF_SIGNED') },
  })
  expect(server.seen).toEqual([])
})
