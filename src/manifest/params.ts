import { error, warning } from '../base/diagnostic.ts'
import type { Json, JsonObject, Pointer } from '../base/names.ts'
import { type Model, type Param, paramOf } from '../catalog/index.ts'
import type { Shelf } from '../catalog/shelf.ts'
import { canonicalParams } from '../forms/defaults.ts'
import { checkParams } from '../forms/validate.ts'
import { type Casting, type CastValue, castFiles, castObjects } from './cast-files.ts'
import type { Cell, Given } from './expand.ts'
import type { Families } from './families.ts'
import { type Filled, filledJson, isUnfilled, referencesIn } from './filled.ts'
import type { FileRef } from './job.ts'
import { numberIn, truthIn } from './operators.ts'
import { placeProblem } from './placing.ts'
import type { LocalInput } from './rules/inputs.ts'
import type { NamedNeed } from './rules/needs.ts'
import { foreignJobKey, hopelessJobKey } from './shape.ts'
import type { Tell } from './tell.ts'
import { isNothing } from './values.ts'

/** A cell's parameters, cut into values and files. */
export interface Cast {
  /** Canonical, without files. */
  readonly params: JsonObject
  /** By their pointers, sorted. */
  readonly files: { readonly [at: Pointer]: readonly FileRef[] }
  readonly locals: readonly LocalInput[]
  readonly waits: readonly NamedNeed[]
}

/** Checks the parameters of a cell whose model is known, and takes the files out of them. */
export function castParams(cell: Cell, model: Model, families: Families, shelf: Shelf, tell: Tell): Cast {
  const casting: Casting = {
    cell,
    families,
    tell,
    files: new Map(),
    locals: [],
    waits: [],
    places: new Map(),
  }
  const stated: Record<string, Json> = {}
  const plain: Record<string, Json> = {}
  for (const [name, given] of cell.given) {
    const param = paramOf(model, name)
    const foreign = param ? undefined : foreignJobKey(given.key, Object.keys(model.params), shelf)
    if (foreign) tell(foreign)
    else if (param) {
      const value = castParam(casting, name, param, given)
      stated[name] = value.stated
      if (value.plain !== undefined) plain[name] = value.plain
    } else stated[name] = filledJson(given.value, () => 'file')
  }
  const unknowable = new Set(
    [...cell.given].filter(([, { value }]) => isUnfilled(value)).map(([name]) => name),
  )
  for (const problem of checkParams(model, stated)) {
    if (!unknowable.has(String(problem.path[0]))) tell(placeProblem(cell, model, problem, casting.places))
  }
  return {
    params: canonicalParams(model, plain),
    files: Object.fromEntries([...casting.files].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    locals: casting.locals,
    waits: casting.waits,
  }
}

/** What can be said about the parameters of a cell whose model is not known. */
export function checkWithoutModel(cell: Cell, shelf: Shelf, tell: Tell): void {
  for (const { key } of cell.given.values()) {
    const hopeless = hopelessJobKey(key, shelf)
    if (hopeless) tell(hopeless)
  }
}

function castParam(casting: Casting, name: string, param: Param, given: Given): CastValue {
  const { value } = given
  if (param.type === 'file') return { stated: castFiles(casting, name, param, value) }
  if (param.type === 'object[]') return castObjects(casting, name, param, value)
  for (const ref of referencesIn(value)) {
    const hint = 'files go to parameters such as imageUrls or startFrame'
    casting.tell(error('wrong-type', ref, `${name} takes ${typeWord(param)}, not the file of a job`, hint))
  }
  if (isUnfilled(value) || referencesIn(value).length > 0) return { stated: sampleOf(param) }
  const json =
    meantWord(casting, name, param, given) ?? typedText(param, value) ?? filledJson(value, () => null)
  return { stated: json, plain: json }
}

function typeWord(param: Param): string {
  return param.type === 'text' ? 'text' : param.type === 'boolean' ? 'true or false' : 'a value'
}

/** A value that is surely right, for parameters about which nothing more is to be said. */
function sampleOf(param: Param): Json {
  switch (param.type) {
    case 'text':
    case 'file':
      return 'file'
    case 'enum':
      return param.values[0] ?? null
    case 'boolean':
    case 'integer':
    case 'number':
      return param.default
    case 'object[]':
      return []
  }
}

/** A text from a table or the command line, as the catalog reads it: `5` is a number where numbers are wanted. */
function typedText(param: Param, value: Filled): Json | undefined {
  if (value.kind !== 'scalar' || !value.isUntyped || typeof value.value !== 'string') return undefined
  const text = value.value.trim()
  switch (param.type) {
    case 'enum':
      return param.values.find(known => String(known) === text) ?? numberLike(param.values, text)
    case 'boolean':
      return truthIn(text)
    case 'integer':
    case 'number':
      return numberIn(text)
    case 'text':
    case 'file':
    case 'object[]':
      return undefined
  }
}

/** A number that is none of the values is still a number, and the nearest of them is meant. */
function numberLike(values: readonly (string | number)[], text: string): number | undefined {
  return values.every(value => typeof value === 'number') ? numberIn(text) : undefined
}

/** `keepOriginalSound: true` where the words yes and no are meant. */
function meantWord(casting: Casting, name: string, param: Param, { key, value }: Given): string | undefined {
  if (param.type !== 'enum' || value.kind !== 'scalar' || typeof value.value !== 'boolean') return undefined
  if (!param.values.includes('yes') || !param.values.includes('no')) return undefined
  const word = value.value ? 'yes' : 'no'
  const message = `${name} takes the words yes and no; ${value.value} is read as ${word}`
  casting.tell(warning('yes-no', isNothing(value) ? key : value, message, `write ${word}`))
  return word
}
