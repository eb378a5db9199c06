import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { nearest } from '../../base/nearest.ts'
import { catalogSchema } from '../../catalog/catalog-schema.ts'
import { pricesSchema } from '../../forms/prices.ts'
import { modelSchema, strictSchema } from '../../forms/schema.ts'
import { manifestSchema } from '../../forms/schemas/manifest-schema.ts'
import { profileSchema } from '../../verbs/profile-check.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { settingsSchema } from '../settings/schema.ts'
import { type CatalogAsked, modelSetFor } from '../summary/model-set.ts'
import { troubleText } from '../words/problems.ts'

/** Files beside a manifest, by the word that names their schema. No model is called so. */
const files = {
  catalog: catalogSchema,
  prices: pricesSchema,
  profile: profileSchema,
  settings: settingsSchema,
} as const

/** `genrun schema [what]`: of manifests with the models that are known here, of another file, or of one model's parameters. */
export async function showSchema(
  args: CatalogAsked & { readonly model: string | undefined },
  around: Surroundings,
  out: Out,
): Promise<number> {
  const file = Object.entries(files).find(([name]) => name === args.model)?.[1]
  if (file) {
    out.json(file())
    return exit.ok
  }
  const known = (await modelSetFor(args, around, out))?.models
  if (!known) return exit.refused
  if (args.model === undefined) {
    out.json(manifestSchema(known))
    return exit.ok
  }
  const model = known.find(each => each.id === args.model)
  if (model) {
    out.json(strictSchema(modelSchema(model)))
    return exit.ok
  }
  const near = nearest(
    args.model,
    known.map(each => each.id),
  )
  const hint = near ? `did you mean ${near}?` : '`genrun models` lists all of them'
  out.talk(
    troubleText(
      { code: 'unknown-model', message: `there is no model ${display(args.model)}`, hint },
      out.paint,
    ),
  )
  return exit.refused
}
