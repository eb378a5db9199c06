import { createRequire } from 'node:module'
import type * as Csv from 'csv-parse/sync'
import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import { counted } from '../../base/measure.ts'
import { type SourceFile, type Span, spanOf, withLineFeeds } from '../../base/source.ts'
import type { TextScalar } from '../../text/tree.ts'
import type { Filled, FilledEntry, FilledMap, FilledScalar } from '../shapes/filled.ts'
import { tableProblem } from './table-problem.ts'

// Most manifests read no table, and a command starts sooner without the package.
let loaded: typeof Csv | undefined
function csv(): typeof Csv {
  loaded ??= createRequire(import.meta.url)('csv-parse/sync') as typeof Csv // the package itself, by its own types
  return loaded
}

/** The values of a data file in order, with their places in it. Nothing in them is ever read as a template. */
export interface Rows {
  readonly rows: readonly Filled[]
  readonly problems: readonly Diagnostic[]
}

/** Spreadsheets of some countries write `;`, and what is copied out of one has tabs, whatever its file is called. */
export function separatorOf(text: string): string {
  const head = text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1)
  return [',', ';', '\t'].find(separator => head.includes(separator)) ?? ','
}

interface Parsed {
  readonly record: readonly string[]
  readonly raw: string
}

/** One line of a table, or more where a cell has line ends; `end` is behind its own. */
interface Line {
  readonly start: number
  readonly end: number
  readonly record: readonly string[]
}

interface Table {
  readonly file: SourceFile
  readonly separator: string
  /** The row that was asked last, with its cells: whoever reads one of them reads others. */
  last?: { readonly row: FilledMap; readonly entries: readonly FilledEntry[] }
}

/** A data file whose first line names the columns. */
export function readTable(file: SourceFile, separator: string): Rows {
  if (cellsUpTo(file.text, separator) > mostCells) {
    const message = `this table has more than ${mostCells} cells`
    return { rows: [], problems: [error('too-large', spanOf(file, 0, 0), message, 'split the file')] }
  }
  const mark = file.text.startsWith('\ufeff') ? 1 : 0
  let parsed: Parsed[]
  try {
    // With `raw` the package gives this shape; its types tell of plain records only.
    parsed = csv().parse(file.text.slice(mark), {
      delimiter: separator,
      raw: true,
      relax_column_count: true,
      // More cells than a manifest may come to are not read, so that they need not be kept.
      to: mostRows + 2,
      // One unclosed quote must not take in the rest of a large file.
      max_record_size: 1_000_000,
    }) as unknown as Parsed[]
  } catch (cause) {
    if (!(cause instanceof csv().CsvError)) throw cause
    return { rows: [], problems: [tableProblem(file, cause)] }
  }
  const table: Table = { file, separator }
  const [first, ...lines] = linesOf(parsed, file.text, mark)
  if (!first)
    return {
      rows: [],
      problems: [
        error('empty-file', spanOf(file, 0, 0), 'this table is empty', 'its first line names the columns'),
      ],
    }
  const excess = lines[mostRows]
  if (excess) return { rows: [], problems: [tooManyRows(cellAt(excess, 0, table))] }
  const head = cellsOf(first, table)
  const wide = head[mostColumns]
  if (wide)
    return {
      rows: [],
      problems: [error('too-many', wide, `a table has ${mostColumns} columns at most`, 'split the file')],
    }
  const columns = head.map(cell => ({ ...cell, source: cell.source.trim() }))
  return {
    rows: lines.map(line => new TableRow(line, columns, table)),
    problems: [...sameColumns(columns), ...oddLines(lines, columns.length, table)],
  }
}

/** Without those that are blank. */
function linesOf(parsed: readonly Parsed[], text: string, from: number): Line[] {
  let end = from
  return parsed.flatMap(({ record, raw }) => {
    const start = end
    // Of a CRLF the package keeps the first half.
    end += raw.length
    if (raw.endsWith('\r') && text[end] === '\n') end++
    const isBlank = record.length === 1 && record[0]?.trim() === ''
    return isBlank ? [] : [{ start, end, record }]
  })
}

/** As many as a manifest may come to jobs. */
export const mostRows = 100_000

export function tooManyRows(at: Span): Diagnostic {
  const message = `from here on there are more than ${mostRows} rows, and a manifest comes to so many jobs at most`
  return error('too-many-jobs', at, message, 'split the file')
}

/** Each is kept: a file of 64 MiB may have more of them than fit into memory. */
const mostCells = 4_000_000
const mostColumns = 1000

/** Commas in quoted cells count as well. */
function cellsUpTo(text: string, separator: string): number {
  let cells = 1
  for (const between of [separator, '\n'])
    for (let at = text.indexOf(between); at >= 0; at = text.indexOf(between, at + 1)) cells++
  return cells
}

function cellsOf({ start, end, record }: Line, { file, separator }: Table): FilledScalar[] {
  const places = placesOf(file.text.slice(start, end), separator, start, file)
  return record.map((text, nth) => cellOf(text, places[nth] ?? spanOf(file, end, end)))
}

function cellAt(line: Line, nth: number, table: Table): Span {
  return cellsOf(line, table)[nth] ?? spanOf(table.file, line.end, line.end)
}

function cellOf(raw: string, at: Span): FilledScalar {
  const text = withLineFeeds(raw)
  return { kind: 'scalar', ...at, value: text, source: text, style: 'plain', isUntyped: true }
}

/** Where the fields of one raw record stand, quotes included. */
function placesOf(raw: string, separator: string, base: number, file: SourceFile): Span[] {
  const spans: Span[] = []
  let from = 0
  let isQuoted = false
  const end = raw.replace(/\r?\n$|\r$/, '').length
  for (let at = 0; at <= end; at++) {
    if (raw[at] === '"' && (isQuoted || at === from)) isQuoted = !isQuoted
    if (at < end && (isQuoted || raw[at] !== separator)) continue
    spans.push(spanOf(file, base + from, base + at))
    from = at + 1
  }
  return spans
}

/** Its cells are made when they are asked for: there may be a hundred thousand rows. */
class TableRow implements FilledMap {
  readonly #line: Line
  readonly #columns: readonly TextScalar[]
  readonly #table: Table

  constructor(line: Line, columns: readonly TextScalar[], table: Table) {
    this.#line = line
    this.#columns = columns
    this.#table = table
  }

  get kind(): 'map' {
    return 'map'
  }

  get isRow(): true {
    return true
  }

  get file(): SourceFile {
    return this.#table.file
  }

  get start(): number {
    return cellAt(this.#line, 0, this.#table).start
  }

  get end(): number {
    return cellAt(this.#line, this.#line.record.length - 1, this.#table).end
  }

  get entries(): readonly FilledEntry[] {
    const table = this.#table
    if (table.last?.row === this) return table.last.entries
    const cells = cellsOf(this.#line, table)
    const entries = this.#columns.flatMap((key, nth) => {
      const value = cells[nth]
      return value && key.source !== '' ? [{ key, value }] : []
    })
    table.last = { row: this, entries }
    return entries
  }
}

function sameColumns(columns: readonly TextScalar[]): Diagnostic[] {
  const first = new Map<string, TextScalar>()
  const problems: Diagnostic[] = []
  for (const column of columns) {
    const known = first.get(column.source.toLowerCase())
    if (known && column.source !== '') {
      const notes = [{ message: 'the first of them', at: known }]
      problems.push(
        withNotes(
          error('duplicate-key', column, `two columns are called ${column.source}`, 'rename one of them'),
          notes,
        ),
      )
    } else first.set(column.source.toLowerCase(), column)
  }
  return problems
}

/** The first of those that have other numbers of cells than there are columns. */
function oddLines(lines: readonly Line[], columns: number, table: Table): Diagnostic[] {
  const odd = lines.filter(({ record }) => record.length !== columns).slice(0, 20)
  return odd.map(line => {
    const cells = line.record.length
    const at = cellAt(line, cells > columns ? columns : cells - 1, table)
    const message = `this row has ${counted(cells, 'cell')}, and there are ${columns} columns`
    return error('bad-row', at, message, 'a cell with the separator in it stands in double quotes')
  })
}
