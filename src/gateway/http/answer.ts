import type { Json, JsonObject, Pointer } from '../../base/names.ts'

/** What the gateway answers, as data: handlers return it, faults change it, `send` writes it. */
export interface GatewayAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body?: Body
}

/** A text, bytes, or bytes that are read when they are sent. */
export type Body = string | Uint8Array | Later

export interface Later {
  readonly bytes: number
  /** The bytes from `start` to `end`, exclusive. */
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

/** One thing wrong with a request's body; `path` is a JSON pointer (RFC 6901) into it: `/params/duration`. */
export interface BodyProblem {
  readonly path: Pointer
  readonly message: string
  readonly hint?: string
}

export function jsonAnswer(
  status: number,
  value: Json,
  headers: GatewayAnswer['headers'] = {},
): GatewayAnswer {
  const body = `${JSON.stringify(value)}\n`
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body,
  }
}

/** An error answer: `{ "error": { "code", "message", … } }`. */
export function refusedAnswer(
  status: number,
  code: string,
  message: string,
  more: { readonly headers?: GatewayAnswer['headers']; readonly problems?: readonly BodyProblem[] } = {},
): GatewayAnswer {
  const { headers, problems } = more
  const error: JsonObject = {
    code,
    message,
    ...(problems && { problems: problems.map(problem => ({ ...problem })) }),
  }
  return jsonAnswer(status, { error }, headers)
}

/** Something read from a request, or the answer that refuses the request. */
export type ReadRequest<T> = { readonly value: T } | { readonly refused: GatewayAnswer }

/** How many bytes a body has. */
export function bodyBytes(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.byteLength : body.bytes
}
