import { display } from '../../base/display.ts'
import type { JobAddress, Json } from '../../base/names.ts'
import { lineAt, type Span } from '../../base/source.ts'
import type { Change } from './recipe.ts'

/** Why a job is bought. */
export type Reason =
  | { readonly why: 'new' }
  /** It is the rest of a job's files, from one on (counted from 0). */
  | { readonly why: 'rest'; readonly from: number; readonly of: number }
  | { readonly why: 'changed'; readonly change: Change; readonly at: Span }
  | { readonly why: 'made-anew'; readonly field: string; readonly from: JobAddress }
  | { readonly why: 'refused-before'; readonly detail: string }
  | { readonly why: 'asked'; readonly word: string }
  /** What came is no result, and a person takes it for one. */
  | { readonly why: 'taken'; readonly detail: string }

export function reasonText(reason: Reason): string {
  switch (reason.why) {
    case 'new':
      return 'not made yet'
    case 'rest':
      return `${reason.from} of ${reason.of} files are there or on their way`
    case 'changed':
      return `${changeText(reason.change)} (${placeText(reason.at)})`
    case 'made-anew':
      return `${reason.field}: ${reason.from} is made anew`
    case 'refused-before':
      return `the last order was refused, nothing was billed: ${reason.detail}`
    case 'asked':
      return `asked for by ${reason.word}`
    case 'taken':
      return `taken as it came: ${reason.detail}`
  }
}

export function changeText({ field, was, is }: Change): string {
  if (field === 'service') return movedText(was, is)
  if (field === 'model' && was === '') return 'what it was made from is not known'
  if (Array.isArray(was) || Array.isArray(is)) {
    if (was === undefined) return `${field} added`
    if (is === undefined) return `${field} removed`
    if (isDigests(was) || isDigests(is)) return `${field}: the file changed`
  }
  if (was === undefined) return `${field} ${brief(is)} added`
  if (is === undefined) return `${field} ${brief(was)} removed`
  return `${field} ${brief(was)} → ${brief(is)}`
}

/** What was bought at one service is no purchase at another. */
function movedText(was: Json | undefined, is: Json | undefined): string {
  const named = (service: Json | undefined) => (service === undefined ? 'the usual service' : brief(service))
  return `ordered from ${named(is)}, and not from ${named(was)}: another purchase`
}

function isDigests(value: Json | undefined): boolean {
  return Array.isArray(value) && value.some(each => typeof each === 'string' && each.startsWith('sha256:'))
}

/** On one line: where a text has several, a sign stands for the end of each. */
function brief(value: Json | undefined): string {
  return display(typeof value === 'string' ? value.replaceAll(/\r?\n/g, '⏎') : JSON.stringify(value), 60)
}

function placeText(at: Span): string {
  return `${at.file.name}:${lineAt(at.file, at.start)}`
}
