import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import { entryOf, type TextEntry, type TextMap } from '../../text/tree.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import type { Draft } from './draft.ts'
import { ownEntry } from './shape.ts'
import { readTexts, type Word } from './values.ts'

/** Every warning about a manifest: those that `lint:` can silence, by the codes in their brackets. */
export const warningCodes = [
  'aspect-mismatch',
  'at-file',
  'bad-step',
  'byte-order-mark',
  'contradiction',
  'cut-text',
  'fits-no-cell',
  'foreign-template',
  'no-effect',
  'same-recipe',
  'typographic-quotes',
  'unknown-default',
  'unknown-family',
  'unknown-lint',
  'unknown-model',
  'unknown-name',
  'unmeasured',
  'unused-anchor',
  'unused-default',
  'unused-var',
  'yes-no',
] as const

/** Warnings of a whole run that are none about its manifest: they are silenced for all of it alone. */
const runWarningCodes: readonly string[] = ['odd-base-url']

/** Codes that count for nothing within a job, or everywhere. */
interface Silence {
  readonly codes: ReadonlySet<string>
  /** Where it holds; everywhere when undefined. */
  readonly within?: readonly Span[]
}

/** What the manifest and its jobs silence, whoever tells it: a rule, a reader of YAML, the expansion. */
export type Suppressions = readonly Silence[]

/** `top` are the words of the manifest's own `lint:`. Codes that no warning has are told. */
export function suppressionsOf(
  top: readonly Word[],
  drafts: readonly Draft[],
  report: ReportProblem,
): Suppressions {
  const speaking = drafts.filter(({ own }) => ownEntry(own, 'lint') || ownEntry(own, 'override'))
  const jobs = speaking.flatMap(draft => [
    ...silenceOf(ownEntry(draft.own, 'lint'), [draft.at, draft.body]),
    ...overridesOf(draft).flatMap(override => silenceOf(entryOf(override, 'lint'), [override])),
  ])
  for (const word of [...top, ...jobs.flatMap(job => job.words)])
    if (!isWarningCode(word.text)) report(unknownCode(word))
  const codes = (words: readonly Word[]) => new Set(words.map(word => word.text))
  return [{ codes: codes(top) }, ...jobs.map(({ words, within }) => ({ codes: codes(words), within }))]
}

function silenceOf(entry: TextEntry | undefined, within: readonly Span[]) {
  // A template can be filled only in its cell; there the words count for what is told of the cell.
  const words = entry ? readTexts(entry, () => undefined).filter(word => !word.text.includes('${{')) : []
  return words.length === 0 ? [] : [{ words, within }]
}

function overridesOf({ own }: Draft): TextMap[] {
  const value = ownEntry(own, 'override')?.value
  return value?.kind === 'list' ? value.items.filter(item => item.kind === 'map') : []
}

export function isSuppressed(problem: Diagnostic, suppressions: Suppressions): boolean {
  if (problem.severity === 'error') return false
  return suppressions.some(
    ({ codes, within }) =>
      codes.has(problem.code) && (!within || within.some(span => holds(span, problem.at))),
  )
}

function holds({ file, start, end }: Span, inner: Span): boolean {
  return inner.file === file && start <= inner.start && inner.start <= end
}

function isWarningCode(text: string): boolean {
  return [...warningCodes, ...runWarningCodes].includes(text)
}

function unknownCode({ text, at }: Word): Diagnostic {
  const near = nearest(text, warningCodes)
  const hint = near
    ? `did you mean ${near}`
    : 'only warnings can be silenced, each by the word in the brackets behind it'
  return warning('unknown-lint', at, `no warning has the code ${text}`, hint)
}
