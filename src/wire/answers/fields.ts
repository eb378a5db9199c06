import { type Json, type Pointer, pointerSteps, type RunId, runId } from '../../base/names.ts'
import { cutAtWord } from '../../base/redact.ts'
import { fold } from '../profile/fold.ts'

/** What stands at a JSON pointer; undefined for nothing. Own keys only. */
export function valueAt(value: Json, place: string): Json | undefined {
  // A profile's pointers are data; the brand marks those made from a job's parameters.
  const steps = pointerSteps(place as Pointer)
  return steps.reduce<Json | undefined>((here, step) => memberOf(here, step), value)
}

/** The first run id that stands at one of the places. */
export function firstId(value: Json, places: readonly string[]): RunId | undefined {
  return idsAt(value, places)[0]
}

/** All run ids at the places, in their order. Text that could not stand in an address is none. */
export function idsAt(value: Json, places: readonly string[]): RunId[] {
  return places.flatMap(place => {
    const found = valueAt(value, place)
    const isName = (typeof found === 'string' && found !== '') || Number.isSafeInteger(found)
    const id = isName ? runId(String(found)) : undefined
    return id === undefined ? [] : [id]
  })
}

/**
 * Words at the places. A flag that is false is one; a true one says no more than that the exchange went well. Numbers are none
 * where they may be those of the exchange.
 */
export function wordsAt(value: Json, places: readonly string[], areNumbersWords = false): string[] {
  return places.flatMap(place => {
    const found = valueAt(value, place)
    if (found === false) return ['false']
    if (typeof found === 'number') return areNumbersWords ? [String(found)] : []
    return typeof found === 'string' && found.trim() !== '' ? [cutAtWord(found.trim(), longestWord)] : []
  })
}

/** The texts at the places, each once. */
export function textsAt(value: Json, places: readonly string[]): string[] {
  const texts = places.flatMap(place => {
    const found = valueAt(value, place)
    return typeof found === 'string' && found.trim() !== '' ? [found.trim()] : []
  })
  return [...new Set(texts)]
}

/** Whether one of the places holds more than nothing: neither null, false, 0 nor an empty text, list or object. */
export function holdsAt(value: Json, places: readonly string[]): boolean {
  return places.some(place => {
    const found = valueAt(value, place)
    return typeof found === 'object' && found !== null ? Object.keys(found).length > 0 : Boolean(found)
  })
}

/** The first number at the places; a text like `45%` is one. */
export function firstNumber(value: Json, places: readonly string[]): number | undefined {
  for (const place of places) {
    const found = valueAt(value, place)
    const number =
      typeof found === 'string' && /^\s*\d+(\.\d+)?\s*%?\s*$/.test(found) ? Number.parseFloat(found) : found
    if (typeof number === 'number' && Number.isFinite(number)) return number
  }
  return undefined
}

/** Whether one of the words stands at the place; a number or a truth counts by how it is written. */
export function isScalarAmong(value: Json, place: string, words: readonly string[]): boolean {
  const found = valueAt(value, place)
  return found !== undefined && typeof found !== 'object' && words.includes(String(found))
}

export function isAmong(word: string, words: readonly string[]): boolean {
  return word.length <= longestWord && words.some(each => fold(each) === fold(word))
}

// A status is a word or two: one of 30 MB would be folded for seconds.
const longestWord = 200

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  // Lists are objects whose keys are their indexes.
  return (value as { readonly [key: string]: Json })[key]
}
