import { clockText } from '../../base/measure.ts'
import type { Json } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import type { AuthRule } from '../../wire/profile/auth.ts'
import type { EndpointRule, EndpointRules } from '../../wire/profile/endpoints.ts'
import { gwV2 } from '../../wire/profile/gw-v2.ts'
import type { Condition, PerModel } from '../../wire/profile/per-model.ts'
import type { Profile, RequestRules, ResponseRules, ValueRule } from '../../wire/profile/profile.ts'
import { fillText, type Template } from '../../wire/profile/template.ts'

/** One thing that a profile says otherwise than the built-in one. */
export interface Saying {
  /** The key of the profile: `request.case`. */
  readonly key: string
  readonly says: string
}

/** What a profile says, in words, as far as it differs from the built-in one; in the order of its schema. */
export function profileSays(profile: Profile): readonly Saying[] {
  const { upload, idempotency, headers } = profile
  return [
    ...endpointsSay(profile.endpoints),
    ...changed('auth', profile.auth, gwV2.auth, rules => listed(rules.map(authText))),
    ...rulesSay('workflow', profile.workflow, (use, model) =>
      fillText(use, { model, mode: '<mode>', params: {}, sent: {} }),
    ),
    ...rulesSay('mode', profile.mode, use => use),
    ...requestSays(profile.request),
    ...(upload
      ? [
          {
            key: 'upload',
            says: upload.ticket
              ? `a place is asked for at ${upload.url}, the bytes are put where ${upload.ticket.putAt.join(' ')} says, the link is at ${upload.urlAt.join(' ')}`
              : `to ${upload.url}, the file as ${upload.field}, its link at ${upload.urlAt.join(' ')}`,
          },
        ]
      : []),
    ...responseSays(profile.response),
    ...refusedSays(profile),
    ...profile.refusedWhen.map(({ status, at, is, means }) => ({
      key: 'refusedWhen',
      says: `${listed(is, 'or')} at ${at || "''"}${status === undefined ? '' : ` with ${status}`} proves that nothing was billed: ${means}`,
    })),
    ...changed('idempotency', idempotency, gwV2.idempotency, idempotencyText),
    ...Object.entries(headers).map(([name, value]) => ({ key: 'headers', says: `${name}: ${value}` })),
    ...sourceSays(profile.source),
  ]
}

function sourceSays(source: Profile['source']): Saying[] {
  const { documentation, date, money, tried } = source ?? {}
  const read = date === undefined ? [] : [`read ${date}`]
  const against =
    tried === undefined ? [] : [tried === 'nothing' ? 'tried against nothing' : `tried against a ${tried}`]
  const said = [...(documentation === undefined ? [] : [documentation]), ...read, ...against]
  const facts = said.length > 0 ? [{ key: 'source', says: said.join('; ') }] : []
  return [...facts, ...(money === undefined ? [] : [{ key: 'source.money', says: money }])]
}

function endpointsSay(endpoints: EndpointRules): Saying[] {
  if (endpoints === gwV2.endpoints) return []
  const { order, result, content, cancel, list } = endpoints
  const places = { order, result, content, cancel, list }
  return Object.entries(places).flatMap(([name, endpoint]) =>
    endpoint ? [{ key: `endpoints.${name}`, says: endpointText(endpoint) }] : [],
  )
}

/** `GET /v1/runs/<id>`. */
export function endpointText({ method, path, query }: EndpointRule): string {
  const items = query.map(([name, value]) => `${name}=${templateText(value)}`)
  const shown = path
    .map(part => (typeof part === 'string' ? part : `<${part.is === 'name' ? part.name : '…'}>`))
    .join('')
  return `${method} ${shown}${items.length > 0 ? `?${items.join('&')}` : ''}`
}

function templateText(template: Template): string {
  return template.is === 'value' ? String(template.value) : '…'
}

function authText(rule: AuthRule): string {
  if ('query' in rule) return `the key in the query, as ${rule.query}`
  const { header, scheme } = rule
  return scheme === undefined ? `the key alone in ${header}` : `${scheme} and the key in ${header}`
}

function rulesSay<T>(key: string, rules: PerModel<T>, text: (use: T, model: string) => string): Saying[] {
  return rules.map(({ model, when, use }) => ({
    key,
    says: `${model}${when ? ` ${conditionText(when)}` : ''}: ${text(use, model)}`,
  }))
}

function conditionText({ given = [], absent = [], is = {}, mode }: Condition): string {
  const parts = [
    ...given.map(name => `with ${name}`),
    ...absent.map(name => `without ${name}`),
    ...Object.entries(is).map(([name, value]) => `where ${name} is ${valueText(value)}`),
    ...(mode ? [`by ${mode}`] : []),
  ]
  return parts.join(' ')
}

function requestSays(rules: RequestRules): Saying[] {
  const usual = gwV2.request
  return [
    ...changed('request.as', rules.as, usual.as, as => `bodies are written as ${as}`),
    ...changed('request.envelope', rules.envelope, usual.envelope, keys =>
      keys.length === 0 ? 'no key around the parameters' : `parameters stand under ${keys.join(' > ')}`,
    ),
    ...changed('request.model', rules.model ?? '', usual.model ?? '', key =>
      key === '' ? 'the body does not name the model' : `the model is named as ${key}`,
    ),
    ...changed('request.case', rules.case, usual.case, name => `names in ${name} case`),
    ...Object.entries(rules.rename).map(([from, to]) => ({
      key: 'request.rename',
      says: `${from} is ${to}`,
    })),
    ...Object.entries(rules.values).map(([name, rule]) => ({
      key: 'request.values',
      says: `${name}: ${ruleText(rule)}`,
    })),
    ...changed('request.defaults', rules.defaults, usual.defaults, () => 'defaults of the catalog are sent'),
    ...Object.entries(rules.constants).map(([name, value]) => ({
      key: 'request.constants',
      says: `${name}: ${valueText(value)}`,
    })),
    ...rulesSay('request.models', rules.models, use => listed(Object.keys(use).map(key => `its own ${key}`))),
    ...rulesSay('request.body', rules.body, () => 'a body of its own'),
    ...changed('request.files', rules.files, usual.files, ({ as, upTo }) =>
      upTo === 0
        ? 'no file stands in a body'
        : `${as === 'base64' ? 'bare base64' : 'data URIs'} up to ${upTo} bytes`,
    ),
  ]
}

function ruleText(rule: ValueRule): string {
  if (rule === 'text') return 'sent as text'
  if (rule === 'number') return 'sent as a number'
  if (rule === 'single') return 'a single item without its list'
  return Object.entries(rule)
    .map(([from, to]) => `${from} is ${valueText(to)}`)
    .join(', ')
}

/** Places are shown as they stand in the profile; words that were added, and not the many known ones. */
function responseSays(rules: ResponseRules): Saying[] {
  const usual = gwV2.response
  const places = [
    'id',
    'poll',
    'content',
    'status',
    'outputs',
    'progress',
    'credits',
    'error',
    'failure',
    'rejectedContent',
  ] as const
  const states = ['running', 'succeeded', 'failed', 'canceled'] as const
  const { linksLastMs } = rules
  return [
    ...(linksLastMs === undefined
      ? []
      : [{ key: 'response.linksLast', says: `links work for ${clockText(linksLastMs / 1000)}` }]),
    ...places.flatMap(name =>
      changed(`response.${name}`, rules[name], usual[name], at => at.map(place => place || "''").join(' ')),
    ),
    ...states.flatMap(state => {
      const added = rules.words[state].filter(word => !usual.words[state].includes(word))
      return added.length > 0 ? [{ key: `response.${state}`, says: `also ${listed(added)}` }] : []
    }),
    ...changed('response.pending', rules.pending, usual.pending, statuses => statuses.join(' ')),
    ...changed('response.search', rules.search, usual.search, () => 'keys of its own'),
  ]
}

const proofWords = {
  always: 'proves that nothing was billed',
  never: 'proves nothing: such an order is in doubt',
  'with-retry-after': 'with Retry-After proves that nothing was billed',
} as const

function refusedSays({ refused }: Profile): Saying[] {
  return Object.entries(refused).flatMap(([status, proof]) =>
    gwV2.refused[Number(status)] === proof
      ? []
      : [{ key: 'refused', says: `${status} ${proofWords[proof]}` }],
  )
}

function idempotencyText({ header, honoured, ttlMs }: Profile['idempotency']): string {
  if (header === undefined) return 'no key is sent'
  const hours = ttlMs === undefined ? '' : ` for ${Math.round(ttlMs / 360_000) / 10} h`
  return `${header}, ${honoured ? `honoured${hours}: a doubt may be sent again` : 'not trusted'}`
}

function changed<T>(key: string, value: T, usual: T, text: (value: T) => string): Saying[] {
  return JSON.stringify(value) === JSON.stringify(usual) ? [] : [{ key, says: text(value) }]
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
