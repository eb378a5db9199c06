import { type Diagnostic, error, withNotes } from '../base/diagnostic.ts'
import { spanInside } from './place.ts'
import { isEmpty, type TextEntry, type TextNode, type TextScalar } from './tree.ts'
import { suspiciousEntry } from './yaml-lint.ts'

type Report = (problem: Diagnostic) => void

/** The entries of a mapping as written, made unique; what `<<` names is merged in. */
export function collectEntries(written: readonly TextEntry[], report: Report): readonly TextEntry[] {
  // A copy has no room for more: a list that grew has twice what a job needs, and there may be a hundred thousand.
  return isOrdinary(written) ? written.slice() : collectWith(written, report)
}

// Pairs of so few are compared sooner than a set is made, and nearly all mappings are jobs of a few keys.
const few = 12

/** Whether there is nothing to look at twice: no key twice, no value missing, nothing to merge, no dangerous name. */
function isOrdinary(written: readonly TextEntry[]): boolean {
  if (written.length > few) return false
  for (let nth = 0; nth < written.length; nth++) {
    const { key, value } = written[nth] as TextEntry // below its length
    const name = key.source
    if (name === '<<' || isDangerous(name) || isEmpty(value) || invisible.test(name)) return false
    for (let before = 0; before < nth; before++) if (written[before]?.key.source === name) return false
  }
  return true
}

function collectWith(written: readonly TextEntry[], report: Report): readonly TextEntry[] {
  const own = new Map<string, TextEntry>()
  for (const entry of written) {
    const name = entry.key.source
    const first = own.get(name)
    const unseen = invisible.exec(name)
    if (first) report(duplicateKey(entry.key, first.key))
    else if (unseen) report(invisibleCharacter(entry.key, unseen))
    else if (isDangerous(name))
      report(error('bad-key', entry.key, `\`${name}\` cannot be used as a name`, 'choose another name'))
    else own.set(name, entry)
    if (isEmpty(entry.value)) for (const problem of suspiciousEntry(entry)) report(problem)
  }
  const entries = own.size === written.length ? written : [...own.values()]
  return own.has('<<') && entries.some(entry => isMergeKey(entry.key)) ? merged(entries, report) : entries
}

function duplicateKey(key: TextScalar, first: TextScalar): Diagnostic {
  const hint = isMergeKey(key) ? 'merge several with a list: `<<: [*a, *b]`' : 'remove or rename one of them'
  const notes = [{ message: 'it is first written here', at: first }]
  return withNotes(
    error('duplicate-key', key, `\`${key.source}\` is written twice in the same mapping`, hint),
    notes,
  )
}

/** Spaces that are none to YAML, as word processors and some keyboards make them. */
const invisible = /[\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]/

/** Where such a space stands in the indentation of a line, counted in the line. */
export function invisibleIndent(line: string): { readonly at: number; readonly name: string } | undefined {
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const found = invisible.exec(indent)
  return found ? { at: found.index, name: invisibleName(found[0]) } : undefined
}

/** `U+00A0, a no-break space`. */
function invisibleName(character: string): string {
  const number = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${number}${character === '\u00a0' ? ', a no-break space' : ''}`
}

function invisibleCharacter(key: TextScalar, found: RegExpExecArray): Diagnostic {
  const at = spanInside(key, found.index, found.index + 1)
  const message = `a character that cannot be seen (${invisibleName(found[0])}) is part of this key`
  return error('bad-key', at, message, 'delete it, and type plain spaces where there should be some')
}

/** Names that reach into JavaScript's own objects. */
function isDangerous(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

function isMergeKey(key: TextScalar): boolean {
  return key.source === '<<' && key.style === 'plain'
}

/** What is written wins over what is merged; of several sources the first wins. */
function merged(entries: readonly TextEntry[], report: Report): TextEntry[] {
  const result = new Map<string, TextEntry>()
  for (const entry of entries) {
    if (!isMergeKey(entry.key)) result.set(entry.key.source, entry)
    else {
      for (const taken of mergeSources(entry.key, entry.value, report)) {
        if (!result.has(taken.key.source)) result.set(taken.key.source, taken)
      }
    }
  }
  return [...result.values()]
}

function mergeSources(key: TextScalar, value: TextNode, report: Report): TextEntry[] {
  const sources = value.kind === 'list' ? value.items : [value]
  return sources.flatMap(source => {
    if (source.kind === 'map') return source.entries
    // An alias that names nothing is already told.
    if (source.file.text[source.start] === '*') return []
    report(
      error(
        'bad-merge',
        key,
        '`<<` takes in a mapping or a list of mappings',
        'name an anchor on a mapping: `<<: *style`',
      ),
    )
    return []
  })
}
