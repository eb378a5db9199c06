import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import type { Head } from '../../../src/wire/http/exchange.ts'
import { createAsker, pay } from '../../../src/wire/http/http.ts'
import { isWhole, rawServer } from '../servers.ts'

// A little more than the reader may be behind: with one of these, the last bytes are those that make it wait.
const sizes = Array.from({ length: 12 }, (_, nth) => 262_145 + nth * 9_001)

interface Way {
  readonly head: string
  readonly body: (bytes: Buffer) => Buffer
  /** Ends with an error instead of the end. */
  readonly reset?: true
}

const whole = (bytes: Buffer) => bytes
const halved = (bytes: Buffer) => bytes.subarray(0, bytes.byteLength - 1)
const chunked = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')])
const close = 'Connection: close\r\n'
const length = 'Content-Length: LENGTH\r\n'
const inChunks = 'Transfer-Encoding: chunked\r\n'

const complete: readonly [string, Way][] = [
  ['its length announced', { head: length + close, body: whole }],
  ['its length announced and the connection to be kept', { head: length, body: whole }],
  ['in chunks', { head: inChunks + close, body: chunked }],
  ['up to the end of the connection', { head: close, body: whole }],
]
const broken: readonly [string, Way][] = [
  ['shorter than announced', { head: length + close, body: halved }],
  ['in chunks without the last', { head: inChunks + close, body: bytes => chunked(bytes).subarray(0, -5) }],
  ['shorter than announced, and a reset', { head: length + close, body: halved, reset: true }],
]

/** Answers each request so, and closes the connection at once. */
async function closing(way: Way) {
  let size = 0
  const answer = (socket: Socket) => {
    const head = `HTTP/1.1 200 OK\r\n${way.head.replace('LENGTH', String(size))}\r\n`
    socket.write(Buffer.concat([Buffer.from(head), way.body(Buffer.alloc(size, 7))]), () => {
      // What is on its way when a connection is reset may be lost.
      if (way.reset) globalThis.setTimeout(() => socket.resetAndDestroy(), 20)
    })
    if (!way.reset) socket.end()
  }
  const { origin } = await rawServer({ data: (socket, sofar) => isWhole(sofar) && answer(socket) })
  return { url: new URL('/x', origin), origin, next: (bytes: number) => void (size = bytes) }
}

/** How many bytes were read by who takes their time, and whether the body ended as one does. */
async function slowly(_: Head, body: AsyncIterable<Uint8Array>) {
  await setTimeout(40)
  let bytes = 0
  try {
    for await (const chunk of body) bytes += chunk.byteLength
    return { bytes, isWhole: true }
  } catch {
    return { bytes, isWhole: false }
  }
}

const request = { headers: {}, clock: systemClock, firstHeaderMs: 10_000 }

/** Asks for an answer over connections that are kept as long as the test. */
function asking(origin: string, url: URL) {
  const asker = createAsker(origin, systemClock, 10_000)
  onTestFinished(() => asker.close())
  const { signal } = new AbortController()
  return (read: typeof slowly) => asker.get({ ...request, url, signal, totalMs: () => 10_000 }, read)
}

test.each(complete)(
  'a slow reader gets all of an answer behind which the connection closes, %s',
  async (_, way) => {
    const { url, origin, next } = await closing(way)
    const ask = asking(origin, url)
    for (const size of sizes) {
      next(size)
      const all = { bytes: size, isWhole: true }
      expect(await ask(slowly)).toEqual({ got: 'answer', value: all })
      const paid = await pay({ ...request, ...paying, url }, slowly)
      expect(paid).toMatchObject({ sent: 'yes', value: all })
    }
  },
)

test.each(broken)(
  'an answer that breaks off while its reader is behind is no whole one: %s',
  async (_, way) => {
    const { url, next } = await closing(way)
    for (const size of sizes) {
      next(size)
      const paid = await pay({ ...request, ...paying, url }, slowly)
      expect(paid).toMatchObject({ sent: 'yes', value: { isWhole: false } })
    }
  },
)

test('a reset behind an answer without a length ends nothing but the answer', async () => {
  const { url, next } = await closing({ head: close, body: whole, reset: true })
  for (const size of sizes) {
    next(size)
    const paid = await pay({ ...request, ...paying, url }, slowly)
    expect(paid).toMatchObject({ sent: 'yes', value: { bytes: expect.any(Number) } })
  }
})

const paying = {
  body: Buffer.from('{}'),
  connectMs: 10_000,
  totalMs: 10_000,
  beforeFirstByte: async () => () => undefined,
}

test('a connection that was held serves the next request', async () => {
  const { url, origin, next } = await closing({ head: length, body: whole })
  const ask = asking(origin, url)
  next(400_000)
  await ask(async () => ({ bytes: 0, isWhole: false }))
  expect(await ask(slowly)).toMatchObject({ value: { bytes: 400_000, isWhole: true } })
})
