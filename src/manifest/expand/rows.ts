import { createRequire } from 'node:module'
import type * as Csv from 'csv-parse/sync'
import { type Checked, type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import { counted } from '../../base/measure.ts'
import { type SourceFile, type Span, spanOf } from '../../base/source.ts'
import { readJsonLine } from '../../text/json.ts'
import { hasExpressions } from '../../text/template.ts'
import type { TextNode, TextScalar } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { markRaw } from '../fill/raw-template.ts'
import type { Filled, FilledMap, FilledScalar } from '../shapes/filled.ts'
import { tableProblem } from './table-problem.ts'

// Most manifests read no table, and a command starts sooner without the package.
let loaded: typeof Csv | undefined
function csv(): typeof Csv {
  loaded ??= createRequire(import.meta.url)('csv-parse/sync') as typeof Csv // the package itself, by its own types
  return loaded
}

/** The values of a data file in order, with their places in it. Nothing in them is ever read as a template. */
interface Rows {
  readonly rows: readonly Filled[]
  readonly problems: readonly Diagnostic[]
}

const forms = ['csv', 'tsv', 'json', 'jsonl', 'ndjson', 'yaml', 'yml'] as const

type Form = (typeof forms)[number]

/** By the ending of its name. */
export function formOfRows(path: string): Form | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  return forms.find(form => form === ending)
}

export const rowFormsText = 'csv, tsv, json, jsonl and yaml files have rows'

export function readRows(file: SourceFile, form: Form): Rows {
  const read = readForm(file, form)
  return hasExpressions(file.text) ? { ...read, rows: markRaw(read.rows) } : read
}

function readForm(file: SourceFile, form: Form): Rows {
  switch (form) {
    case 'csv':
      return readTable(file, separatorOf(file.text))
    case 'tsv':
      return readTable(file, '\t')
    case 'json':
    case 'yaml':
    case 'yml':
      return readTree(file)
    case 'jsonl':
    case 'ndjson':
      return readLines(file)
  }
}

/** Spreadsheets of some countries write `;`, and what is copied out of one has tabs, whatever its file is called. */
function separatorOf(text: string): string {
  const head = text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1)
  return [',', ';', '\t'].find(separator => head.includes(separator)) ?? ','
}

interface Parsed {
  readonly record: readonly string[]
  readonly raw: string
}

function readTable(file: SourceFile, separator: string): Rows {
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
  let start = mark
  const lines = parsed.flatMap(({ record, raw }) => {
    const cells = placesOf(raw, separator, start, file)
    // Of a CRLF the package keeps the first half.
    start += raw.length
    if (raw.endsWith('\r') && file.text[start] === '\n') start++
    const isBlank = record.length === 1 && record[0]?.trim() === ''
    return isBlank
      ? []
      : [record.map((text, index) => cellOf(text, cells[index] ?? spanOf(file, start, start)))]
  })
  const [head, ...body] = lines
  if (!head)
    return {
      rows: [],
      problems: [
        error('empty-file', spanOf(file, 0, 0), 'this table is empty', 'its first line names the columns'),
      ],
    }
  const excess = body[mostRows]?.[0]
  if (excess) return { rows: [], problems: [tooManyRows(excess)] }
  const wide = head[mostColumns]
  if (wide)
    return {
      rows: [],
      problems: [error('too-many', wide, `a table has ${mostColumns} columns at most`, 'split the file')],
    }
  const columns = head.map(cell => ({ ...cell, source: cell.source.trim() }))
  return { rows: body.map(cells => rowOf(columns, cells)), problems: tableProblems(columns, body) }
}

/** As many as a manifest may come to jobs. */
const mostRows = 100_000

/** Each is kept with its place: a file of 64 MiB may have more of them than fit into memory. */
const mostCells = 4_000_000
const mostColumns = 1000

/** Commas in quoted cells count as well. */
function cellsUpTo(text: string, separator: string): number {
  let cells = 1
  for (const between of [separator, '\n'])
    for (let at = text.indexOf(between); at >= 0; at = text.indexOf(between, at + 1)) cells++
  return cells
}

function tooManyRows(at: Span): Diagnostic {
  const message = `from here on there are more than ${mostRows} rows, and a manifest comes to so many jobs at most`
  return error('too-many-jobs', at, message, 'split the file')
}

function cellOf(text: string, at: Span): FilledScalar {
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

function rowOf(columns: readonly TextScalar[], cells: readonly FilledScalar[]): FilledMap {
  const [first] = cells
  const entries = columns.flatMap((key, index) => {
    const value = cells[index]
    return value && key.source !== '' ? [{ key, value }] : []
  })
  const at = first ?? columns[0]
  if (!at) throw new Error('a table without columns')
  return {
    kind: 'map',
    file: at.file,
    start: at.start,
    end: cells.at(-1)?.end ?? at.end,
    entries,
    isRow: true,
  }
}

function tableProblems(
  columns: readonly TextScalar[],
  body: readonly (readonly FilledScalar[])[],
): Diagnostic[] {
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
  for (const cells of body) {
    if (cells.length === columns.length) continue
    const at = cells.at(cells.length > columns.length ? columns.length : -1)
    const message = `this row has ${counted(cells.length, 'cell')}, and there are ${columns.length} columns`
    const hint = 'a cell with the separator in it stands in double quotes'
    if (at) problems.push(error('bad-row', at, message, hint))
    if (problems.length >= 20) break
  }
  return problems
}

function readTree(file: SourceFile): Rows {
  const { value, problems } = readYaml(file)
  if (!value) return { rows: [], problems }
  if (value.kind === 'list') {
    const excess = value.items[mostRows]
    return excess
      ? { rows: [], problems: [...problems, tooManyRows(excess)] }
      : { rows: value.items, problems }
  }
  const hint = 'write a list of mappings: `- { id: fox, colour: red }`'
  return {
    rows: [],
    problems: [...problems, error('not-rows', value, 'a data file is a list of rows', hint)],
  }
}

function readLines(file: SourceFile): Rows {
  const rows: Filled[] = []
  const problems: Diagnostic[] = []
  let start = 0
  for (const line of file.text.split('\n')) {
    const text = line.replace(/^\ufeff/, '')
    const from = start + line.length - text.length
    start += line.length + 1
    if (text.trim() === '') continue
    const read = readJsonLine(file, from, from + text.length) ?? readLine(file, text, from)
    problems.push(...read.problems)
    if (read.value) rows.push(read.value)
    const last = rows[mostRows]
    if (last) return { rows: [], problems: [tooManyRows(last)] }
    if (problems.length >= 20) break
  }
  return { rows, problems }
}

/** What is no JSON: told by the reader of YAML, which takes more. */
function readLine(file: SourceFile, text: string, from: number): Checked<TextNode> {
  const { value, problems } = readYaml({ name: file.name, text })
  return {
    value: value && shiftedNode(value, file, from),
    problems: problems.map(problem => ({ ...problem, at: shifted(problem.at, file, from), notes: [] })),
  }
}

function shifted(at: Span, file: SourceFile, by: number): Span {
  return spanOf(file, at.start + by, at.end + by)
}

/** A tree that was read from one line, as part of the whole file. */
function shiftedNode(node: TextNode, file: SourceFile, by: number): TextNode {
  const { start, end } = shifted(node, file, by)
  switch (node.kind) {
    case 'scalar':
      return shiftedScalar(node, file, by)
    case 'list':
      return { kind: 'list', file, start, end, items: node.items.map(item => shiftedNode(item, file, by)) }
    case 'map': {
      const entries = node.entries.map(({ key, value }) => ({
        key: shiftedScalar(key, file, by),
        value: shiftedNode(value, file, by),
      }))
      return { kind: 'map', file, start, end, entries }
    }
  }
}

function shiftedScalar(scalar: TextScalar, file: SourceFile, by: number): TextScalar {
  const { value, source, style } = scalar
  return { kind: 'scalar', ...shifted(scalar, file, by), value, source, style }
}
