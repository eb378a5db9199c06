import { headOf } from '../../base/source.ts'
import type { Expression } from '../../text/expression.ts'
import { hasExpressions, parseTemplate } from '../../text/template.ts'
import { entryIn, type TextEntry, type TextNode } from '../../text/tree.ts'
import type { Cell } from '../expand/expand.ts'
import { entryLike } from '../fill/lookup.ts'
import type { Sources } from '../fill/sources.ts'
import type { Vars } from '../fill/vars.ts'
import type { Defaults } from '../read/defaults.ts'
import { ownEntry } from '../read/shape.ts'
import { axisValue } from '../shapes/coordinates.ts'
import type { Filled } from '../shapes/filled.ts'
import type { Origin, ReadName } from '../shapes/job.ts'

/** What values of a manifest may come from, beside the job itself. */
export interface ValueSources {
  readonly defaults: Defaults
  readonly vars: Vars
  readonly sources: Sources
}

/** Of a cell, what is written. */
export type WrittenCell = Pick<Cell, 'draft' | 'place' | 'ownEntries' | 'given'>

/** Where a parameter's value, or that of one of the job's own keys, came from. */
export function valueOrigin(cell: WrittenCell, valueSources: ValueSources, name: string): Origin {
  const written = writtenAs(cell, valueSources, name)
  if (!written) return { by: 'built-in', reads: [] }
  const { by, entry } = written
  const found = new Map<string, ReadName>()
  readIn(entry.value, { cell, valueSources, found })
  const isThere = entry.value.end > entry.value.start
  return { by, at: isThere ? entry.value : entry.key, reads: [...found.values()] }
}

interface Written {
  readonly by: Exclude<Origin['by'], 'built-in'>
  readonly entry: TextEntry
}

/** The entry of the text that won, told by its key: filling leaves keys as they are. */
function writtenAs(cell: WrittenCell, { defaults }: ValueSources, name: string): Written | undefined {
  const { draft, given, ownEntries } = cell
  // The names of own keys are no others.
  const key = (entryIn(ownEntries, name) ?? entryIn(given, name))?.key
  if (!key) return name === 'model' && defaults.model ? { by: 'defaults', entry: defaults.model } : undefined
  const among = (entries: readonly TextEntry[]) => entries.find(entry => entry.key === key)
  const inJob = among([...draft.own, ...draft.params])
  if (inJob) return { by: 'job', entry: inJob }
  const inOverride = among(overrideEntries(ownEntry(draft.own, 'override')?.value))
  if (inOverride) return { by: 'override', entry: inOverride }
  const inDefaults = among(defaults.groups.flatMap(group => group.entries))
  return inDefaults && { by: 'defaults', entry: inDefaults }
}

function overrideEntries(value: TextNode | undefined): TextEntry[] {
  const items = value?.kind === 'list' ? value.items : []
  return items.flatMap(item => (item.kind === 'map' ? item.entries : []))
}

interface Search {
  readonly cell: WrittenCell
  readonly valueSources: ValueSources
  readonly found: Map<string, ReadName>
}

function readIn(node: TextNode, search: Search): void {
  switch (node.kind) {
    case 'list':
      for (const item of node.items) readIn(item, search)
      return
    case 'map':
      for (const { value } of node.entries) readIn(value, search)
      return
    case 'scalar': {
      if (typeof node.value !== 'string' || !hasExpressions(node.value)) return
      for (const part of parseTemplate(node.value).parts)
        if (part.is === 'expression') readBy(part.expression, search)
    }
  }
}

function readBy(expression: Expression, search: Search): void {
  switch (expression.is) {
    case 'literal':
      return
    case 'name':
      if (expression.name === 'item') readCell('item', [], search)
      return
    case 'path':
      readPath(expression, search)
      return
    case 'call':
      readFile(expression, search)
      for (const arg of expression.args) readBy(arg, search)
      return
    case 'not':
      readBy(expression.of, search)
      return
    case 'compare':
      readBy(expression.left, search)
      readBy(expression.right, search)
      return
    case 'and':
    case 'or':
      for (const operand of expression.of) readBy(operand, search)
  }
}

function readPath({ head, steps }: Extract<Expression, { is: 'path' }>, search: Search): void {
  if (head.is !== 'name') return readBy(head, search)
  for (const step of steps) if (step.by === 'index') readBy(step.index, search)
  const names: string[] = []
  // What follows a place that has to be worked out is left aside: the value before it is named.
  for (const step of steps) {
    if (step.by !== 'name') break
    names.push(step.name)
  }
  const [first] = names
  if (head.name === 'vars' && first !== undefined) readVar(first, search)
  if (head.name === 'matrix' && first !== undefined) readCell('matrix', names, search)
  if (head.name === 'item') readCell('item', names, search)
}

function readVar(name: string, search: Search): void {
  const { vars } = search.valueSources
  const entry = vars.entries.get(name)
  if (!entry || search.found.has(`vars.${name}`)) return
  const filled = vars.filled.get(name)
  // From the command line: then the text of the manifest counts for nothing.
  const isSet = filled?.kind === 'scalar' && filled.file !== entry.key.file
  const at = isSet || entry.value.end > entry.value.start ? (isSet ? filled : entry.value) : entry.key
  search.found.set(`vars.${name}`, { from: 'vars', name: `vars.${name}`, at })
  if (!isSet) readIn(entry.value, search)
}

function readCell(from: 'matrix' | 'item', names: readonly string[], { cell, found }: Search): void {
  const name = [from, ...names].join('.')
  const [axis, ...steps] = from === 'item' ? ['item', ...names] : names
  let here: Filled | undefined = axis === undefined ? undefined : axisValue(cell.place, axis)
  for (const step of steps) {
    const next = here?.kind === 'map' ? entryLike(here, step)?.value : undefined
    if (!next) break
    here = next
  }
  if (!here) return
  const at = here.kind === 'scalar' ? (here.origin ?? here) : here
  found.set(name, { from, name, at })
}

function readFile(
  { name, args }: Extract<Expression, { is: 'call' }>,
  { valueSources, found }: Search,
): void {
  const [path] = args
  if (name !== 'file' || path?.is !== 'literal' || typeof path.value !== 'string') return
  const read = valueSources.sources.read.get(path.value.trim())
  if (read?.is === 'text')
    found.set(`file ${path.value}`, { from: 'file', name: path.value, at: headOf(read.file) })
}
