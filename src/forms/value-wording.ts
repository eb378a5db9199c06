import type { Json } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import { wordTable } from '../base/word-table.ts'
import type { ChoiceParam, Model, NumberParam } from '../catalog/index.ts'
import { numbersAround, shapesNear, wordsNear } from './near.ts'
import { stepsAround } from './steps.ts'
import { kindOf, type Words } from './words.ts'

/** A value that is not among the listed ones. */
export function choiceWords(model: Model, name: string, param: ChoiceParam, value: Json | undefined): Words {
  const message = `${name} must be ${oneOfValues(model, param)}`
  if (typeof value === 'object' || value === undefined) {
    return { code: 'wrong-type', message: `${message}, not ${kindOf(value)}` }
  }
  const numbers = param.values.filter(candidate => typeof candidate === 'number')
  if (numbers.length > 0) return numberChoiceWords(model, numbers, { name, value, message })
  if (typeof value === 'boolean') return switchWords(param, value, message)
  const words = param.values.map(String)
  const near = meantByLabel(param, String(value)) ?? wordsNear(String(value), words)
  const list = isLong(param) ? `genrun models info ${model.id} lists them` : undefined
  const hint =
    near.length > 0
      ? didYouMean(near)
      : (shapeHint(String(value), words) ?? shapeWordHint(String(value), words) ?? list)
  return { code: 'bad-value', message, ...(hint && { hint }) }
}

/** Anything but true or false. */
export function toggleWords(name: string, value: Json | undefined): Words {
  const word =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
  const meant = switchOf(word)
  const hint =
    meant === undefined ? undefined : `write ${meant}${word === String(meant) ? ' without quotes' : ''}`
  return {
    code: 'wrong-type',
    message: `${name} must be true or false, not ${kindOf(value)}`,
    ...(hint && { hint }),
  }
}

/** `from 1 to 100`; empty where neither bound is known. */
function rangeOf({ minimum, maximum }: NumberParam): string {
  if (minimum === undefined) return maximum === undefined ? '' : `of ${maximum} at most`
  return maximum === undefined ? `from ${minimum} on` : `from ${minimum} to ${maximum}`
}

/** A number of a wrong type, beyond a bound or between two steps. */
export function numberWords(name: string, param: NumberParam, value: Json | undefined): Words {
  const whole = param.type === 'integer'
  const range = rangeOf(param)
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const message = `${name} must be a ${whole ? 'whole ' : ''}number${range && ` ${range}`}, not ${kindOf(value)}`
    const meant = typeof value === 'string' ? numberIn(value) : undefined
    return {
      code: 'wrong-type',
      message,
      ...(meant !== undefined && { hint: `write ${meant} without quotes` }),
    }
  }
  const { minimum = value, maximum = value } = param
  if (value < minimum || value > maximum) {
    const bound = value < minimum ? minimum : maximum
    return { code: 'out-of-range', message: `${name} must be ${range}`, hint: `the nearest is ${bound}` }
  }
  if (whole && !Number.isInteger(value)) {
    const hint = theNearest([Math.floor(value), Math.ceil(value)])
    return { code: 'wrong-type', message: `${name} must be a whole number${range && ` ${range}`}`, hint }
  }
  const message = `${name} must be ${range && `${range} `}in steps of ${param.step}`
  return { code: 'bad-step', message, hint: theNearest(stepsAround(value, param)) }
}

/** `the nearest are 5 and 8`. */
export function theNearest(values: readonly (number | string)[]): string {
  return `the nearest ${values.length === 1 ? 'is' : 'are'} ${listed(values.map(String))}`
}

/** `did you mean TURBO`. */
export function didYouMean(words: readonly string[]): string {
  return `did you mean ${listed(words, 'or')}`
}

function numberChoiceWords(
  model: Model,
  numbers: readonly number[],
  wrong: { readonly name: string; readonly value: string | number | boolean; readonly message: string },
): Words {
  const { name, value, message } = wrong
  if (typeof value === 'boolean') return { code: 'wrong-type', message: `${message}, not ${value}` }
  const number = numberIn(value)
  if (typeof value === 'string' && number !== undefined && numbers.includes(number)) {
    return {
      code: 'wrong-type',
      message: `${name} must be a number, not text`,
      hint: `write ${number} without quotes`,
    }
  }
  if (number !== undefined) {
    const unit = name === 'duration' ? 'seconds' : 'numbers'
    const hint = `${theNearest(numbersAround(number, numbers))}; ${model.id} takes these ${unit} only`
    return { code: typeof value === 'string' ? 'wrong-type' : 'bad-value', message, hint }
  }
  const bare = Number.parseFloat(String(value))
  const hint = numbers.includes(bare) ? `write ${bare}, the number alone` : undefined
  return { code: 'bad-value', message, ...(hint && { hint }) }
}

function switchOf(word: string): boolean | undefined {
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  return ['false', 'no', 'off', '0'].includes(word) ? false : undefined
}

/** YAML 1.1 made booleans of these words, and so do other tools. */
function switchWords(param: ChoiceParam, value: boolean, message: string): Words {
  const word = value ? 'yes' : 'no'
  const hint = param.values.includes(word) ? `write the word ${word}, it is text here` : undefined
  return { code: 'wrong-type', message: `${message}, not ${value}`, ...(hint && { hint }) }
}

function oneOfValues(model: Model, param: ChoiceParam): string {
  if (isLong(param)) return `one of the ${param.values.length} values of ${model.id}`
  const words = param.values.map(String)
  return words.length === 1 ? words.join() : `one of ${words.join(', ')}`
}

// The longest list that a person still reads in a message is the specification's 13 aspect ratios.
function isLong(param: ChoiceParam): boolean {
  return param.values.length > 13
}

function shapeHint(word: string, values: readonly string[]): string | undefined {
  const near = shapesNear(word, values)
  return near.length === 0 ? undefined : theNearest(near)
}

/** `landscape` is no ratio here, and 1.78 neither. */
function shapeWordHint(word: string, values: readonly string[]): string | undefined {
  const ratio = shapeWords[word.trim().toLowerCase()] ?? numberIn(word)
  if (ratio === undefined || !(ratio > 0)) return undefined
  const near = shapesNear(`${(ratio * 1000).toFixed(0)}:1000`, values)
  return near[0] === undefined ? undefined : `the nearest is ${near[0]}`
}

/** Width over height, as people say it. */
const shapeWords: { readonly [word: string]: number | undefined } = wordTable({
  landscape: 16 / 9,
  horizontal: 16 / 9,
  wide: 16 / 9,
  widescreen: 16 / 9,
  portrait: 9 / 16,
  vertical: 9 / 16,
  tall: 9 / 16,
  story: 9 / 16,
  square: 1,
})

/** The value whose label was written: `Balanced` is DEFAULT. */
function meantByLabel(param: ChoiceParam, word: string): string[] | undefined {
  const wanted = word.trim().toLowerCase()
  const found = Object.entries(param.labels ?? {}).find(([, label]) => label?.toLowerCase() === wanted)
  return found && [found[0]]
}

function numberIn(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim())) return undefined
  return Number(value)
}
