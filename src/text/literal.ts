import { type SourceFile, type Span, spanOf } from '../base/source.ts'
import { wordTable } from '../base/word-table.ts'
import type { TextEntry, TextNode, TextScalar } from './tree.ts'

/** A value read from a program, or the place where it is no written-out value any more. */
type LiteralRead =
  | { readonly got: 'value'; readonly value: TextNode; readonly end: number }
  | { readonly got: 'code'; readonly at: Span }

/**
 * Reads a value that is written out in JavaScript or TypeScript: objects, lists, strings of all three quotes, numbers,
 * true, false, null, comments, commas at the end, `new URL('…')`. Nothing is carried out; names, calls, spreads and
 * `${}` are code.
 */
export function readLiteral(file: SourceFile, start: number): LiteralRead {
  const { text } = file
  let at = start

  function value(): TextNode {
    skip()
    const from = at
    if (take('{')) return object(from)
    if (take('[')) return list(from)
    if (/["'`]/.test(text.charAt(from))) return string()
    if (match(/new\s+URL\s*\(/y) !== undefined) return link()
    const number = match(/-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy)
    if (number !== undefined) return scalar(from, Number(number.replaceAll('_', '')))
    const word = match(/(?:true|false|null)(?![\w$])/y)
    return word === undefined ? code() : scalar(from, word === 'null' ? null : word === 'true')
  }

  function object(from: number): TextNode {
    const entries: TextEntry[] = []
    while (!isOver('}')) {
      const name = key()
      expect(':')
      entries.push({ key: name, value: value() })
      comma('}')
    }
    return { kind: 'map', ...spanOf(file, from, at), entries }
  }

  function list(from: number): TextNode {
    const items: TextNode[] = []
    while (!isOver(']')) {
      items.push(value())
      comma(']')
    }
    return { kind: 'list', ...spanOf(file, from, at), items }
  }

  function link(): TextScalar {
    skip()
    const inner = string()
    expect(')')
    return inner
  }

  function key(): TextScalar {
    skip()
    const from = at
    const name = match(/[A-Za-z_$][\w$]*/y)
    return name === undefined ? string() : scalar(from, name)
  }

  function string(): TextScalar {
    const from = at
    const raw = match(/"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\$]|\\[^]|\$(?!\{))*`/y)
    return raw === undefined ? code() : scalar(from, unescaped(raw.slice(1, -1)))
  }

  function scalar(from: number, said: TextScalar['value']): TextScalar {
    return { kind: 'scalar', ...spanOf(file, from, at), value: said, source: String(said), style: 'double' }
  }

  /** White space and comments. */
  function skip(): void {
    match(/(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y)
  }

  function isOver(end: string): boolean {
    skip()
    return take(end)
  }

  /** Between two members; at the end it may stand or not. */
  function comma(end: string): void {
    skip()
    if (!take(',') && text.charAt(at) !== end) code()
  }

  function expect(character: string): void {
    skip()
    if (!take(character)) code()
  }

  function take(character: string): boolean {
    if (text.charAt(at) !== character) return false
    at++
    return true
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }

  function code(): never {
    const length = /^[\w$.]*/.exec(text.slice(at))?.[0].length || 1
    throw new Code(spanOf(file, at, Math.min(at + length, text.length)))
  }

  try {
    return { got: 'value', value: value(), end: at }
  } catch (stop) {
    if (!(stop instanceof Code)) throw stop
    return { got: 'code', at: stop.at }
  }
}

/** Thrown inside, where a value ends to be data. */
class Code extends Error {
  readonly at: Span
  constructor(at: Span) {
    super('code')
    this.at = at
  }
}

const escapes: { readonly [letter: string]: string } = wordTable({
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  // A line that goes on.
  '\n': '',
})

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([^]))/gi,
    (_, braced, four, two, letter) => {
      const code = braced ?? four ?? two
      if (code === undefined) return escapes[letter] ?? letter
      const point = Number.parseInt(code, 16)
      // Halves of a pair stand one behind the other, as they do in the text.
      return braced === undefined
        ? String.fromCharCode(point)
        : String.fromCodePoint(Math.min(point, 0x10ffff))
    },
  )
}
