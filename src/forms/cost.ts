import { defined } from '../base/defined.ts'
import type { JsonObject } from '../base/names.ts'
import { fitsStars } from '../base/wildcard.ts'
import { type Model, outputKind, paramOf } from '../catalog/index.ts'
import { type Rate, type Unit, units } from '../catalog/model.ts'
import { withDefaults } from './defaults.ts'
import { expectOf } from './expect.ts'

/** What things cost, as the user knows it: the specification names no amounts. */
export interface Prices {
  /** `USD`, `credits`: only ever shown. */
  readonly currency: string
  /** By exact model id or glob (`famc-*`); an exact id goes before globs. The first rate that fits counts. */
  readonly models: readonly { readonly match: string; readonly rates: readonly Rate[] }[]
  /** By the exact name of a workflow, for jobs that name one, and for models of one's own. */
  readonly workflows?: readonly { readonly name: string; readonly rates: readonly Rate[] }[]
  /** What catalogs say of the models that they declare. */
  readonly own?: readonly OwnPrice[]
}

/** What a catalog says that one of its models costs. */
interface OwnPrice {
  readonly model: string
  /** Of models that are declared at several services. */
  readonly service?: string
  readonly currency?: string
  readonly rates: readonly Rate[]
  /** Only a checkout says so that nobody answers for: then it can make an order dearer, and nothing known. */
  readonly isDoubted: boolean
}

/** An unknown cost is never 0: it says why it is not known. */
export type Cost =
  | { readonly is: 'known'; readonly amount: number }
  | { readonly is: 'unknown'; readonly why: string }

/** How much a job takes of what can be charged. Left out: not told by its parameters. */
export type Quantities = { readonly [unit in Unit]?: number }

/** The quantities of one run. Parameters are valid; defaults are applied here. Characters are Unicode code points. */
export function quantitiesOf(model: Model, params: JsonObject): Quantities {
  const { kind, count, seconds } = expectOf(model, params)
  const isSpoken = model.inputType === 'tts' && typeof params.prompt === 'string'
  return {
    perRun: 1,
    ...(kind === 'image' && { perImage: count }),
    ...defined({ perSecond: seconds }),
    ...(isSpoken && { perCharacter: [...String(params.prompt)].length }),
  }
}

/** A cost dimension of the specification, and the parameter that decides it where there is one. */
export interface Dimension {
  readonly dimension:
    | 'seconds'
    | 'tier'
    | 'count'
    | 'characters'
    | 'renderingSpeed'
    | 'resolution'
    | 'quality'
    | 'audio'
  readonly param?: string
}

/**
 * What the cost of a model scales with (specification, "Cost dimensions"): `fama` video by the second, images by tier and
 * count, speech by character; `famb` by count and rendering speed; `famc` by duration, rendering speed or resolution, and
 * audio. For other families: whatever of these the model has.
 */
export function costDimensions(model: Model): Dimension[] {
  const kind = outputKind(model)
  const by = (dimension: Dimension['dimension'], param: string): Dimension[] =>
    paramOf(model, param) ? [{ dimension, param }] : []
  const seconds: Dimension[] =
    kind === 'image' || kind === 'file' || model.inputType === 'tts'
      ? []
      : [{ dimension: 'seconds', ...(paramOf(model, 'duration') && { param: 'duration' }) }]
  const characters: Dimension[] =
    model.inputType === 'tts' ? [{ dimension: 'characters', param: 'prompt' }] : []
  const count = kind === 'image' ? by('count', 'count') : []
  const speed = by('renderingSpeed', 'renderingSpeed')
  const sizes = by('resolution', 'resolution')
  const audio = kind === 'video' ? by('audio', 'generateAudio') : []
  switch (model.family) {
    case 'fama':
      return kind === 'image' ? [{ dimension: 'tier' }, ...count] : [...seconds, ...characters]
    case 'famb':
      return [...count, ...speed]
    case 'famc':
      return [...seconds, ...count, ...speed, ...sizes, ...audio]
    default:
      return [...seconds, ...characters, ...count, ...speed, ...sizes, ...by('quality', 'quality'), ...audio]
  }
}

/**
 * What one run of a job costs: of what is ordered. A job that names a workflow is not priced as the model it is checked by. Where
 * the user's own prices and the model's catalog both say something, the higher counts: nobody's catalog makes an order cheaper. Pure.
 */
export function costOf(
  model: Model,
  params: JsonObject,
  prices: Prices | undefined,
  workflow: string = model.id,
): Cost {
  if (!prices) return unknown('no prices are given')
  const user = usersCost(model, params, prices, workflow)
  const own = workflow === model.id ? ownPrice(model, prices) : undefined
  if (!own) return user ?? unpriced(model, workflow)
  const isForeign = own.currency !== undefined && own.currency !== prices.currency
  if (isForeign) return user ?? unknown(`${model.id} is priced in ${own.currency}, not in ${prices.currency}`)
  const said = byRates(own.rates, model, params)
  if (!user) return own.isDoubted ? unknown(`only this checkout says what ${model.id} costs`) : said
  return user.is === 'known' && said.is === 'known' && said.amount > user.amount ? said : user
}

/** By what the user has written; undefined where that says nothing about the model. */
function usersCost(model: Model, params: JsonObject, prices: Prices, workflow: string): Cost | undefined {
  const ofWorkflow = prices.workflows?.find(({ name }) => name === workflow)?.rates
  const rates = ofWorkflow ?? (workflow === model.id ? ratesOf(model.id, prices) : undefined)
  return rates && byRates(rates, model, params)
}

function unpriced({ id }: Model, workflow: string): Cost {
  return unknown(`there is no price for ${workflow === id ? workflow : `the workflow ${workflow}`}`)
}

function ownPrice({ id, service }: Model, { own = [] }: Prices): OwnPrice | undefined {
  return own.find(each => each.model === id && each.service === service)
}

function byRates(rates: readonly Rate[], model: Model, params: JsonObject): Cost {
  const given = withDefaults(model, params)
  const rate = rates.find(each => fits(each, given))
  if (!rate) return unknown(`no price of ${model.id} is for these parameters`)
  return priced(rate, quantitiesOf(model, params), model)
}

function priced({ amounts }: Rate, quantities: Quantities, model: Model): Cost {
  let amount = 0
  for (const unit of units) {
    const price = amounts[unit]
    if (price === undefined) continue
    const quantity = quantities[unit]
    if (quantity === undefined) return unknown(`${model.id} does not tell how many ${unitWords[unit]}`)
    amount += price * quantity
  }
  return { is: 'known', amount: roundAmount(amount) }
}

/** What an amount is counted by, in words. */
export const unitWords: { readonly [unit in Unit]: string } = {
  perRun: 'runs',
  perImage: 'images',
  perSecond: 'seconds',
  perCharacter: 'characters',
}

/** Binary fractions make 0.30000000000000004 of 0.1 and 0.2; no price is finer than a billionth. */
export function roundAmount(amount: number): number {
  return Math.round(amount * 1e9) / 1e9
}

function ratesOf(id: string, prices: Prices): readonly Rate[] | undefined {
  const found =
    prices.models.find(each => each.match === id) ?? prices.models.find(each => fitsStars(each.match, id))
  return found?.rates
}

function fits({ when }: Rate, given: JsonObject): boolean {
  return Object.entries(when).every(([param, values]) => values.some(value => value === given[param]))
}

function unknown(why: string): Cost {
  return { is: 'unknown', why }
}
