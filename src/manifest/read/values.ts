import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import { wordTable } from '../../base/word-table.ts'
import { isTruthy, numberIn, truthIn } from '../fill/operators.ts'
import type { Filled, FilledEntry, FilledScalar } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import type { KeyForm } from './shape.ts'

/** A word of the manifest and where it stands. */
export interface Word {
  readonly text: string
  readonly at: Span
}

/** Readers of the manifest's own values. What is wrong is told, and the value then undefined. */

export function readText({ key, value }: FilledEntry, report: ReportProblem): Word | undefined {
  const text = scalarOf(value)
  if (value.kind === 'unfilled') return undefined
  if (typeof text?.value === 'string' && text.value.trim() !== '')
    return { text: text.value.trim(), at: value }
  const at = isNothing(value) ? key : value
  if (text && typeof text.value !== 'string' && text.value !== null) {
    report(
      error(
        'wrong-type',
        at,
        `\`${key.source}\` takes text, not ${whatIs(value)}`,
        `put it in quotes: '${text.source}'`,
      ),
    )
  } else if (text)
    report(error('wrong-type', at, `\`${key.source}\` has no value`, 'give it one or remove it'))
  else
    report(
      error(
        'wrong-type',
        at,
        `\`${key.source}\` takes text, not ${whatIs(value)}`,
        'write one text, without brackets and dashes',
      ),
    )
  return undefined
}

/** One text or a list of them. Numbers are taken as they are written: ids and tags may look like one. */
export function readTexts({ key, value }: FilledEntry, report: ReportProblem): Word[] {
  const items = value.kind === 'list' ? value.items : [value]
  return items.flatMap(item => {
    if (item.kind === 'unfilled') return []
    const scalar = scalarOf(item)
    if (scalar && scalar.value !== null && scalar.source.trim() !== '')
      return [{ text: scalar.source.trim(), at: item }]
    const at = isNothing(item) ? key : item
    const hint =
      item.kind === 'reference'
        ? `write its name alone: ${item.job}`
        : `for instance \`${key.source}: [a, b]\``
    report(
      error('wrong-type', at, `\`${key.source}\` takes a word or a list of words, not ${whatIs(item)}`, hint),
    )
    return []
  })
}

export function readWhole(
  entry: FilledEntry,
  form: KeyForm & { is: 'whole' },
  report: ReportProblem,
): number | undefined {
  const { key, value } = entry
  if (value.kind === 'unfilled') return undefined
  const number = numberOf(value)
  const { minimum, maximum } = form
  if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum)
    return number
  const message = `\`${key.source}\` is a whole number from ${minimum} to ${maximum}`
  const hint = wholeHint(number, minimum, maximum)
  report(misfit('wrong-type', entry, message, hint))
  return undefined
}

function wholeHint(number: FilledScalar['value'] | undefined, minimum: number, maximum: number): string {
  if (typeof number === 'string' && /^\d+$/.test(number)) return `write ${number} without quotes`
  if (typeof number !== 'number') return `write it in digits, for instance ${Math.max(minimum, 2)}`
  return `the nearest is ${Math.min(maximum, Math.max(minimum, Math.round(number)))}`
}

export function readAmount(entry: FilledEntry, report: ReportProblem): number | undefined {
  const { key, value } = entry
  if (value.kind === 'unfilled') return undefined
  const number = numberOf(value)
  if (typeof number === 'number' && number >= 0) return number
  const digits = typeof number === 'string' ? /^\D{0,4}(\d+(?:\.\d+)?)\D{0,9}$/.exec(number)?.[1] : undefined
  const hint = digits && `write ${digits}, the number alone`
  report(misfit('wrong-type', entry, `\`${key.source}\` is a number from 0`, hint))
  return undefined
}

export function readChoice(
  entry: FilledEntry,
  form: KeyForm & { is: 'choice' },
  report: ReportProblem,
): string | undefined {
  const { key, value } = entry
  if (value.kind === 'unfilled') return undefined
  const word = scalarOf(value)?.value
  if (typeof word === 'string' && form.of.includes(word)) return word
  const near =
    typeof word === 'string' ? (nearest(word, form.of) ?? meantWords[word.toLowerCase()]) : undefined
  const words = listed(form.of, 'or')
  const message = `\`${key.source}\` is ${words}`
  const hint = near ? `did you mean ${near}` : `write ${words}`
  report(misfit('bad-value', entry, message, hint))
  return undefined
}

/** How other tools call the modes. */
const meantWords: { readonly [word: string]: string | undefined } = wordTable({
  async: 'submit',
  asynchronous: 'submit',
  queue: 'submit',
  poll: 'submit',
  sync: 'execute',
  synchronous: 'execute',
  run: 'execute',
})

/** A length of time in milliseconds: a number is seconds, text has a unit (`90s`, `15m`, `1h`). */
export function readTime(entry: FilledEntry, report: ReportProblem): number | undefined {
  const { key, value } = entry
  if (value.kind === 'unfilled') return undefined
  const time = numberOf(value)
  const seconds = typeof time === 'number' ? time : typeof time === 'string' ? secondsIn(time) : undefined
  const ms = Math.round((seconds ?? 0) * 1000)
  if (ms >= 1 && ms <= longestTime) return ms
  const message = `\`${key.source}\` is a length of time of at most 7 days`
  const hint = 'write seconds as a number, or a number with its unit: 90s, 15m, 1h'
  report(misfit('wrong-type', entry, message, hint))
  return undefined
}

const longestTime = 7 * 24 * 60 * 60 * 1000

function secondsIn(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(s|m|h)$/.exec(text.trim())
  if (!match) return undefined
  const unit = match[2] === 'h' ? 3600 : match[2] === 'm' ? 60 : 1
  return Number(match[1]) * unit
}

/** To be read after "not". */
function whatIs(value: Filled): string {
  switch (value.kind) {
    case 'map':
      return 'a mapping'
    case 'list':
      return 'a list'
    case 'reference':
      return 'the file of a job'
    case 'unfilled':
      return 'this'
    case 'scalar':
      if (value.value === null) return 'nothing'
      if (typeof value.value === 'boolean') return String(value.value)
      return typeof value.value === 'number' ? 'a number' : 'text'
  }
}

/** Whether nothing was written: then the key is the place to point at. */
export function isNothing(value: Filled): boolean {
  return value.kind === 'scalar' && value.source === '' && value.start === value.end
}

/** A value that does not fit: wrong in the data that it comes from, at the key when there is none. */
function misfit(
  code: Diagnostic['code'],
  { key, value }: FilledEntry,
  message: string,
  hint?: string,
): Diagnostic {
  if (isNothing(value)) return error(code, key, message, hint)
  const data = value.kind === 'scalar' && value.isData ? value.origin : undefined
  return data
    ? withNotes(error(code, data, message, hint), [{ message: 'it is used here', at: value }])
    : error(code, value, message, hint)
}

/** `vars.ratio` without its `${{ }}`. */
export function isBareExpression(text: string): boolean {
  return /^(vars|matrix|jobs|item|job)[.[][\w.[\]'=,*-]+$/.test(text)
}

/** A text without a type that spells a number is one. */
function numberOf(value: Filled): FilledScalar['value'] | undefined {
  const scalar = scalarOf(value)
  if (!scalar?.isUntyped || typeof scalar.value !== 'string') return scalar?.value
  return numberIn(scalar.value) ?? scalar.value
}

/** A condition: true, false or a whole expression, which is false when it comes to nothing, 0 or the empty text. */
export function readTruth(entry: FilledEntry, report: ReportProblem): boolean {
  const { value } = entry
  if (value.kind === 'unfilled') return true
  const scalar = scalarOf(value)
  const isExpression = scalar?.file.text.slice(scalar.start, scalar.end).includes('${{')
  if (typeof scalar?.value === 'boolean') return scalar.value
  if (scalar && isExpression && !scalar.isMade) {
    const word = typeof scalar.value === 'string' && scalar.isUntyped ? truthIn(scalar.value) : undefined
    return word ?? isTruthy(scalar)
  }
  const bare = scalar && typeof scalar.value === 'string' && !isExpression ? scalar.source : undefined
  const message = '`if` takes true, false or an expression'
  report(misfit('wrong-type', entry, message, conditionHint(value, bare)))
  return true
}

function conditionHint(value: Filled, bare: string | undefined): string | undefined {
  if (isNothing(value)) return 'for instance `if: ${{ item.photo }}`; without a condition leave it out'
  if (!bare) return 'the whole condition stands between one pair of `${{ }}`'
  const word = /^(?:(yes|on)|no|off)$/i.exec(bare)
  if (word) return `write ${word[1] ? 'true' : 'false'}`
  return `write \`if: \${{ ${bare} }}\``
}

function scalarOf(value: Filled): FilledScalar | undefined {
  return value.kind === 'scalar' ? value : undefined
}
