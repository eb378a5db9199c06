import { defined } from '../base/defined.ts'
import { readRules } from './faults/fault-words.ts'
import { type Endpoint, type Fault, type FaultRule, find, homes } from './faults/faults.ts'
import { expiredAnswer } from './files/files.ts'
import { type Body, bodyBytes, type GatewayAnswer, type Later, refusedAnswer } from './http/answer.ts'
import type { Delivery } from './http/send.ts'
import type { Fate } from './runs/run.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'

/** Rules a request asks for itself: for now, and for the result and the files of the run it makes. */
export interface AskedRules {
  readonly now: readonly FaultRule[]
  readonly later: readonly FaultRule[]
}

/** Reads the fault header where the gateway takes faults; a text when it cannot be read. */
export function askedRules(site: Site, header: string | null, endpoint: Endpoint): AskedRules | string {
  if (!site.takesFaults || header === null) return { now: [], later: [] }
  const read = readRules(header)
  if ('problem' in read) return read.problem
  const isNow = ({ fault, on }: FaultRule) => (on ?? homes[fault.does]).includes(endpoint)
  const isLater = ({ fault, on }: FaultRule) =>
    (on ?? homes[fault.does]).some(each => each === 'result' || each === 'file')
  return {
    now: read.rules.filter(isNow),
    // A fault that is at home in many places, like a delay, is meant for the request that asks for it.
    later: read.rules.filter(rule => isLater(rule) && (rule.on !== undefined || !isNow(rule))),
  }
}

/** What happens before a request is looked at: time passes, the connection breaks, a status stands in the way. */
export async function mishapBefore(site: Site, faults: readonly Fault[]): Promise<Outcome | undefined> {
  const delay = find(faults, 'delay')
  if (delay && 'from' in delay.ms) await site.clock.until(site.clock.now() + delay.ms.from, site.closing)
  if (find(faults, 'reset')) return nowhere('reset')
  const gone = find(faults, 'gone')
  if (gone) return wholeAnswer(troubleAnswer(gone.status, undefined))
  const refuse = find(faults, 'refuse')
  return refuse && wholeAnswer(troubleAnswer(refuse.status, refuse.retryAfterSeconds))
}

/** What happens once a paid request was accepted: nobody tells the client. */
export function mishapAfter(faults: readonly Fault[]): Outcome | undefined {
  const spoil = find(faults, 'spoil')
  if (spoil) return wholeAnswer(troubleAnswer(spoil.status, undefined))
  return find(faults, 'lose') && nowhere('close')
}

/** What a run will come to, as far as faults decide it. */
export function fateBy(faults: readonly Fault[]): Fate {
  const deliver = find(faults, 'deliver')
  const ends = find(faults, 'reject') ? 'rejected' : find(faults, 'fail') ? 'failed' : undefined
  return {
    missing: find(faults, 'short')?.missing ?? 0,
    stalls: find(faults, 'stall') !== undefined,
    ...(deliver && { kind: deliver.kind }),
    ...defined({ ends }),
  }
}

/** An answer as it leaves under faults of its own: replaced, shortened, broken off, slow. */
export function mishapOnTheWay(answer: GatewayAnswer, faults: readonly Fault[]): Outcome {
  if (find(faults, 'lose')) return nowhere('close')
  if (find(faults, 'expire')) return wholeAnswer(expiredAnswer())
  const html = find(faults, 'html')
  if (html) return wholeAnswer({ status: 200, headers: { 'content-type': html.type }, body: page })
  const clip = find(faults, 'clip')
  const shown =
    clip && answer.body !== undefined ? { ...answer, body: clipped(answer.body, clip.at) } : answer
  return { answer: shown, delivery: deliveryBy(faults) }
}

/** The answer to more than the gateway takes. */
export function crowdedAnswer(waitSeconds: number): GatewayAnswer {
  return troubleAnswer(429, waitSeconds)
}

function deliveryBy(faults: readonly Fault[]): Delivery {
  const cut = find(faults, 'cut')
  if (cut) return { goes: 'cut', at: cut.at }
  const drip = find(faults, 'drip')
  return drip ? { goes: 'drip', bytesPerSecond: drip.bytesPerSecond } : { goes: 'whole' }
}

function nowhere(how: 'close' | 'reset'): Outcome {
  return { answer: refusedAnswer(500, 'lost', 'nobody reads this'), delivery: { goes: 'nowhere', how } }
}

function troubleAnswer(status: number, retryAfterSeconds: number | undefined): GatewayAnswer {
  const headers: GatewayAnswer['headers'] =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  if (status === 429) return refusedAnswer(status, 'rate_limited', 'too many requests', { headers })
  if (status === 402) return refusedAnswer(status, 'no_credit', 'the account has no credit left', { headers })
  return refusedAnswer(status, status >= 500 ? 'unavailable' : 'refused', `refused on purpose (${status})`, {
    headers,
  })
}

function clipped(body: Body, share: number): Body {
  const end = Math.floor(bodyBytes(body) * share)
  if (typeof body === 'string') return Buffer.from(body).subarray(0, end)
  if (body instanceof Uint8Array) return body.subarray(0, end)
  const later: Later = { bytes: end, read: (from, to) => body.read(from, to) }
  return later
}

const page =
  '<!doctype html><title>Please sign in</title><h1>Please sign in</h1><p>This network asks for a password.</p>\n'
