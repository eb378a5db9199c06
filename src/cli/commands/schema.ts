import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { nearest } from '../../base/nearest.ts'
import { manifestSchema } from '../../forms/manifest-schema.ts'
import { modelSchema, strictSchema } from '../../forms/schema.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { type CatalogAsked, modelSetFor } from '../summary/model-set.ts'
import { troubleText } from '../words/problems.ts'

/** `genrun schema [model]`: of manifests with the models that are known here, or of one model's parameters. */
export function showSchema(
  args: CatalogAsked & { readonly model: string | undefined },
  around: Surroundings,
  out: Out,
): number {
  const known = modelSetFor(args, around, out)?.models
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
