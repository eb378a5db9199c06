import type { Json, RunId } from '../../base/names.ts'
import type { Answer } from '../http/answer.ts'
import { idFromLocation } from '../http/location.ts'
import type { ResponseRules, StatusWords } from '../profile/profile.ts'
import { firstId, isAmong, wordsAt } from './fields.ts'

/** The id that an answer names at one of the places, else in its Location header. */
export function runOf(places: readonly string[], answer: Answer): RunId | undefined {
  const inBody = answer.body.is === 'json' ? firstId(answer.body.value, places) : undefined
  return inBody ?? idFromLocation(answer.headers.location)
}

/** What a JSON answer says about the state of the work. */
export interface RunStatus {
  readonly value: Json
  readonly state: 'failed' | 'running' | 'succeeded' | 'unknown' | 'silent'
  /** The word that told; undefined for `silent`. */
  readonly word?: string | undefined
}

/** Undefined for an answer that is no whole JSON. */
export function runStatusOf(rules: ResponseRules, answer: Answer): RunStatus | undefined {
  if (answer.body.is !== 'json' || answer.flaw !== undefined) return undefined
  const { value } = answer.body
  const words = wordsAt(value, rules.status)
  // An envelope can say `success` about the exchange while the run within is still working or has failed.
  for (const state of ['failed', 'running', 'succeeded'] as const) {
    const word = words.find(each => isAmong(each, knownWords(rules.words, state)))
    if (word !== undefined) return { value, state, word }
  }
  return words.length > 0 ? { value, state: 'unknown', word: words[0] } : { value, state: 'silent' }
}

function knownWords(words: StatusWords, state: 'failed' | 'running' | 'succeeded'): readonly string[] {
  return state === 'failed' ? [...words.failed, ...words.canceled] : words[state]
}
