import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { findModel, type Model, modelIds, models, outputKind, paramOf } from '../catalog/index.ts'
import { expectOf } from '../forms/expect.ts'
import type { TextEntry, TextScalar } from '../text/tree.ts'
import { type Defaults, defaultsOf } from './defaults.ts'
import type { Draft } from './draft.ts'
import type { Filled, FilledEntry } from './filled.ts'
import { type Own, readOwn } from './own.ts'
import type { Producer } from './references.ts'
import type { OwnKey } from './shape.ts'
import { fillEntry, type Scope } from './template.ts'
import { readText } from './values.ts'

/** One cell of a draft, with everything filled in and nothing judged but its own keys. Takes come later. */
export interface Cell {
  readonly draft: Draft
  /** Without take. */
  readonly address: JobAddress
  /** Undefined where there is none, which is told. */
  readonly model: Model | undefined
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

/** The cells of a draft. One, as long as there are no axes. */
export function expandDraft(draft: Draft, defaults: Defaults, scope: Scope): Cell[] {
  const ownEntries = new Map(
    [...draft.own].map(([key, entry]): [OwnKey, FilledEntry] => [key, fillEntry(entry, scope)]),
  )
  const model = modelOf(draft, ownEntries.get('model'), defaults, scope)
  const own = readOwn(ownEntries, scope.tell)
  const given = givenOf(draft, model ? defaultsOf(model, defaults) : new Map(), scope)
  return [{ draft, address: jobAddress(draft.id), model, own, ownEntries, given }]
}

function givenOf(draft: Draft, defaults: ReadonlyMap<string, TextEntry>, scope: Scope): Map<string, Given> {
  const given = new Map<string, Given>()
  for (const entry of draft.params) {
    given.set(entry.key.source, { ...fillEntry(entry, scope), by: 'job' })
  }
  for (const [name, entry] of defaults) {
    if (!given.has(name)) given.set(name, { ...fillEntry(entry, scope), by: 'default' })
  }
  return given
}

function modelOf(
  draft: Draft,
  written: FilledEntry | undefined,
  defaults: Defaults,
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
  const model = findModel(word.text)
  if (!model) scope.tell(unknownModel(word.text, word.at))
  return model
}

function unknownModel(id: string, at: Diagnostic['at']): Diagnostic {
  const sameName = Object.values<Model>(models).find(model => model.name.toLowerCase() === id.toLowerCase())
  const near = sameName?.id ?? nearest(id, modelIds)
  return error(
    'unknown-model',
    at,
    `there is no model ${id}`,
    near ? `did you mean ${near}` : '`genrun models` lists them',
  )
}

/** What references to a cell get. */
export function producerOf(cell: Cell): Producer {
  const { draft, address, model } = cell
  const count = model && countOf(cell, model)
  return { id: draft.id, address, ...(model && count && { makes: { kind: outputKind(model), count } }) }
}

/** Undefined when the written count is wrong: then nothing can be said about the files. */
function countOf(cell: Cell, model: Model): number | undefined {
  const param = paramOf(model, 'count')
  const value = cell.given.get('count')?.value
  if (!param || !value) return expectOf(model, {}).count
  if (value.kind !== 'scalar' || param.type !== 'enum') return undefined
  return param.values.some(known => known === value.value)
    ? expectOf(model, { count: value.value }).count
    : undefined
}
