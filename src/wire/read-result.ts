import type { RunRef } from '../base/state.ts'
import { readResultAnswer } from './answers/dialect.ts'
import type { ReadReply } from './http/wire.ts'
import { usualHeaders } from './profile/request.ts'
import { notServed, type Service } from './service.ts'
import { isMedia, keepOutputs, receiveResult } from './transfer/receive-answer.ts'

/** Asks for a run's result once. */
export async function readResult(service: Service, run: RunRef, signal: AbortSignal): Promise<ReadReply> {
  const { profile, limits, origin, authorization, spoolPlace, asker } = service
  const url = service.endpoints.result(run)
  if (!url) return { got: 'trouble', failure: notServed(run.workflow) }
  const asked = await asker.get(
    {
      url,
      headers: { ...usualHeaders(profile), authorization },
      signal,
      firstHeaderMs: limits.result.firstHeaderMs,
      totalMs: head => (isMedia(head) ? limits.download.leastMs : limits.result.totalMs),
    },
    (head, body) => receiveResult(spoolPlace, limits, head, body),
  )
  if (asked.got === 'nothing') {
    return {
      got: 'trouble',
      failure: asked.stopped ? { why: 'stopped' } : { why: 'unreachable', origin, detail: asked.detail },
    }
  }
  const verdict = readResultAnswer(profile, run.id, asked.value.answer)
  if (verdict.got !== 'files') return verdict
  const kept = await keepOutputs(spoolPlace, origin, verdict.outputs, asked.value)
  if ('files' in kept) return { got: 'files', files: kept.files, credits: verdict.credits }
  return { got: 'trouble', failure: { why: 'unsaved', path: 'the spool', detail: kept.trouble } }
}
