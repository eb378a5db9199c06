import type {
  ChoiceParam,
  FileParam,
  NumberParam,
  ObjectsParam,
  Param,
  TextParam,
  TextsParam,
} from '../catalog/index.ts'

/** A parameter's cell of the Values column: `3, 5, 8 (default 5)`, `required image, up to 1`. */
export function valuesCell(param: Param): string {
  switch (param.type) {
    case 'text':
      return textCell(param)
    case 'enum':
      return `${param.values.map(value => choiceWord(param, value)).join(', ')}${defaultWord(param)}`
    case 'boolean':
      return `true, false${defaultWord(param)}`
    case 'integer':
    case 'number':
      return numberCell(param)
    case 'file':
      return fileCell(param)
    case 'object[]':
      return objectsCell(param)
    case 'object':
      return param.required ? 'required, any mapping' : 'any mapping'
    case 'text[]':
      return textsCell(param)
  }
}

function textCell(param: TextParam): string {
  const bound = param.maxLength === undefined ? '' : `, at most ${param.maxLength} characters`
  if (param.required) return `required${bound}`
  return bound === '' ? 'free text' : `optional free text${bound}`
}

/** A value with what the specification says about it in brackets. */
function choiceWord(param: ChoiceParam, value: string | number): string {
  const labels = new Map(Object.entries(param.labels ?? {}))
  const bounds = new Map(Object.entries(param.referenceSeconds ?? {}))
  const label = labels.get(String(value))
  const seconds = bounds.get(String(value))
  const remarks = [
    ...(label === undefined ? [] : [label]),
    ...(seconds === undefined ? [] : [`reference video at most ${seconds} s`]),
  ]
  return remarks.length === 0 ? String(value) : `${value} (${remarks.join('; ')})`
}

function defaultWord(param: { readonly default?: string | number | boolean }): string {
  return param.default === undefined ? '' : ` (default ${param.default})`
}

function numberCell(param: NumberParam): string {
  const { minimum, maximum, step } = param
  const kind = param.type === 'integer' ? 'whole number' : 'number'
  const words = [
    rangeWords(minimum, maximum) ?? `any ${kind}`,
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(param.default === undefined ? [] : [`default ${param.default}`]),
  ]
  return `${param.required ? 'required, ' : ''}${words.join(', ')}`
}

/** `1 to 100`, `from 1`, `to 100`; undefined where neither bound is known. */
function rangeWords(minimum: number | undefined, maximum: number | undefined): string | undefined {
  if (minimum === undefined) return maximum === undefined ? undefined : `to ${maximum}`
  return maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`
}

function textsCell({ required, maxItems }: TextsParam): string {
  return `${required ? 'required ' : ''}list of texts${maxItems === undefined ? '' : `, up to ${maxItems}`}`
}

function fileCell(param: FileParam): string {
  const kind = param.required ? `required ${param.media}` : param.media
  return param.maxItems === undefined ? kind : `${kind}, up to ${param.maxItems}`
}

function objectsCell(param: ObjectsParam): string {
  const items = param.maxItems === 1 ? '1 item' : `${param.maxItems} items`
  return `${param.required ? 'required, ' : ''}up to ${items}, members {${param.members.join(', ')}}`
}
