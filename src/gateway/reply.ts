import { defined } from '../base/defined.ts'
import type { Json } from '../base/names.ts'
import type { Links } from './files/links.ts'
import { type GatewayAnswer, jsonAnswer } from './http/answer.ts'
import type { GatewayRun, RunOutput } from './runs/run.ts'

/** What an answer about a run needs beside the run. */
interface ReplyContext {
  readonly links: Links
  /** Scheme, host and port as the client named them: links must work where the request did. */
  readonly origin: string
  readonly now: number
}

/** The answer to a submit: 202 and the id. */
export function acceptedReply(run: GatewayRun): GatewayAnswer {
  return jsonAnswer(202, { id: run.id, status: 'accepted' })
}

/** A run as it stands: 202 while it is unfinished, 200 when it is completed or failed. */
export function runReply(run: GatewayRun, context: ReplyContext): GatewayAnswer {
  const { id, state } = run
  switch (state.is) {
    case 'accepted':
      return jsonAnswer(202, { id, status: 'accepted' }, retryAfter(run, context.now))
    case 'processing':
      return jsonAnswer(
        202,
        { id, status: 'processing', progress: progressOf(run, context.now) },
        retryAfter(run, context.now),
      )
    case 'completed':
      return jsonAnswer(200, {
        id,
        status: 'completed',
        outputs: state.outputs.map(output => outputReply(output, context)),
        ...defined({ credits: run.credits }),
      })
    case 'failed':
      return jsonAnswer(200, { id, status: 'failed', error: { code: state.code, message: state.message } })
  }
}

function outputReply(output: RunOutput, { links, origin }: ReplyContext): Json {
  const { run: _run, name: _name, ...facts } = output
  return { url: links.to(output, origin), ...facts }
}

/** From 0 to 0.99: by the time a run is known to take, else a guess that slows down. */
function progressOf({ state, acceptedAt, dueAt }: GatewayRun, now: number): number {
  if (state.is !== 'processing') return 0
  if (state.share !== undefined) return state.share
  const share =
    dueAt > acceptedAt
      ? (now - acceptedAt) / (dueAt - acceptedAt)
      : (now - state.since) / (now - state.since + 1000)
  return Math.max(0, Math.min(0.99, Math.round(share * 100) / 100))
}

/** Asks for patience where it is known to be in vain to come earlier; whole seconds, at most five. */
function retryAfter({ dueAt }: GatewayRun, now: number): GatewayAnswer['headers'] {
  const seconds = Math.min(5, Math.floor((dueAt - now) / 1000))
  return seconds >= 1 ? { 'retry-after': String(seconds) } : {}
}
