import type { RunRef } from '../base/state.ts'
import { type Finished, type ResultVerdict, readAnswerOf, readResultAnswer } from './answers/dialect.ts'
import type { Answer } from './http/answer.ts'
import type { ReadReply } from './http/wire.ts'
import { type Asking, pollAddress } from './profile/poll-address.ts'
import { usualHeaders } from './profile/request.ts'
import { notServed, type SpokenService } from './service.ts'
import { isMedia, keepOutputs, type Received, receiveResult } from './transfer/receive-answer.ts'

/** Asks for a run's result once; where it only says that the run is finished, for its files as well. */
export async function readResult(
  service: SpokenService,
  run: RunRef,
  signal: AbortSignal,
): Promise<ReadReply> {
  const asking = service.endpoints.result(run)
  const asked = await ask(service, asking, signal)
  if (asked.got === 'nothing') return unheard(run, asking, asked)
  const verdict = readResultAnswer(service.profile, run.id, asked.value.answer)
  return verdict.got === 'finished'
    ? readContent(service, run, verdict, signal)
    : replyTo(service, verdict, asked.value)
}

/** The second request: the files themselves, links to them, or a redirect to the file. */
async function readContent(
  service: SpokenService,
  run: RunRef,
  { at, credits }: Finished,
  signal: AbortSignal,
): Promise<ReadReply> {
  const { endpoints, base, origins } = service
  const asking = (at === undefined ? undefined : addressed(at, base, origins)) ?? endpoints.content(run)
  const asked = asking && (await ask(service, asking, signal))
  if (!asking || !asked) return { got: 'trouble', failure: notServed(run.workflow, unasked) }
  if (asked.got === 'nothing') return unheard(run, asking, asked)
  const { answer } = asked.value
  const link = redirectOf(answer, 'url' in asking ? asking.url : base)
  const verdict: ResultVerdict =
    link === undefined
      ? readAnswerOf(service.profile, answer, false)
      : { got: 'files', outputs: [{ is: 'link', url: link }] }
  return replyTo(service, verdict.got === 'files' ? { credits, ...verdict } : verdict, asked.value)
}

/** What stands where an address is expected may be one without a slash. */
function addressed(at: string, base: URL, origins: readonly string[]): Asking | undefined {
  return pollAddress(at.includes('/') ? at : `./${at}`, base, origins)
}

function redirectOf({ status, headers }: Answer, from: URL): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status)
  const { location } = headers
  return isRedirect && location !== undefined && URL.canParse(location, from.href)
    ? new URL(location, from.href).href
    : undefined
}

type Nothing = { readonly got: 'nothing'; readonly detail: string; readonly stopped: boolean }
type Something = { readonly got: 'answer'; readonly value: Received }

async function ask(
  service: SpokenService,
  asking: Asking,
  signal: AbortSignal,
): Promise<Nothing | Something> {
  const { profile, limits, auth, spoolPlace } = service
  if ('problem' in asking) return { got: 'nothing', detail: asking.problem, stopped: false }
  return service.askerAt(asking.url.origin).get(
    {
      url: asking.url,
      headers: { ...usualHeaders(profile), ...auth },
      signal,
      firstHeaderMs: limits.result.firstHeaderMs,
      totalMs: head => (isMedia(head) ? limits.download.leastMs : limits.result.totalMs),
    },
    (head, body) => receiveResult({ spoolPlace, limits }, head, body),
  )
}

const unasked = 'the profile says nowhere to ask for the files'

/** Nothing is known of the run: it is asked for again, and keeps its id. */
function unheard({ workflow }: RunRef, asking: Asking, { detail, stopped }: Nothing): ReadReply {
  if (stopped) return { got: 'trouble', failure: { why: 'stopped' } }
  const origin = 'url' in asking ? asking.url.origin : asking.origin
  if (origin === undefined) return { got: 'trouble', failure: notServed(workflow, detail) }
  return { got: 'trouble', failure: { why: 'unreachable', origin, detail } }
}

async function replyTo(
  { origin, spoolPlace }: SpokenService,
  verdict: ResultVerdict,
  received: Received,
): Promise<ReadReply> {
  if (verdict.got !== 'files') return verdict
  const kept = await keepOutputs(spoolPlace, origin, verdict.outputs, received)
  if ('files' in kept) return { got: 'files', files: kept.files, credits: verdict.credits }
  return { got: 'trouble', failure: { why: 'unsaved', path: 'the spool', detail: kept.trouble } }
}
