import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../http/auth.ts'

/** What of a request is signed (AWS Signature Version 4, in the Authorization header). */
interface SignedRequest {
  readonly method: string
  /** Path and query as they came, with their escapes. */
  readonly target: string
  readonly headers: Headers
}

export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Why a request is not let in, as S3 calls it. */
interface NotSigned {
  readonly code:
    | 'AccessDenied'
    | 'InvalidAccessKeyId'
    | 'SignatureDoesNotMatch'
    | 'RequestTimeTooSkewed'
    | 'AuthorizationHeaderMalformed'
  readonly message: string
}

/** Undefined when the request is signed with the keys, within a quarter of an hour of `wall` (milliseconds since 1970). */
export function notSigned(request: SignedRequest, keys: S3Keys, wall: number): NotSigned | undefined {
  const given = request.headers.get('authorization')
  if (given === null) return { code: 'AccessDenied', message: 'the request is not signed' }
  const read = form.exec(given)?.groups
  if (!read)
    return { code: 'AuthorizationHeaderMalformed', message: 'it is no AWS4-HMAC-SHA256 authorization' }
  const { id = '', day = '', region = '', names = '', signature = '' } = read
  if (id !== keys.accessKeyId)
    return { code: 'InvalidAccessKeyId', message: 'the access key is not known here' }
  const date = request.headers.get('x-amz-date') ?? ''
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(at) || !date.startsWith(day) || Math.abs(at - wall) > mostSkewMs)
    return { code: 'RequestTimeTooSkewed', message: 'the date of the request is too far from the date here' }
  const unsigned = mustBeSigned(request.headers).find(name => !names.split(';').includes(name))
  if (unsigned !== undefined) return { code: 'AccessDenied', message: `the header ${unsigned} is not signed` }
  const scope = { day, region, date, names: names.split(';') }
  if (isSameSecret(signature, signatureOf(request, keys.secretAccessKey, scope))) return undefined
  return { code: 'SignatureDoesNotMatch', message: 'the signature does not hold: look at the secret key' }
}

const form =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/,]+)\/(?<day>\d{8})\/(?<region>[^/,]+)\/s3\/aws4_request, ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[\da-f]{64})$/

const mostSkewMs = 15 * 60 * 1000

function mustBeSigned(headers: Headers): string[] {
  return ['host', ...[...headers.keys()].filter(name => name.startsWith('x-amz-'))]
}

interface Scope {
  /** `20130524` */
  readonly day: string
  readonly region: string
  /** `20130524T000000Z` */
  readonly date: string
  /** Of the headers that are signed, in their order. */
  readonly names: readonly string[]
}

/** The signature in hexadecimal digits. */
export function signatureOf(request: SignedRequest, secret: string, scope: Scope): string {
  const { day, region, date, names } = scope
  const canonical = createHash('sha256').update(canonicalRequest(request, names)).digest('hex')
  const text = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, canonical].join('\n')
  const steps = [day, region, 's3', 'aws4_request']
  const key = steps.reduce<Buffer>((before, step) => hmac(before, step), Buffer.from(`AWS4${secret}`))
  return hmac(key, text).toString('hex')
}

function canonicalRequest({ method, target, headers }: SignedRequest, names: readonly string[]): string {
  const at = target.indexOf('?')
  const [path, query] = at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  const lines = names.map(name => `${name}:${(headers.get(name) ?? '').trim().replaceAll(/ +/g, ' ')}\n`)
  const payload = headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD'
  return [method, path, canonicalQuery(query), lines.join(''), names.join(';'), payload].join('\n')
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter(pair => pair !== '')
  return pairs
    .map(pair => {
      const [name = '', ...value] = pair.split('=')
      return `${escaped(name)}=${escaped(value.join('='))}`
    })
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('&')
}

/** In the one way that signatures know (RFC 3986), however it was escaped. */
function escaped(text: string): string {
  let plain = text
  try {
    plain = decodeURIComponent(text)
  } catch {
    // A stray percent sign stands for itself.
  }
  return encodeURIComponent(plain).replaceAll(
    /[!'()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
