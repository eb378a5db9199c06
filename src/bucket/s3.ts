import type { Clock } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import type { SharedBucket } from '../base/shared-place.ts'
import type { Way } from '../wire/http/dial.ts'
import type { BucketAccess } from './access.ts'
import { openRequests } from './requests.ts'
import { ObjectStoreError } from './trouble.ts'

/**
 * Objects of one bucket below one prefix, over s3mini, which is loaded here and nowhere else. What the store says is a stranger's
 * word: bounded, and believed for nothing that a digest can tell. Everything rejects with ObjectStoreError and nothing else, but
 * for what the contents to be sent throw, after what may pass was tried again.
 */
export interface ObjectStore {
  /** `s3://bucket/prefix/name`: for people. */
  addressOf(name: string): string
  /** Of an object, in bytes; undefined where there is none, or where something on the way says so: this answer has no place for a code. */
  size(name: string): Promise<number | undefined>
  /** An object's contents, to be read once; undefined where the store itself says that there is none. Where it breaks off, reading rejects. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Whole or not at all. `taken`: only a new one was asked for, and there is one. */
  write(name: string, contents: Contents, how: { readonly isNew: boolean }): Promise<'written' | 'taken'>
  /** Uploads in parts, of which an object is made at the end; absent where only one piece can be sent. */
  readonly parts?: {
    /** An id. */
    begin(name: string, type: string): Promise<string>
    send(
      name: string,
      id: string,
      part: { readonly number: number; readonly bytes: Uint8Array },
    ): Promise<SentPart>
    complete(name: string, id: string, parts: readonly SentPart[]): Promise<void>
  }
  close(): Promise<void>
}

interface Contents {
  readonly type: string
  readonly bytes: number
  /** All of it at once or in pieces, from the beginning each time. What it throws ends the upload before the object is whole. */
  readonly body: () => Uint8Array | AsyncIterable<Uint8Array>
}

export interface SentPart {
  readonly partNumber: number
  readonly etag: string
}

interface StoreOptions {
  readonly clock: Clock
  /** Before a second attempt; twice that before a third, and so on. */
  readonly waitMs?: number | undefined
  readonly signal: AbortSignal
  readonly way: Way
}

type Headers = { readonly [name: string]: string }
type Body = Uint8Array | ReadableStream // of the web, as the package's types have it

/** What is used of the package. The parameter `headers` is meant for others there: it signs and sends whatever is in it. */
interface Client {
  getObjectRaw(
    ...get: [key: string, whole: true, from: 0, to: undefined, query: {}, headers: Headers]
  ): Promise<Response>
  getContentLength(key: string, headers: Headers): Promise<number>
  putObject(
    ...put: [key: string, body: Body, type: string, headers: Headers, more: Headers, bytes: number]
  ): Promise<Response>
  getMultipartUploadId(key: string, type: string): Promise<string>
  uploadPart(key: string, id: string, bytes: Uint8Array, number: number): Promise<SentPart>
  completeMultipartUpload(key: string, id: string, parts: SentPart[]): Promise<{ readonly etag?: unknown }>
}

/** Rejects where the package is not there. */
export async function openObjectStore(
  place: SharedBucket,
  access: BucketAccess,
  { clock, signal, way, waitMs = 500 }: StoreOptions,
): Promise<ObjectStore> {
  const { endpoint, sessionToken, ...keys } = access
  const requests = openRequests(new URL(endpoint).origin, clock, signal, way)
  const client: Client = new (await loadPackage())({
    ...keys,
    endpoint: `${endpoint}/${place.bucket}`,
    fetch: requests.fetch,
  }) as unknown as Client // with fewer kinds of headers there
  const headers = defined({ 'x-amz-security-token': sessionToken })
  const keyOf = (name: string) => (place.prefix === '' ? name : `${place.prefix}/${name}`)
  const addressOf = (name: string) => `s3://${place.bucket}/${keyOf(name)}`
  const asking = <T>(name: string, doing: string, ask: (key: string) => Promise<T>) =>
    again(() => ask(keyOf(name)), {
      clock,
      signal,
      waitMs,
      told: error => told(error, doing, addressOf(name)),
    })

  const store: ObjectStore = {
    addressOf,
    size: name =>
      ifThere(
        asking(name, 'look at', key => client.getContentLength(key, headers)),
        isNotFound,
      ),
    async read(name) {
      const read = asking(name, 'read', key => client.getObjectRaw(key, true, 0, undefined, {}, headers))
      const answer = await ifThere(read, isMissing)
      return answer && piecesOf(answer, error => told(error, 'read', addressOf(name)))
    },
    async write(name, contents, { isNew }) {
      const condition: Headers = isNew ? { 'if-none-match': '*' } : {}
      try {
        await asking(name, 'write', key => put(client, key, contents, { headers, condition }))
        return 'written'
      } catch (error) {
        if (!isNew || !(error instanceof ObjectStoreError)) throw error
        if (error.status === 412) return 'taken'
        // A store that knows no conditions: names are digests, and what replaces an object is the same.
        if (error.status === 501) return store.write(name, contents, { isNew: false })
        throw error
      }
    },
    // The package has no place for the token in the last request of an upload in parts.
    ...(sessionToken === undefined && {
      parts: {
        begin: (name, type) =>
          asking(name, 'write', async key => plain(await client.getMultipartUploadId(key, type))),
        send: (name, id, { number, bytes }) =>
          asking(name, 'write', async key => {
            const { etag } = await client.uploadPart(key, id, bytes, number)
            return { partNumber: number, etag: plain(etag) }
          }),
        // A store may say 200, and in the answer that nothing came of it.
        complete: (name, id, parts) =>
          asking(name, 'write', async key => {
            const named = parts.map(({ partNumber, etag }) => ({ partNumber, etag }))
            plain((await client.completeMultipartUpload(key, id, named)).etag)
          }),
      },
    }),
    close: () => requests.close(),
  }
  return store
}

async function* piecesOf(
  { body }: Response,
  tell: (error: unknown) => ObjectStoreError,
): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body
  } catch (error) {
    throw tell(error)
  }
}

async function loadPackage() {
  try {
    return (await import('s3mini')).S3mini
  } catch {
    const message = 'the package s3mini, which speaks with buckets, is not installed'
    throw new ObjectStoreError(
      message,
      'npm install s3mini, beside genrun (npm install -g where genrun is global)',
    )
  }
}

/** What comes back in later requests: text that is no markup and has an end. */
function plain(text: unknown): string {
  if (typeof text === 'string' && /^[\w"+/=.:~-]{1,1024}$/.test(text)) return text
  throw new Error('the answer holds no tag of what was written')
}

/** What was wrong with the contents is thrown as it is, whatever became of the request. */
async function put(
  client: Client,
  key: string,
  { type, bytes, body }: Contents,
  { headers, condition }: { readonly headers: Headers; readonly condition: Headers },
): Promise<void> {
  let own: { readonly error: unknown } | undefined
  async function* watched(pieces: AsyncIterable<Uint8Array>) {
    try {
      yield* pieces
    } catch (error) {
      own = { error }
      throw error
    }
  }
  const given = ownErrors(body)
  const sent = given instanceof Uint8Array ? given : (ReadableStream.from(watched(given)) as unknown as Body)
  try {
    const { headers: of } = await client.putObject(key, sent, type, headers, condition, bytes)
    // Whoever wrote something says what: an answer without that is somebody else's.
    plain(of.get('etag'))
  } catch (error) {
    throw own ? new OwnError(own.error) : error
  }
}

function ownErrors<T>(body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw new OwnError(error)
  }
}

class OwnError extends Error {
  readonly own: unknown

  constructor(own: unknown) {
    super('the contents cannot be read')
    this.own = own
  }
}

interface Again {
  readonly clock: Clock
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly told: (error: unknown) => ObjectStoreError
}

/** What may pass is tried four times within some seconds: everything here has the same outcome however often it is done. */
async function again<T>(ask: () => Promise<T>, { clock, signal, waitMs, told }: Again): Promise<T> {
  for (let nth = 0; ; nth++) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof OwnError) throw error.own
      const trouble = told(error)
      const { status } = trouble
      const mayPass =
        status === undefined || status === 408 || status === 409 || status === 429 || status >= 500
      if (!mayPass || status === 501 || nth === 3 || signal.aborted) throw trouble
      await clock.until(clock.now() + waitMs * 2 ** nth, signal)
    }
  }
}

async function ifThere<T>(
  asked: Promise<T>,
  isNone: (trouble: ObjectStoreError) => boolean,
): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ObjectStoreError && isNone(error)) return undefined
    throw error
  }
}

function isNotFound({ status }: ObjectStoreError): boolean {
  return status === 404
}

/** A page of a proxy, or of whatever else has the address, says 404 of everything: what others have paid for counted as not there. */
function isMissing({ status, message }: ObjectStoreError): boolean {
  return status === 404 && message.endsWith(' NoSuchKey')
}

/** Of what the store says only its code is repeated: its answers may hold what was sent. */
function told(error: unknown, doing: string, address: string): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error
  const from = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { status, serviceCode } = from as { readonly status?: unknown; readonly serviceCode?: unknown }
  const could = `could not ${doing} ${address}`
  if (typeof status !== 'number') {
    const detail = from instanceof Error ? from.message : String(from)
    return new ObjectStoreError(`${could}: ${detail}`, laterHint)
  }
  const code =
    typeof serviceCode === 'string' && /^[A-Za-z]{2,64}$/.test(serviceCode) && serviceCode !== 'Unknown'
      ? ` ${serviceCode}`
      : ''
  return new ObjectStoreError(`${could}: the store answers ${status}${code}`, hintFor(status, code), status)
}

const laterHint = 'run again when it can be reached, or without the bucket'

const noStoreHint =
  'a store of objects names what it misses, so something else answered: look at AWS_ENDPOINT_URL_S3, and at what is on the way there'

function hintFor(status: number, code: string): string {
  if (status === 404 && code === '') return noStoreHint
  if (status === 404) return code.includes('NoSuchBucket') ? 'make the bucket, or mend its name' : laterHint
  if (status >= 300 && status < 400) return 'the bucket is elsewhere: AWS_REGION, or AWS_ENDPOINT_URL_S3'
  if (status === 400 || status === 401) return 'look at AWS_REGION, AWS_ENDPOINT_URL_S3 and the credentials'
  if (status === 403)
    return 'look at the credentials, and at what they may do: who may not list objects is told this of one that is missing'
  return laterHint
}
