import { fama } from './fama.ts'
import { famb } from './famb.ts'
import { famc } from './famc.ts'
import type { Model } from './model.ts'

export type { Family, InputType, Model } from './model.ts'
export { inputTypes, outputKind, ownInputTypes, paramOf, usualMode } from './model.ts'
export type {
  ChoiceParam,
  FileParam,
  InputMedia,
  MediaKind,
  NumberParam,
  ObjectsParam,
  OutputKind,
  Param,
  TextParam,
  TextsParam,
  ToggleParam,
} from './param.ts'
export { memberMedia } from './param.ts'

/** The built-in models by id, in the specification's order. */
export const models = byId([...fama, ...famb, ...famc])

/** The id of a built-in model. */
export type ModelId = keyof typeof models

/** The ids of the built-in models, in the specification's order. */
export const modelIds: readonly ModelId[] = [...fama, ...famb, ...famc].map(model => model.id)

/** The built-in model of that id, exactly as written. */
export function findModel(id: string): Model | undefined {
  return known.get(id)
}

const known: ReadonlyMap<string, Model> = new Map(Object.entries(models))

function byId<const Listed extends readonly Model[]>(
  listed: Listed,
): { readonly [M in Listed[number] as M['id']]: M } {
  // Object.fromEntries forgets which key goes with which model; the mapped type says it again.
  return Object.fromEntries(listed.map(model => [model.id, model])) as never
}
