import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, type FileHandle, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import type { Beginning } from '../../../src/base/state.ts'
import { createWire } from '../../../src/wire/client.ts'
import type { Watch, Wire } from '../../../src/wire/http/wire.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import { webServer } from '../servers.ts'
import { testFolder, testSpool } from '../spool.ts'

const never = new AbortController().signal
const old = Buffer.from('the first version, and it is long enough to be cut')
const renewed = Buffer.from('another version, and just as long as the other one')

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void

async function downloads(...answers: Answer[]) {
  let nth = 0
  const server = await webServer((request, response) => {
    answers[Math.min(nth, answers.length - 1)]?.(request, response, nth++)
  })
  const to = join(await testFolder(), 'part')
  const { origin, requests } = server
  const wire = await wireTo(origin)
  const get = (path: string, more: Partial<Watch> = {}) =>
    wire.download({ from: 'link', url: `${origin}${path}` }, to, { signal: never, ...more })
  return { get, to, requests, origin }
}

async function wireTo(origin: string): Promise<Wire> {
  const wire = createWire({
    baseUrl: `${origin}/gw-v2`,
    key: 'k',
    profile: gwV2,
    spool: await testSpool(),
    clock: systemClock,
  })
  onTestFinished(() => wire.close())
  return wire
}

/** Sends the head of a whole answer and a part of its body, then breaks the connection. */
const cutAfter =
  (bytes: number, etag: string | undefined = '"v1"'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': old.length, ...(etag && { etag }) })
    response.write(old.subarray(0, bytes), () => response.destroy())
  }

const rest =
  (version: Buffer, from: number, more: { [name: string]: string | number | undefined } = {}): Answer =>
  (_, response) => {
    const headers = {
      'content-range': `bytes ${from}-${version.length - 1}/${version.length}`,
      'content-length': version.length - from,
      etag: '"v1"',
      ...more,
    }
    const sent = Object.entries(headers).filter(([, value]) => value !== undefined)
    response
      .writeHead(206, Object.fromEntries(sent) as { [name: string]: string | number })
      .end(version.subarray(from))
  }

const whole =
  (version: Buffer, etag = '"v2"'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': version.length, etag }).end(version)
  }

const got = (version: Buffer) => ({
  got: 'bytes',
  bytes: version.length,
  sha256: createHash('sha256').update(version).digest('hex'),
})

test('a download that broke off goes on where it was, by its strong tag', async () => {
  const { get, to, requests } = await downloads(cutAfter(20), rest(old, 20))
  expect(await get('/a.png?s=1')).toMatchObject({ got: 'trouble' })
  expect(await get('/a.png?s=2')).toEqual(got(old))
  expect((await readFile(to)).equals(old)).toBe(true)
  expect(requests[0]?.headers.range).toBeUndefined()
  expect(requests[1]?.headers).toMatchObject({ range: 'bytes=20-', 'if-range': '"v1"' })
})

test('it may break off again and again', async () => {
  const again: Answer = (_, response) => {
    const headers = {
      'content-range': `bytes 20-${old.length - 1}/${old.length}`,
      'content-length': old.length - 20,
    }
    response.writeHead(206, { ...headers, etag: '"v1"' })
    response.write(old.subarray(20, 33), () => response.destroy())
  }
  const { get, to } = await downloads(cutAfter(20), again, rest(old, 33))
  expect([await get('/a.png'), await get('/a.png')].map(each => each.got)).toEqual(['trouble', 'trouble'])
  expect(await get('/a.png')).toEqual(got(old))
  expect((await readFile(to)).equals(old)).toBe(true)
})

test('a file that changed meanwhile comes whole, and nothing of the old one stays', async () => {
  const { get, to } = await downloads(cutAfter(20), whole(renewed))
  await get('/a.png')
  expect(await get('/a.png')).toEqual(got(renewed))
  expect((await readFile(to)).equals(renewed)).toBe(true)
})

describe('everything is asked for anew', () => {
  test.each<[string, Answer]>([
    ['without a tag', cutAfter(20, '')],
    ['with a weak tag', cutAfter(20, 'W/"v1"')],
    ['with a tag that is none', cutAfter(20, 'v1')],
    ['when nothing came', cutAfter(0)],
  ])('%s', async (_, first) => {
    const { get, requests } = await downloads(first, whole(old))
    await get('/a.png')
    expect(await get('/a.png')).toEqual(got(old))
    expect(requests[1]?.headers.range).toBeUndefined()
  })

  test('for another file', async () => {
    const { get, requests } = await downloads(cutAfter(20), whole(old))
    await get('/a.png')
    expect(await get('/b.png')).toEqual(got(old))
    expect(requests[1]?.headers.range).toBeUndefined()
  })

  test.each([
    ['shorter', 10],
    ['gone', undefined],
  ])('when what came is %s by now', async (_, length) => {
    const { get, to, requests } = await downloads(cutAfter(20), whole(old))
    await get('/a.png')
    if (length === undefined) await writeFile(to, '')
    else await truncate(to, length)
    expect(await get('/a.png')).toEqual(got(old))
    expect(requests[1]?.headers.range).toBeUndefined()
  })
})

describe('what an earlier process left', () => {
  /** The first process breaks off after 20 bytes; `meanwhile` befalls its file. The second has a file of its own. */
  async function twoProcesses(meanwhile: (left: string) => Promise<void>, ...answers: Answer[]) {
    const { get, to: left, requests, origin } = await downloads(cutAfter(20), ...answers)
    const told: Beginning[] = []
    await get('/a.png?s=1', { onBeginning: beginning => told.push(beginning) })
    expect(told).toEqual([
      {
        resource: `${origin}/a.png`,
        etag: '"v1"',
        bytes: 20,
        total: old.length,
        sha256: createHash('sha256').update(old.subarray(0, 20)).digest('hex'),
      },
    ])
    await meanwhile(left)
    const second = await wireTo(origin)
    const to = `${left}-2`
    const later = (path: string) =>
      second.download({ from: 'link', url: `${origin}${path}` }, to, {
        signal: never,
        ...(told[0] && { begun: { path: left, beginning: told[0] } }),
        onBeginning: beginning => told.push(beginning),
      })
    return { later, left, to, requests, told }
  }

  test.each<[string, (to: string) => Promise<void>]>([
    ['is gone on with', async () => {}],
    ['is gone on with where it was noted, whatever came behind it', to => appendFile(to, 'unnoted')],
  ])('%s', async (_, meanwhile) => {
    const { later, left, to, requests, told } = await twoProcesses(meanwhile, rest(old, 20))
    expect(await later('/a.png?s=2')).toEqual(got(old))
    expect((await readFile(to)).equals(old)).toBe(true)
    expect(requests[1]?.headers).toMatchObject({ range: 'bytes=20-', 'if-range': '"v1"' })
    // It lies under another name now, which is noted before anything else comes.
    expect(existsSync(left)).toBe(false)
    expect(told[1]).toEqual(told[0])
  })

  test('and what it still writes when it wakes reaches nobody', async () => {
    let paused: FileHandle | undefined
    const { later, to } = await twoProcesses(
      async left => {
        paused = await open(left, 'a')
      },
      rest(old, 20),
    )
    const answer = later('/a.png')
    await paused?.writeFile('of another time')
    expect(await answer).toEqual(got(old))
    await paused?.writeFile('and later')
    await paused?.close()
    expect((await readFile(to)).equals(old)).toBe(true)
  })

  test('and is another version by now comes whole', async () => {
    const { later, to } = await twoProcesses(async () => {}, whole(renewed))
    expect(await later('/a.png')).toEqual(got(renewed))
    expect((await readFile(to)).equals(renewed)).toBe(true)
  })

  test.each<[string, string, (to: string) => Promise<void>]>([
    ['altered', '/a.png', to => writeFile(to, 'x'.repeat(20))],
    ['cut', '/a.png', to => truncate(to, 19)],
    ['gone', '/a.png', to => rm(to)],
    ['of another file', '/b.png', async () => {}],
  ])('is not taken up when it is %s', async (_, path, meanwhile) => {
    const { later, to, requests } = await twoProcesses(meanwhile, whole(old))
    expect(await later(path)).toEqual(got(old))
    expect((await readFile(to)).equals(old)).toBe(true)
    expect(requests[1]?.headers.range).toBeUndefined()
  })
})

describe('a dishonest rest is never taken, and the next attempt begins anew', () => {
  const size = old.length
  test.each<[string, Answer]>([
    ['from another place', rest(old, 21)],
    ['from the beginning', rest(old, 0)],
    [
      'that says another place than it sends',
      rest(old, 21, { 'content-range': `bytes 20-${size - 1}/${size}` }),
    ],
    ['of another version', rest(renewed, 20, { etag: '"v2"' })],
    ['without a tag', rest(renewed, 20, { etag: undefined })],
    ['of another size', rest(Buffer.concat([old, old]), 20)],
    ['that ends early', rest(old, 20, { 'content-range': `bytes 20-${size - 2}/${size}` })],
    ['without a range', rest(old, 20, { 'content-range': undefined })],
    ['of unknown size', rest(old, 20, { 'content-range': `bytes 20-${size - 1}/*` })],
    ['that cannot be', (_, response) => void response.writeHead(416).end()],
  ])('%s', async (_, dishonest) => {
    const { get, to, requests } = await downloads(cutAfter(20), dishonest, whole(old))
    await get('/a.png')
    expect(await get('/a.png')).toMatchObject({ got: 'trouble' })
    expect(await get('/a.png')).toEqual(got(old))
    expect(requests[2]?.headers.range).toBeUndefined()
    expect((await readFile(to)).equals(old)).toBe(true)
  })
})

test('a rest in chunks that ends before its range does is no whole file', async () => {
  const short: Answer = (_, response) => {
    const headers = { 'content-range': `bytes 20-${old.length - 1}/${old.length}`, etag: '"v1"' }
    response.writeHead(206, headers)
    response.write(old.subarray(20, 33), () => response.end())
  }
  const { get, to } = await downloads(cutAfter(20), short, rest(old, 33))
  await get('/a.png')
  expect(await get('/a.png')).toMatchObject({
    got: 'trouble',
    failure: { detail: `33 of ${old.length} bytes came` },
  })
  expect(await get('/a.png')).toEqual(got(old))
  expect((await readFile(to)).equals(old)).toBe(true)
})
