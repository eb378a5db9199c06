import type { Json, JsonObject } from '../base/names.ts'
import { type Model, modelIds, models, type Param } from '../catalog/index.ts'

/**
 * The arguments of the specification's tool `service_generate`, as JSON Schema: `model`, `prompt` and the parameters of
 * all models, each with the models that take it. What one model really takes is for the check to say, all at once.
 */
export function toolSchema(): JsonObject {
  const owners = new Map<string, { readonly ids: string[]; readonly param: Param }>()
  for (const model of Object.values<Model>(models)) {
    for (const [name, param] of Object.entries(model.params)) {
      const known = owners.get(name)
      if (known) known.ids.push(model.id)
      else owners.set(name, { ids: [model.id], param })
    }
  }
  const params = [...owners].map(([name, { ids, param }]): [string, Json] => [
    name,
    { description: `of ${idsText(ids)}`, ...typeOf(param) },
  ])
  const model = { type: 'string', enum: modelIds, description: 'service_model_info tells what each takes' }
  return { type: 'object', properties: { model, ...Object.fromEntries(params) }, required: ['model'] }
}

function idsText(ids: readonly string[]): string {
  if (ids.length === modelIds.length) return 'all models'
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
  }
}
