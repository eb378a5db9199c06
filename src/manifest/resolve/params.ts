import { error, warning } from '../../base/diagnostic.ts'
import type { Json, JsonObject, Pointer } from '../../base/names.ts'
import { type FileParam, type Model, type ObjectsParam, type Param, paramOf } from '../../catalog/index.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { canonicalParams } from '../../forms/defaults.ts'
import { checkCanonical } from '../../forms/validate.ts'
import { entryIn } from '../../text/tree.ts'
import type { Cell } from '../expand/expand.ts'
import type { Families } from '../expand/families.ts'
import { numberIn, truthIn } from '../fill/operators.ts'
import { foreignJobKey, hopelessJobKey } from '../read/shape.ts'
import { isNothing } from '../read/values.ts'
import { type Filled, type FilledEntry, filledJson, isUnfilled, referencesIn } from '../shapes/filled.ts'
import type { FileRef } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { type Casting, type CastValue, castFiles, castObjects } from './cast-files.ts'
import type { LocalInput } from './inputs.ts'
import type { NamedNeed } from './needs.ts'
import { type ItemPlaces, placeProblem } from './placing.ts'

/** A cell's parameters, cut into values and files. */
export interface CastParams {
  /** Canonical, without files. */
  readonly params: JsonObject
  /** By their pointers, sorted. */
  readonly files: { readonly [at: Pointer]: readonly FileRef[] }
  readonly locals: readonly LocalInput[]
  readonly waits: readonly NamedNeed[]
}

interface CastContext {
  readonly families: Families
  readonly modelSet: ModelSet
  readonly report: ReportProblem
}

/** Checks the parameters of a cell whose model is known, and takes the files out of them. */
export function castParams(
  cell: Cell,
  model: Model,
  { families, modelSet, report }: CastContext,
): CastParams {
  // Most jobs hold no files, and there may be a hundred thousand of them.
  let casting: Casting | undefined
  const stated: Record<string, Json> = {}
  // Where there are files: for the check a file is any text, for the job it is none.
  let plain: Record<string, Json> | undefined
  for (const given of cell.given) {
    const name = given.key.source
    const param = paramOf(model, name)
    if (param) {
      let value: CastValue
      if (param.type === 'file' || param.type === 'object[]') {
        casting ??= { cell, families, report, files: new Map(), locals: [], waits: [], places: new Map() }
        value = castFileParam(casting, name, param, given)
      } else value = castValue(name, param, given, report)
      if (value.plain !== value.stated) plain ??= { ...stated }
      stated[name] = value.stated
      if (plain && value.plain !== undefined) plain[name] = value.plain
    } else {
      plain ??= { ...stated }
      const foreign = foreignJobKey(given.key, Object.keys(model.params), modelSet)
      if (foreign) report(foreign)
      else stated[name] = filledJson(given.value, () => 'file')
    }
  }
  const canonical = canonicalParams(model, stated)
  for (const problem of checkCanonical(model, stated, canonical)) {
    const given = entryIn(cell.given, String(problem.path[0]))
    // Why a value could not be filled in is told; what it would have been nobody knows. A name that is none stays none.
    if (!given || problem.code === 'unknown-param' || !isUnfilled(given.value))
      report(placeProblem(cell, model, problem, casting?.places ?? noPlaces))
  }
  return {
    params: plain ? canonicalParams(model, plain) : canonical,
    ...(casting ? { files: filesOf(casting), locals: casting.locals, waits: casting.waits } : noFiles),
  }
}

const noPlaces: ItemPlaces = new Map()
const noFiles: Omit<CastParams, 'params'> = { files: {}, locals: [], waits: [] }

function filesOf({ files }: Casting): CastParams['files'] {
  return Object.fromEntries([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** What can be said about the parameters of a cell whose model is not known. */
export function checkWithoutModel(cell: Cell, modelSet: ModelSet, report: ReportProblem): void {
  for (const { key } of cell.given) {
    const hopeless = hopelessJobKey(key, modelSet)
    if (hopeless) report(hopeless)
  }
}

function castFileParam(
  casting: Casting,
  name: string,
  param: FileParam | ObjectsParam,
  { value }: FilledEntry,
): CastValue {
  return param.type === 'file'
    ? { stated: castFiles(casting, name, param, value) }
    : castObjects(casting, name, param, value)
}

/** The value of a parameter that holds no files. */
function castValue(name: string, param: Param, given: FilledEntry, report: ReportProblem): CastValue {
  const { value } = given
  const refs = value.kind === 'scalar' ? [] : referencesIn(value)
  for (const ref of refs) {
    const hint = 'files go to parameters such as imageUrls or startFrame'
    report(error('wrong-type', ref, `${name} takes ${typeWord(param)}, not the file of a job`, hint))
  }
  if (refs.length > 0 || isUnfilled(value)) return { stated: sampleOf(param) }
  const json =
    meantWord(name, param, given, report) ?? typedText(param, value) ?? filledJson(value, () => null)
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
      return param.default ?? ('minimum' in param ? (param.minimum ?? 0) : 0)
    case 'object[]':
    case 'text[]':
      return []
    case 'object':
      return {}
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
    case 'object':
    case 'text[]':
      return undefined
  }
}

/** A number that is none of the values is still a number, and the nearest of them is meant. */
function numberLike(values: readonly (string | number)[], text: string): number | undefined {
  return values.every(value => typeof value === 'number') ? numberIn(text) : undefined
}

/** `keepOriginalSound: true` where the words yes and no are meant. */
function meantWord(
  name: string,
  param: Param,
  { key, value }: FilledEntry,
  report: ReportProblem,
): string | undefined {
  if (param.type !== 'enum' || value.kind !== 'scalar' || typeof value.value !== 'boolean') return undefined
  if (!param.values.includes('yes') || !param.values.includes('no')) return undefined
  const word = value.value ? 'yes' : 'no'
  const message = `${name} takes the words yes and no; ${value.value} is read as ${word}`
  report(warning('yes-no', isNothing(value) ? key : value, message, `write ${word}`))
  return word
}
