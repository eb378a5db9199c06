import { models as builtInModels, type Model } from './index.ts'

/** The models that a manifest may name: the built-in ones and those it declares itself. */
export interface ModelSet {
  /** One that several services have stands here once for each of them. */
  readonly models: readonly Model[]
  readonly ids: readonly string[]
  /** The model as that service has it; where no service is named, or it has none of its own, as in `modelAt`. */
  find(id: string, service?: string): Model | undefined
  /** All that are declared under an id: several where several services have it. */
  all(id: string): readonly Model[]
  /** Names of all parameters of all models. */
  readonly paramNames: ReadonlySet<string>
}

export function modelSetOf(declared: readonly Model[] = []): ModelSet {
  const models = [...Object.values<Model>(builtInModels), ...declared]
  const byId = declarations(models)
  const all = (id: string) => byId.get(id) ?? []
  return {
    models,
    ids: [...byId.keys()],
    find: (id, service) => modelAt(all(id), service) ?? all(id)[0],
    all,
    paramNames: new Set(models.flatMap(model => Object.keys(model.params))),
  }
}

/**
 * Of the declarations of one id, the one that holds at a service: its own, else the one that names none, else the only one there
 * is. Undefined where it is declared for several services, and this is none of them.
 */
export function modelAt(declared: readonly Model[], service: string | undefined): Model | undefined {
  const [only, ...more] = declared
  if (more.length === 0) return only
  return (
    declared.find(model => model.service === service) ?? declared.find(model => model.service === undefined)
  )
}

/** Models as one service has them: each id once, as `modelAt` says. */
export function modelsAt(models: readonly Model[], service: string | undefined): readonly Model[] {
  return [...declarations(models).values()].flatMap(declared => modelAt(declared, service) ?? [])
}

/** The set as a single order finds it, which goes to one service: each id once. The same where no service has a declaration of its own. */
export function narrowedTo(modelSet: ModelSet, service: string | undefined): ModelSet {
  const own = declaredOn(modelSet)
  const narrowed = modelsAt(own, service)
  return narrowed.length === own.length ? modelSet : modelSetOf(narrowed)
}

function declarations(models: readonly Model[]): ReadonlyMap<string, readonly Model[]> {
  const byId = new Map<string, Model[]>()
  for (const model of models) {
    const known = byId.get(model.id)
    if (known) known.push(model)
    else byId.set(model.id, [model])
  }
  return byId
}

/** The built-in models alone. */
export const builtIn: ModelSet = modelSetOf()

/** What a user has put on a shelf beside the built-in models. */
export function declaredOn(modelSet: ModelSet): readonly Model[] {
  return modelSet.models.filter(({ id }) => !builtIn.find(id))
}
