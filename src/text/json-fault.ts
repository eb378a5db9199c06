/**
 * Where a text stops to be JSON (RFC 8259), in UTF-16 units: the first lexeme that may not stand there, or the end. A byte order mark is
 * read over. `JSON.parse` says that of some faults only, and in other words with each version of Node.
 */
export function jsonFault(text: string): number {
  const closers: string[] = []
  let may: May = 'value'
  for (let at = text.startsWith('\ufeff') ? 1 : 0; ; ) {
    at = behind(blank, text, at)
    const end = behind(lexeme, text, at)
    const is = text[at] ?? ''
    if (end === at || !fits(is, may, closers.at(-1))) return at
    if (is === '{' || is === '[') closers.push(is === '{' ? '}' : ']')
    if (is === '}' || is === ']') closers.pop()
    may = next(is, may, closers.at(-1))
    at = end
  }
}

/** What may come next. The first of a list or a mapping may be its end. */
type May = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more'

function fits(is: string, may: May, closer: string | undefined): boolean {
  const isMark = '}],:'.includes(is)
  switch (may) {
    case 'value':
      return !isMark
    case 'first value':
      return !isMark || is === closer
    case 'key':
      return is === '"'
    case 'first key':
      return is === '"' || is === closer
    case 'colon':
      return is === ':'
    case 'more':
      return closer !== undefined && (is === ',' || is === closer)
  }
}

function next(is: string, may: May, closer: string | undefined): May {
  if (is === '{') return 'first key'
  if (is === '[') return 'first value'
  if (is === ',') return closer === '}' ? 'key' : 'value'
  if (is === ':') return 'value'
  return is === '"' && may.endsWith('key') ? 'colon' : 'more'
}

const blank = /[ \t\r\n]*/y
const lexeme =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/uy

function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
