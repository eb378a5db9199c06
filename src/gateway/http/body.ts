import type { Json, JsonObject } from '../../base/names.ts'
import { type GatewayAnswer, type ReadRequest, refusedAnswer } from './answer.ts'

/** The longest request in bytes: inputs travel as data URIs. */
const maxBodyBytes = 64 * 1024 * 1024

/** The bytes of a request's body; 415 when it is not of the type, 413 when it is longer than `maxBodyBytes`. */
export async function readRequestBody(request: Request, type: RegExp): Promise<ReadRequest<Uint8Array>> {
  const given = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!type.test(given)) return { refused: wrongType(given) }
  // A length that was declared is refused before the body is read; without one we count.
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return { refused: tooLong() }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) return { refused: tooLong() }
    chunks.push(chunk)
  }
  return { value: Buffer.concat(chunks) }
}

/** The JSON object in a body; 400 when it is none. */
export function parseBody(bytes: Uint8Array): ReadRequest<JsonObject> {
  try {
    const value: Json = JSON.parse(utf8.decode(bytes))
    return isObject(value) ? { value } : badJson('the body is not a JSON object')
  } catch (error) {
    return badJson(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function badJson(message: string): ReadRequest<never> {
  return { refused: refusedAnswer(400, 'bad_json', message) }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const jsonType = /^application\/(json|[\w.+-]+\+json)$/
export const multipartType = /^multipart\/form-data$/

const utf8 = new TextDecoder('utf-8', { fatal: true })

function wrongType(given: string): GatewayAnswer {
  const message = given === '' ? 'the request has no Content-Type' : `${given} is not taken here`
  return refusedAnswer(415, 'wrong_type', message)
}

function tooLong(): GatewayAnswer {
  return refusedAnswer(413, 'too_long', `the body is longer than ${maxBodyBytes / 1024 / 1024} MiB`)
}
