import type { RunId } from '../base/names.ts'
import { type Json, runId } from '../base/names.ts'
import type { RunRef } from '../base/state.ts'
import { errorText } from './answers/errors.ts'
import { valueAt } from './answers/fields.ts'
import { runOf, runStatusOf } from './answers/run-status.ts'
import type { Answer } from './http/answer.ts'
import type { EndpointRule } from './profile/endpoints.ts'
import type { Asking } from './profile/poll-address.ts'
import type { ResponseRules } from './profile/profile.ts'
import { usualHeaders } from './profile/request.ts'
import type { SpokenService } from './service.ts'
import { inMemory } from './transfer/receive-answer.ts'

/** What a service said to a question that is no order and asks for no result. */
export type DeskReply<T> =
  | { readonly got: 'answer'; readonly value: T }
  /** It said no; `words` are its own. */
  | { readonly got: 'refused'; readonly status: number; readonly words: string }
  | { readonly got: 'nothing'; readonly detail: string; readonly stopped: boolean }
  /** The profile names no address for it. */
  | { readonly got: 'unasked' }

/** A run as a list names it. */
export interface ListedRun {
  readonly id: RunId
  /** When it was ordered, by the service, in milliseconds since 1970. */
  readonly at?: number
  /** Its state, in the service's words. */
  readonly word?: string
}

/** Questions that only a person has. All are free. */
export interface RunDesk {
  /** Tells the service that a run is not wanted any more. What became of it, its result says. */
  cancel(run: RunRef, signal: AbortSignal): Promise<DeskReply<undefined>>
  /** The latest runs, as far as the service names them: that one is not among them proves nothing. */
  list(signal: AbortSignal): Promise<DeskReply<readonly ListedRun[]>>
}

export function deskOf(service: SpokenService): RunDesk {
  const { endpoints, profile } = service
  return {
    cancel: (run, signal) =>
      ask(service, endpoints.cancel(run), { rule: profile.endpoints.cancel, signal, read: () => undefined }),
    list: signal =>
      ask(service, endpoints.list(), {
        rule: profile.endpoints.list,
        signal,
        read: answer => runsIn(profile.response, answer),
      }),
  }
}

interface Question<T> {
  readonly rule: EndpointRule | undefined
  readonly signal: AbortSignal
  readonly read: (answer: Answer) => T
}

async function ask<T>(
  { profile, limits, auth, askerAt }: SpokenService,
  asking: Asking | undefined,
  { rule, signal, read }: Question<T>,
): Promise<DeskReply<T>> {
  if (!asking || !rule) return { got: 'unasked' }
  if ('problem' in asking) return { got: 'nothing', detail: asking.problem, stopped: false }
  const asked = await askerAt(asking.url.origin).tell(
    {
      method: rule.method,
      url: asking.url,
      headers: { ...usualHeaders(profile), ...auth },
      signal,
      firstHeaderMs: limits.result.firstHeaderMs,
      totalMs: () => limits.result.totalMs,
    },
    (head, body) => inMemory(head, body, limits.result.bytes),
  )
  if (asked.got === 'nothing') return asked
  const { answer } = asked.value
  if (answer.status >= 200 && answer.status <= 299) return { got: 'answer', value: read(answer) }
  return { got: 'refused', status: answer.status, words: errorText(profile.response, answer) }
}

function runsIn(rules: ResponseRules, answer: Answer): readonly ListedRun[] {
  if (answer.body.is !== 'json') return []
  const { value } = answer.body
  const list = rules.runs.at.map(place => valueAt(value, place)).find(Array.isArray) ?? []
  return list.flatMap((item: Json) => listedRun(rules, item, answer) ?? [])
}

/** An item is read as the answer to a question for that run would be. */
function listedRun(rules: ResponseRules, value: Json, { status, at }: Answer): ListedRun | undefined {
  const answer: Answer = { status, headers: {}, body: { is: 'json', value }, at }
  const id = runOf(rules, 'id', answer) ?? (typeof value === 'string' ? runId(value) : undefined)
  if (id === undefined) return undefined
  const time = rules.runs.time.map(place => timeIn(valueAt(value, place))).find(each => each !== undefined)
  const word = runStatusOf(rules, answer)?.word
  return { id, ...(time !== undefined && { at: time }), ...(word !== undefined && { word }) }
}

/** A date as text, or seconds or milliseconds since 1970. */
function timeIn(value: Json | undefined): number | undefined {
  const isDate = typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)
  const read = isDate ? Date.parse(value) : Number(value ?? Number.NaN)
  const at = read < 1e11 ? read * 1000 : read
  return at > 0 && at < latest ? at : undefined
}

/** The year 2200: what is beyond is no date of an order. */
const latest = 7_258_118_400_000
