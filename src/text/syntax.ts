import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type SourceFile, type Span, spanOf } from '../base/source.ts'
import { invisibleIndent } from './mapping.ts'

/** What the YAML parser found, in its own words. Offsets into the text. */
export interface SyntaxFault {
  readonly code: string
  readonly message: string
  readonly pos: readonly [number, number]
}

/** How many characters are searched backwards for the opening of something unclosed. */
const farthestLook = 200_000

/** A fault of the parser in words that say what to do; the parser often notices a line late where the fault is. */
export function syntaxProblem(file: SourceFile, fault: SyntaxFault): Diagnostic {
  const [start, end] = fault.pos
  const at = spanOf(file, start, end)
  const early = leftByGit(file) ?? oddIndent(file, start)
  if (early) return early
  switch (fault.code) {
    case 'TAB_AS_INDENT':
      return error(
        'yaml-tab',
        spanOf(file, start, start + 1),
        'a tab stands where YAML takes spaces',
        'indent with two spaces',
      )
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nestedKey(file, start)
    case 'MULTILINE_IMPLICIT_KEY':
      return missingColon(file, start)
    case 'BAD_INDENT':
      return fault.message.includes('end with a') ? openBracket(file, fault) : badIndent(file, start)
    case 'BAD_SCALAR_START':
      return badStart(file, start)
    case 'BLOCK_IN_FLOW':
      return blockInBrackets(file, start)
    case 'BAD_DQ_ESCAPE':
      return badEscape(file, start)
    case 'TAG_RESOLVE_FAILED':
      return unknownTag(at)
    case 'MISSING_CHAR':
      return missing(file, fault)
    case 'UNEXPECTED_TOKEN':
      return unexpected(file, fault)
    default:
      return general(at, fault.message)
  }
}

/** Where a merge ended in a conflict both versions stand in the file, and neither is wrong. */
function leftByGit(file: SourceFile): Diagnostic | undefined {
  const mark = /^<{7,} .*$/m.exec(file.text)
  if (!mark || !/^>{7,} /m.test(file.text)) return undefined
  const at = spanOf(file, mark.index, lineEnd(file, mark.index))
  const hint = 'keep what is meant, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>'
  return error('merge-conflict', at, 'git left a conflict in this file: both versions stand here', hint)
}

/** To YAML such a space is a letter: the line goes on with the text above it, and the fault seems to be in the next one. */
function oddIndent(file: SourceFile, start: number): Diagnostic | undefined {
  const lineStart = file.text.lastIndexOf('\n', start - 1) + 1
  const found = invisibleIndent(file.text.slice(lineStart, start))
  if (!found) return undefined
  const at = spanOf(file, lineStart + found.at, lineStart + found.at + 1)
  const message = `a character that is no space to YAML (${found.name}) stands in the indentation of this line`
  return error('yaml-indent', at, message, 'delete it, and indent with plain spaces')
}

function general(at: Span, message: string): Diagnostic {
  return error('bad-yaml', at, `YAML cannot read this: ${message.charAt(0).toLowerCase()}${message.slice(1)}`)
}

/** `[- tea]`, a text that begins with a dash, or keys on lines of their own. */
function blockInBrackets(file: SourceFile, start: number): Diagnostic {
  const at = spanOf(file, start, lineEnd(file, start))
  if (/^-(\s|$)/.test(textOf(at))) {
    const hint = 'inside brackets a list is [a, b]; a text that begins with a dash needs quotes'
    return error('yaml-list', at, 'a list with dashes cannot stand inside brackets', hint)
  }
  const hint = 'inside brackets a mapping is { a: b }'
  return error('yaml-bracket', at, 'a mapping without braces cannot stand inside brackets', hint)
}

function unknownTag(at: Span): Diagnostic {
  const line = textOf(spanOf(at.file, at.start, lineEnd(at.file, at.start)))
  const hint = `if it is text, put it in quotes: ${quoted(line)}`
  return error('yaml-tag', at, `\`${textOf(at)}\` is read as a YAML tag, and no such tag is known`, hint)
}

/** `prompt: Tea: the movie`, or a line that is indented further than the value above allows. */
function nestedKey(file: SourceFile, start: number): Diagnostic {
  const line = spanOf(file, start, lineEnd(file, start))
  const text = textOf(line)
  if (text.startsWith('? ')) {
    return error(
      'yaml-start',
      line,
      'YAML does not let a text begin with `? `',
      `put it in quotes: ${quoted(text)}`,
    )
  }
  if (/:(\s|$)/.test(text)) {
    const hint = `put the text in quotes: ${quoted(text)}`
    return error('yaml-colon', line, 'YAML reads the second `: ` in this line as another key', hint)
  }
  return tooFarIn(nextLine(file, start))
}

function tooFarIn(at: Span): Diagnostic {
  const hint =
    'begin it in the same column as the key above, or leave the value of that key to the lines below it'
  return error('yaml-indent', at, 'this line is indented further than the lines it belongs to', hint)
}

function missingColon(file: SourceFile, start: number): Diagnostic {
  const line = spanOf(file, start, lineEnd(file, start))
  const glued = /^([\w.-]+):(\S.*)$/.exec(textOf(line))
  if (glued) {
    const at = spanOf(file, start, start + (glued[1]?.length ?? 0) + 1)
    return error('yaml-colon', at, 'a space is missing behind this `:`', `write \`${glued[1]}: ${glued[2]}\``)
  }
  const before = file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1, start)
  if (/[[,]\s*$/.test(before) && /^- /.test(textOf(line))) return blockInBrackets(file, start)
  if (/:\s+$|^\s*-\s+$/.test(before)) return tooFarIn(nextLine(file, start))
  const hint =
    'a key is followed by `: ` and its value; a text over several lines begins with `>` or `|` behind the key'
  return error('yaml-colon', line, 'this line is neither a key with its `:` nor part of the text above', hint)
}

function badIndent(file: SourceFile, start: number): Diagnostic {
  const from = start + (/^\s*/.exec(file.text.slice(start))?.[0].length ?? 0)
  const at = spanOf(file, from, lineEnd(file, from))
  const hint = 'the keys of one mapping begin in the same column, and so do the `-` of one list'
  return error('yaml-indent', at, 'this line does not line up with the ones above', hint)
}

function openBracket(file: SourceFile, { message, pos: [noticed] }: SyntaxFault): Diagnostic {
  const closing = message.trimEnd().endsWith(']') ? ']' : '}'
  const opening = lastOpen(file.text, noticed, closing === ']' ? '[' : '{', closing)
  const at = opening === undefined ? spanOf(file, noticed, noticed + 1) : spanOf(file, opening, opening + 1)
  const isCut = /[ \t]#/.test(textOf(spanOf(file, at.start, lineEnd(file, at.start))))
  const hint = isCut
    ? 'the ` #` in this line begins a comment; text with ` #` in it needs quotes'
    : 'close it; a text that begins with a bracket needs quotes'
  return error('yaml-bracket', at, `this bracket is never closed with \`${closing}\``, hint)
}

/** The last opening bracket before an offset that has no partner. Brackets inside quotes are counted too: a good guess. */
function lastOpen(text: string, before: number, opening: string, closing: string): number | undefined {
  const from = Math.max(0, before - farthestLook)
  const bare = text.slice(from, before).replace(/(?<=[ \t])#.*/g, comment => ' '.repeat(comment.length))
  let closed = 0
  for (let index = bare.length - 1; index >= 0; index--) {
    if (bare[index] === closing) closed++
    else if (bare[index] === opening && closed-- === 0) return from + index
  }
  return undefined
}

function badStart(file: SourceFile, start: number): Diagnostic {
  const at = spanOf(file, start, lineEnd(file, start))
  const hint = `put the text in quotes: ${quoted(textOf(at))}`
  return error('yaml-start', at, `YAML does not let a text begin with \`${file.text.charAt(start)}\``, hint)
}

function badEscape(file: SourceFile, start: number): Diagnostic {
  const at = spanOf(file, start, start + 2)
  const hint = 'write `\\\\` for a backslash, or use single quotes; paths take forward slashes'
  return error('yaml-escape', at, `\`${textOf(at)}\` means nothing inside double quotes`, hint)
}

function missing(file: SourceFile, fault: SyntaxFault): Diagnostic {
  const [start, end] = fault.pos
  const quote = /closing ['"]?(["'])?quote/.exec(fault.message)
  if (quote) return openQuote(file, start, fault.message.includes('"') ? '"' : "'")
  if (fault.message.includes('end with a')) return openBracket(file, fault)
  if (fault.message.includes('followed by map values')) return missingColon(file, start)
  if (fault.message.includes('Missing ,')) {
    const hint = 'put a comma between the items; text with `: ` or `, ` in it needs quotes'
    return error(
      'yaml-comma',
      spanOf(file, start, Math.max(end, start + 1)),
      'a comma is missing before this',
      hint,
    )
  }
  return general(spanOf(file, start, end), fault.message)
}

/** The parser reads on to the end of the file; the quote that opened is the first in its line with no partner. */
function openQuote(file: SourceFile, noticed: number, quote: string): Diagnostic {
  const at = lastOpenQuote(file.text.slice(0, noticed), quote)
  const hint =
    quote === "'"
      ? "close it; an apostrophe inside single quotes is written twice: 'the cat''s tea'"
      : 'close it'
  return error('yaml-quote', spanOf(file, at, at + 1), 'this quote is never closed', hint)
}

function lastOpenQuote(text: string, quote: string): number {
  // A quoted text opens behind an indicator or a space; the one with no closing quote behind it is the culprit.
  const pattern = quote === '"' ? /(?<=^|[\s[{,:-])"/g : /(?<=^|[\s[{,:-])'/g
  const from = Math.max(0, text.length - farthestLook)
  const openings = [...text.slice(from).matchAll(pattern)].slice(-200).map(match => from + match.index)
  return (
    openings.find(index => !closes(text, index, quote)) ?? openings.at(-1) ?? Math.max(0, text.length - 1)
  )
}

function closes(text: string, opening: number, quote: string): boolean {
  for (let index = opening + 1; index < text.length; index++) {
    if (quote === '"' && text[index] === '\\') index++
    else if (text[index] === quote) {
      if (quote === "'" && text[index + 1] === quote) index++
      else return true
    }
  }
  return false
}

function unexpected(file: SourceFile, fault: SyntaxFault): Diagnostic {
  const [start] = fault.pos
  const at = spanOf(file, start, Math.max(fault.pos[1], start + 1))
  const lineStart = file.text.lastIndexOf('\n', start - 1) + 1
  const before = file.text.slice(lineStart, start).trimEnd()
  const rest = spanOf(file, start, lineEnd(file, start))
  if (fault.message.includes('same line with key')) {
    const hint = 'begin the list on the next line; for text that begins with `- ` use quotes'
    return error('yaml-list', rest, 'a list cannot begin on the line of its key', hint)
  }
  if (before.endsWith('"') || before.endsWith("'")) return textAfterQuote(rest, before)
  const template = /\{\{.*\}\}$/.exec(before)
  if (template) return templateOfOthers(file, lineStart + template.index, start)
  if (/[\]}]$/.test(before)) {
    const hint = 'put the whole text in quotes, or remove what follows the bracket'
    return error('yaml-bracket', rest, 'something follows the closing bracket', hint)
  }
  const alias = /\*[^\s,[\]{}]+$/.exec(before)
  if (alias) {
    const whole = spanOf(file, lineStart + alias.index, lineEnd(file, start))
    return error(
      'yaml-start',
      whole,
      'YAML reads a text that begins with `*` as an alias',
      `put it in quotes: ${quoted(textOf(whole))}`,
    )
  }
  if (/^[\]}]/.test(textOf(at)) && before === '') {
    return error('yaml-bracket', at, 'this bracket closes nothing', 'remove it, or open it further up')
  }
  if (before === '') {
    const hint = 'is it indented like its neighbours, and do list items begin with `- `?'
    return error('yaml-indent', rest, 'this line does not belong to what stands above it', hint)
  }
  return general(at, fault.message)
}

function textAfterQuote(at: Span, before: string): Diagnostic {
  const isApostrophe = before.endsWith("'") && at.file.text[at.start - 1] === "'" && /^\w/.test(textOf(at))
  const hint = isApostrophe
    ? "an apostrophe inside single quotes is written twice: 'the cat''s tea'; or use double quotes"
    : 'put the whole text in one pair of quotes'
  return error('yaml-quote', at, 'text follows the closing quote', hint)
}

function templateOfOthers(file: SourceFile, start: number, end: number): Diagnostic {
  const at = spanOf(file, start, start + file.text.slice(start, end).trimEnd().length)
  const name = /[\w-]+(?=\s*\}\})/.exec(textOf(at))?.[0] ?? 'name'
  return error(
    'foreign-template',
    at,
    `\`${textOf(at)}\` is not filled in here`,
    `a variable is written \${{ vars.${name} }}`,
  )
}

function nextLine(file: SourceFile, after: number): Span {
  const found = /\n[ \t]*(?=\S)/.exec(file.text.slice(after))
  const start = found ? after + found.index + found[0].length : after
  return spanOf(file, start, lineEnd(file, start))
}

function lineEnd(file: SourceFile, start: number): number {
  const length = /^[^\r\n]*/.exec(file.text.slice(start, start + 2000))?.[0].trimEnd().length ?? 0
  return start + Math.max(1, length)
}

function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return short.includes("'") ? `"${short.replaceAll(/["\\]/g, '\\$&')}"` : `'${short}'`
}

function textOf(at: Span): string {
  return at.file.text.slice(at.start, at.end)
}
