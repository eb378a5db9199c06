import type { JsonObject } from '../base/names.ts'
import { askOf, type GivenValue, type JobAsk } from '../run/one-shot/ask.ts'
import { refusal } from './error.ts'

/** The parameters that a program gives, as the verbs read them. Throws GenrunError where they cannot be read. */
export function askGiven(model: string, params: object): JobAsk {
  const plain = Object.entries(params).filter(([, value]) => value !== undefined)
  const given = Object.fromEntries(plain.map(([name, value]) => [name, withoutUrls(value)]))
  const { ask, problems } = askOf(model, given)
  if (!ask) throw refusal(problems)
  return ask
}

/** A URL object is its text. */
function withoutUrls(value: unknown): GivenValue {
  if (value instanceof URL) return value.href
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (typeof value !== 'object' || value === null) return value as GivenValue // what JSON cannot hold is told by the check
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutUrls(inner)]))
}

/** What of the parameters is plain data: files count for nothing in what is expected. */
export function plainParams(params: object): JsonObject {
  const entries = Object.entries(params).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(entries)
}
