import { type Diagnostic, error } from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import type { Filled } from '../manifest/shapes/filled.ts'

/** A manifest that wants a model yet, and why. */
export interface TableOffer {
  readonly text: string
  readonly problem: Diagnostic
}

/**
 * A table of prompts says nothing about models: it is one job over its rows, whose model a person writes. `path` is the table
 * as the manifest names it. Undefined where some row names a model, or nothing is in the table.
 */
export function tableOffer(
  file: SourceFile,
  rows: readonly Filled[],
  { path, paramNames }: { readonly path: string; readonly paramNames: ReadonlySet<string> },
): TableOffer | undefined {
  const columns = columnsOf(rows)
  if (columns.length === 0 || columns.some(name => name.trim().toLowerCase() === 'model')) return undefined
  const key = columns.find(name => name.toLowerCase() === 'id')
  const named = key ?? namingColumn(rows, columns)
  const over = key ? JSON.stringify(path) : `{ rows: ${JSON.stringify(path)}, key: ${JSON.stringify(named)} }`
  const params = columns.filter(name => !ownColumns.includes(name.toLowerCase()))
  const text = [
    'jobs:',
    '  item:',
    '    model: "" # write the model here; `genrun models` lists them',
    `    forEach: ${over}`,
    ...(columns.includes('output') ? [`    output: ${JSON.stringify(valueOf('output'))}`] : []),
    ...params.map(column => {
      const name = [...paramNames].find(each => each.toLowerCase() === column.toLowerCase()) ?? column
      return `    ${isWord(name) ? name : JSON.stringify(name)}: ${JSON.stringify(valueOf(column))}`
    }),
    '',
  ].join('\n')
  const hint = `write the model into the manifest, which is one job over all rows: forEach: ${over}`
  return { text, problem: error('missing-model', headOf(file), 'no column says the model', hint) }
}

// What a job is called and where it goes is no parameter.
const ownColumns = ['id', 'output']

function columnsOf(rows: readonly Filled[]): string[] {
  const names = rows.flatMap(row => (row.kind === 'map' ? row.entries.map(({ key }) => key.source) : []))
  return [...new Set(names)]
}

/** The first whose values tell the rows apart, as cells are called by it. */
function namingColumn(rows: readonly Filled[], columns: readonly string[]): string | undefined {
  const differs = (name: string) => {
    const values = rows.map(row => {
      const value = row.kind === 'map' ? row.entries.find(({ key }) => key.source === name)?.value : undefined
      return value?.kind === 'scalar' ? value.source.trim() : ''
    })
    return !values.includes('') && new Set(values).size === values.length
  }
  return columns.find(differs) ?? columns[0]
}

function valueOf(column: string): string {
  return `\${{ item${isWord(column) ? `.${column}` : `['${column.replaceAll("'", "''")}']`} }}`
}

function isWord(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}
