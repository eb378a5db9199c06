import { defined } from '../../base/defined.ts'
import type { Failure } from '../../base/failure.ts'
import type { Json, RunId } from '../../base/names.ts'
import type { Answer } from '../http/answer.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { Order, ReadReply } from '../http/wire.ts'
import type { Profile, ResponseRules } from '../profile/profile.ts'
import { errorText, orderFailure, readFailure, refusalFailure, rejectsContent } from './errors.ts'
import { firstNumber, holdsAt, idsAt, isScalarAmong } from './fields.ts'
import { findOutputs, type Output } from './outputs.ts'
import { addressesIn, isAbout, type RunStatus, runOf, runStatusOf } from './run-status.ts'

/** What the answer to a paid request means. docs/contract.md section 2, step 5. */
type OrderVerdict =
  | {
      readonly got: 'refused'
      readonly failure: Failure
      readonly canRetry: boolean
      readonly waitMs?: number | undefined
    }
  | { readonly got: 'run'; readonly id: RunId; readonly waitMs?: number | undefined }
  | {
      readonly got: 'files'
      readonly outputs: readonly Output[]
      readonly id?: RunId | undefined
      readonly credits?: number | undefined
    }
  | {
      readonly got: 'failure'
      readonly failure: Failure
      readonly id?: RunId | undefined
      readonly credits?: number | undefined
    }
  /** `foreign`: what answers is evidently no such service; the type of what it sends. */
  | { readonly got: 'doubt'; readonly detail: string; readonly foreign?: string }

/** What the answer to a result request means. `word` is a status word the profile does not know. */
export type ResultVerdict =
  | { readonly got: 'files'; readonly outputs: readonly Output[]; readonly credits?: number | undefined }
  | Exclude<ReadReply, { got: 'files' }>

/** The run is finished, and its files are to be asked for: at this address, else where the profile says. */
export interface Finished {
  readonly got: 'finished'
  readonly at: string | undefined
  readonly credits: number | undefined
}

/** The answer to a paid request. What does not prove the opposite is doubt. */
export function readOrderAnswer(
  profile: Profile,
  order: Pick<Order, 'mode' | 'workflow' | 'params'>,
  answer: Answer,
): OrderVerdict {
  const told = refusalIn(profile, order.workflow, answer)
  if (told) return told
  if (isRefusal(profile, answer)) {
    const failure = orderFailure(profile.response, order.workflow, answer)
    const canRetry = failure.why === 'busy'
    return { got: 'refused', failure, canRetry, waitMs: retryAfterMs(answer) }
  }
  if (!isOk(answer)) return doubt(profile.response, answer, `status ${answer.status}`)
  if (answer.flaw !== undefined) return doubt(profile.response, answer, answer.flaw)
  return readAcceptance(profile.response, order, answer)
}

/**
 * The answer to a result request for the run `id`. Only a definite answer about this run is more than trouble.
 */
export function readResultAnswer(profile: Profile, id: RunId, answer: Answer): ResultVerdict | Finished {
  const rules = profile.response
  const told = runStatusOf(rules, answer)
  const named = told ? idsAt(told.value, rules.identity) : []
  if (!isAbout(id, named)) return badReply('the answer names another run', retryAfterMs(answer))
  const isDone = isOk(answer) && told?.state === 'succeeded'
  const [at] = isDone ? addressesIn(answer, rules.content) : []
  if (isDone && (at !== undefined || profile.endpoints.content))
    return { got: 'finished', at, credits: creditsOf(rules, answer) }
  return readAnswerOf(profile, answer, named.length > 0)
}

/** What an answer says that was asked for where nothing else than one run can be; `isNamed` when it names that run itself. */
export function readAnswerOf(profile: Profile, answer: Answer, isNamed: boolean): ResultVerdict {
  const rules = profile.response
  const told = runStatusOf(rules, answer)
  const waitMs = retryAfterMs(answer)
  const isPending = rules.pending.includes(answer.status)
  const isAnswer = isPending || isOk(answer)
  // Outside 2xx a word like `error` speaks of the exchange, unless the answer names the run.
  if (told?.state === 'failed' && (isAnswer || isNamed)) {
    return failed(rules, told.value, told.word)
  }
  if (!isAnswer) return notOk(rules, answer, waitMs)
  if (answer.flaw !== undefined) return badReply(answer.flaw, waitMs)
  if (isPending && told?.state !== 'succeeded') return pending(rules, told, waitMs)
  const verdict = told ? readFinished(rules, told, waitMs) : readBare(rules, answer, waitMs)
  return isPending && verdict.got === 'trouble' ? pending(rules, told, waitMs) : verdict
}

/** A complete 2xx: a run, files, a failure, or nothing that proves anything. */
function readAcceptance(
  rules: ResponseRules,
  order: Pick<Order, 'mode' | 'params'>,
  answer: Answer,
): OrderVerdict {
  const told = runStatusOf(rules, answer)
  const id = runOf(rules, 'id', answer)
  if (told?.state === 'failed') {
    return { ...failed(rules, told.value, told.word), id }
  }
  const outputs = told?.state === 'running' ? [] : outputsOf(rules, answer, textsIn(order.params))
  // A submission that names its run can show links of other kinds; its result is read where results are read.
  const isResult = order.mode === 'execute' || id === undefined || answer.body.is === 'media'
  if (outputs.length > 0 && isResult) {
    // An id of the exchange would not find the files again.
    return { got: 'files', outputs, id: runOf(rules, 'identity', answer), credits: creditsOf(rules, answer) }
  }
  if (id !== undefined) return { got: 'run', id, waitMs: retryAfterMs(answer) }
  if (told && holdsAt(told.value, rules.failure)) {
    return failed(rules, told.value, undefined)
  }
  const foreign = foreignType(answer)
  return {
    ...doubt(rules, answer, 'the answer holds neither an id nor a result'),
    ...defined({ foreign }),
  }
}

/** The service answers an order with JSON or media. A page is somebody else's: a portal, a proxy, a wrong address. */
function foreignType({ headers, body }: Answer): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() || undefined
  return body.is === 'text' || type === 'text/html' ? (type ?? 'text of no type') : undefined
}

function readFinished(rules: ResponseRules, told: RunStatus, waitMs: number | undefined): ResultVerdict {
  const { value, state } = told
  if (state === 'running' || state === 'unknown') return pending(rules, told, waitMs)
  const outputs = findOutputs(value, rules)
  if (outputs.length > 0) return { got: 'files', outputs, credits: firstNumber(value, rules.credits) }
  if (state === 'succeeded') {
    const trouble = badReply('the run is finished, but its answer holds no output', waitMs)
    return { ...trouble, isFinished: true }
  }
  if (holdsAt(value, rules.failure)) return failed(rules, value, undefined)
  return pending(rules, told, waitMs)
}

/** Neither JSON nor media: nothing at all means "not yet", a lone link is the result, a page is no answer. */
function readBare(rules: ResponseRules, answer: Answer, waitMs: number | undefined): ResultVerdict {
  if (answer.body.is === 'empty') return { got: 'pending', waitMs }
  const outputs = outputsOf(rules, answer)
  return outputs.length > 0 ? { got: 'files', outputs } : badReply('the answer is not JSON', waitMs)
}

function outputsOf(rules: ResponseRules, answer: Answer, sent?: ReadonlySet<string>): Output[] {
  switch (answer.body.is) {
    case 'json':
      return findOutputs(answer.body.value, rules, sent)
    case 'text':
      return findOutputs(answer.body.text.trim(), rules, sent)
    case 'media':
      return [{ is: 'body' }]
    case 'empty':
      return []
  }
}

/** What failed may have cost something all the same. */
function failed(
  rules: ResponseRules,
  value: Json,
  word: string | undefined,
): { readonly got: 'failure'; readonly failure: Failure; readonly credits: number | undefined } {
  return {
    got: 'failure',
    failure: readFailure(rules, value, word),
    credits: firstNumber(value, rules.credits),
  }
}

function creditsOf(rules: ResponseRules, answer: Answer): number | undefined {
  return answer.body.is === 'json' ? firstNumber(answer.body.value, rules.credits) : undefined
}

function pending(
  rules: ResponseRules,
  told: RunStatus | undefined,
  waitMs: number | undefined,
): ResultVerdict {
  const percent = told && firstNumber(told.value, rules.progress)
  const progress =
    percent === undefined ? undefined : Math.min(1, Math.max(0, percent > 1 ? percent / 100 : percent))
  return { got: 'pending', waitMs, progress, word: told?.state === 'unknown' ? told.word : undefined }
}

function badReply(detail: string, waitMs: number | undefined): ResultVerdict & { got: 'trouble' } {
  return { got: 'trouble', failure: { why: 'bad-reply', detail }, waitMs }
}

/** A status outside 2xx says nothing about the run, unless its words refuse the content. */
function notOk(rules: ResponseRules, answer: Answer, waitMs: number | undefined): ResultVerdict {
  const detail = errorText(rules, answer)
  const isVerdict = answer.flaw === undefined && (answer.status === 400 || answer.status === 422)
  if (isVerdict && rejectsContent(rules, answer)) {
    return { got: 'failure', failure: { why: 'rejected-content', detail } }
  }
  return { got: 'trouble', failure: resultTrouble(answer.status, detail), waitMs }
}

function resultTrouble(status: number, detail: string): Failure {
  if (status === 401 || status === 403) return { why: 'unauthorized', status, detail }
  if (status === 402) return { why: 'no-credit', detail }
  if (status === 429 || status === 503) return { why: 'busy', detail }
  // A timeout and everything from 500 on may pass; other refusals of a young run may as well, and the engine knows its age.
  if (status === 408 || status >= 500) {
    return { why: 'bad-reply', detail: detail ? `status ${status}, ${detail}` : `status ${status}` }
  }
  return { why: 'refused', status, detail }
}

function isOk(answer: Answer): boolean {
  return answer.status >= 200 && answer.status <= 299
}

/** An id in a doubtful answer is told: the user may adopt the run. */
export function doubt(
  rules: ResponseRules,
  answer: Answer,
  what: string,
): { readonly got: 'doubt'; readonly detail: string } {
  const id = runOf(rules, 'id', answer)
  const text = answer.flaw === undefined ? errorText(rules, answer) : ''
  const named = id === undefined ? '' : `; it names the run ${id}`
  return { got: 'doubt', detail: `${what}${text && `, ${text}`}${named}` }
}

/** A refusal by what the answer says. One that broke off proves nothing, and neither does one that names a run. */
function refusalIn(
  { refusedWhen, response }: Profile,
  workflow: string,
  answer: Answer,
): (OrderVerdict & { got: 'refused' }) | undefined {
  const { body, status, flaw } = answer
  if (body.is !== 'json' || flaw !== undefined || runOf(response, 'identity', answer) !== undefined)
    return undefined
  const rule = refusedWhen.find(
    each =>
      (each.status === undefined || each.status === status) && isScalarAmong(body.value, each.at, each.is),
  )
  if (!rule) return undefined
  const failure = refusalFailure(response, { meaning: rule.means, workflow, answer })
  return { got: 'refused', failure, canRetry: rule.means === 'busy', waitMs: retryAfterMs(answer) }
}

/** A key that the service honours may meet its own first order: then a conflict refuses nothing. */
function isRefusal(profile: Profile, answer: Answer): boolean {
  const { status } = answer
  if (status === 409 && profile.idempotency.honoured) return false
  const proof = profile.refused[status] ?? 'never'
  return proof === 'always' || (proof === 'with-retry-after' && retryAfterMs(answer) !== undefined)
}

/** Every text among the parameters: a service that echoes them has not made anything. */
function textsIn(value: Json, texts = new Set<string>()): Set<string> {
  if (typeof value === 'string') texts.add(value)
  const members = typeof value === 'object' && value !== null ? Object.values(value) : []
  for (const member of members) textsIn(member, texts)
  return texts
}
