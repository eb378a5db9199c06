import { type Model, models } from './index.ts'

/** The models that a manifest may name: the built-in ones and those it declares itself. */
export interface Shelf {
  readonly models: readonly Model[]
  readonly ids: readonly string[]
  find(id: string): Model | undefined
  /** Names of all parameters of all models. */
  readonly paramNames: ReadonlySet<string>
}

export function shelfOf(declared: readonly Model[] = []): Shelf {
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
export const builtIn: Shelf = shelfOf()

/** What a user has put on a shelf beside the built-in models. */
export function declaredOn(shelf: Shelf): readonly Model[] {
  return shelf.models.filter(({ id }) => !builtIn.find(id))
}
