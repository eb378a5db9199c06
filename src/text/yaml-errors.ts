import { type Diagnostic, error, warning } from '../base/diagnostic.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../base/source.ts'
import type { TextScalar } from './tree.ts'

/** What a text may cost before anything is known about it. docs/contract.md section 5. */
export const textLimits = {
  bytes: 64 * 1024 * 1024,
  /** Lists and mappings inside each other. */
  depth: 64,
  /** Tokens, white space included; 100,000 jobs written out take about 7 million. */
  lexemes: 12_000_000,
  /** Values that aliases add to those written. */
  aliasedNodes: 4_000_000,
} as const

/** What can be told before any parsing: too large, not text, YAML 1.1. */
export function refusedAtSight(file: SourceFile): Diagnostic | undefined {
  const { text } = file
  if (text.length > textLimits.bytes || Buffer.byteLength(text) > textLimits.bytes) {
    return error('too-large', headOf(file), 'the file is larger than 64 MiB', 'split it into several files')
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const hint = 'save it as UTF-8; zero bytes come from UTF-16, or from a file that is no text at all'
    return error('not-text', spanOf(file, nul, nul + 1), 'this is not a UTF-8 text file', hint)
  }
  return yaml11(file)
}

function yaml11(file: SourceFile): Diagnostic | undefined {
  const line = /^%YAML[ \t]+1\.[01]\b.*/m.exec(file.text.slice(0, firstContent(file.text)))
  if (!line) return undefined
  const at = spanOf(file, line.index, line.index + line[0].trimEnd().length)
  const message = 'this line asks for YAML 1.1, which reads 16:9 as the number 969 and no as false'
  return error('yaml-version', at, message, 'remove the line')
}

/** Directives stand above the first line that is neither blank, comment nor directive. */
function firstContent(text: string): number {
  const found = /^(?!\ufeff?(?:[#%]|[ \t\r]*$))/m.exec(text)
  return found ? found.index : text.length
}

export function byteOrderMark(file: SourceFile): Diagnostic | undefined {
  if (!file.text.startsWith('\ufeff')) return undefined
  const message = 'the file begins with an invisible byte order mark'
  return warning('byte-order-mark', spanOf(file, 0, 1), message, 'save it as UTF-8 without BOM')
}

export function emptyFile(file: SourceFile): Diagnostic {
  return error('empty-file', headOf(file), 'there is nothing in this file')
}

export function secondDocument(file: SourceFile, firstEnd: number): Diagnostic {
  const marker = file.text.indexOf('---', firstEnd)
  const start = marker < 0 ? firstEnd : marker
  const hint = 'remove the line `---`, or move what follows into a file of its own'
  return error(
    'second-document',
    spanOf(file, start, start + 3),
    'a second document begins here; only one is read',
    hint,
  )
}

export function tooDeep(at: Span): Diagnostic {
  return error(
    'too-deep',
    at,
    `more than ${textLimits.depth} lists and mappings stand inside each other here`,
  )
}

export function tooMuch(at: Span): Diagnostic {
  return error(
    'too-large',
    at,
    'the file holds more values than can be read at once',
    'split it into several files',
  )
}

export function aliasBomb(at: Span): Diagnostic {
  const message = 'written out, the aliases of this file would hold more than four million values'
  return error('alias-bomb', at, message, 'write the values out, or split the file')
}

export function unknownAnchor(at: Span, name: string, isInside: boolean): Diagnostic {
  if (isInside) return error('unknown-anchor', at, `\`*${name}\` stands inside the value that it means`)
  const hint = `put \`&${name}\` before the value it means; for text that begins with \`*\` use quotes`
  return error('unknown-anchor', at, `no anchor \`&${name}\` stands above this`, hint)
}

/** A key that is a list, a mapping or nothing. `{{ name }}` is, to YAML, a mapping whose key is a mapping. */
export function badKey(at: Span, isMissing: boolean): Diagnostic {
  if (isMissing) return error('bad-key', at, 'a key is missing before this `:`')
  const { text } = at.file
  const before = text.slice(0, at.start).trimEnd().length - 1
  const template = /^\{\s*\{\s*([.\w-]*)[^{}\n]*\}\s*\}/.exec(text.slice(before, before + 200))
  if (!template)
    return error('bad-key', at, 'a key is a word, not a list or a mapping', 'put it in quotes if it is text')
  const name = template[1]?.replace(/^\.|^vars\./, '') || 'name'
  const span = spanOf(at.file, before, before + template[0].length)
  return error(
    'foreign-template',
    span,
    `\`${template[0]}\` is not filled in here`,
    `a variable is written \${{ vars.${name} }}`,
  )
}

/** Numbers that JSON has not, and whole numbers that would silently become others. */
export function badNumber(at: TextScalar, value: number): Diagnostic | undefined {
  if (!Number.isFinite(value)) {
    const hint = 'write one nearer to 0, or put it in quotes if it is text'
    return error('bad-number', at, `${at.source} is not a finite number`, hint)
  }
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined
  const message = `${at.source} has more digits than a number keeps; it would become ${value}`
  const hint = `an identifier is put in quotes: '${at.source}'; a whole number goes up to ${Number.MAX_SAFE_INTEGER}`
  return error('bad-number', at, message, hint)
}
