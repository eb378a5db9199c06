import { type Diagnostic, error, warning } from '../base/diagnostic.ts'
import { spanOf } from '../base/source.ts'
import { spanInside } from './place.ts'
import { isEmpty, type TextEntry, type TextScalar } from './tree.ts'

/** What YAML cut off a text, or another tool would fill in: legal, and hardly ever meant. */
export function suspiciousText(scalar: TextScalar): readonly Diagnostic[] {
  const { value, style } = scalar
  if (typeof value !== 'string') return none
  // Nearly all texts end their line and hold no brace.
  const isLast = style !== 'plain' || scalar.file.text.charCodeAt(scalar.end) === lineFeed
  if (isLast && !value.includes('{') && !opensTypographic(value)) return none
  const cut = style === 'plain' ? cutAt(scalar, scalar.end) : undefined
  const quotes = style === 'plain' ? typographicQuotes(scalar, value) : undefined
  return [...(cut ? [cut] : []), ...(quotes ? [quotes] : []), ...foreignTemplates(scalar, value)]
}

/** A whole text in the quotes of a word processor: to YAML they are letters like any other. */
function typographicQuotes(scalar: TextScalar, value: string): Diagnostic | undefined {
  const inner = /^[“”„‘’](.*)[“”’]$/s.exec(value)?.[1]
  // One word alone is told where it is no value.
  if (!inner?.includes(' ') || /[“”„]/.test(inner)) return undefined
  const message = `the typographic quotes around this are part of the text`
  return warning('typographic-quotes', scalar, message, `YAML's own quotes are ' and "`)
}

function opensTypographic(value: string): boolean {
  const unit = value.charCodeAt(0)
  return unit >= 0x2018 && unit <= 0x201e
}

const none: readonly Diagnostic[] = []
const lineFeed = 10

/** `prompt: #1 teapot` has no value at all. */
export function suspiciousEntry({ key, value }: TextEntry): Diagnostic[] {
  if (!isEmpty(value)) return []
  const glued = key.style === 'plain' ? /^([\w-]+):(?=\S)/.exec(key.source) : null
  if (glued) return [missingSpace(key, glued[0].length)]
  const colon = /^["']?\s*:/.exec(key.file.text.slice(key.end, key.end + 20))
  const cut = colon ? cutAt(key, key.end + colon[0].length) : undefined
  return cut ? [cut] : []
}

/** In `{ takes:3 }` the key is `takes:3`. */
function missingSpace(key: TextScalar, length: number): Diagnostic {
  const at = spanOf(key.file, key.start, key.start + length)
  const hint = `write \`${key.source.slice(0, length)} ${key.source.slice(length)}\``
  return error('yaml-colon', at, 'a space is missing behind this `:`, so all of it is a key', hint)
}

const nearby = 1000

/** An anchor that nothing refers to was probably meant as text: `&tea`. */
export function unusedAnchor(name: string, node: TextScalar): Diagnostic {
  const source = `&${name}`
  // An anchor stands close to its value: before it, or behind the place where there is none.
  const from = Math.max(0, node.start - nearby)
  const found = node.file.text.slice(from, node.start + (isEmpty(node) ? nearby : 0)).lastIndexOf(source)
  const at = found < 0 ? found : from + found
  const span = at < 0 ? node : spanOf(node.file, at, at + source.length)
  const hint = `if it is text, put it in quotes: '${source}${isEmpty(node) ? '' : ` ${node.source}`}'`
  return warning('unused-anchor', span, `\`${source}\` is read as an anchor, and nothing refers to it`, hint)
}

/** A comment has a space behind its `#`; ` #1` and ` #ff0000` were meant as text. */
function cutAt(scalar: TextScalar, end: number): Diagnostic | undefined {
  const { file } = scalar
  if (file.text[end] !== ' ' && file.text[end] !== '\t') return undefined
  const rest = /^([ \t]+)(#[^\s#!][^\r\n]*)/.exec(file.text.slice(end, end + 2000))
  if (!rest) return undefined
  const start = end + (rest[1]?.length ?? 0)
  const at = spanOf(file, start, start + (rest[2]?.trimEnd().length ?? 1))
  const hint = 'put the text in quotes to keep it, or a space behind the `#` to make it a plain comment'
  return warning('cut-text', at, 'YAML drops everything from this `#` to the end of the line', hint)
}

function foreignTemplates(scalar: TextScalar, text: string): Diagnostic[] {
  if (!text.includes('{')) return []
  return [...text.matchAll(foreign)].map(match => {
    const at = spanInside(scalar, match.index, match.index + match[0].length)
    const name = match[1] ?? match[2] ?? 'name'
    const path = name.replace(/^\.|^vars\./, '')
    const isOurs = /^(?:jobs|matrix|item|job)\.[\w.-]/.test(path)
    const hint = isOurs ? `write \${{ ${path} }}` : `a variable is written \${{ vars.${path} }}`
    return warning(
      'foreign-template',
      at,
      `\`${match[0]}\` is not filled in; it stays in the text as it is`,
      hint,
    )
  })
}

// {{ name }} and {{ .name }} without a dollar sign before it, or ${NAME}, or ${ vars.name } with too few braces.
const foreign =
  /(?<!\$)\{\{\s*([.\w-]+(?:\[[^\][{}]*\][.\w-]*)*)\s*\}\}|\$\{(?!\{)\s*((?:vars\.)?[A-Za-z_][\w-]*)\s*\}/g
