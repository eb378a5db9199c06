import { defined } from '../../base/defined.ts'
import { type Checked, type Diagnostic, error } from '../../base/diagnostic.ts'
import { type SourceFile, type Span, spanOf } from '../../base/source.ts'
import { readJsonLine } from '../../text/json.ts'
import { hasExpressions } from '../../text/template.ts'
import type { TextNode, TextScalar } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { byteOrderMark } from '../../text/yaml-errors.ts'
import { markRaw } from '../fill/raw-template.ts'
import type { Filled } from '../shapes/filled.ts'
import { mostRows, type Rows, readTable, separatorOf, tooManyRows } from './table.ts'

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
  const mark = byteOrderMark(file)
  const problems: Diagnostic[] = mark ? [mark] : []
  let start = 0
  for (const line of file.text.split('\n')) {
    const marked = line.replace(/\r$/, '')
    const text = marked.replace(/^\ufeff/, '')
    const from = start + marked.length - text.length
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
    problems: problems.map(problem => ({
      ...problem,
      at: shifted(problem.at, file, from),
      ...defined({ notes: problem.notes?.map(note => ({ ...note, at: shifted(note.at, file, from) })) }),
    })),
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
