import { type Json, type RunId, runId } from '../../base/names.ts'
import type { Answer } from '../http/answer.ts'
import { idFromLocation } from '../http/location.ts'
import { gwV2 } from '../profile/gw-v2.ts'
import { isSignedAddress } from '../profile/poll-address.ts'
import type { ResponseRules, StatusWords } from '../profile/profile.ts'
import { firstId, isAmong, textsAt, wordsAt } from './fields.ts'

/**
 * What a run is known by: the address that the answer gives for asking, where the profile says that it gives one; else the id
 * at one of the places (`id` and `identity` of the rules), else the one in its Location header.
 */
export function runOf(rules: ResponseRules, by: 'id' | 'identity', answer: Answer): RunId | undefined {
  const address = addressesIn(answer, rules.poll).find(text => !isSignedAddress(text))
  const asAddress = address === undefined ? undefined : runId(address)
  if (asAddress !== undefined) return asAddress
  const places = rules[by]
  const inBody = answer.body.is === 'json' ? firstId(answer.body.value, places) : undefined
  return inBody ?? idFromLocation(answer.headers.location)
}

/** Texts at the places, and in the headers, that a profile names for addresses. */
export function addressesIn(answer: Answer, places: readonly string[]): string[] {
  return places.flatMap(place => {
    const isHeader = place !== '' && !place.startsWith('/')
    if (isHeader) return answer.headers[place.toLowerCase()]?.trim() || []
    return answer.body.is === 'json' ? textsAt(answer.body.value, [place]) : []
  })
}

/** Whether an answer that names runs so is about the one that is known by `id`. */
export function isAbout(id: RunId, named: readonly string[]): boolean {
  if (named.length === 0 || named.includes(id)) return true
  if (!id.includes('/') || !URL.canParse(id, 'https://service.invalid/')) return false
  const { pathname, searchParams } = new URL(id, 'https://service.invalid/')
  const path = `/${pathname.split('/').map(decoded).join('/')}/`
  return named.some(name => path.includes(`/${name}/`) || [...searchParams.values()].includes(name))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
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
  // Whoever names the place of the state means what stands there, be it a number.
  const words = wordsAt(value, rules.status, rules.status !== gwV2.response.status)
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
