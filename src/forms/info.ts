import { defined } from '../base/defined.ts'
import type { WireMode } from '../base/state.ts'
import { type InputMedia, type Model, type NumberParam, type Param, usualMode } from '../catalog/index.ts'
import type { Rate } from '../catalog/model.ts'
import { longFlag } from './flags.ts'

/** A model as `genrun models info <id> --json` prints it. Keys stand in this order; those with `?` only where they apply. */
export interface ModelInfo {
  readonly id: string
  readonly name: string
  readonly family: string
  readonly inputType: string
  readonly modes: readonly string[]
  readonly mode: WireMode
  /** Of declared models: the service that has it, where the catalog says so. */
  readonly service?: string
  /** Of declared models: what their catalog says that they cost. */
  readonly price?: { readonly currency?: string; readonly rates: readonly Rate[] }
  readonly note?: string
  readonly params: readonly ParamInfo[]
}

export interface ParamInfo {
  readonly name: string
  readonly flag: string
  readonly longFlag: string
  /** In the specification's words: text, enum, boolean, integer, number, file, object[]; of declared models also object and text[]. */
  readonly type: Param['type']
  readonly required: boolean
  readonly default?: string | number | boolean
  readonly values?: readonly (string | number)[]
  /** By value. */
  readonly labels?: { readonly [value: string]: string | undefined }
  readonly minimum?: number
  readonly maximum?: number
  readonly step?: number
  readonly maxItems?: number
  readonly maxLength?: number
  readonly media?: InputMedia
  readonly members?: readonly string[]
  readonly note?: string
}

export function modelInfo(model: Model): ModelInfo {
  const { id, name, family, inputType, modes, note, service, price } = model
  const params = Object.entries(model.params).map(([paramName, param]) => paramInfo(paramName, param))
  const { rates, currency } = price ?? {}
  const said = {
    ...defined({ service }),
    ...(rates && { price: { ...defined({ currency }), rates } }),
    ...(note && { note }),
  }
  return { id, name, family, inputType, modes, mode: usualMode(model), ...said, params }
}

function paramInfo(name: string, param: Param): ParamInfo {
  const note = paramNote(param)
  return {
    name,
    flag: param.flag,
    longFlag: longFlag(name),
    type: param.type,
    required: param.required === true,
    ...particulars(param),
    ...(note && { note }),
  }
}

function particulars(param: Param): Partial<ParamInfo> {
  switch (param.type) {
    case 'text':
      return param.maxLength === undefined ? {} : { maxLength: param.maxLength }
    case 'enum':
      return {
        ...defined({ default: param.default }),
        values: param.values,
        ...defined({ labels: param.labels }),
      }
    case 'boolean':
      return param.default === undefined ? {} : { default: param.default }
    case 'integer':
    case 'number':
      return numberParticulars(param)
    case 'file':
      return { ...defined({ maxItems: param.maxItems }), media: param.media }
    case 'object[]':
      return { maxItems: param.maxItems, members: param.members }
    case 'object':
      return {}
    case 'text[]':
      return param.maxItems === undefined ? {} : { maxItems: param.maxItems }
  }
}

function numberParticulars(param: NumberParam): Partial<ParamInfo> {
  const { minimum, maximum, step } = param
  return {
    ...defined({ default: param.default, minimum, maximum, step }),
  }
}

/** What is worth knowing about a parameter beyond its row; empty when there is nothing. */
export function paramNote(param: Param): string {
  const bounds = param.type === 'enum' ? Object.entries(param.referenceSeconds ?? {}) : []
  const lengths = bounds.map(
    ([value, seconds]) => `with ${value} the reference video lasts at most ${seconds} s`,
  )
  return [...(param.note ? [param.note] : []), ...lengths].join('; ')
}
