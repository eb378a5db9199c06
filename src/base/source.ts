/** A text that problems can point into. `name` is how the user would name it: a relative path, or `<stdin>`. */
export interface SourceFile {
  readonly name: string
  readonly text: string
}

/** A range of a source text in UTF-16 units, end exclusive. */
export interface Span {
  readonly file: SourceFile
  readonly start: number
  readonly end: number
}

/** Counted from 1. A column counts characters (Unicode code points), as an editor's status line does. */
interface Position {
  readonly line: number
  readonly column: number
}

const lineStartsOf = new WeakMap<SourceFile, readonly number[]>()

export function positionAt(file: SourceFile, offset: number): Position {
  const starts = lineStarts(file)
  const line = lineIndex(starts, offset)
  const before = file.text.slice(starts[line], offset)
  return { line: line + 1, column: [...before].length + 1 }
}

/** The line of an offset, counted from 1. Columns are counted in it, and a file may be one long line. */
export function lineAt(file: SourceFile, offset: number): number {
  return lineIndex(lineStarts(file), offset) + 1
}

/** The text of a line counted from 1, without its line end. */
export function lineText(file: SourceFile, line: number): string {
  const starts = lineStarts(file)
  const start = starts[line - 1] ?? file.text.length
  const end = starts[line] ?? file.text.length
  return file.text.slice(start, end).replace(/\r?\n$|\r$/, '')
}

/** A text as YAML has it: git may check a file out with CRLF, and what is ordered stays the same. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

export function spanOf(file: SourceFile, start: number, end: number): Span {
  return { file, start, end: Math.max(start, Math.min(end, file.text.length)) }
}

/** The empty span at the head of a file, for problems with a file as a whole. */
export function headOf(file: SourceFile): Span {
  return spanOf(file, 0, 0)
}

function lineStarts(file: SourceFile): readonly number[] {
  const known = lineStartsOf.get(file)
  if (known) return known
  const starts = [0]
  for (const match of file.text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length)
  lineStartsOf.set(file, starts)
  return starts
}

/** The last line that starts at or before the offset. */
function lineIndex(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
