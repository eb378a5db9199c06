import type { Diagnostic } from '../base/diagnostic.ts'
import { spanOf } from '../base/source.ts'
import type { WireMode } from '../base/state.ts'
import type { Filled, FilledEntry, FilledMap } from '../manifest/shapes/filled.ts'
import type { JobAsk } from '../run/one-shot/ask.ts'
import { scalarAt } from '../text/tree.ts'

/** One job of another tool, not checked yet. */
export interface FoundJob {
  readonly ask: JobAsk
  readonly own: FoundOwn
}

/** What it says about itself beside the parameters. */
export interface FoundOwn {
  readonly id?: string
  readonly output?: string
  readonly mode?: WireMode
}

export interface FoundAll {
  readonly found: readonly FoundJob[]
  readonly problems: readonly Diagnostic[]
}

const ownNames = ['id', 'output']

/** A row of a table, with its columns under the names of parameters that they are but for case: `Aspect_Ratio` is none. */
export function asParams(row: Filled, paramNames: ReadonlySet<string>): Filled {
  if (row.kind !== 'map') return row
  const usual = new Map(['model', ...ownNames, ...paramNames].map(name => [name.toLowerCase(), name]))
  const taken = new Set(row.entries.map(({ key }) => key.source))
  const entries = row.entries.map(entry => {
    const name = usual.get(entry.key.source.trim().toLowerCase())
    return name === undefined || taken.has(name) ? entry : { ...entry, key: scalarAt(entry.key, name) }
  })
  const { file, start, end } = row
  return { kind: 'map', file, start, end, entries, ...(row.isRow && { isRow: true }) }
}

/** A job as a record: flat, or its parameters in `params`. What it does not say is taken from `shared`. */
export function foundIn(job: Filled, shared: readonly FilledEntry[] = []): FoundJob[] {
  if (job.kind !== 'map') return []
  const given = job.entries.filter(entry => !isBlank(entry.value))
  const inner = given.find(({ key, value }) => key.source === 'params' && value.kind === 'map')?.value
  const flat =
    inner?.kind === 'map' ? [...given.filter(({ key }) => key.source !== 'params'), ...inner.entries] : given
  const names = new Set(flat.map(({ key }) => key.source))
  const all = [...flat, ...shared.filter(({ key }) => !names.has(key.source))]
  const textOf = (name: string) => {
    const value = all.find(({ key }) => key.source === name)?.value
    return value?.kind === 'scalar' ? value : undefined
  }
  const model = textOf('model')
  const [id, output] = ownNames.map(name => textOf(name)?.source)
  const ask: JobAsk = {
    model: model && { id: model.source.trim(), at: model },
    params: all.filter(({ key }) => key.source !== 'model' && !ownNames.includes(key.source)),
    at: spanOf(job.file, job.start, job.start + 1),
    inline: new Map(),
  }
  return [{ ask, own: { ...(id && { id }), ...(output && { output }) } }]
}

export function valueIn(map: FilledMap, name: string): Filled | undefined {
  return map.entries.find(({ key }) => key.source === name)?.value
}

function isBlank(value: Filled): boolean {
  return value.kind === 'scalar' && value.isUntyped === true && value.source.trim() === ''
}

/** As other tools say it; undefined for anything else. */
export function modeIn(text: string | undefined): WireMode | undefined {
  return text === 'execute' || text === 'submit' ? text : undefined
}
