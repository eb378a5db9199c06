import type { RunRef } from '../base/state.ts'
import { errorText } from './answers/errors.ts'
import type { AnswerBody } from './http/answer.ts'
import { usualHeaders } from './profile/request.ts'
import type { SpokenService } from './service.ts'
import { inMemory } from './transfer/receive-answer.ts'

/** What answers at the address of a result, as somebody sees it who asks whether it is the service at all. */
export type Peeked =
  | {
      readonly got: 'answer'
      readonly status: number
      readonly is: AnswerBody['is']
      /** What it says went wrong, in one line; empty for a page. */
      readonly words: string
      /** The body without what differs from request to request: the path that was asked for, numbers, names of requests. */
      readonly shape: string
    }
  | { readonly got: 'nothing'; readonly detail: string; readonly stopped: boolean }

/** Where a question goes: to a run's result, or to a path below the base address where no service has anything. */
export type PeekAt = RunRef | 'nowhere'

/** Asks once, by GET, which is free. */
export async function peekAt(service: SpokenService, at: PeekAt, signal: AbortSignal): Promise<Peeked> {
  const { profile, limits, base, auth, askerAt, endpoints } = service
  const asking =
    at === 'nowhere'
      ? { url: new URL(`${base.pathname.replace(/\/+$/, '')}/genrun-doctor`, base.origin) }
      : endpoints.result(at)
  if ('problem' in asking) return { got: 'nothing', detail: asking.problem, stopped: false }
  const { url } = asking
  const asked = await askerAt(url.origin).get(
    {
      url,
      headers: { ...usualHeaders(profile), ...auth },
      signal,
      firstHeaderMs: limits.result.firstHeaderMs,
      totalMs: () => limits.result.totalMs,
    },
    (head, body) => inMemory(head, body, longest),
  )
  if (asked.got === 'nothing') return asked
  const { answer } = asked.value
  return {
    got: 'answer',
    status: answer.status,
    is: answer.body.is,
    words: errorText(profile.response, answer),
    shape: shapeIn(answer.body, url),
  }
}

/** A page that does not fit is no answer of the service anyway. */
const longest = 1024 * 1024

function shapeIn(body: AnswerBody, { pathname, href }: URL): string {
  const text = body.is === 'json' ? JSON.stringify(body.value) : body.is === 'text' ? body.text : ''
  return text
    .replaceAll(href, '')
    .replaceAll(pathname, '')
    .replaceAll(/[0-9a-f]{8}[0-9a-f-]*|\d+/gi, '#')
}
