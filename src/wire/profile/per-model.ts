import type { Json, JsonObject } from '../../base/names.ts'
import type { WireMode } from '../../base/state.ts'
import { fitsStars } from '../../base/wildcard.ts'
import { findModel, type Model } from '../../catalog/index.ts'
import { withDefaults } from '../../forms/defaults.ts'

/** What holds for some models, and under some conditions. The strongest stands first: exact ids before globs. */
export type PerModel<T> = readonly ModelRule<T>[]

export interface ModelRule<T> {
  /** A model's id, or a pattern in which `*` stands for any letters. */
  readonly model: string
  readonly when?: Condition
  readonly use: T
}

/** Everything that is named must hold. A parameter is given when it has a value that is not empty. */
export interface Condition {
  readonly given?: readonly string[]
  readonly absent?: readonly string[]
  /** The value a parameter has, defaults of the catalog included, or one of several. */
  readonly is?: { readonly [param: string]: Json }
  readonly mode?: WireMode
}

/** What conditions are asked of. */
export interface Asked {
  readonly model: string
  readonly params: JsonObject
  readonly mode?: WireMode
  /** Models beside the built-in ones. */
  readonly own?: readonly Model[] | undefined
}

/** The first rule that reaches the model and whose condition holds. */
export function ruleFor<T>(rules: PerModel<T>, asked: Asked): T | undefined {
  return rules.find(rule => fitsStars(rule.model, asked.model) && holds(rule.when, asked))?.use
}

/** Exact ids first, then the pattern that says most; as written among equals. */
export function byStrength<T>(rules: PerModel<T>): PerModel<T> {
  const strength = ({ model }: ModelRule<T>) => (model.includes('*') ? model.length : Number.MAX_SAFE_INTEGER)
  return rules.toSorted((a, b) => strength(b) - strength(a))
}

function holds(when: Condition | undefined, asked: Asked): boolean {
  if (!when) return true
  const { params, mode } = asked
  const { given = [], absent = [], is = {} } = when
  if (when.mode !== undefined && when.mode !== mode) return false
  if (!given.every(name => isGiven(params[name])) || absent.some(name => isGiven(params[name]))) return false
  const full = fullParams(asked)
  return Object.entries(is).every(([name, value]) =>
    (Array.isArray(value) ? value : [value]).some(each => each === full[name]),
  )
}

/** The parameters with the defaults of the catalog; as they are for a model that is not in it. */
export function fullParams({ model, params, own = [] }: Asked): JsonObject {
  const known = findModel(model) ?? own.find(each => each.id === model)
  return known ? withDefaults(known, params) : params
}

function isGiven(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}
