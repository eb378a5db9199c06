import { type SourceFile, type Span, spanOf } from '../base/source.ts'

/** A word of a shell's line: what it says without quotes, and where it stands. */
interface ShellWord extends Span {
  readonly text: string
}

/**
 * The words of each line as a POSIX shell splits them: quotes, backslashes, `\` at a line's end, `#` comments. Nothing
 * is expanded. An unclosed quote goes on to the end.
 */
export function shellWords(file: SourceFile): ShellWord[][] {
  const lines: ShellWord[][] = []
  let line: ShellWord[] = []
  let at = 0
  const { text } = file
  while (at < text.length) {
    const rest = text.slice(at)
    const gap = /^(?:[ \t\r]|\\\r?\n)+/.exec(rest) ?? /^#[^\n]*/.exec(rest)
    if (gap) at += gap[0].length
    else if (rest.startsWith('\n')) {
      lines.push(line)
      line = []
      at++
    } else {
      const word = wordAt(text, at)
      line.push({ ...spanOf(file, at, word.end), text: word.text })
      at = word.end
    }
  }
  return [...lines, line].filter(words => words.length > 0)
}

function wordAt(text: string, start: number): { readonly text: string; readonly end: number } {
  let said = ''
  let at = start
  while (at < text.length && !/[ \t\r\n]/.test(text.charAt(at))) {
    // what a shell divides by, and no other space
    const character = text.charAt(at)
    if (character === "'") {
      const end = closing(text.indexOf("'", at + 1), text)
      said += text.slice(at + 1, end)
      at = end + 1
    } else if (character === '"') {
      const quoted = /^"((?:[^"\\]|\\[^])*)("|$)/.exec(text.slice(at))
      said += (quoted?.[1] ?? '').replaceAll(/\\(["\\$`])/g, '$1').replaceAll(/\\\n/g, '')
      at += quoted?.[0].length ?? 1
    } else if (character === '\\') {
      if (text.charAt(at + 1) !== '\n') said += text.charAt(at + 1)
      at += 2
    } else {
      said += character
      at++
    }
  }
  return { text: said, end: Math.min(at, text.length) }
}

function closing(found: number, text: string): number {
  return found < 0 ? text.length : found
}
