import type { Json, JsonObject } from '../../base/names.ts'
import type { Order } from '../http/wire.ts'
import { payloadOf, typeOf } from './body.ts'
import { type EndpointRule, endpointsOf } from './endpoints.ts'
import { fullParams, ruleFor } from './per-model.ts'
import type { BodyForm, BodyRules, Profile, ValueRule } from './profile.ts'
import { fill, type Scope } from './template.ts'

/** A paid request as it goes over the wire, but for the key, which only the connection knows. */
export interface OrderRequest {
  readonly method: EndpointRule['method']
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
  /** How the body is written. */
  readonly as: BodyForm
  /** The body as it is sent. */
  readonly payload: () => Uint8Array
}

/** The request that orders a job, or why there is none: its workflow cannot stand in an address. Sends nothing. */
export function requestFor(
  profile: Profile,
  base: URL,
  order: Pick<Order, 'mode' | 'workflow' | 'model' | 'params' | 'key'>,
): OrderRequest | { readonly problem: string } {
  const rules = rulesFor(profile, order)
  const params = writtenParams(profile, rules, order)
  const asked = endpointsOf(profile, base).order({ ...order, params })
  if ('problem' in asked) return asked
  const { header } = profile.idempotency
  const body = bodyOf(profile, rules, { ...order, params })
  // The key is this order's alone, so that a repeated order is the same to the byte.
  const boundary = `genrun-${order.key.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 40)}`
  return {
    method: profile.endpoints.order.method,
    url: asked.url,
    headers: {
      ...usualHeaders(profile),
      'content-type': typeOf(rules.as, boundary),
      ...(header !== undefined && { [header]: order.key }),
    },
    body,
    as: rules.as,
    payload: () => payloadOf(body, rules.as, boundary),
  }
}

/** Headers of every request to the service. A profile never names the key. */
export function usualHeaders(profile: Profile): { [name: string]: string } {
  const own = Object.entries(profile.headers).filter(([name]) => name.toLowerCase() !== 'authorization')
  const isOwn = (name: string) => own.some(([each]) => each.toLowerCase() === name)
  return {
    ...(!isOwn('accept') && { accept: 'application/json, */*;q=0.5' }),
    'accept-encoding': 'identity',
    ...Object.fromEntries(own),
  }
}

/** What the profile has for every request, but for how an answer is to be written: a file comes as it is. */
export function ownHeaders({ headers }: Profile): { readonly [name: string]: string } {
  const isAnswers = (name: string) => /^(authorization|accept(-encoding)?)$/i.test(name)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isAnswers(name)))
}

type Asked = Pick<Order, 'model' | 'params'> & { readonly mode?: Order['mode'] }

/** The body of a paid request. Parameters keep their order. */
export function requestBody(profile: Profile, order: Asked): JsonObject {
  const rules = rulesFor(profile, order)
  return bodyOf(profile, rules, { ...order, params: writtenParams(profile, rules, order) })
}

/** What holds for this model: what is said for it alone goes before what is said for all. */
function rulesFor(profile: Profile, order: Asked): BodyRules {
  const { request } = profile
  const own = ruleFor(request.models, { ...order, own: profile.own })
  if (!own) return request
  return {
    ...request,
    ...own,
    rename: { ...request.rename, ...own.rename },
    values: { ...request.values, ...own.values },
    constants: { ...request.constants, ...own.constants },
  }
}

/** By the catalog's names, with the profile's values. */
function writtenParams(profile: Profile, { defaults, values }: BodyRules, order: Asked): JsonObject {
  const written = defaults === 'send' ? fullParams({ ...order, own: profile.own }) : order.params
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const rule = Object.hasOwn(values, name) ? values[name] : undefined
      return [name, rule === undefined ? value : sentValue(rule, value)]
    }),
  )
}

function bodyOf(profile: Profile, rules: BodyRules, order: Asked): JsonObject {
  const { envelope, model, constants } = rules
  const { params, mode = '' } = order
  const sent = renamed(rules, params)
  const whole = ruleFor(profile.request.body, { ...order, own: profile.own })
  if (whole) {
    const scope: Scope = { model: order.model, mode, params, sent }
    const filled = fill(whole, scope)
    return isObject(filled) ? filled : {}
  }
  const inner: JsonObject = { ...(model !== undefined && { [model]: order.model }), ...sent }
  return { ...constants, ...envelope.reduceRight<JsonObject>((within, key) => ({ [key]: within }), inner) }
}

function sentValue(rule: ValueRule, value: Json): Json {
  if (rule === 'single') return Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value
  if (Array.isArray(value)) return value.map(item => sentValue(rule, item))
  if (isObject(value) || value === null) return value
  const word = String(value)
  if (rule === 'text') return word
  if (rule === 'number') return word.trim() !== '' && Number.isFinite(Number(word)) ? Number(word) : value
  return Object.hasOwn(rule, word) ? (rule[word] ?? null) : value
}

function renamed(rules: BodyRules, params: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      const sent = sentName(rules, name)
      return sent === undefined ? [] : [[sent, value]]
    }),
  )
}

/** Undefined for what is not sent in the body. */
function sentName({ rename, case: written }: BodyRules, name: string): string | undefined {
  if (Object.hasOwn(rename, name)) return rename[name] === 'none' ? undefined : rename[name]
  const joiner = { camel: undefined, snake: '_', kebab: '-' }[written]
  return joiner === undefined ? name : name.replace(/[A-Z]/g, letter => `${joiner}${letter.toLowerCase()}`)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
