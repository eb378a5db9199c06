import type { Clock } from '../../base/clock.ts'
import type { Failure } from '../../base/failure.ts'
import { isLink } from '../../base/link.ts'
import type { Random } from '../../base/random.ts'
import { errorText } from '../answers/errors.ts'
import { textsAt } from '../answers/fields.ts'
import type { Asker } from '../http/http.ts'
import type { WireLimits } from '../http/limits.ts'
import { multipartForm, type UploadFile } from '../http/multipart.ts'
import { isLoopbackHost } from '../http/networks.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { UploadReply, Watch } from '../http/wire.ts'
import { isSignedAddress } from '../profile/poll-address.ts'
import type { Profile, TicketRules, UploadRules } from '../profile/profile.ts'
import { usualHeaders } from '../profile/request.ts'
import { fill } from '../profile/template.ts'
import { inMemory } from './receive-answer.ts'

export interface UploadPlace {
  readonly profile: Profile
  readonly rules: UploadRules
  readonly url: URL
  readonly auth: { readonly [header: string]: string }
  readonly askerAt: (origin: string) => Asker
  /** Beside the service's own: those that the person names. */
  readonly origins: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly limits: WireLimits
}

/** Sends one file to the place that the profile names, or to one that it is asked for. Never rejects. */
export async function uploadFile(place: UploadPlace, file: UploadFile, watch: Watch): Promise<UploadReply> {
  const { rules, url, auth } = place
  if (rules.ticket) return uploadByTicket(place, rules.ticket, file, watch)
  const form = multipartForm(`genrun-${place.random.token()}`, rules.fields, rules.field, file)
  const sent = await send(place, { url, headers: auth, form, name: file.name }, watch)
  return 'answer' in sent ? readLink(rules, sent.answer) : sent
}

/**
 * Two steps: where the bytes may go, and the bytes. They go to the service's own origin or to one that the person names, and the
 * key goes to the service alone, never beside a signature.
 */
async function uploadByTicket(
  place: UploadPlace,
  ticket: TicketRules,
  file: UploadFile,
  watch: Watch,
): Promise<UploadReply> {
  const { rules, url, auth, origins } = place
  const asked = await send(
    place,
    { url, headers: auth, form: questionOf(ticket, file), name: file.name },
    { signal: watch.signal },
  )
  if (!('answer' in asked)) return asked
  const link = readLink(rules, asked.answer)
  if (link.got !== 'link') return link
  const { body } = asked.answer
  const [address = ''] = body.is === 'json' ? textsAt(body.value, ticket.putAt) : []
  const to = addressed(address, url, origins)
  if ('problem' in to) return { got: 'refused', failure: { why: 'bad-reply', detail: to.problem } }
  const isOwn = to.url.origin === url.origin && !isSignedAddress(to.url.href)
  const headers = { ...ticket.headers, ...(isOwn && auth) }
  const form = { type: file.type, bytes: file.bytes, chunks: file.chunks }
  const put = await send(place, { url: to.url, headers, form, name: file.name, method: 'PUT' }, watch)
  return 'answer' in put ? link : put
}

function questionOf({ body }: TicketRules, { name, type, bytes }: UploadFile): Form {
  const scope = { model: '', mode: '', params: {}, sent: {}, file: { name, type, bytes } }
  const text = Buffer.from(JSON.stringify(fill(body, scope) ?? {}))
  return {
    type: 'application/json',
    bytes: text.byteLength,
    async *chunks() {
      yield text
    },
  }
}

function addressed(
  address: string,
  base: URL,
  origins: readonly string[],
): { readonly url: URL } | { readonly problem: string } {
  if (!URL.canParse(address, base.href) || address === '')
    return { problem: 'the answer to an upload names no address for the bytes' }
  const url = new URL(address, base.href)
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname)
  const isNamed = url.origin === base.origin || origins.includes(url.origin)
  if (isSafe && isNamed && url.username === '' && url.password === '') return { url }
  const isSaid = `if that is right, say so outside of the project: GENRUN_UPLOAD_ORIGINS=${url.origin}`
  return { problem: `the service wants the file at ${url.origin}, which nobody has named; ${isSaid}` }
}

interface Form {
  readonly type: string
  readonly bytes: number
  readonly chunks: () => AsyncIterable<Uint8Array>
}

interface Sending {
  readonly method?: 'POST' | 'PUT'
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly form: Form
  /** Of the file. */
  readonly name: string
}

type Answered = { readonly answer: Awaited<ReturnType<typeof inMemory>>['answer'] }

/** One request of an upload: its answer, or what became of it. */
async function send(
  { profile, limits, askerAt }: UploadPlace,
  { method = 'POST', url, headers, form, name }: Sending,
  watch: Watch,
): Promise<Answered | Exclude<UploadReply, { got: 'link' }>> {
  const totalMs = limits.upload.leastMs + (form.bytes / limits.upload.bytesPerSecond) * 1000
  const asked = await askerAt(url.origin).post(
    {
      method,
      url,
      headers: {
        ...(method === 'POST' && usualHeaders(profile)),
        ...headers,
        'content-type': form.type,
        'content-length': String(form.bytes),
      },
      body: counted(form.chunks(), form.bytes, watch.progress),
      signal: watch.signal,
      firstHeaderMs: totalMs,
      totalMs: () => totalMs,
    },
    (head, body) => inMemory(head, body, limits.submit.bytes),
  )
  if (asked.got === 'nothing') {
    const { detail, stopped } = asked
    return {
      got: 'trouble',
      failure: stopped ? { why: 'stopped' } : { why: 'unreachable', origin: url.origin, detail },
    }
  }
  const { answer } = asked.value
  const { status } = answer
  if (status >= 200 && status <= 299) return { answer }
  const detail = `the upload of ${name}${withColon(errorText(profile.response, answer))}`
  if (status === 401 || status === 403)
    return { got: 'refused', failure: { why: 'unauthorized', status, detail } }
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500
  const failure: Failure = { why: 'refused', status, detail }
  return mayPass ? { got: 'trouble', failure, waitMs: retryAfterMs(answer) } : { got: 'refused', failure }
}

function readLink(rules: UploadRules, answer: Awaited<ReturnType<typeof inMemory>>['answer']): UploadReply {
  const { body, flaw, headers } = answer
  if (flaw !== undefined) return { got: 'trouble', failure: { why: 'bad-reply', detail: flaw } }
  const texts = body.is === 'json' ? textsAt(body.value, rules.urlAt) : []
  const bare = body.is === 'text' && isLink(body.text.trim()) ? [body.text.trim()] : []
  const [link] = [...texts, ...bare, ...(headers.location === undefined ? [] : [headers.location])].filter(
    each => each.length <= 8192 && !/[\p{Cc}]/u.test(each),
  )
  if (link !== undefined) return { got: 'link', link }
  const detail = `the answer to an upload holds no link at ${rules.urlAt.join(' ')}`
  return { got: 'refused', failure: { why: 'bad-reply', detail } }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  total: number,
  progress: Watch['progress'],
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk
    bytes += chunk.byteLength
    progress?.(bytes, total)
  }
}

function withColon(text: string): string {
  return text === '' ? '' : `: ${text}`
}
