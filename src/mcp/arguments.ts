import type { Json, JsonObject } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import type { Tool } from './tool.ts'

/** Everything that is wrong with the arguments of a tool other than a model's parameters; undefined when nothing is. */
export function wrongArguments(
  { name, inputSchema, takesParams }: Tool,
  args: JsonObject,
): string | undefined {
  if (takesParams) return undefined
  // Our own schemas: flat, of texts and lists of texts.
  const { properties, required = [] } = inputSchema as unknown as Shape
  const names = Object.keys(properties)
  const missing = required.filter(each => args[each] === undefined).map(each => `${name} needs ${each}`)
  const others = Object.entries(args).flatMap(([key, value]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (property) return fits(value, property.type) ? [] : `${key} must be ${words[property.type]}`
    const near = nearest(key, names)
    const hint = near ? `did you mean ${near}?` : `it takes ${names.join(', ') || 'none'}`
    return `${name} has no argument ${key}; ${hint}`
  })
  const all = [...missing, ...others]
  return all.length > 0 ? all.join('\n') : undefined
}

interface Shape {
  readonly properties: { readonly [name: string]: { readonly type: 'string' | 'array' } }
  readonly required?: readonly string[]
}

const words = { string: 'a text', array: 'a list of texts' }

function fits(value: Json, type: 'string' | 'array'): boolean {
  if (type === 'string') return typeof value === 'string'
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}
