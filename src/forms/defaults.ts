import type { Json, JsonObject } from '../base/names.ts'
import { type Model, type Param, paramOf } from '../catalog/index.ts'
import { onStep } from './steps.ts'

/** Every default of the model by parameter, in the catalog's order. */
export function defaultsOf(model: Model): JsonObject {
  const known = knownDefaults.get(model)
  if (known) return known
  const entries = Object.entries(model.params).flatMap(([name, param]): [string, Json][] =>
    'default' in param && param.default !== undefined ? [[name, param.default]] : [],
  )
  const defaults: JsonObject = Object.fromEntries(entries)
  knownDefaults.set(model, defaults)
  return defaults
}

const knownDefaults = new WeakMap<Model, JsonObject>()

/** The parameters as the service sees them when it has filled in its defaults, in the catalog's order. */
export function withDefaults(model: Model, params: JsonObject): JsonObject {
  return inOrder(model, { ...defaultsOf(model), ...params })
}

/**
 * The one form of parameters that mean the same: in the catalog's order, texts trimmed, one file as a list where the
 * model takes several, numbers exactly on their step, and an optional parameter that is empty left out. Values of a
 * wrong type and unknown names stay as they are, for `checkParams` to tell.
 */
export function canonicalParams(model: Model, params: JsonObject): JsonObject {
  const entries: [string, Json][] = []
  for (const [name, value] of entriesInOrder(model, params)) {
    const param = paramOf(model, name)
    const canonical = param ? canonicalValue(param, value) : value
    if (!param || param.required || !isEmpty(param, canonical)) entries.push([name, canonical])
  }
  return Object.fromEntries(entries)
}

/** One parameter's value in its canonical form. */
export function canonicalValue(param: Param, value: Json): Json {
  switch (param.type) {
    case 'text':
      return trimmed(value)
    case 'file':
      return param.maxItems !== undefined && typeof value === 'string' ? [value] : value
    case 'integer':
    case 'number':
      return typeof value === 'number' && !param.stepIs ? onStep(value, param) : value
    case 'enum':
    case 'boolean':
    case 'object[]':
      return value
  }
}

function inOrder(model: Model, params: JsonObject): JsonObject {
  return Object.fromEntries(entriesInOrder(model, params))
}

function entriesInOrder(model: Model, params: JsonObject): [string, Json][] {
  const entries: [string, Json][] = []
  // A missing value cannot come here; null only satisfies the index type.
  for (const name in model.params) if (Object.hasOwn(params, name)) entries.push([name, params[name] ?? null])
  for (const name in params)
    if (!Object.hasOwn(model.params, name)) entries.push([name, params[name] ?? null])
  return entries
}

// An empty file text is not nothing: it is the path of a file that somebody forgot to name.
function isEmpty(param: Param, value: Json): boolean {
  if (param.type === 'text') return value === ''
  return Array.isArray(value) && value.length === 0
}

function trimmed(value: Json): Json {
  return typeof value === 'string' ? value.trim() : value
}
