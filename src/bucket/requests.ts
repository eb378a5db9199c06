import type { Clock } from '../base/clock.ts'
import { cappedBody, collectBytes } from '../wire/http/capped-body.ts'
import type { Way } from '../wire/http/dial.ts'
import type { Head } from '../wire/http/exchange.ts'
import { createAsker } from '../wire/http/http.ts'
import { wireLimits } from '../wire/http/limits.ts'

/** The way to one store, as a library that signs requests wants it: with our time limits, proxy, authorities and bounds. */
interface Requests {
  readonly fetch: typeof fetch
  close(): Promise<void>
}

/** An answer that is no object is a few hundred bytes; the library looks through it by expressions that longer ones could hold up. */
const mostBytes = 8192

/**
 * Redirects are not followed, and nothing but `origin` is ever asked. Bodies of objects come as a stream, which has to be
 * read or given up; everything else is read whole, up to its bound.
 */
export function openRequests(origin: string, clock: Clock, signal: AbortSignal, way: Way): Requests {
  const asker = createAsker(origin, clock, wireLimits.connectMs, way)

  async function ask(url: URL, init: RequestInit, read: (head: Head, body: Body) => Promise<void>) {
    const { method = 'GET' } = init
    const headers: { readonly [name: string]: string } = Object.fromEntries(new Headers(init.headers))
    const { leastMs, bytesPerSecond } = wireLimits.upload
    const sendMs = leastMs + (Number(headers['content-length'] ?? 0) / bytesPerSecond) * 1000
    const request = {
      url,
      headers,
      signal,
      firstHeaderMs: sendMs,
      totalMs: (head: Head) => sendMs + (Number(head.headers['content-length'] ?? 0) / bytesPerSecond) * 1000,
    }
    if (method === 'PUT' || method === 'POST')
      return asker.post({ ...request, method, body: bodyOf(init.body) }, read)
    return asker.tell({ ...request, method: method === 'HEAD' || method === 'DELETE' ? method : 'GET' }, read)
  }

  function send(url: URL, init: RequestInit): Promise<Response> {
    return new Promise((resolve, reject) => {
      const read = async (head: Head, body: Body) => {
        const isThere = head.status === 200 || head.status === 206
        const isTagged = head.headers['etag'] !== undefined
        if (init.method === 'GET' && isThere && isTagged) {
          const { stream, over } = streamOf(body)
          resolve(answerOf(head, stream))
          return over
        }
        const capped = cappedBody(body, mostBytes, undefined)
        const bytes = new Uint8Array(await collectBytes(capped, () => true))
        const isAsked = init.method === 'GET' || init.method === 'HEAD'
        // A page for people that stands in the way says 200 as well, of everything.
        const untagged =
          isAsked && isThere && !isTagged ? 'it was no store that answered: there is no tag' : undefined
        const flaw = untagged ?? (init.method === 'HEAD' ? undefined : capped.flaw())
        if (flaw === undefined) resolve(answerOf(head, bytes))
        else reject(new Error(flaw))
      }
      ask(url, init, read).then(asked => {
        if (asked.got === 'nothing') reject(new Error(asked.detail))
      }, reject)
    })
  }

  return {
    fetch: (input, init = {}) => send(new URL(String(input)), init),
    close: () => asker.close(),
  }
}

type Body = AsyncIterable<Uint8Array>

/** What of a head means something here; a store may send whatever else it likes. */
const known = ['content-length', 'etag']

function answerOf(
  { status, headers }: Head,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const kept = known.flatMap(name => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  const isXml = /^(application|text)\/xml\b/.test(headers['content-type'] ?? '')
  // In the one way in which the library looks for it.
  if (isXml) kept.push(['content-type', 'application/xml'])
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : body, { status, headers: Object.fromEntries(kept) })
}

/** `over` resolves when nobody reads it any more. */
function streamOf(body: Body): { readonly stream: ReadableStream<Uint8Array>; readonly over: Promise<void> } {
  let finish = () => {}
  const over = new Promise<void>(resolve => {
    finish = resolve
  })
  const chunks = body[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(control) {
        try {
          const next = await chunks.next()
          if (!next.done) return control.enqueue(next.value)
          control.close()
        } catch (error) {
          control.error(error)
        }
        finish()
      },
      async cancel() {
        finish()
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, over }
}

function bodyOf(body: RequestInit['body']): Uint8Array | AsyncIterable<Uint8Array> {
  if (body instanceof ReadableStream) return body
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : '')
}
