import type { Json, JsonObject } from '../../base/names.ts'
import { endpointsUnder } from '../http/address.ts'
import type { Order } from '../http/wire.ts'
import { fullParams, ruleFor } from './per-model.ts'
import type { Profile, ValueRule } from './profile.ts'
import { fill, type Scope } from './template.ts'

/** A paid request as it goes over the wire, but for `Authorization`, which only the connection knows. */
export interface OrderRequest {
  readonly method: 'POST'
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
}

/** The request that orders a job. Undefined when its workflow cannot stand in an address. Sends nothing. */
export function requestFor(
  profile: Profile,
  base: URL,
  order: Pick<Order, 'mode' | 'workflow' | 'model' | 'params' | 'key'>,
): OrderRequest | undefined {
  const url = endpointsUnder(base).order(order.workflow, order.mode)
  if (!url) return undefined
  const { header } = profile.idempotency
  return {
    method: 'POST',
    url,
    headers: {
      ...usualHeaders(profile),
      'content-type': 'application/json',
      ...(header !== undefined && { [header]: order.key }),
    },
    body: requestBody(profile, order),
  }
}

/** Headers of every request to the service. A profile never names the key. */
export function usualHeaders(profile: Profile): { [name: string]: string } {
  const own = Object.entries(profile.headers).filter(([name]) => name.toLowerCase() !== 'authorization')
  return {
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'identity',
    ...Object.fromEntries(own),
  }
}

/** The body of a paid request. Parameters keep their order. */
export function requestBody(
  profile: Profile,
  order: Pick<Order, 'model' | 'params'> & { readonly mode?: Order['mode'] },
): JsonObject {
  const { envelope, model, constants, body } = profile.request
  const asked = { ...order, own: profile.own }
  const written = profile.request.defaults === 'send' ? fullParams(asked) : order.params
  const params = withValues(profile, written)
  const sent = renamed(profile, params)
  const whole = ruleFor(body, asked)
  if (whole) {
    const scope: Scope = { model: order.model, mode: order.mode ?? '', params, sent }
    const filled = fill(whole, scope)
    return isObject(filled) ? filled : {}
  }
  const inner: JsonObject = { ...(model !== undefined && { [model]: order.model }), ...sent }
  return { ...constants, ...envelope.reduceRight<JsonObject>((within, key) => ({ [key]: within }), inner) }
}

function withValues(profile: Profile, params: JsonObject): JsonObject {
  const { values } = profile.request
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const rule = Object.hasOwn(values, name) ? values[name] : undefined
      return [name, rule === undefined ? value : sentValue(rule, value)]
    }),
  )
}

function sentValue(rule: ValueRule, value: Json): Json {
  if (rule === 'single') return Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value
  if (Array.isArray(value)) return value.map(item => sentValue(rule, item))
  if (isObject(value) || value === null) return value
  if (rule === 'text') return String(value)
  const word = String(value)
  return Object.hasOwn(rule, word) ? (rule[word] ?? null) : value
}

function renamed(profile: Profile, params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [sentName(profile, name), value]))
}

function sentName(profile: Profile, name: string): string {
  const { rename } = profile.request
  if (Object.hasOwn(rename, name)) return rename[name] ?? name
  const joiner = { camel: undefined, snake: '_', kebab: '-' }[profile.request.case]
  return joiner === undefined ? name : name.replace(/[A-Z]/g, letter => `${joiner}${letter.toLowerCase()}`)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
