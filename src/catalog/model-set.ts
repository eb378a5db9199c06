import { type Model, models } from './index.ts'

/** The models that a manifest may name: the built-in ones and those it declares itself. */
export interface ModelSet {
  readonly models: readonly Model[]
  readonly ids: readonly string[]
  find(id: string): Model | undefined
  /** Names of all parameters of all models. */
  readonly paramNames: ReadonlySet<string>
}

export function modelSetOf(declared: readonly Model[] = []): ModelSet {
  const all = [...Object.values<Model>(models), ...declared]
  const byId = new Map(all.map(model => [model.id, model]))
  return {
    models: all,
    ids: [...byId.keys()],
    find: id => byId.get(id),
    paramNames: new Set(all.flatMap(model => Object.keys(model.params))),
  }
}

/** The built-in models alone. */
export const builtIn: ModelSet = modelSetOf()

/** What a user has put on a shelf beside the built-in models. */
export function declaredOn(modelSet: ModelSet): readonly Model[] {
  return modelSet.models.filter(({ id }) => !builtIn.find(id))
}
