import type { Json, JsonObject } from '../base/names.ts'
import { type Model, type Param, paramOf } from '../catalog/index.ts'
import { onStep } from './steps.ts'

/** Every default of the model by parameter, in the catalog's order. */
export function defaultsOf(model: Model): JsonObject {
  const entries = Object.entries(model.params).flatMap(([name, param]): [string, Json][] =>
    'default' in param && param.default !== undefined ? [[name, param.default]] : [],
  )
  return Object.fromEntries(entries)
}

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
  const entries = Object.entries(inOrder(model, params)).flatMap(([name, value]): [string, Json][] => {
    const param = paramOf(model, name)
    if (!param) return [[name, value]]
    const canonical = canonicalValue(param, value)
    return !param.required && isEmpty(param, canonical) ? [] : [[name, canonical]]
  })
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
  const known = Object.keys(model.params).filter(name => Object.hasOwn(params, name))
  const unknown = Object.keys(params).filter(name => !Object.hasOwn(model.params, name))
  // A missing name cannot come here; null only satisfies the index type.
  return Object.fromEntries([...known, ...unknown].map(name => [name, params[name] ?? null]))
}

// An empty file text is not nothing: it is the path of a file that somebody forgot to name.
function isEmpty(param: Param, value: Json): boolean {
  if (param.type === 'text') return value === ''
  return Array.isArray(value) && value.length === 0
}

function trimmed(value: Json): Json {
  return typeof value === 'string' ? value.trim() : value
}
