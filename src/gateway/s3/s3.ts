import { createHash } from 'node:crypto'
import type { GatewayAnswer, ReadRequest } from '../http/answer.ts'
import { isKnown, partAsked } from '../http/ranges.ts'
import type { Bucket, NamedPart, StoredObject } from './bucket.ts'
import { notSigned, type S3Keys } from './signature.ts'

/** The store of one bucket, as S3 speaks: objects, conditions, ranges, lists, uploads in parts. Signed requests only. */
export interface S3Store {
  readonly name: string
  readonly bucket: Bucket
  readonly keys: S3Keys
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

interface S3Request {
  readonly request: Request
  /** Path and query as they came. */
  readonly target: string
}

/** A request for an object, or for the bucket where the key is empty. */
interface Asked {
  readonly store: S3Store
  readonly request: Request
  readonly key: string
  readonly query: URLSearchParams
}

/** Everything below `/s3/`. Errors are XML, with the codes that S3 has for them. */
export async function s3Answer(store: S3Store, { request, target }: S3Request): Promise<GatewayAnswer> {
  const { method, headers } = request
  const refused = notSigned({ method, target, headers }, store.keys, store.wall())
  if (refused) return errorAnswer(refused.code === 'AuthorizationHeaderMalformed' ? 400 : 403, refused)
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const [name, ...rest] = path.slice('/s3/'.length).split('/')
  const key = decoded(rest.join('/'))
  if (name !== store.name)
    return errorAnswer(404, { code: 'NoSuchBucket', message: 'there is no bucket of this name' })
  if (key === undefined || key.length > 1024)
    return errorAnswer(400, { code: 'KeyTooLongError', message: 'no object can be called so' })
  const asked = { store, request, key, query: new URLSearchParams(query) }
  return key === '' ? bucketAnswer(asked) : objectAnswer(asked)
}

async function objectAnswer(asked: Asked): Promise<GatewayAnswer> {
  const { request, query } = asked
  const isUpload = query.has('uploadId')
  switch (request.method) {
    case 'PUT':
      return isUpload ? putPart(asked) : putObject(asked)
    case 'GET':
    case 'HEAD':
      return isUpload ? partsAnswer(asked) : getObject(asked)
    case 'POST':
      if (query.has('uploads')) return beginUpload(asked)
      return isUpload ? completeUpload(asked) : notHere()
    case 'DELETE':
      return isUpload ? abortUpload(asked) : removeObject(asked)
    default:
      return notHere()
  }
}

async function putObject({ store, request, key }: Asked): Promise<GatewayAnswer> {
  const body = await readBytes(request)
  if ('refused' in body) return body.refused
  // Asked after the last wait: of two that come together, one has its condition fulfilled.
  const against = unfulfilled(request.headers, store.bucket.get(key))
  if (against) return against
  const type = request.headers.get('content-type') ?? 'application/octet-stream'
  if (!store.bucket.put(key, body.value, type)) return noRoom()
  return { status: 200, headers: { etag: store.bucket.get(key)?.etag ?? '' } }
}

function getObject({ store, request, key }: Asked): GatewayAnswer {
  const object = store.bucket.get(key)
  if (!object) return errorAnswer(404, { code: 'NoSuchKey', message: 'there is no such object' })
  const { bytes, etag, type, at } = object
  const known = { etag, 'accept-ranges': 'bytes', 'last-modified': new Date(at).toUTCString() }
  if (isKnown(request.headers.get('if-none-match'), etag)) return { status: 304, headers: known }
  const part = partAsked(request.headers.get('range'), bytes.byteLength)
  const headers = { ...known, 'content-type': type }
  switch (part.is) {
    case 'whole':
      return { status: 200, headers, body: bytes }
    case 'outside':
      return errorAnswer(416, { code: 'InvalidRange', message: `the object has ${bytes.byteLength} bytes` })
    case 'part': {
      const { start, end } = part
      const span = `bytes ${start}-${end - 1}/${bytes.byteLength}`
      return { status: 206, headers: { ...headers, 'content-range': span }, body: bytes.subarray(start, end) }
    }
  }
}

function removeObject({ store, key }: Asked): GatewayAnswer {
  store.bucket.remove(key)
  return { status: 204, headers: {} }
}

function beginUpload({ store, request, key }: Asked): GatewayAnswer {
  const type = request.headers.get('content-type') ?? 'application/octet-stream'
  const id = store.bucket.begin(key, type)
  const inside = element('Bucket', store.name) + element('Key', key) + element('UploadId', id)
  return xmlAnswer(200, `<InitiateMultipartUploadResult>${inside}</InitiateMultipartUploadResult>`)
}

async function putPart({ store, request, key, query }: Asked): Promise<GatewayAnswer> {
  const upload = store.bucket.upload(key, query.get('uploadId') ?? '')
  const number = Number(query.get('partNumber'))
  if (!upload) return noUpload()
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    return errorAnswer(400, { code: 'InvalidArgument', message: 'parts count from 1 to 10,000' })
  const body = await readBytes(request)
  if ('refused' in body) return body.refused
  const etag = store.bucket.putPart(upload, number, body.value)
  return etag === undefined ? noRoom() : { status: 200, headers: { etag } }
}

async function completeUpload({ store, request, key, query }: Asked): Promise<GatewayAnswer> {
  const id = query.get('uploadId') ?? ''
  const body = await readBytes(request)
  if ('refused' in body) return body.refused
  const upload = store.bucket.upload(key, id)
  if (!upload) return noUpload()
  const against = unfulfilled(request.headers, store.bucket.get(key))
  if (against) return against
  const parts = partsIn(Buffer.from(body.value).toString('utf8'))
  if (parts.length === 0) return errorAnswer(400, { code: 'MalformedXML', message: 'it names no parts' })
  if (parts.some(({ number }, nth) => number <= (parts[nth - 1]?.number ?? 0)))
    return errorAnswer(400, { code: 'InvalidPartOrder', message: 'the parts are not in their order' })
  const tooSmall = parts.slice(0, -1).some(({ number }) => bytesOf(upload.parts.get(number)) < leastPartBytes)
  if (tooSmall)
    return errorAnswer(400, { code: 'EntityTooSmall', message: 'a part but the last has less than 5 MiB' })
  if (!store.bucket.complete(id, upload, parts))
    return errorAnswer(400, { code: 'InvalidPart', message: 'a part is not there, or is another one' })
  const inside =
    element('Bucket', store.name) + element('Key', key) + element('ETag', store.bucket.get(key)?.etag ?? '')
  return xmlAnswer(200, `<CompleteMultipartUploadResult>${inside}</CompleteMultipartUploadResult>`)
}

const leastPartBytes = 5 * 1024 * 1024

function bytesOf(part: { readonly bytes: Uint8Array } | undefined): number {
  return part?.bytes.byteLength ?? leastPartBytes
}

function partsAnswer({ store, key, query }: Asked): GatewayAnswer {
  const id = query.get('uploadId') ?? ''
  const upload = store.bucket.upload(key, id)
  if (!upload) return noUpload()
  const parts = [...upload.parts]
    .toSorted(([a], [b]) => a - b)
    .map(
      ([number, { etag, bytes }]) =>
        `<Part>${element('PartNumber', String(number))}${element('ETag', etag)}${element('Size', String(bytes.byteLength))}</Part>`,
    )
  const inside = element('Key', key) + element('UploadId', id) + element('IsTruncated', 'false')
  return xmlAnswer(200, `<ListPartsResult>${inside}${parts.join('')}</ListPartsResult>`)
}

function abortUpload({ store, key, query }: Asked): GatewayAnswer {
  const id = query.get('uploadId') ?? ''
  if (!store.bucket.upload(key, id)) return noUpload()
  store.bucket.abort(id)
  return { status: 204, headers: {} }
}

/** The bucket itself: whether it is there, and what is in it (list, version 2, without a delimiter). */
function bucketAnswer({ store, request, query }: Asked): GatewayAnswer {
  if (request.method === 'HEAD') return { status: 200, headers: {} }
  if (request.method !== 'GET' || query.get('list-type') !== '2' || query.get('delimiter')) return notHere()
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const most = Math.min(Number(query.get('max-keys') ?? mostKeys), mostKeys)
  if (!Number.isInteger(most) || most < 0)
    return errorAnswer(400, { code: 'InvalidArgument', message: 'max-keys is a whole number' })
  const all = store.bucket.keys(prefix, after)
  const keys = all.slice(0, most)
  const isMore = keys.length < all.length
  const contents = keys.map(key => contentsOf(key, store.bucket.get(key)))
  const head =
    element('Name', store.name) +
    element('Prefix', prefix) +
    element('KeyCount', String(keys.length)) +
    element('MaxKeys', String(most)) +
    element('IsTruncated', String(isMore)) +
    (isMore ? element('NextContinuationToken', keys.at(-1) ?? '') : '')
  return xmlAnswer(200, `<ListBucketResult>${head}${contents.join('')}</ListBucketResult>`)
}

const mostKeys = 1000

function contentsOf(key: string, object: StoredObject | undefined): string {
  const { etag = '', bytes, at = 0 } = object ?? {}
  const date = new Date(at).toISOString()
  const size = String(bytes?.byteLength ?? 0)
  return `<Contents>${element('Key', key)}${element('LastModified', date)}${element('ETag', etag)}${element('Size', size)}</Contents>`
}

/** What stands against a conditional write. Only `*` is a condition of `If-None-Match` here, as at S3. */
function unfulfilled(headers: Headers, there: StoredObject | undefined): GatewayAnswer | undefined {
  const [none, match] = [headers.get('if-none-match'), headers.get('if-match')]
  if (none !== null && none.trim() !== '*') return notHere()
  const isAgainst = (none !== null && there) || (match !== null && match.trim() !== there?.etag)
  if (!isAgainst) return undefined
  return errorAnswer(412, {
    code: 'PreconditionFailed',
    message: 'the condition of the request does not hold',
  })
}

/** The body of a request, held against its length and its digest. */
async function readBytes(request: Request): Promise<ReadRequest<Uint8Array>> {
  const { headers } = request
  const declared = headers.get('content-length')
  const digest = headers.get('x-amz-content-sha256') ?? ''
  if (digest.startsWith('STREAMING-')) return { refused: notHere() }
  if (declared === null) return refusal(411, 'MissingContentLength', 'the length of the body is not declared')
  if (Number(declared) > mostBytes)
    return refusal(400, 'EntityTooLarge', 'more than 64 MiB are sent in parts')
  const pieces: Uint8Array[] = []
  for await (const piece of request.body ?? []) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  if (bytes.byteLength !== Number(declared)) return refusal(400, 'IncompleteBody', 'the body broke off')
  const isSame = digest === 'UNSIGNED-PAYLOAD' || digest === createHash('sha256').update(bytes).digest('hex')
  if (!isSame) return refusal(400, 'XAmzContentSHA256Mismatch', 'the body is not the one that was signed')
  return { value: bytes }
}

const mostBytes = 64 * 1024 * 1024

function refusal(status: number, code: string, message: string): ReadRequest<never> {
  return { refused: errorAnswer(status, { code, message }) }
}

function partsIn(xml: string): NamedPart[] {
  return [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, inside = '']) => ({
    number: Number(/<PartNumber>\s*(\d+)\s*<\/PartNumber>/.exec(inside)?.[1]),
    etag: /<ETag>\s*(.*?)\s*<\/ETag>/s.exec(inside)?.[1] ?? '',
  }))
}

function notHere(): GatewayAnswer {
  return errorAnswer(501, { code: 'NotImplemented', message: 'this is not known here' })
}

function noUpload(): GatewayAnswer {
  return errorAnswer(404, { code: 'NoSuchUpload', message: 'there is no such upload' })
}

function noRoom(): GatewayAnswer {
  return errorAnswer(507, { code: 'QuotaExceeded', message: 'there is no room for it: see --max-store' })
}

function errorAnswer(status: number, { code, message }: { readonly code: string; readonly message: string }) {
  return xmlAnswer(status, `<Error>${element('Code', code)}${element('Message', message)}</Error>`)
}

function xmlAnswer(status: number, xml: string): GatewayAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`,
  }
}

function element(name: string, text: string): string {
  const safe = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  return `<${name}>${safe}</${name}>`
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
