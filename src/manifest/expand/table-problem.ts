import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { type SourceFile, type Span, spanOf } from '../../base/source.ts'

/** What the package throws, as far as it is of use. */
interface TableTrouble {
  readonly code: string
  /** The number of the line, from 1. */
  readonly lines?: unknown
}

/** Why the package cannot read a table, at the line that it names. */
export function tableProblem(file: SourceFile, cause: TableTrouble): Diagnostic {
  const line = typeof cause.lines === 'number' ? cause.lines : 1
  const at = lineSpan(file, line)
  switch (cause.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return error(
        'bad-row',
        openQuote(file) ?? at,
        'a double quote is never closed',
        'a quote inside a quoted cell is written twice: ""',
      )
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return error(
        'bad-row',
        at,
        'a double quote stands in the middle of a cell',
        'put the whole cell in quotes, and write quotes in it twice: ""',
      )
    default:
      return error('bad-row', at, 'this row cannot be read as a table')
  }
}

function lineSpan(file: SourceFile, line: number): Span {
  let start = 0
  for (let n = 1; n < line; n++) {
    const next = file.text.indexOf('\n', start)
    if (next < 0) break
    start = next + 1
  }
  const end = file.text.indexOf('\n', start)
  return spanOf(file, start, end < 0 ? file.text.length : end)
}

/** The last quote that opened: all before it come in pairs. */
function openQuote(file: SourceFile): Span | undefined {
  let open = -1
  for (let at = file.text.indexOf('"'); at >= 0; at = file.text.indexOf('"', at + 1))
    open = open < 0 ? at : -1
  return open < 0 ? undefined : spanOf(file, open, open + 1)
}
