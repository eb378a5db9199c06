import type { SourceFile } from '../base/source.ts'
import type { WireMode } from '../base/state.ts'
import type { OutputKind, Param } from './param.ts'

/** The specification's mode codes. */
export const inputTypes = ['t2v', 'i2v', 'v2v', 't2i', 'i2i', 'tts', 't2a', 'v2a'] as const

/** What else declared models do, in the same words (`f`: a file of any kind): from text, an image, video, audio or a file. */
const furtherTypes = [
  'a2a',
  'a2i',
  'a2v',
  'v2i',
  'i2a',
  't2f',
  'i2f',
  'v2f',
  'a2f',
  'f2f',
  'f2i',
  'f2v',
  'f2a',
] as const

/** Kinds of work: the specification's mode codes, and what else declared models do. */
export type InputType = (typeof inputTypes)[number] | (typeof furtherTypes)[number]

/** All that a declared model can do. */
export const ownInputTypes: readonly InputType[] = [...inputTypes, ...furtherTypes]

/** What an amount can be counted by: `perSecond: 0.05`. */
export const units = ['perRun', 'perImage', 'perSecond', 'perCharacter'] as const

export type Unit = (typeof units)[number]

/** Amounts of one model, for the parameters that `when` names; several amounts add up. */
export interface Rate {
  /** Values by parameter, defaults applied; any of the values fits. */
  readonly when: { readonly [param: string]: readonly (string | number | boolean)[] }
  readonly amounts: { readonly [unit in Unit]?: number }
}

/** What a catalog says that its model costs. The first rate that fits counts. */
interface ModelPrice {
  /** As the catalog names it; absent where it names none, and then that of the other prices. */
  readonly currency?: string
  readonly rates: readonly Rate[]
  /** The file that says so: whether it is believed is another matter. */
  readonly from: SourceFile
}

export type Family = 'fama' | 'famb' | 'famc'

/** A model as the specification declares it. Parameters stand in the specification's order. */
export interface Model {
  readonly id: string
  readonly name: string
  /** `fama`, `famb`, `famc`, or a custom model's own word. */
  readonly family: Family | (string & {})
  readonly inputType: InputType
  /** Everything the model really serves, `inputType` first. */
  readonly modes: readonly [InputType, ...InputType[]]
  /** Where the specification contradicts itself or is silent, what genrun does. */
  readonly note?: string
  /** `native`: its videos always have sound. Elsewhere `generateAudio` decides, or the inputs do. */
  readonly sound?: 'native'
  /** Of a declared model: the service that its jobs are for which name none, by its name in the person's own settings. */
  readonly service?: string
  /** Of a declared model: what its catalog says that it costs. */
  readonly price?: ModelPrice
  /** By name (camelCase). */
  readonly params: { readonly [name: string]: Param }
}

export function model<const M extends Model>(declaration: M): M {
  return declaration
}

/** A model's parameter of exactly that name; what every object inherits is none. */
export function paramOf(of: Pick<Model, 'params'>, name: string): Param | undefined {
  return Object.hasOwn(of.params, name) ? of.params[name] : undefined
}

/** What a model makes; a file is one of any kind. */
export function outputKind({ inputType }: Pick<Model, 'inputType'>): OutputKind {
  if (inputType === 'tts') return 'audio'
  const [, , result] = inputType
  return result === 'i' ? 'image' : result === 'v' ? 'video' : result === 'a' ? 'audio' : 'file'
}

/** The families describe image generation as synchronous, everything else as asynchronous; a job may say otherwise. */
export function usualMode(of: Pick<Model, 'inputType'>): WireMode {
  return outputKind(of) === 'image' ? 'execute' : 'submit'
}
