import { subscribe } from 'node:diagnostics_channel'
import { display } from '../../base/display.ts'
import { bytesText, clockText } from '../../base/measure.ts'
import { type Gate, onOrderWait } from '../../base/order-waits.ts'
import type { Out } from './out.ts'

/** Of a body so much is shown; of what is kept for that, a secret that is cut in two is shown by no half. */
const shownCharacters = 2000
const keptBytes = 65_536

/** Headers that tell something, and no secret. */
const shownHeaders = [
  'idempotency-key',
  'content-type',
  'content-length',
  'retry-after',
  'location',
  'x-request-id',
]

/**
 * Shows every request and its answer on stderr, and why orders wait, until the process ends. By the channels of undici
 * that Node's own tools listen to: what is sent does not depend on who looks on.
 */
export function openDebug(out: Pick<Out, 'talk' | 'redact'>): void {
  const numbers = new WeakMap<object, number>()
  const asked = new WeakMap<object, Body>()
  const answered = new WeakMap<object, Body>()
  let count = 0
  const say = (request: object, sign: '>' | '<' | '!', text: string) =>
    out.talk(`debug ${numbers.get(request)} ${sign} ${display(out.redact(text), shownCharacters)}`)
  const onRequest = (event: string, listener: (told: Told) => void) =>
    subscribe(`undici:request:${event}`, told => {
      try {
        listener(told as Told) // as undici says in docs/api/DiagnosticsChannel.md
      } catch (bug) {
        // Thrown on, it would end the process in the middle of what is paid for.
        out.talk(`debug ! ${display(out.redact(String(bug)))}`)
      }
    })

  onRequest('create', ({ request }) => {
    numbers.set(request, ++count)
    const headers = headerPairs(request.headers)
    asked.set(request, bodyBy(headers))
    say(request, '>', `${request.method} ${request.origin}${request.path}${headerText(headers)}`)
  })
  onRequest('bodyChunkSent', ({ request, chunk }) => keep(asked.get(request), chunk))
  onRequest('bodySent', ({ request }) => {
    const body = asked.get(request)
    if (body && body.bytes > 0) say(request, '>', bodyText(body))
  })
  onRequest('headers', ({ request, response }) => {
    const headers = headerPairs(response.headers.map(String))
    answered.set(request, bodyBy(headers))
    say(request, '<', `${response.statusCode}${headerText(headers)}`)
  })
  onRequest('bodyChunkReceived', ({ request, chunk }) => keep(answered.get(request), chunk))
  onRequest('trailers', ({ request }) => {
    const body = answered.get(request)
    if (body && body.bytes > 0) say(request, '<', bodyText(body))
  })
  onRequest('error', ({ request, error }) => say(request, '!', error.message))
  onOrderWait(({ address, gate, waitMs }) => {
    const how = waitMs === undefined ? '' : `, for ${clockText(waitMs / 1000)}`
    out.talk(`debug ${display(address)} waits: ${gateWords[gate]}${how}`)
  })
}

const gateWords: Readonly<Record<Gate, string>> = {
  canary: 'the first order of its workflow goes alone',
  unanswered: 'submissions that went before have no answer yet',
  unproven: 'nobody has taken an order yet, so few are out at a time',
  'slow-start': 'nothing has been delivered yet, so few are out at a time',
  probe: 'one order shows whether the service takes orders again',
  pause: 'nothing is bought now, as the service asked for that or is in trouble',
  room: 'as many are out as the service is found to bear',
  total: 'as many are out as may be at once',
  saving: 'many results wait to be fetched, and are saved first',
  family: 'as many of its family are out as may be at once',
  model: 'as many of its model are out as may be at once',
  minute: 'as many left within a minute as may',
}

/** What undici tells, each part with the event that has it. */
interface Told {
  readonly request: {
    readonly method: string
    readonly origin: string | URL
    readonly path: string
    readonly headers: readonly string[]
  }
  readonly response: { readonly statusCode: number; readonly headers: readonly Buffer[] }
  readonly chunk: Uint8Array | string
  readonly error: Error
}

interface Body {
  readonly type: string
  readonly chunks: Buffer[]
  bytes: number
}

type Headers = readonly (readonly [name: string, value: string])[]

function headerPairs(flat: readonly string[]): Headers {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? ''] as const] : []))
}

function headerText(headers: Headers): string {
  return headers
    .filter(([name]) => shownHeaders.includes(name))
    .map(([name, value]) => `; ${name}: ${value}`)
    .join('')
}

function bodyBy(headers: Headers): Body {
  return { type: headers.find(([name]) => name === 'content-type')?.[1] ?? '', chunks: [], bytes: 0 }
}

function keep(body: Body | undefined, chunk: Uint8Array | string): void {
  if (!body) return
  const bytes = Buffer.from(chunk as Uint8Array) // a text is taken as UTF-8
  if (body.bytes < keptBytes) body.chunks.push(bytes)
  body.bytes += bytes.length
}

function bodyText({ type, chunks, bytes }: Body): string {
  if (/json|text/.test(type)) return Buffer.concat(chunks).toString().trim()
  return `${bytesText(bytes)} of ${type || 'no type'}`
}
