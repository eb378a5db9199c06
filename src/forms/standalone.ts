import standaloneCode from 'ajv/dist/standalone/index.js'
import { models } from '../catalog/index.ts'
import { newAjv } from './compile.ts'
import { modelSchema } from './schema.ts'

/**
 * The validators of all built-in models, as the text of a module that the build writes: its `compiledAhead` takes the place of the empty one of
 * `compiled-ahead.ts`, beside which the module's imports are found.
 */
export function compiledModels(): string {
  const writer = newAjv({ source: true, esm: true })
  const ids = Object.keys(models)
  const names = ids.map((_id, nth) => `model${nth}`)
  for (const [nth, model] of Object.values(models).entries()) writer.addSchema(modelSchema(model), names[nth])
  // By its types the package's default export is the function; as a module it is a record that holds it.
  const { default: write } = standaloneCode as unknown as { readonly default: typeof standaloneCode.default }
  const code = write(writer, Object.fromEntries(names.map(name => [name, name])))
  const table = ids.map((id, nth) => `${JSON.stringify(id)}: ${names[nth]}`).join(', ')
  return `import { isOnStep } from './steps.ts'\n${code}\nexport const compiledAhead = { ${table} }\n`
}
