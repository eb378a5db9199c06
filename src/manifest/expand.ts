import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { type MediaKind, type Model, outputKind, paramOf } from '../catalog/index.ts'
import type { Shelf } from '../catalog/shelf.ts'
import { expectOf } from '../forms/expect.ts'
import type { TextEntry, TextScalar } from '../text/tree.ts'
import { type Defaults, defaultsOf } from './defaults.ts'
import type { Draft } from './draft.ts'
import type { Filled, FilledEntry } from './filled.ts'
import type { Coordinates, Grid } from './grid.ts'
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
  readonly makes?: { readonly kind: MediaKind; readonly count: number }
  readonly own: Own
  readonly ownEntries: ReadonlyMap<OwnKey, FilledEntry>
  /** Parameters by name: the job's in written order, then defaults. */
  readonly given: ReadonlyMap<string, Given>
}

/** A parameter's value and who gave it. */
export interface Given {
  readonly key: TextScalar
  readonly value: Filled
  readonly by: 'job' | 'default'
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
    return fillCell(mould, place, { ...scope, cell }) ?? []
  })
}

/** `still[fox,noir]`; a job without axes is called by its id. */
function cellAddress(id: string, { keys }: Coordinates): JobAddress {
  return jobAddress(keys.length === 0 ? id : `${id}[${keys.join(',')}]`)
}

function fillCell(mould: Mould, place: Coordinates, scope: Scope): Cell | undefined {
  const { draft, overrides, defaults, shelf } = mould
  const condition = draft.own.get('if')
  if (condition && !readTruth(fillEntry(condition, scope), scope.tell)) return undefined
  const fitting = overrides.filter(override => fitsPattern(place, override.match))
  for (const override of fitting) override.hits.push(place)
  const ownEntries = filledOwn([draft.own, ...fitting.map(override => override.own)], scope)
  const model = modelOf(draft, ownEntries.get('model'), defaults, shelf, scope)
  const own = readOwn(ownEntries, scope.tell)
  const params =
    fitting.length === 0
      ? draft.params
      : overridden([draft.params, ...fitting.map(override => override.params)])
  const given = givenOf(params, model ? defaultsOf(model, defaults) : new Map(), scope)
  const address = cellAddress(draft.id, place)
  const count = model && countOf(given, model)
  const makes = model && count ? { makes: { kind: outputKind(model), count } } : {}
  return { draft, address, place, model, own, ownEntries, given, ...makes }
}

function filledOwn(
  layers: readonly ReadonlyMap<OwnKey, TextEntry>[],
  scope: Scope,
): Map<OwnKey, FilledEntry> {
  // Nearly all cells have one layer; a hundred thousand of them need no copies.
  const [only, ...others] = layers
  const written = only && others.length === 0 ? only : new Map(layers.flatMap(layer => [...layer]))
  const filled = new Map<OwnKey, FilledEntry>()
  for (const [key, entry] of written) {
    if (gridKeys.includes(key)) continue
    const value = fillEntry(entry, scope)
    if (!isAbsent(value)) filled.set(key, value)
  }
  return filled
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

function givenOf(
  params: readonly TextEntry[],
  defaults: ReadonlyMap<string, TextEntry>,
  scope: Scope,
): Map<string, Given> {
  const given = new Map<string, Given>()
  const take = (name: string, entry: TextEntry, by: Given['by']) => {
    const filled = fillEntry(entry, scope)
    if (!isAbsent(filled)) given.set(name, { ...filled, by })
  }
  for (const entry of params) take(entry.key.source, entry, 'job')
  for (const [name, entry] of defaults) if (!given.has(name)) take(name, entry, 'default')
  return given
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
function countOf(given: ReadonlyMap<string, Given>, model: Model): number | undefined {
  const param = paramOf(model, 'count')
  const value = given.get('count')?.value
  if (!param || !value) return expectOf(model, {}).count
  if (value.kind !== 'scalar' || param.type !== 'enum') return undefined
  const meant = param.values.find(
    known => known === value.value || (value.isUntyped && String(known) === value.source.trim()),
  )
  return meant === undefined ? undefined : expectOf(model, { count: meant }).count
}

/** What may be read in any cell: a name that only some have is empty in the others, one that none has is a slip. */
function knownNames(grid: Grid): Pick<CellNames, 'isKnown' | 'known'> {
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
