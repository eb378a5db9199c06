import { _, Ajv, type CodeKeywordDefinition, type CodeOptions, type ValidateFunction } from 'ajv'
import type { Model } from '../catalog/index.ts'
import { modelSchema, stepKeyword } from './schema.ts'
import { isOnStep } from './steps.ts'

export type { ErrorObject, ValidateFunction } from 'ajv'

/** What holds a model's canonical parameters against its schema, by ajv. Takes some milliseconds. */
export function compileModel(model: Model): ValidateFunction {
  return ajv.compile(modelSchema(model))
}

/** ajv as it reads the schemas of models. They are ours and tested as draft-07: compiling the schema of schemas costs more than the first check. */
export function newAjv(code: CodeOptions = {}): Ajv {
  const made = new Ajv({ allErrors: true, allowUnionTypes: true, validateSchema: false, meta: false, code })
  return made.addKeyword(stepRule)
}

const stepRule: CodeKeywordDefinition = {
  keyword: stepKeyword,
  type: 'number',
  schemaType: 'number',
  code: context => {
    const minimum = typeof context.parentSchema.minimum === 'number' ? context.parentSchema.minimum : 0
    const check = context.gen.scopeValue('func', { ref: isOnStep, code: _`isOnStep` })
    context.fail(_`!${check}(${context.data}, ${minimum}, ${context.schema})`)
  },
}

const ajv = newAjv()
