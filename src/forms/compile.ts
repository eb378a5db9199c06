import { createRequire } from 'node:module'
import type { Ajv, CodeKeywordDefinition, CodeOptions, ValidateFunction } from 'ajv'
import type { Model } from '../catalog/index.ts'
import { modelSchema, stepKeyword } from './schema.ts'
import { isOnStep } from './steps.ts'

export type { ErrorObject, ValidateFunction } from 'ajv'

/** Reads the package when it is needed: who has models of their own, and the build. All others have what the build had it write. */
export const loadPackage = createRequire(import.meta.url)

/** What holds a model's canonical parameters against its schema, by ajv. Takes some milliseconds. */
export function compileModel(model: Model): ValidateFunction {
  compiler ??= newAjv()
  return compiler.compile(modelSchema(model))
}

let compiler: Ajv | undefined

/**
 * ajv as it reads the schemas of models. They are ours and tested as draft-07: compiling the schema of schemas costs more than
 * the first check. Its messages are for nobody.
 */
export function newAjv(code: CodeOptions = {}): Ajv {
  const ajv: typeof import('ajv') = loadPackage('ajv')
  const stepRule: CodeKeywordDefinition = {
    keyword: stepKeyword,
    type: 'number',
    schemaType: 'number',
    code: context => {
      const minimum = typeof context.parentSchema.minimum === 'number' ? context.parentSchema.minimum : 0
      const check = context.gen.scopeValue('func', { ref: isOnStep, code: ajv._`isOnStep` })
      context.fail(ajv._`!${check}(${context.data}, ${minimum}, ${context.schema})`)
    },
  }
  const options = {
    allErrors: true,
    allowUnionTypes: true,
    validateSchema: false,
    meta: false,
    messages: false,
  }
  return new ajv.Ajv({ ...options, code }).addKeyword(stepRule)
}
