import type { Json } from '../base/names.ts'
import { models } from '../catalog/index.ts'
import { loadPackage, newAjv } from './compile.ts'
import { modelSchema } from './schema.ts'

/**
 * The validators of all built-in models, as the text of a module that the build writes: its `compiledAhead` takes the place of the
 * empty one of `compiled-ahead.ts`, beside which the module's imports are found.
 */
export function compiledModels(): string {
  const writer = newAjv({ source: true, esm: true })
  const ids = Object.keys(models)
  const names = ids.map((_id, nth) => `model${nth}`)
  for (const [nth, model] of Object.values(models).entries())
    writer.addSchema(withoutNotes(modelSchema(model)), names[nth])
  const { default: write }: typeof import('ajv/dist/standalone/index.js') = loadPackage('ajv/dist/standalone')
  const code = write(writer, Object.fromEntries(names.map(name => [name, name])))
  const table = ids.map((id, nth) => `${JSON.stringify(id)}: ${names[nth]}`).join(', ')
  return `import { isOnStep } from './steps.ts'\n${code}\nexport const compiledAhead = { ${table} }\n`
}

/** Without what is for people: the validators hold their schemas, and are read at each start. */
function withoutNotes<Value extends Json>(schema: Value): Value {
  const notes = ['description', 'title', 'default', '$schema']
  const kept = (key: string, value: Json) =>
    notes.includes(key) && typeof value !== 'object' ? undefined : value
  return JSON.parse(JSON.stringify(schema, kept)) as Value // of which only texts and numbers are gone
}
