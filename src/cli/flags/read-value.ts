import { resolve } from 'node:path'
import type { Json } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { readShard } from '../../base/shard.ts'
import { bucketText, readSharedPlace } from '../../base/shared-place.ts'
import { wordTable } from '../../base/word-table.ts'
import { checkBaseUrl } from '../../workspace/service/service.ts'
import type { OptionForm, SettingValue } from './option.ts'

/** A value as it was written: what YAML makes of it, or the text of a variable or of a flag. */
type Written = { readonly value: Json } | { readonly text: string }

type ReadValue = { readonly value: SettingValue } | WrongValue

/** Continues a sentence whose subject is the option: `is a whole number from 1 to 8`. */
interface WrongValue {
  readonly problem: string
  readonly hint?: string
}

/** Reads one value that is given on a command line: texts and paths stay as they were written. */
export function readFlag(form: OptionForm, text: string): ReadValue {
  if (form.is === 'place') return readPlace(text, undefined)
  return ['text', 'texts', 'path', 'paths', 'words'].includes(form.is)
    ? { value: text }
    : readValue(form, { text }, '')
}

/** What is said of a flag whose value is none: `it must be a size, for instance 500MB or 5GB`. */
export function wrongValue({ problem, hint }: WrongValue): string {
  const example = hint?.startsWith('for instance') ? `, ${hint}` : ''
  return `it must be ${problem.replace(/^is /, '')}${example}`
}

/** Reads the value of an option. `folder` is what its paths count from. */
export function readValue(form: OptionForm, written: Written, folder: string): ReadValue {
  const value = 'text' in written ? fromText(form, written.text) : written.value
  switch (form.is) {
    case 'text':
      return isText(value) ? { value } : { problem: 'is a text' }
    case 'path':
      return isText(value) ? { value: resolve(folder, value) } : { problem: 'is a path' }
    case 'place':
      return readPlace(value, folder)
    case 'address':
      return readAddress(value)
    case 'words':
    case 'texts':
      return textsIn(form, value) ?? { problem: 'is a list of texts' }
    case 'paths': {
      const read = textsIn(form, value)
      return read
        ? { value: read.value.map(path => resolve(folder, path)) }
        : { problem: 'is a path or a list of paths' }
    }
    case 'variables':
      return /^[^=\s][^=]*=/s.test(String(value))
        ? { value: String(value) }
        : { problem: 'is a name and a value', hint: 'for instance season=winter' }
    case 'switch':
      return typeof value === 'boolean' ? { value } : { problem: 'is true or false' }
    case 'amount':
      return typeof value === 'number' && value >= 0
        ? { value }
        : { problem: 'is an amount from 0', hint: 'for instance 12.50' }
    case 'count':
      return Number.isInteger(value) && Number(value) >= form.least && Number(value) <= form.most
        ? { value: Number(value) }
        : { problem: `is a whole number from ${form.least} to ${form.most}` }
    case 'size':
      return readSize(value)
    case 'date':
      return readDate(value)
    case 'shard':
      return readShard(String(value))
        ? { value: String(value).trim() }
        : { problem: 'is one part of so many', hint: 'for instance 3/16' }
    case 'choice':
      return readChoice(form.values, value)
  }
}

/** One text where a list may be is a list of one; a variable has them side by side. */
function textsIn(form: OptionForm, value: unknown): { readonly value: string[] } | undefined {
  const words = typeof value === 'string' ? fromText(form, value) : value
  return Array.isArray(words) && words.every(isText) ? { value: words } : undefined
}

/** A folder counts from `folder`; what stands on a line stays as it was written. */
function readPlace(value: unknown, folder: string | undefined): ReadValue {
  const place = isText(value) ? readSharedPlace(value) : undefined
  if (!place)
    return { problem: 'is a folder or a bucket', hint: 'for instance /mnt/results or s3://results/team' }
  if (place.is === 'bucket') return { value: bucketText(place) }
  return { value: folder === undefined ? place.folder : resolve(folder, place.folder) }
}

function readAddress(value: unknown): ReadValue {
  const hint = 'for instance https://host/gw-v2'
  if (!isText(value)) return { problem: 'is an address', hint }
  const checked = checkBaseUrl(value)
  return 'problem' in checked ? { problem: checked.problem, hint: checked.hint ?? hint } : { value }
}

/** `500MB`, `5GB`, in powers of 1000; or bytes, where it is written as a number. */
function readSize(value: unknown): ReadValue {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return { value }
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/i.exec(String(value))
  const power = ['kb', 'mb', 'gb', 'tb'].indexOf(match?.[2]?.toLowerCase() ?? '') + 1
  if (match) return { value: Math.round(Number(match[1]) * 1000 ** power) }
  return { problem: 'is a size', hint: 'for instance 500MB or 5GB' }
}

/** Milliseconds since 1970. */
function readDate(value: unknown): ReadValue {
  const text = String(value)
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(text)
  const date = isDate ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(date)) return { value: date }
  return { problem: 'is a date', hint: 'for instance 2026-01-31 or 2026-01-31T12:00Z' }
}

function readChoice(values: readonly string[], value: unknown): ReadValue {
  // YAML 1.2 has no words for switches but true and false; people write them all the same.
  const word = value === false ? 'off' : String(value)
  if (values.includes(word)) return { value: word }
  const near = nearest(word, values)
  return { problem: `is ${listed(values, 'or')}`, ...(near && { hint: `did you mean ${near}` }) }
}

/** What a text means; what means nothing stays text, for the check to tell. */
function fromText(form: OptionForm, text: string): Json {
  switch (form.is) {
    case 'switch':
      return switches[text.toLowerCase()] ?? text
    case 'amount':
    case 'count':
      return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : text
    case 'paths':
    case 'words':
      return text.split(/[\s,]+/).filter(word => word !== '')
    default:
      return text
  }
}

const switches: { readonly [word: string]: boolean | undefined } = wordTable({
  true: true,
  1: true,
  false: false,
  0: false,
})

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
