import { hasErrors } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { builtIn, declaredOn, type ModelSet } from '../catalog/model-set.ts'
import {
  type Cost,
  costDimensions,
  costOf,
  type Dimension,
  type Quantities,
  quantitiesOf,
} from '../forms/cost.ts'
import { defaultsOf } from '../forms/defaults.ts'
import { checkParams } from '../forms/validate.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { openPrices } from '../workspace/read/prices.ts'

interface PriceRequest {
  readonly model: string
  /** By parameter name; what is left out has the catalog's default. */
  readonly params: JsonObject
  readonly prices?: string
  readonly cwd: string
  /** The models there are; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
}

/** What a generation costs: by what it is counted, how much of that there is, and the amount where prices tell. */
export interface PriceRecord {
  readonly model: string
  readonly dimensions: readonly (Dimension & { readonly value?: string | number | boolean })[]
  readonly quantities: Quantities
  readonly cost: Cost
  readonly currency?: string
}

type PriceResult = Refused | { readonly got: 'price'; readonly price: PriceRecord }

/** No key, no network. Parameters that only the work itself needs (prompt, files) may be left out. */
export function priceModel({
  model: id,
  params,
  prices: path,
  cwd,
  modelSet = builtIn,
}: PriceRequest): PriceResult {
  const model = modelSet.find(id)
  if (!model) {
    const near = nearest(id, modelSet.ids)
    const hint = near ? `did you mean ${near}` : '`genrun models` lists them'
    return {
      got: 'refused',
      problems: [
        settingProblem({ name: 'model', value: id }, 'unknown-model', `there is no model ${id}`, hint),
      ],
    }
  }
  const wrong = checkParams(model, params).filter(
    problem => problem.severity === 'error' && problem.code !== 'missing-param',
  )
  if (wrong.length > 0)
    return {
      got: 'refused',
      problems: wrong.map(({ path: at, code, message, hint }) => {
        const name = String(at[0] ?? '')
        return settingProblem({ name, value: String(params[name] ?? '') }, code, message, hint)
      }),
    }
  const { value: prices, problems } = openPrices(path, cwd, { own: declaredOn(modelSet) })
  if (hasErrors(problems)) return { got: 'refused', problems }
  const given: JsonObject = { ...defaultsOf(model), ...params }
  const quantities = quantitiesOf(model, params)
  return {
    got: 'price',
    price: {
      model: id,
      dimensions: costDimensions(model).map(dimension => ({
        ...dimension,
        ...valueOf(dimension, given, quantities),
      })),
      quantities,
      cost: costOf(model, params, prices),
      ...(prices && { currency: prices.currency }),
    },
  }
}

function valueOf(
  { dimension, param }: Dimension,
  given: JsonObject,
  quantities: Quantities,
): { readonly value?: string | number | boolean } {
  if (dimension === 'characters')
    return quantities.perCharacter === undefined ? {} : { value: quantities.perCharacter }
  const value = param === undefined ? undefined : given[param]
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? { value } : {}
}
