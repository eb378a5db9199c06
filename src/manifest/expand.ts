import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { type MediaKind, type Model, outputKind, paramOf } from '../catalog/index.ts'
import type { Shelf } from '../catalog/shelf.ts'
import { outputCount } from '../forms/expect.ts'
import type { TextEntry } from '../text/tree.ts'
import { type Coordinates, type Grid, single } from './coordinates.ts'
import { type Defaults, defaultsOf, type ModelDefault } from './defaults.ts'
import type { Draft } from './draft.ts'
import type { FilledEntry } from './filled.ts'
import type { CellNames } from './names.ts'
import type { Override } from './override.ts'
import { type Own, readOwn } from './own.ts'
import { fitsPattern } from './patterns.ts'
import type { OwnKey } from './shape.ts'
import { type CellScope, fillEntry, type Scope } from './template.ts'
import { readText, readTruth } from './values.ts'

/** One cell of a draft, with everything filled in and nothing judged but its own keys. Takes come later. */
export interface Cell {
  readonly draft: Draft
  /** Without take. */
  readonly address: JobAddress
  readonly place: Coordinates
  /** Undefined where there is none, which is told. */
  readonly model: Model | undefined
  /** What its files are, and how many; undefined while that cannot be said. */
  readonly makes: { readonly kind: MediaKind; readonly count: number } | undefined
  readonly own: Own
  readonly ownEntries: ReadonlyMap<OwnKey, FilledEntry>
  /** Parameters by name: the job's in written order, then defaults. */
  readonly given: ReadonlyMap<string, FilledEntry>
  /** What defaults gave, by parameter; undefined for nothing. */
  readonly byDefault: ReadonlyMap<string, ModelDefault> | undefined
}

/** What the cells of one draft are made from. */
export interface Mould {
  readonly draft: Draft
  readonly grid: Grid
  readonly overrides: readonly Override[]
  readonly defaults: Defaults
  readonly shelf: Shelf
  readonly scope: Scope
}

/** The cells of a draft in the order of its axes; without those that `if` leaves out. */
export function fillCells(mould: Mould): Cell[] {
  const { draft, grid, scope } = mould
  const known = knownNames(grid)
  return grid.cells.flatMap(place => {
    const address = cellAddress(draft.id, place)
    const key = place.keys.join('_')
    const names: CellNames = { id: draft.id, address, key, values: place.values, ...known }
    const cell: CellScope = { names, vars: new Map() }
    return fillCell(mould, place, address, { ...scope, cell }) ?? []
  })
}

/** `still[fox,noir]`; a job without axes is called by its id. */
function cellAddress(id: string, { keys }: Coordinates): JobAddress {
  return jobAddress(keys.length === 0 ? id : `${id}[${keys.join(',')}]`)
}

function fillCell(mould: Mould, place: Coordinates, address: JobAddress, scope: Scope): Cell | undefined {
  const { draft, overrides, defaults, shelf } = mould
  const condition = draft.own.get('if')
  if (condition && !readTruth(fillEntry(condition, scope), scope.tell)) return undefined
  const fitting =
    overrides.length === 0 ? overrides : overrides.filter(override => fitsPattern(place, override.match))
  for (const override of fitting) override.hits.push(place)
  const ownEntries = filledOwn([draft.own, ...fitting.map(override => override.own)], scope)
  const model = modelOf(draft, ownEntries.get('model'), defaults, shelf, scope)
  const own = readOwn(ownEntries, scope.tell)
  const params =
    fitting.length === 0
      ? draft.params
      : overridden([draft.params, ...fitting.map(override => override.params)])
  const given = givenOf(params, scope)
  const byDefault = model && addDefaults(given, defaultsOf(model, defaults), scope)
  const count = model && countOf(given, model)
  const makes = model && count ? { kind: outputKind(model), count } : undefined
  return { draft, address, place, model, own, ownEntries, given, makes, byDefault }
}

function filledOwn(
  layers: readonly ReadonlyMap<OwnKey, TextEntry>[],
  scope: Scope,
): ReadonlyMap<OwnKey, FilledEntry> {
  // Nearly all cells have one layer and no templates here; a hundred thousand of them need no copies.
  const [only, ...others] = layers
  const written = only && others.length === 0 ? only : new Map(layers.flatMap(layer => [...layer]))
  let filled: Map<OwnKey, FilledEntry> | undefined
  for (const [key, entry] of written) {
    const within = key === 'output' ? { ...scope, takesTokens: true } : scope
    const value = gridKeys.includes(key) ? undefined : fillEntry(entry, within)
    if (value === entry) continue
    filled ??= new Map<OwnKey, FilledEntry>(written)
    if (value && !isAbsent(value)) filled.set(key, value)
    else filled.delete(key)
  }
  return filled ?? written
}

/** Read before there are cells. */
const gridKeys: readonly OwnKey[] = ['matrix', 'forEach', 'override', 'if']

function isAbsent({ value }: FilledEntry): boolean {
  return value.kind === 'scalar' && value.isAbsent === true
}

/** Later layers win, in the place where the parameter was first written. */
function overridden(layers: readonly (readonly TextEntry[])[]): readonly TextEntry[] {
  return [...new Map(layers.flat().map(entry => [entry.key.source, entry])).values()]
}

function givenOf(params: readonly TextEntry[], scope: Scope): Map<string, FilledEntry> {
  const given = new Map<string, FilledEntry>()
  for (const entry of params) {
    const filled = fillEntry(entry, scope)
    if (!isAbsent(filled)) given.set(entry.key.source, filled)
  }
  return given
}

/** Adds what the job does not say itself, and returns what that was; undefined when there is none. */
function addDefaults(
  given: Map<string, FilledEntry>,
  defaults: ReadonlyMap<string, ModelDefault>,
  scope: Scope,
): ReadonlyMap<string, ModelDefault> | undefined {
  if (defaults.size === 0) return undefined
  const added = new Map<string, ModelDefault>()
  for (const [name, each] of defaults) {
    if (given.has(name)) continue
    const filled = fillEntry(each.entry, scope)
    if (isAbsent(filled)) continue
    given.set(name, filled)
    added.set(name, each)
  }
  return added
}

function modelOf(
  draft: Draft,
  written: FilledEntry | undefined,
  defaults: Defaults,
  shelf: Shelf,
  scope: Scope,
): Model | undefined {
  const entry = written ?? (defaults.model && fillEntry(defaults.model, scope))
  if (!entry) {
    const hint = 'write `model: …` in the job, or for all jobs under `defaults`; `genrun models` lists them'
    scope.tell(error('missing-model', draft.at, `the job ${draft.id} has no model`, hint))
    return undefined
  }
  const word = readText(entry, scope.tell)
  if (!word) return undefined
  const model = shelf.find(word.text)
  if (!model) scope.tell(unknownModel(word.text, word.at, shelf))
  return model
}

function unknownModel(id: string, at: Diagnostic['at'], shelf: Shelf): Diagnostic {
  const sameName = shelf.models.find(model => model.name.toLowerCase() === id.toLowerCase())
  const near = sameName?.id ?? nearest(id, shelf.ids)
  return error(
    'unknown-model',
    at,
    `there is no model ${id}`,
    near ? `did you mean ${near}` : '`genrun models` lists them',
  )
}

/** Undefined when the written count is wrong: then nothing can be said about the files. */
function countOf(given: ReadonlyMap<string, FilledEntry>, model: Model): number | undefined {
  const param = paramOf(model, 'count')
  const value = given.get('count')?.value
  if (!param || !value) return outputCount(model, {})
  if (value.kind !== 'scalar' || param.type !== 'enum') return undefined
  const meant = param.values.find(
    known => known === value.value || (value.isUntyped && String(known) === value.source.trim()),
  )
  return meant === undefined ? undefined : outputCount(model, { count: meant })
}

/** What may be read in any cell: a name that only some have is empty in the others, one that none has is a slip. */
function knownNames(grid: Grid): Pick<CellNames, 'isKnown' | 'known'> {
  if (grid === single) return noNames
  const answers = new Map<string, readonly string[]>()
  const known = (path: readonly string[]) => {
    const name = path.join('\0')
    const answer = answers.get(name) ?? namesUnder(grid, path)
    answers.set(name, answer)
    return answer
  }
  const isKnown = (path: readonly string[]) => {
    const last = path.at(-1)
    return known(path.slice(0, -1)).some(name => name === last)
  }
  return { known, isKnown }
}

const noNames: Pick<CellNames, 'isKnown' | 'known'> = { known: () => [], isKnown: () => false }

function namesUnder(grid: Grid, path: readonly string[]): string[] {
  const names = new Set<string>()
  const [axis, ...steps] = path
  for (const { values } of grid.cells) {
    if (axis === undefined) for (const name of values.keys()) names.add(name)
    else {
      let here = values.get(axis)
      for (const step of steps)
        here = here?.kind === 'map' ? here.entries.find(({ key }) => key.source === step)?.value : undefined
      if (here?.kind === 'map') for (const { key } of here.entries) names.add(key.source)
    }
  }
  return [...names]
}
