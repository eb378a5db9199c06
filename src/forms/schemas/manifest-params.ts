import { defined } from '../../base/defined.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import type { Model, Param } from '../../catalog/index.ts'
import { describe, notBlank, paramSchema } from '../schema.ts'

/** A model's parameters as a manifest writes them: any of them may be an expression, one file needs no list. */
export function modelFields(model: Model): JsonObject {
  return Object.fromEntries(Object.entries(model.params).map(([name, param]) => [name, field(param)]))
}

/**
 * Every parameter of every model by name, with who has it and no word about values. An editor offers `all` of them, or
 * the `usual` ones: those that a third of the models have, less what each of them
 * has words of its own for. The `unusual` ones are patterns, which no editor offers.
 */
export function paramNames(known: readonly Model[], which: 'all' | 'usual' | 'unusual'): JsonObject {
  const owners = new Map<string, string[]>()
  for (const model of known) {
    for (const name of Object.keys(model.params)) owners.set(name, [...(owners.get(name) ?? []), model.id])
  }
  const isUsual = (name: string, ids: readonly string[]) =>
    ids.length * 3 >= known.length && name !== 'renderingSpeed'
  const wanted = [...owners].filter(
    ([name, ids]) => which === 'all' || isUsual(name, ids) === (which === 'usual'),
  )
  return Object.fromEntries(
    wanted.map(([name, ids]): [string, Json] => [
      which === 'unusual' ? `^${name.replaceAll(/\W/g, String.raw`\$&`)}$` : name,
      { description: `of ${ownersText(ids)}` },
    ]),
  )
}

function ownersText(ids: readonly string[]): string {
  return ids.length <= 4 ? listed(ids) : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} other models`
}

const expression = { $ref: '#/definitions/expression' }

function field(param: Param): JsonObject {
  const description = describe(param)
  switch (param.type) {
    case 'text':
      // The length is that of the filled text, which the editor does not know where there is a template.
      return {
        description,
        type: 'string',
        ...(param.required && { pattern: notBlank }),
        ...(param.maxLength !== undefined && { anyOf: [{ maxLength: param.maxLength }, expression] }),
      }
    case 'file':
      return { description, ...fileField(param.maxItems) }
    case 'enum':
    case 'boolean':
    case 'integer':
    case 'number':
    case 'object[]':
    case 'object':
    case 'text[]': {
      const { description: _, ...value } = paramSchema(param)
      const standard = 'default' in param ? param.default : undefined
      return { description, ...defined({ default: standard }), anyOf: [value, expression] }
    }
  }
}

/** A path, a link or a reference to another job's output. */
function fileField(maxItems: number | undefined): JsonObject {
  const one = { type: 'string', minLength: 1 }
  return maxItems === undefined ? one : { anyOf: [one, { type: 'array', items: one, maxItems }] }
}
