import type { Json, JsonObject } from '../base/names.ts'
import type { Param } from '../catalog/index.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'

/**
 * The arguments of the specification's tool `service_generate`, as JSON Schema: `model`, `prompt` and the parameters of
 * all models, each with the models that take it. What one model really takes is for the check to say, all at once.
 */
export function toolSchema({ models, ids }: Pick<ModelSet, 'models' | 'ids'> = builtIn): JsonObject {
  const owners = new Map<string, { readonly ids: string[]; readonly param: Param }>()
  for (const model of models) {
    for (const [name, param] of Object.entries(model.params)) {
      const known = owners.get(name)
      if (known) known.ids.push(model.id)
      else owners.set(name, { ids: [model.id], param })
    }
  }
  const params = [...owners].map(([name, { ids: takers, param }]): [string, Json] => [
    name,
    { description: `of ${takers.length === ids.length ? 'all models' : idsText(takers)}`, ...typeOf(param) },
  ])
  const model = { type: 'string', enum: ids, description: 'service_model_info tells what each takes' }
  return { type: 'object', properties: { model, ...Object.fromEntries(params) }, required: ['model'] }
}

function idsText(ids: readonly string[]): string {
  return ids.length > 8 ? `${ids.length} models, for instance ${ids[0]}` : ids.join(', ')
}

/** Only the kind of value: models differ in the rest, and a call is not to fail before it is looked at. */
function typeOf(param: Param): JsonObject {
  switch (param.type) {
    case 'text':
      return { type: 'string' }
    case 'enum':
      return { type: typeof param.values[0] === 'number' ? 'number' : 'string' }
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
    case 'number':
      return { type: 'number' }
    case 'file':
      return param.maxItems === undefined ? { type: 'string' } : { type: 'array', items: { type: 'string' } }
    case 'object[]':
      return { type: 'array', items: { type: 'object' } }
    case 'object':
      return { type: 'object' }
    case 'text[]':
      return { type: 'array', items: { type: 'string' } }
  }
}
