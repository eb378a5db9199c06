import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { S3mini } from 's3mini'
import { onTestFinished } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { DonePurchase } from '../../src/base/purchase.ts'
import type { Recipe } from '../../src/base/state.ts'
import type { BucketAccess } from '../../src/bucket/access.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { start } from '../gateway/start.ts'
import { named } from '../store/records.ts'

/** What becomes of one request at the door of a store. */
export const faults = ['refuse', 'lose the answer', '500', '503', 'cut', '200 with an error'] as const
/** What stands in the way of what is read: its end is missing, and nothing says so; a page in its place that looks like an object. */
export type Fault = (typeof faults)[number] | 'half' | 'a page' | '404 with a page' | '404 about its size'

/** The gateway's store behind a door that can do anything to a request. */
export interface Door {
  readonly access: BucketAccess
  /** `PUT files/…`, of all that came. */
  readonly seen: string[]
  /** What is done to so many requests, from the nth from now on; nothing when it is undefined. */
  fault(fault: Fault | undefined, nth?: number, many?: number): void
  /** A library of somebody else's, straight to the store. */
  readonly client: S3mini
  /** What is in it, by name. Throws when a file is not what its name says, or a result names what is not there. */
  look(prefix?: string): Promise<Map<string, Buffer>>
}

export async function openDoor(): Promise<Door> {
  const { s3 } = await start({ s3: 'results' })
  if (!s3) throw new Error('no bucket')
  const { endpoint, accessKeyId, secretAccessKey } = s3
  const origin = new URL(endpoint)
  const seen: string[] = []
  let [before, left] = [0, 0]
  let present: Fault | undefined
  const server = createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url?.replace('/s3/results/', '')}`)
    const isNow = before-- <= 0 && left-- > 0
    if (isNow && present !== undefined) spoil(present, asked, answer, origin)
    else forward(asked, answer, origin)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const keys = { accessKeyId, secretAccessKey, region: 'us-east-1' }
  const client = new S3mini({ ...keys, endpoint: `${endpoint}/results`, fetch: measured })
  return {
    access: { ...keys, endpoint: `http://127.0.0.1:${port}/s3` },
    seen,
    client,
    fault(fault, nth = 0, many = 1) {
      present = fault
      before = nth
      left = many
    },
    async look(prefix = '') {
      const found = new Map<string, Buffer>()
      for (const { Key } of (await client.listObjects('/', prefix)) ?? [])
        found.set(Key, Buffer.from((await client.getObjectArrayBuffer(Key)) ?? new ArrayBuffer(0)))
      for (const [key, bytes] of found) {
        const named = /files\/([0-9a-f]{64})/.exec(key)?.[1]
        if (named !== undefined && createHash('sha256').update(bytes).digest('hex') !== named)
          throw new Error(`${key} is another file`)
      }
      return found
    },
  }
}

/** Of a length that was given beside a body there may be two in the end, which not every version of undici lets through. */
const measured: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('content-length')
  return fetch(input, { ...init, headers })
}

function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  to: URL,
  spoilt?: (of: IncomingMessage) => void,
) {
  const { method, url, headers } = asked
  const passed = request({ host: to.hostname, port: to.port, method, path: url, headers }, of => {
    if (spoilt) return spoilt(of)
    answer.writeHead(of.statusCode ?? 500, { ...of.headers, connection: 'close' })
    of.pipe(answer)
  })
  passed.on('error', () => answer.destroy())
  // What was answered before all of it came is read to its end all the same.
  passed.on('close', () => asked.resume())
  asked.pipe(passed)
}

function spoil(fault: Fault, asked: IncomingMessage, answer: ServerResponse, to: URL): void {
  switch (fault) {
    case 'refuse':
      return void asked.socket.destroy()
    case 'lose the answer':
      return forward(asked, answer, to, of => of.on('end', () => asked.socket.destroy()).resume())
    case '500':
    case '503':
      asked.resume()
      return void answer.writeHead(Number(fault)).end('<html>')
    case 'cut':
      return forward(asked, answer, to, of => {
        answer.writeHead(of.statusCode ?? 500, { ...of.headers, 'content-length': '1000' })
        of.on('end', () => asked.socket.destroy()).pipe(answer, { end: false })
      })
    case '200 with an error':
      asked.resume()
      return void answer
        .writeHead(200, { 'content-type': 'application/xml' })
        .end('<Error><Code>InternalError</Code></Error>')
    case 'half':
      if (asked.method !== 'GET') return forward(asked, answer, to)
      return forward(asked, answer, to, of => {
        const { 'content-length': length, ...headers } = of.headers
        answer.writeHead(of.statusCode ?? 500, headers)
        of.once('data', (all: Buffer) => answer.end(all.subarray(0, Number(length) / 2))).resume()
      })
    case '404 with a page':
      asked.resume()
      return void answer
        .writeHead(404, { 'content-type': 'text/html' })
        .end(asked.method === 'HEAD' ? undefined : '<html>Not found</html>')
    case '404 about its size':
      if (asked.method !== 'HEAD') return forward(asked, answer, to)
      return void answer.writeHead(404).end()
    case 'a page':
      if (asked.method !== 'GET') return forward(asked, answer, to)
      return void answer
        .writeHead(200, { 'content-type': 'text/html', etag: '"1"' })
        .end('<html>Who are you?</html>')
  }
}

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-bucket-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A result of these contents, lying in the folder. */
export function made(folder: string, prompt: string, contents: Uint8Array | string = prompt): DonePurchase {
  const path = `out/${prompt}.png`
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), contents)
  const file = { path, digest: digestBytes(contents), bytes: contents.length, type: 'image/png' }
  const recipe: Recipe = { version: 1, model: 'm', params: { prompt }, defaults: {}, inputs: {}, take: 1 }
  return { id: named(prompt), address: jobAddress(prompt), is: 'done', recipe, files: [file] }
}
