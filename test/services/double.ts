import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Json, JsonObject } from '../../src/base/names.ts'
import { samples, wav } from '../media/samples.ts'

/** A request as a double sees it. */
export interface Heard {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: { readonly [name: string]: string | undefined }
  /** The body, when it is JSON; else empty. */
  readonly json: JsonObject
  /** The parts of a multipart body, by name. */
  readonly parts: ReadonlyMap<string, Part>
  readonly bytes: Buffer
}

interface Part {
  readonly type: string | undefined
  readonly filename: string | undefined
  readonly bytes: Buffer
}

export interface Said {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly json?: Json
  readonly bytes?: Uint8Array
}

/** One thing that was ordered, and paid for. */
export interface Ordered {
  readonly id: string
  readonly body: JsonObject
  /** How often it was asked for. */
  asked: number
  isCanceled?: boolean
}

/** What a shape works with. */
interface Shop {
  readonly origin: string
  /** Another host of the same service. */
  readonly other: string
  readonly media: Media
  /** Takes an order: from here on it is paid for. */
  take(body: JsonObject): Ordered
  find(id: string | undefined): Ordered | undefined
  all(): readonly Ordered[]
  link(name: keyof Media): string
}

interface Media {
  readonly png: Uint8Array
  readonly webp: Uint8Array
  readonly mp4: Uint8Array
  readonly wav: Uint8Array
}

/**
 * A service of one shape, written from public documentation of interfaces of that shape: paths, states, errors, limits. It is a
 * double: nothing here was tried against a real service.
 */
export interface Shape {
  /** The header that carries the key (`?key` for a name in the query), and how it looks. */
  readonly auth: readonly [header: string, value: (key: string) => string]
  /** What it says to a wrong key. */
  readonly denied: Said
  /** What it says when it has no room, which bills nothing. */
  readonly busy: Said
  /** Further files, by their paths. */
  readonly files?: { readonly [path: string]: Uint8Array }
  /** Undefined for a request that it does not know: it is remembered, and refused. */
  answer(heard: Heard, shop: Shop): Said | undefined
}

/** What becomes of an order: it is taken and its answer is lost, or says 500, or the service has no room. */
export type Fate = 'well' | 'lost' | '500' | 'busy'

export interface Double {
  readonly origin: string
  readonly other: string
  readonly key: string
  readonly orders: readonly Ordered[]
  /** Requests that it does not know, as it has them. */
  readonly unknown: readonly string[]
  /** Headers that carry a key which is not its own: another service's. */
  readonly strange: readonly string[]
  /** What becomes of the next orders. */
  readonly fates: Fate[]
  /** So many of the next files break off. */
  broken: number
  /** Hears of each request before it is answered. */
  heard: (method: string, path: string, bytes: Buffer) => void
}

/** Begins a double on loopback, gone with the test. */
export async function begin(shape: Shape, key = 'key-of-the-double-7f3a'): Promise<Double> {
  const { png, webp, mp4 } = await samples()
  const media: Media = { png, webp, mp4, wav: wav(8000) }
  const orders: Ordered[] = []
  const unknown: string[] = []
  const strange: string[] = []
  const double = {
    origin: '',
    other: '',
    key,
    orders,
    unknown,
    strange,
    fates: [] as Fate[],
    broken: 0,
    heard: () => {},
  }
  const shop: Shop = {
    get origin() {
      return double.origin
    },
    get other() {
      return double.other
    },
    media,
    take(body) {
      const ordered: Ordered = { id: `r${orders.length + 1}x${'0a'.repeat(3)}`, body, asked: 0 }
      orders.push(ordered)
      return ordered
    },
    find: id => orders.find(each => each.id === id),
    all: () => orders,
    link: name => `${double.origin}/cdn/a.${name}`,
  }
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response, { shape, shop, double })
  double.origin = await listen(listener)
  double.other = await listen(listener)
  return double
}

async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // not a pipe
}

interface Serving {
  readonly shape: Shape
  readonly shop: Shop
  readonly double: Double & {
    readonly orders: Ordered[]
    readonly unknown: string[]
    readonly strange: string[]
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { shape, shop, double } = serving
  const heard = await hear(request)
  double.heard(heard.method, heard.path, heard.bytes)
  for (const value of Object.values(heard.headers))
    if (value?.includes('key-of-') && !value.includes(double.key)) double.strange.push(value)
  const file = /^\/cdn\/a\.(png|webp|mp4|wav)$/.exec(heard.path)?.[1] as keyof Media | undefined
  if (file) return sendFile(response, shop.media[file], double)
  const further = shape.files?.[heard.path]
  if (further) return sendFile(response, further, double)
  const [header, value] = shape.auth
  const given = header.startsWith('?') ? heard.query.get(header.slice(1)) : heard.headers[header]
  const isKnown = given === value(double.key)
  // A presigned address has its own word, and must not get the key.
  const isPresigned = heard.query.has('signature')
  if (!isKnown && !isPresigned) return say(response, shape.denied)
  if (isKnown && isPresigned) return say(response, { status: 400, json: { message: 'one way to sign only' } })
  const before = double.orders.length
  const isBusy = double.fates[0] === 'busy' && heard.method !== 'GET'
  if (isBusy) {
    double.fates.shift()
    return say(response, shape.busy)
  }
  const said = shape.answer(heard, shop)
  if (!said)
    double.unknown.push(`${heard.method} ${heard.path} ${heard.bytes.toString('latin1').slice(0, 400)}`)
  const fate = double.orders.length > before ? double.fates.shift() : undefined
  if (fate === 'lost') return void request.socket.destroy()
  if (fate === '500') return say(response, { status: 500, json: { error: { message: 'internal' } } })
  if (said?.bytes && double.broken > 0) return sendFile(response, said.bytes, double, said.headers)
  say(response, said ?? { status: 404, json: { error: { message: 'no such thing' } } })
}

/** A file that breaks off is as long as it says, and does not come whole. */
function sendFile(
  response: ServerResponse,
  bytes: Uint8Array,
  double: Double,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(200, { ...headers, 'content-length': bytes.byteLength })
  if (double.broken <= 0) return void response.end(bytes)
  double.broken--
  response.write(bytes.subarray(0, bytes.byteLength >> 1), () => response.destroy())
}

function say(response: ServerResponse, { status = 200, headers = {}, json, bytes }: Said): void {
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, ...headers })
  response.end(bytes ?? (json === undefined ? '' : JSON.stringify(json)))
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
  const bytes = Buffer.concat(chunks)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double.invalid')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join() : value,
    ]),
  )
  const type = headers['content-type'] ?? ''
  const isJson = type.startsWith('application/json') && bytes.byteLength > 0
  return {
    method: request.method ?? '',
    path: decodeURIComponent(pathname),
    query: searchParams,
    headers,
    json: isJson ? (JSON.parse(bytes.toString()) as JsonObject) : {},
    parts: partsOf(type, bytes),
    bytes,
  }
}

/** RFC 7578, as far as a double needs it. */
function partsOf(type: string, bytes: Buffer): ReadonlyMap<string, Part> {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1]
  const parts = new Map<string, Part>()
  if (boundary === undefined) return parts
  const text = bytes.toString('latin1')
  for (const piece of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = piece.split('\r\n\r\n')
    const name = / name="([^"]*)"/.exec(head)?.[1] ?? ''
    parts.set(name, {
      type: /Content-Type: (\S+)/.exec(head)?.[1],
      filename: / filename="([^"]*)"/.exec(head)?.[1],
      bytes: Buffer.from(rest.join('\r\n\r\n').slice(0, -2), 'latin1'),
    })
  }
  return parts
}
