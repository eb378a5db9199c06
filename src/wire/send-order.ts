import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import { doubt, readOrderAnswer } from './answers/dialect.ts'
import { runOf } from './answers/run-status.ts'
import { readBody } from './http/answer.ts'
import { pay } from './http/http.ts'
import { isCertificateError } from './http/network-error.ts'
import type { LastWord, Order, OrderReply } from './http/wire.ts'
import { bodyOf } from './http/wire-capture.ts'
import { requestFor } from './profile/request.ts'
import { notServed, type SpokenService } from './service.ts'
import { keepOutputs, keepRaw, type Received, receiveOrder } from './transfer/receive-answer.ts'

/** Sends one paid request, and says what became of it. docs/contract.md section 2, steps 3 to 5. */
export async function sendOrder(
  service: SpokenService,
  order: Order,
  beforeFirstByte: () => Promise<LastWord>,
): Promise<OrderReply> {
  const { profile, limits, clock, origin, spoolPlace, auth } = service
  const { mode, workflow } = order
  const request = requestFor(profile, service.base, order)
  if ('problem' in request)
    return { got: 'refused', failure: notServed(workflow, request.problem), canRetry: false }
  const totalMs = Math.min(order.deadlineMs, limits[mode].totalMs)
  const sent = await pay(
    {
      method: request.method,
      url: request.url,
      headers: { ...request.headers, ...auth },
      body: request.payload(),
      clock,
      way: service.way,
      connectMs: limits.connectMs,
      firstHeaderMs: Math.min(limits[mode].firstHeaderMs, totalMs),
      totalMs,
      beforeFirstByte,
    },
    (head, body) => receiveOrder({ spoolPlace, limits }, mode, head, body),
  )
  switch (sent.sent) {
    case 'no':
      if (sent.thrown) return { got: 'not-sent', failure: { why: 'stopped' }, cause: sent.thrown.cause }
      return { got: 'not-sent', failure: unreachable(origin, sent.detail) }
    case 'perhaps':
      return settleUnread(service, sent.detail, sent.capture())
    case 'yes':
      return settleOrder(service, { ...order, url: request.url }, sent.value, sent.capture)
  }
}

function unreachable(origin: string, detail: string): Failure {
  return { why: 'unreachable', origin, detail, ...(isCertificateError(detail) && { certificate: true }) }
}

/**
 * What came when no answer could be read, or could not be kept where it was read. A run may be named in it, and a person
 * may make more of it than we can.
 */
async function settleUnread(service: SpokenService, detail: string, capture: Buffer): Promise<OrderReply> {
  const { profile, clock } = service
  const body = readBody(bodyOf(capture), detail)
  const answer = { status: 0, headers: {}, body, flaw: detail, at: clock.wall() }
  const raw = await keepRaw(service, { answer, place: { bytes: capture } })
  return { ...doubt(profile.response, answer, detail), ...defined({ raw }) }
}

/** From here on nothing may throw: the answer is paid for. */
async function settleOrder(
  service: SpokenService,
  order: Order & { readonly url: URL },
  received: Received,
  capture: () => Buffer,
): Promise<OrderReply> {
  const { profile, origin, spoolPlace } = service
  const verdict = readOrderAnswer(profile, order, received.answer)
  const id = 'id' in verdict ? verdict.id : undefined
  // A run that the service calls by the key can stand in no record. What else came with it is taken.
  const isKey = id !== undefined && service.holdsKey(id)
  const run = id === undefined || isKey ? undefined : { workflow: order.workflow, id }
  switch (verdict.got) {
    case 'refused':
      return verdict
    case 'run':
      if (run) return { got: 'run', run, waitMs: verdict.waitMs }
      return {
        got: 'doubt',
        detail: 'the service calls the run by your key',
        raw: await keepRaw(service, received),
      }
    case 'failure':
      return { got: 'failure', failure: verdict.failure, run, credits: verdict.credits }
    case 'doubt': {
      const { flaw, body } = received.answer
      // What our own disk did not take is at the service all the same.
      const unkept = received.unkept && runOf(profile.response, 'identity', received.answer)
      if (unkept && !service.holdsKey(unkept))
        return { got: 'run', run: { workflow: order.workflow, id: unkept } }
      const isLost = flaw !== undefined && body.is === 'empty'
      if (isLost && !('path' in received.place)) return settleUnread(service, flaw, capture())
      const { detail, foreign } = verdict
      const who = foreign && { foreign: `${order.url.origin}${order.url.pathname} answers with ${foreign}` }
      return { got: 'doubt', detail, raw: await keepRaw(service, received), ...who }
    }
    case 'files': {
      const kept = await keepOutputs(spoolPlace, origin, verdict.outputs, received)
      if ('files' in kept) return { got: 'files', files: kept.files, run, credits: verdict.credits }
      // What could not be kept here is still at the service.
      if (run) return { got: 'run', run }
      return {
        got: 'doubt',
        detail: `the result could not be kept, ${kept.trouble}`,
        raw: await keepRaw(service, received),
      }
    }
  }
}
