import type { JsonObject } from '../../base/names.ts'
import type { RunRef } from '../../base/state.ts'
import type { Expression } from '../../text/expression.ts'
import type { Order } from '../http/wire.ts'
import { type Asking, pollAddress } from './poll-address.ts'
import { evaluateExpression, fill, type Scope, type Template, wordOf } from './template.ts'

/** One address of a service below its base address, as data. Made by `endpoint-form.ts`. */
export interface EndpointRule {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As it stands in an address: what a job or a run brings is encoded when it is filled in. */
  readonly path: readonly (string | Expression)[]
  /** What asks for something that is not given is left out. */
  readonly query: readonly (readonly [name: string, value: Template])[]
}

/** Where a service is asked for what. */
export interface EndpointRules {
  readonly order: EndpointRule
  /** Undefined where nothing is asked for later, or only at addresses that answers name. */
  readonly result: EndpointRule | undefined
  /** Asked once a run is finished, where the answer that says so does not hold the files. */
  readonly content: EndpointRule | undefined
  /** Told that a run is not wanted any more, when a person says so. */
  readonly cancel: EndpointRule | undefined
  /** Names the latest runs. */
  readonly list: EndpointRule | undefined
}

/** The addresses of one service. */
export interface Endpoints {
  order(order: AskedFor): Asking
  result(run: RunRef): Asking
  /** Undefined where the profile names no such address. */
  content(run: RunRef): Asking | undefined
  /** Undefined where the profile names no such address. */
  cancel(run: RunRef): Asking | undefined
  list(): Asking | undefined
}

/** What the address of an order is made of. */
type AskedFor = Pick<Order, 'mode' | 'workflow' | 'model'> & {
  /** By the catalog's names, with the profile's values. */
  readonly params: JsonObject
}

/** Of a profile, what says where to ask. */
interface Places {
  readonly endpoints: EndpointRules
  readonly response: { readonly poll: readonly string[] }
}

/** `origins` are those that the person names beside the service's own. */
export function endpointsOf(
  { endpoints, response }: Places,
  base: URL,
  origins: readonly string[] = [],
): Endpoints {
  const { order, result, content, cancel, list } = endpoints
  const isPolled = response.poll.length > 0
  const ask = (endpoint: EndpointRule, run: RunRef) => asking(addressOf(endpoint, base, scopeOf(run)))
  return {
    order({ params, ...asked }) {
      if (asked.mode === 'submit' && !result && !isPolled) return nowhere
      return asking(addressOf(order, base, { ...asked, params, sent: params }))
    },
    result: run =>
      (isPolled ? pollAddress(run.id, base, origins) : undefined) ?? (result ? ask(result, run) : nowhere),
    content: run => content && (belowRun(content, run, base, origins) ?? ask(content, run)),
    cancel: run => cancel && (belowRun(cancel, run, base, origins) ?? ask(cancel, run)),
    list: () => list && asking(addressOf(list, base, { model: '', mode: '', params: {}, sent: {} })),
  }
}

/**
 * `${{ id }}/files` where runs are known by addresses: below that address, with its query where none is written. Undefined for
 * every other.
 */
function belowRun(
  { path: [first, ...rest], query }: EndpointRule,
  run: RunRef,
  base: URL,
  origins: readonly string[],
): Asking | undefined {
  if (typeof first !== 'object' || first.is !== 'name' || first.name !== 'id') return undefined
  const at = pollAddress(run.id, base, origins)
  if (!at) return { problem: 'it is known by no address, and its files are asked for below one' }
  if ('problem' in at) return at
  const { url } = at
  const below = new URL(`${url.origin}${url.pathname.replace(/\/+$/, '')}`)
  const whole = addressOf({ method: 'GET', path: rest, query }, below, scopeOf(run))
  if (whole && query.length === 0) whole.search = url.search
  return asking(whole)
}

function scopeOf({ workflow, id }: RunRef): Scope {
  return { model: '', mode: '', params: {}, sent: {}, workflow, id }
}

function asking(url: URL | undefined): Asking {
  return url ? { url } : { problem: 'its name cannot stand in an address' }
}

/** Why nothing may be submitted: it could never be asked for. */
export const unsubmittable = 'the profile says nowhere to ask for what was submitted'
const nowhere: Asking = { problem: unsubmittable }

/** What a parser would read differently than it was meant is refused: every address stays below the base address. */
function addressOf({ path, query }: EndpointRule, base: URL, scope: Scope): URL | undefined {
  const parts = path.map(part => (typeof part === 'string' ? part : encoded(part, scope)))
  if (parts.includes(undefined)) return undefined
  const pathname = `${base.pathname.replace(/\/+$/, '')}${parts.join('')}`
  if (!URL.canParse(pathname, base.origin)) return undefined
  const url = new URL(pathname, base.origin)
  if (url.origin !== base.origin || url.pathname !== pathname) return undefined
  url.search = query.flatMap(([name, template]) => queryItem(name, template, scope)).join('&')
  return url
}

/** Names of models and workflows may have slashes: each part is encoded by itself. */
function encoded(expression: Expression, scope: Scope): string | undefined {
  const value = evaluateExpression(expression, scope)
  const word = value === undefined ? '' : wordOf(value)
  const hasParts = expression.is === 'name' && (expression.name === 'workflow' || expression.name === 'model')
  const parts = hasParts ? word.split('/') : [word]
  if (parts.some(part => part === '' || /\p{Cs}/u.test(part))) return undefined
  return parts.map(encodeURIComponent).join('/')
}

function queryItem(name: string, template: Template, scope: Scope): string[] {
  const value = fill(template, scope)
  if (value === undefined || value === '') return template.is === 'value' ? [name] : []
  const word = wordOf(value)
  return /\p{Cs}/u.test(word) ? [] : [`${name}=${encodeURIComponent(word)}`]
}
