import { resolve } from 'node:path'
import type { Json } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { checkBaseUrl } from '../../workspace/service/service.ts'
import type { Form, SettingValue } from './declared.ts'

/** A value as it was written: what YAML makes of it, or a variable's text. */
export type Written = { readonly value: Json } | { readonly text: string }

export type ReadValue =
  | { readonly value: SettingValue }
  /** Continues a sentence whose subject is the setting: `is a whole number from 1 to 8`. */
  | { readonly problem: string; readonly hint?: string }

/** Reads one setting. `folder` is what its paths count from. */
export function readValue(form: Form, written: Written, folder: string): ReadValue {
  const value = 'text' in written ? fromText(form, written.text) : written.value
  switch (form.is) {
    case 'path':
      return isText(value) ? { value: resolve(folder, value) } : { problem: 'is a path' }
    case 'address':
      return readAddress(value)
    case 'words':
      return wordsIn(form, value) ?? { problem: 'is a list of texts' }
    case 'paths': {
      const read = wordsIn(form, value)
      return read
        ? { value: read.value.map(path => resolve(folder, path)) }
        : { problem: 'is a path or a list of paths' }
    }
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
    case 'choice':
      return readChoice(form.values, value)
  }
}

/** One text where a list may be is a list of one; a variable has them side by side. */
function wordsIn(form: Form, value: unknown): { readonly value: string[] } | undefined {
  const words = typeof value === 'string' ? fromText(form, value) : value
  return Array.isArray(words) && words.every(isText) ? { value: words } : undefined
}

function readAddress(value: unknown): ReadValue {
  const hint = 'for instance https://host/gw-v2'
  if (!isText(value)) return { problem: 'is an address', hint }
  const checked = checkBaseUrl(value)
  return 'problem' in checked ? { problem: checked.problem, hint: checked.hint ?? hint } : { value }
}

/** `500MB`, `5GB`, in powers of 1000, as on the command line; or bytes. */
function readSize(value: unknown): ReadValue {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return { value }
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/i.exec(String(value))
  const power = ['kb', 'mb', 'gb', 'tb'].indexOf(match?.[2]?.toLowerCase() ?? '') + 1
  if (match) return { value: Math.round(Number(match[1]) * 1000 ** power) }
  return { problem: 'is a size', hint: 'for instance 500MB or 5GB' }
}

function readChoice(values: readonly string[], value: unknown): ReadValue {
  // YAML 1.2 has no words for switches but true and false; people write them all the same.
  const word = value === false ? 'off' : String(value)
  if (values.includes(word)) return { value: word }
  const near = nearest(word, values)
  return { problem: `is ${listed(values, 'or')}`, ...(near && { hint: `did you mean ${near}` }) }
}

/** What a variable's text means; what means nothing stays text, for the check to tell. */
function fromText(form: Form, text: string): Json {
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

const switches: { readonly [word: string]: boolean | undefined } = {
  true: true,
  1: true,
  false: false,
  0: false,
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
