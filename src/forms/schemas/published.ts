import type { JsonObject } from '../../base/names.ts'
import { catalogSchema } from '../../catalog/catalog-schema.ts'
import { models } from '../../catalog/index.ts'
import { pricesSchema } from '../prices.ts'
import { modelSchema, strictSchema } from '../schema.ts'
import { lockSchema } from './lock-schema.ts'
import { manifestSchema } from './manifest-schema.ts'

/** Every schema that is checked in for others, as text by its path from the project's root. A test keeps them fresh. */
export function publishedSchemas(): Map<string, string> {
  const perModel = Object.values(models).map((model): [string, JsonObject] => [
    `schemas/models/${model.id}.schema.json`,
    strictSchema(modelSchema(model)),
  ])
  const all: [string, JsonObject][] = [
    ['schemas/manifest.schema.json', manifestSchema()],
    ['schemas/lock.schema.json', lockSchema()],
    ['schemas/catalog.schema.json', catalogSchema()],
    ['schemas/prices.schema.json', pricesSchema()],
    ...perModel,
  ]
  return new Map(all.map(([path, schema]) => [path, `${JSON.stringify(schema, null, 2)}\n`]))
}
