import type { Json, JsonObject } from '../base/names.ts'
import type { Model, Param } from '../catalog/index.ts'
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
  const canonical: { [name: string]: Json } = {}
  for (const name in model.params) {
    if (!Object.hasOwn(params, name)) continue
    const param = model.params[name] as Param // a key of it
    const value = canonicalValue(param, params[name] as Json) // it has it
    if (param.required || !isEmpty(param, value)) canonical[name] = value
  }
  addUnknown(canonical, model, params)
  return canonical
}

/** One parameter's value in its canonical form. */
function canonicalValue(param: Param, value: Json): Json {
  switch (param.type) {
    case 'text':
      return trimmed(value)
    case 'file':
      return param.maxItems !== undefined && typeof value === 'string' ? [value] : value
    case 'integer':
    case 'number':
      return typeof value === 'number' && !param.stepIs ? onStep(value, param) : value
    case 'text[]':
      return typeof value === 'string' ? [value] : value
    case 'enum':
    case 'boolean':
    case 'object[]':
    case 'object':
      return value
  }
}

function inOrder(model: Model, params: JsonObject): JsonObject {
  const ordered: { [name: string]: Json } = {}
  for (const name in model.params) if (Object.hasOwn(params, name)) ordered[name] = params[name] as Json // it has it
  addUnknown(ordered, model, params)
  return ordered
}

/** Names that the model has not stand behind the others. */
function addUnknown(to: { [name: string]: Json }, model: Model, params: JsonObject): void {
  for (const name in params) {
    if (Object.hasOwn(model.params, name)) continue
    // Assigned, `__proto__` would be no property of its own.
    const value = params[name] as Json // a name of it
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
  }
}

// An empty file text is not nothing: it is the path of a file that somebody forgot to name.
function isEmpty(param: Param, value: Json): boolean {
  if (param.type === 'text') return value === ''
  // Of a single value an empty list is not "none": it is a value of a wrong type.
  const takesList =
    param.type === 'object[]' ||
    param.type === 'text[]' ||
    (param.type === 'file' && param.maxItems !== undefined)
  return takesList && Array.isArray(value) && value.length === 0
}

function trimmed(value: Json): Json {
  return typeof value === 'string' ? value.trim() : value
}
