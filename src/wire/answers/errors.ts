import type { Failure } from '../../base/failure.ts'
import type { Json } from '../../base/names.ts'
import { bareLink, cutAtWord } from '../../base/redact.ts'
import type { Answer } from '../http/answer.ts'
import type { RefusalMeaning, ResponseRules } from '../profile/profile.ts'
import { isAmong, textsAt } from './fields.ts'

/** Why a paid request was refused, by its status and its words. `busy` may be sent again. */
export function orderFailure(rules: ResponseRules, workflow: string, answer: Answer): Failure {
  const { status } = answer
  const detail = errorText(rules, answer)
  if (status === 425 || status === 429 || status === 503) return { why: 'busy', detail }
  if (rejectsContent(rules, answer)) return { why: 'rejected-content', detail }
  switch (status) {
    case 401:
    case 403:
      return { why: 'unauthorized', status, detail }
    case 402:
      return { why: 'no-credit', detail }
    case 404:
      return { why: 'not-served', workflow, detail }
    case 301:
    case 302:
    case 307:
    case 308:
      return { why: 'refused', status, detail: redirectText(answer) }
    default:
      return { why: 'refused', status, detail }
  }
}

/** Why a paid request was refused that the profile knows by its words. */
export function refusalFailure(
  rules: ResponseRules,
  {
    meaning,
    workflow,
    answer,
  }: { readonly meaning: RefusalMeaning; readonly workflow: string; readonly answer: Answer },
): Failure {
  const { status } = answer
  const detail = errorText(rules, answer)
  switch (meaning) {
    case 'busy':
      return { why: 'busy', detail }
    case 'unauthorized':
      return { why: 'unauthorized', status, detail }
    case 'no-credit':
      return { why: 'no-credit', detail }
    case 'refused':
      return answer.status < 400 ? refusedIn(rules, answer) : orderFailure(rules, workflow, answer)
  }
}

function refusedIn(rules: ResponseRules, answer: Answer): Failure {
  const detail = errorText(rules, answer)
  return rejectsContent(rules, answer)
    ? { why: 'rejected-content', detail }
    : { why: 'refused', status: answer.status, detail }
}

/** Why a run failed, by the words of an answer. `word` is the status word, shown when nothing else is said. */
export function readFailure(rules: ResponseRules, value: Json, word: string | undefined): Failure {
  const texts = errorTexts(rules, value)
  const why = matchesContent(rules, word === undefined ? texts : [...texts, word])
    ? 'rejected-content'
    : 'remote'
  return { why, detail: cutAtWord(texts[0] ?? word ?? '', longest) }
}

/** What an answer says went wrong, in one line; empty for a page or nothing. */
export function errorText(rules: ResponseRules, answer: Answer): string {
  const { body } = answer
  if (body.is === 'json') return cutAtWord(errorTexts(rules, body.value)[0] ?? '', longest)
  const isShort = body.is === 'text' && body.text.length <= longest && !body.text.trimStart().startsWith('<')
  return isShort ? body.text.trim() : ''
}

export function rejectsContent(rules: ResponseRules, answer: Answer): boolean {
  if (answer.body.is === 'json') return matchesContent(rules, errorTexts(rules, answer.body.value))
  return matchesContent(rules, [errorText(rules, answer)])
}

const longest = 400

/** An envelope around a failed run may say `message: success`: that is no error's word. */
function errorTexts(rules: ResponseRules, value: Json): string[] {
  return textsAt(value, rules.error).filter(text => !isAmong(text, rules.words.succeeded))
}

function matchesContent(rules: ResponseRules, texts: readonly string[]): boolean {
  return rules.rejectedContent.some(pattern => {
    const expression = new RegExp(pattern, 'i')
    return texts.some(text => expression.test(text.slice(0, longest)))
  })
}

function redirectText(answer: Answer): string {
  const { location } = answer.headers
  return location === undefined ? 'a redirect' : `a redirect to ${bareLink(location)}`
}
