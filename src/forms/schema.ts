import { defined } from '../base/defined.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { wordTable } from '../base/word-table.ts'
import {
  type ChoiceParam,
  type FileParam,
  type Model,
  memberMedia,
  type NumberParam,
  type ObjectsParam,
  type Param,
  type TextParam,
  type TextsParam,
} from '../catalog/index.ts'
import { paramNote } from './info.ts'
import { isExactStep, stepsOf } from './steps.ts'
import { valuesCell } from './table.ts'

export const draft = 'http://json-schema.org/draft-07/schema#'

/** Keyword of ours: the value lies a whole number of steps above `minimum`. Counted in decimals, see `stepsOf`. */
export const stepKeyword = 'x-step'

/**
 * The JSON Schema (draft-07) of a model's canonical parameters: files are texts, in a list where the model takes "up
 * to N". Lengths count Unicode code points, as draft-07 does.
 */
export function modelSchema(model: Model): JsonObject {
  const params = Object.entries(model.params)
  return {
    $schema: draft,
    title: modelTitle(model),
    ...(model.note && { description: model.note }),
    type: 'object',
    properties: Object.fromEntries(params.map(([name, param]) => [name, paramSchema(param)])),
    required: params.filter(([, param]) => param.required).map(([name]) => name),
    additionalProperties: false,
  }
}

/** `famc-v3: V3, text to video`. */
export function modelTitle(model: Model): string {
  return `${model.id}: ${model.name}, ${model.modes.map(mode => modeText(mode)).join(' or ')}`
}

/** The schema of one parameter's canonical value. */
export function paramSchema(param: Param): JsonObject {
  return { description: describe(param), ...bounds(param) }
}

/** For a person at an editor: `TURBO (Turbo), DEFAULT (Balanced) (default DEFAULT)`, and the note. */
export function describe(param: Param): string {
  const isLong = param.type === 'enum' && param.values.length > 40
  const row = isLong ? `one of ${param.values.length} values (default ${param.default})` : valuesCell(param)
  const note = paramNote(param.type === 'enum' ? { ...param, referenceSeconds: {} } : param)
  return note === '' ? row : `${row}; ${note}`
}

/** At least one character that is not white space. */
export const notBlank = '\\S'

/** `text to video`, and `text to speech`. */
function modeText(mode: Model['inputType']): string {
  if (mode === 'tts') return 'text to speech'
  const word = (letter = '') => sides[letter] ?? letter
  return `${word(mode[0])} to ${word(mode[2])}`
}

const sides: { readonly [letter: string]: string | undefined } = wordTable({
  t: 'text',
  i: 'image',
  v: 'video',
  a: 'audio',
  f: 'file',
})

function bounds(param: Param): JsonObject {
  switch (param.type) {
    case 'text':
      return textBounds(param)
    case 'enum':
      return choiceBounds(param)
    case 'boolean':
      return { type: 'boolean', ...defined({ default: param.default }) }
    case 'integer':
    case 'number':
      return numberBounds(param)
    case 'file':
      return fileBounds(param)
    case 'object[]':
      return objectsBounds(param)
    case 'object':
      return { type: 'object' }
    case 'text[]':
      return textsBounds(param)
  }
}

function textBounds(param: TextParam): JsonObject {
  return {
    type: 'string',
    ...defined({ maxLength: param.maxLength }),
    ...(param.required && { pattern: notBlank }),
  }
}

function choiceBounds(param: ChoiceParam): JsonObject {
  return { enum: param.values, ...defined({ default: param.default }) }
}

function numberBounds(param: NumberParam): JsonObject {
  const { type, minimum, maximum } = param
  return {
    type,
    ...defined({ minimum, maximum }),
    ...stepBounds(param),
    ...defined({ default: param.default }),
  }
}

function textsBounds(param: TextsParam): JsonObject {
  const { required, maxItems } = param
  return {
    type: 'array',
    items: { type: 'string' },
    ...(required && { minItems: 1 }),
    ...defined({ maxItems }),
  }
}

// `multipleOf` is a remainder of binary floats and counts from 0: right only for steps like 0.5 and minimums on them.
function stepBounds(param: NumberParam): JsonObject {
  const { type, step, minimum = 0, stepIs } = param
  if (step === undefined || stepIs === 'advice' || (type === 'integer' && step === 1)) return {}
  const fromZero = stepsOf(minimum, { minimum: 0, step }) !== undefined
  return isExactStep(step) && fromZero ? { multipleOf: step } : { [stepKeyword]: step }
}

function fileBounds(param: FileParam): JsonObject {
  const one = { type: 'string', pattern: notBlank }
  if (param.maxItems === undefined) return one
  return { type: 'array', items: one, ...(param.required && { minItems: 1 }), maxItems: param.maxItems }
}

function objectsBounds(param: ObjectsParam): JsonObject {
  const properties = Object.fromEntries(
    param.members.map((member): [string, Json] => [member, memberSchema(member)]),
  )
  const items = { type: 'object', properties, additionalProperties: false }
  return { type: 'array', items, ...(param.required && { minItems: 1 }), maxItems: param.maxItems }
}

function memberSchema(member: string): JsonObject {
  const media = memberMedia(member)
  if (media) return { description: media, type: 'string', pattern: notBlank }
  return { type: ['string', 'number', 'boolean', 'null'] }
}

/**
 * A schema as strict validators take it (`ajv validate --strict=true`), which know the words of draft-07 and nothing else:
 * a step of ours becomes the list of its values, several types become alternatives.
 */
export function strictSchema(schema: JsonObject): JsonObject {
  return strictly(schema) as JsonObject // an object becomes an object
}

function strictly(value: Json): Json {
  if (Array.isArray(value)) return value.map(strictly)
  if (typeof value !== 'object' || value === null) return value
  const { [stepKeyword]: step, ...plain } = value as JsonObject // no list, as was seen above
  const inner = Object.fromEntries(Object.entries(plain).map(([key, each]) => [key, strictly(each)]))
  const values = typeof step === 'number' ? valuesOf(inner, step) : undefined
  const stepped = values ? { ...inner, enum: values } : inner
  const { type, ...rest } = stepped
  if (!Array.isArray(type) || 'anyOf' in rest) return stepped
  return { ...rest, anyOf: type.map(each => ({ type: each })) }
}

/** More would help nobody: then only the bounds are told, and `genrun validate` tells of the step. */
const mostValues = 200

/** Counted in decimals: 0.3, not 0.30000000000000004. */
function valuesOf({ minimum, maximum }: JsonObject, step: number): number[] | undefined {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return undefined
  const count = Math.floor((maximum - minimum) / step + 1e-9) + 1
  if (count > mostValues) return undefined
  return Array.from({ length: count }, (_, nth) => Number((minimum + nth * step).toFixed(10)))
}
