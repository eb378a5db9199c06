import type { Json, JsonObject } from '../../src/base/names.ts'
import type { Model, Param } from '../../src/catalog/index.ts'

/** Only what is required. */
export function smallest(model: Model): JsonObject {
  return pick(model, param => param.required === true)
}

/** Every parameter, lists filled to their end. */
export function fullest(model: Model): JsonObject {
  return pick(model, () => true)
}

function pick(model: Model, isWanted: (param: Param) => boolean): JsonObject {
  const rows = Object.entries(model.params).filter(([, param]) => isWanted(param))
  return Object.fromEntries(rows.map(([name, param]): [string, Json] => [name, sample(param)]))
}

function sample(param: Param): Json {
  switch (param.type) {
    case 'text':
      return 'x'.repeat(param.maxLength ?? 40)
    case 'enum':
      return param.values.at(-1) ?? ''
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return param.maximum ?? 0
    case 'file':
      return param.maxItems === undefined
        ? 'a.file'
        : Array.from({ length: param.maxItems }, (_, at) => `${at}.file`)
    case 'object[]':
      return Array.from({ length: param.maxItems }, () =>
        Object.fromEntries(param.members.map(name => [name, 'x'])),
      )
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}
