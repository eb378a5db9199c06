import type { LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createReach } from '../../../src/wire/http/reach.ts'
import { webServer } from '../servers.ts'
import { testFolder } from '../spool.ts'
import { wireTo } from '../wire-to.ts'

const service = new URL('https://service.test/gw-v2')

/** A name server that answers a name's questions one after the other, the last answer for ever. */
function answering(known: Record<string, string[][]>): LookupFunction & { readonly asked: string[] } {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, options, done) => {
    asked.push(hostname)
    const answers = known[hostname] ?? []
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    const [first] = found
    if (!first) return done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    return options.all ? done(null, found) : done(null, first.address, first.family)
  }
  return Object.assign(lookup, { asked })
}

function dialled(lookup: LookupFunction, hostname: string, options: object = { all: true }) {
  return new Promise(resolve => {
    lookup(hostname, options, (error, found, family) => resolve(error?.message ?? { found, family }))
  })
}

describe('every spelling of an address that is not public is refused', () => {
  test.each([
    ['127.1', 'loopback'],
    ['0177.0.0.1', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['2130706433', 'loopback'],
    ['017700000001', 'loopback'],
    ['①②⑦.⓪.⓪.①', 'loopback'],
    ['127。0。0。1', 'loopback'],
    ['%31%32%37.0.0.1', 'loopback'],
    ['[::1]', 'loopback'],
    ['[0:0:0:0:0:0:0:1]', 'loopback'],
    ['[::ffff:127.0.0.1]', 'loopback'],
    ['[::ffff:7f00:1]', 'loopback'],
    ['[0:0:0:0:0:ffff:10.0.0.1]', 'private'],
    ['[64:ff9b::a00:1]', 'private'],
    ['[2002:a00:1::]', 'private'],
    ['[::10.0.0.1]', 'reserved'],
    ['[fec0::1]', 'private'],
    ['[fe80::1]', 'link-local'],
    ['0', 'reserved'],
    ['[::]', 'reserved'],
    ['169.254.43518', 'metadata'],
    ['0xa9fea9fe', 'metadata'],
    ['[::ffff:a9fe:a9fe]', 'metadata'],
    ['[fd00:ec2::254]', 'metadata'],
  ])('%s', async (spelling, network) => {
    const { hostname } = new URL(`https://${spelling}/x`)
    const lookup = answering({ 'service.test': [['203.0.114.1']] })
    const refusal = await createReach({ base: service, allowHosts: [], lookup }).refusal(hostname)
    expect(refusal).toMatch(new RegExp(`^the link leads to [\\da-f.:]+, a ${network} address$`))
  })
})

describe('a name', () => {
  test.each([
    [['10.0.0.1'], 'files.test is at 10.0.0.1, a private address'],
    [['::ffff:10.0.0.1'], 'files.test is at ::ffff:10.0.0.1, a private address'],
    [['169.254.169.254', '127.0.0.1'], 'files.test is at 169.254.169.254, a metadata address'],
    [[], 'no such name'],
  ])('at %j is not dialled', async (addresses, message) => {
    const lookup = answering({ 'files.test': [addresses], 'service.test': [['203.0.114.1']] })
    const reach = createReach({ base: service, allowHosts: [], lookup })
    expect(await reach.refusal('files.test')).toBeUndefined()
    expect(await dialled(reach.lookup, 'files.test')).toBe(message)
    expect(await dialled(reach.lookup, 'files.test', { all: false })).toBe(message)
  })

  test('that ends in a dot is the same name', async () => {
    const lookup = answering({ 'localhost.': [['127.0.0.1']], 'service.test': [['203.0.114.1']] })
    const reach = createReach({ base: service, allowHosts: [], lookup })
    expect(await dialled(reach.lookup, 'localhost.')).toBe('localhost. is at 127.0.0.1, a loopback address')
  })

  test('is dialled at its public addresses only', async () => {
    const lookup = answering({
      'files.test': [['10.0.0.1', '8.8.8.8', '::1']],
      'service.test': [['203.0.114.1']],
    })
    const reach = createReach({ base: service, allowHosts: [], lookup })
    expect(await dialled(reach.lookup, 'files.test')).toEqual({
      found: [{ address: '8.8.8.8', family: 4 }],
      family: undefined,
    })
  })

  test('of the service opens its own network and no other', async () => {
    const lookup = answering({
      'service.test': [['10.9.9.9']],
      'near.test': [['192.168.0.1']],
      'self.test': [['127.0.0.1']],
      'meta.test': [['169.254.169.254']],
    })
    const reach = createReach({ base: service, allowHosts: [], lookup })
    expect(await dialled(reach.lookup, 'near.test')).toMatchObject({ found: [{ address: '192.168.0.1' }] })
    expect(await dialled(reach.lookup, 'self.test')).toMatch(/a loopback address$/)
    expect(await dialled(reach.lookup, 'meta.test')).toMatch(/a metadata address$/)
  })

  test('of the service that does not resolve opens nothing, until it does', async () => {
    const lookup = answering({ 'service.test': [[], ['10.9.9.9']], 'near.test': [['10.0.0.1']] })
    const reach = createReach({ base: service, allowHosts: [], lookup })
    expect(await dialled(reach.lookup, 'near.test')).toMatch(/a private address$/)
    expect(await dialled(reach.lookup, 'near.test')).toMatchObject({ found: [{ address: '10.0.0.1' }] })
  })
})

test('a name that moves between two downloads is looked at again when it is dialled again', async () => {
  const server = await webServer((_, response) => response.writeHead(200, { connection: 'close' }).end('ok'))
  const lookup = answering({ 'files.test': [['127.0.0.1'], ['10.0.0.1']] })
  const { wire } = await wireTo(server.origin, { lookup })
  const url = `http://files.test:${server.port}/x`
  const get = async () =>
    wire.download({ from: 'link', url }, `${await testFolder()}/part`, {
      signal: new AbortController().signal,
    })
  expect(await get()).toMatchObject({ got: 'bytes' })
  expect(await get()).toMatchObject({
    got: 'trouble',
    failure: { why: 'undelivered', detail: 'files.test is at 10.0.0.1, a private address' },
  })
  expect(server.requests).toHaveLength(1)
  // Each question was asked by the dial itself: what it was told is where it went.
  expect(lookup.asked).toEqual(['files.test', 'files.test'])
})
