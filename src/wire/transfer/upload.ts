import type { Clock } from '../../base/clock.ts'
import type { Failure } from '../../base/failure.ts'
import { isLink } from '../../base/link.ts'
import type { Random } from '../../base/random.ts'
import { errorText } from '../answers/errors.ts'
import { textsAt } from '../answers/fields.ts'
import type { Asker } from '../http/http.ts'
import type { WireLimits } from '../http/limits.ts'
import { multipartForm, type UploadFile } from '../http/multipart.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { UploadReply, Watch } from '../http/wire.ts'
import type { Profile, UploadRules } from '../profile/profile.ts'
import { usualHeaders } from '../profile/request.ts'
import { inMemory } from './receive-answer.ts'

export interface UploadPlace {
  readonly profile: Profile
  readonly rules: UploadRules
  readonly url: URL
  readonly auth: { readonly [header: string]: string }
  readonly asker: Asker
  readonly clock: Clock
  readonly random: Random
  readonly limits: WireLimits
}

/** Sends one file to the place that the profile names. Never rejects. */
export async function uploadFile(place: UploadPlace, file: UploadFile, watch: Watch): Promise<UploadReply> {
  const { profile, rules, url, limits } = place
  const form = multipartForm(`genrun-${place.random.token()}`, rules.fields, rules.field, file)
  const totalMs = limits.upload.leastMs + (form.bytes / limits.upload.bytesPerSecond) * 1000
  const asked = await place.asker.post(
    {
      url,
      headers: {
        ...usualHeaders(profile),
        ...place.auth,
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
  if (status >= 200 && status <= 299) return readLink(rules, answer)
  const detail = `the upload of ${file.name}${withColon(errorText(profile.response, answer))}`
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
