import { type Diagnostic, error, hasErrors } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { WireMode } from '../base/state.ts'
import { fitsStars } from '../base/wildcard.ts'
import { type Model, type Param, usualMode } from '../catalog/index.ts'
import { type ModelSet, modelSetOf } from '../catalog/model-set.ts'
import { canonicalParams } from '../forms/defaults.ts'
import { type EndpointRule, unsubmittable } from '../wire/profile/endpoints.ts'
import { modeOf, type Profile, type ProfileExample, workflowOf } from '../wire/profile/profile.ts'
import { type OrderRequest, requestFor } from '../wire/profile/request.ts'
import { paramsIn, paramsRead } from '../wire/profile/template.ts'
import {
  hasOwnEndpoints,
  openProfile,
  type ProfileService,
  profileSpan,
} from '../workspace/service/profile.ts'
import { endpointText, profileSays, type Saying } from '../workspace/service/profile-says.ts'
import { exampleProblems } from './profile-examples.ts'

export { profileSchema } from '../wire/profile/profile-file.ts'

/** A profile's verdict, what it says, and what it makes of each model. */
export interface ProfileCheck {
  readonly ok: boolean
  readonly problems: readonly Diagnostic[]
  readonly name?: string
  /** Where it differs from the built-in profile. */
  readonly says: readonly Saying[]
  /** One example for each model, with what the model requires and nothing else. */
  readonly requests: readonly ExampleRequest[]
  /** What is asked after an order, and beside it. */
  readonly further: readonly FurtherRequest[]
  /** Requests of the documentation, as it makes them. */
  readonly examples: readonly ExampleRequest[]
}

/** One request as a profile would send it. */
export interface ExampleRequest {
  readonly model: string
  readonly mode: WireMode
  readonly workflow: string
  readonly method: OrderRequest['method']
  /** Below the base address: `/workflows/famc-v3/submit`. */
  readonly path: string
  /** How the body is written. */
  readonly as: OrderRequest['as']
  readonly body: JsonObject
}

/** One request that is no order: a name of `endpoints`, or `poll` and `content` where an answer holds the address. */
interface FurtherRequest {
  readonly is: 'result' | 'content' | 'cancel' | 'list' | 'upload'
  /** `GET /v1/runs/<id>`, or where the address stands in an answer: `GET the address at /urls/get`. */
  readonly asks: string
}

interface ProfileRequest {
  /** Relative to `cwd`. */
  readonly path: string
  readonly cwd: string
  /** Models beside the built-in ones, that the profile may speak of. */
  readonly own?: readonly Model[]
  /** The service it is for, when that is known: the key must not stand in it, and uploads must be allowed. */
  readonly service?: ProfileService
}

/** Reads a profile. Needs no key and no network. */
export function checkProfile({ path, cwd, own = [], service }: ProfileRequest): ProfileCheck {
  const { value, problems } = openProfile(path, cwd, service, own)
  const examples = value ? modelsFor(value, own).map(model => exampleOf(value, model)) : []
  const lost = examples.flatMap(each => ('problem' in each ? [each] : []))
  const unlike = value ? exampleProblems(value, modelSetOf(own), { path, cwd }) : []
  const lostIds = value ? astray(value).map(name => idAstray(name, path, cwd)) : []
  const unsent = value ? unsentParams(value, own, { path, cwd }) : []
  const all = [...problems, ...nowhere(lost, path, cwd), ...lostIds, ...unsent, ...unlike]
  return {
    ok: value !== undefined && !hasErrors(all),
    problems: all,
    ...(value && { name: value.name }),
    says: value ? profileSays(value) : [],
    requests: examples.flatMap(each => ('problem' in each ? [] : [each])),
    further: value ? furtherRequests(value) : [],
    examples: value ? value.examples.flatMap(each => documented(value, each, modelSetOf(own)) ?? []) : [],
  }
}

/** A service of other addresses serves what its catalog declares. */
function modelsFor(profile: Profile, own: readonly Model[]): readonly Model[] {
  return hasOwnEndpoints(profile) && own.length > 0 ? own : modelSetOf(own).models
}

/** A run that is known by an address has no id to be put into another one. */
function astray({
  endpoints: { content, cancel },
  response: { poll },
}: Profile): readonly ('content' | 'cancel')[] {
  const isId = (part: EndpointRule['path'][number]) =>
    typeof part === 'object' && part.is === 'name' && part.name === 'id'
  const isAstray = (endpoint: EndpointRule | undefined) => endpoint?.path.slice(1).some(isId) === true
  if (poll.length === 0) return []
  return [
    ...(isAstray(content) ? ['content' as const] : []),
    ...(isAstray(cancel) ? ['cancel' as const] : []),
  ]
}

function idAstray(name: 'content' | 'cancel', path: string, cwd: string): Diagnostic {
  const what = name === 'content' ? 'files are asked for' : 'runs are given up'
  const message = `${what} by an id, and runs are known here by the address that \`response.poll\` names`
  const rest = name === 'content' ? 'content: GET ${{ id }}/files' : 'cancel: POST ${{ id }}/cancel'
  const hint = `write the rest of the address: \`${rest}\``
  return error('bad-profile', profileSpan(path, cwd, 'endpoints'), message, hint)
}

interface Lost {
  readonly model: string
  readonly problem: string
}

/** Requests that nobody would ever get, told once for each reason. */
function nowhere(lost: readonly Lost[], path: string, cwd: string): Diagnostic[] {
  return [...new Set(lost.map(each => each.problem))].map(problem => {
    const of = lost.filter(each => each.problem === problem)
    const models = listed(of.slice(0, 3).map(each => each.model))
    const more = of.length > 3 ? ` (and ${of.length - 3} more)` : ''
    const hint =
      problem === unsubmittable
        ? 'name `endpoints.result` or `response.poll`, or give the models `mode: execute`'
        : undefined
    return error(
      'bad-profile',
      profileSpan(path, cwd, 'endpoints'),
      `orders of ${models}${more} go nowhere: ${problem}`,
      hint,
    )
  })
}

function documented(
  profile: Profile,
  { model: id, params }: ProfileExample,
  modelSet: ModelSet,
): ExampleRequest | undefined {
  const model = modelSet.find(id)
  const example = model && exampleOf(profile, model, canonicalParams(model, params))
  return example && !('problem' in example) ? example : undefined
}

/** By data: what nobody is asked for is not there. */
function furtherRequests({ endpoints, response, upload }: Profile): readonly FurtherRequest[] {
  const { result, content, cancel, list } = endpoints
  const given = (places: readonly string[]) => places.map(place => `GET the address at ${place || "''"}`)
  const all = {
    result: [...given(response.poll), ...(result ? [endpointText(result)] : [])],
    content: [...given(response.content), ...(content ? [endpointText(content)] : [])],
    cancel: cancel ? [endpointText(cancel)] : [],
    list: list ? [endpointText(list)] : [],
    upload: upload
      ? [
          `POST ${upload.url}${upload.ticket ? `, and PUT to the address at ${upload.ticket.putAt.join(' or ')}` : ''}`,
        ]
      : [],
  }
  return Object.entries(all).flatMap(
    ([is, asks]) => (asks.length > 0 ? [{ is: is as FurtherRequest['is'], asks: asks.join(', else ') }] : []), // a key of the record
  )
}

/** Parameters of declared models that no body holds and no address: a job that gives them would be ordered without. */
function unsentParams(
  profile: Profile,
  own: readonly Model[],
  { path, cwd }: { readonly path: string; readonly cwd: string },
): Diagnostic[] {
  return own.flatMap(model => {
    const sent = paramsAskedFor(profile, model)
    const { rename } = profile.request
    const lost =
      sent === 'all'
        ? []
        : Object.keys(model.params).filter(name => !sent.has(name) && rename[name] !== 'none')
    const [first, ...more] = lost
    if (first === undefined) return []
    const [go, them] = more.length === 0 ? ['goes', 'it'] : ['go', 'them']
    const message = `${listed(lost)} of ${model.id} ${go} nowhere: its body does not ask for ${them}`
    const hint = `write \`\${{ params.${first} }}\` into it, or \`rename: { ${first}: none }\` for what is not to be sent`
    return [error('bad-profile', profileSpan(path, cwd, 'request'), message, hint)]
  })
}

/** What the bodies of a model, its address, and the choice between them ask for; `all` where parameters go as they are. */
function paramsAskedFor(
  { request, endpoints, workflow }: Profile,
  { id }: Model,
): ReadonlySet<string> | 'all' {
  const bodies = request.body.filter(rule => fitsStars(rule.model, id))
  const { path, query } = endpoints.order
  const templates = [...bodies, ...workflow].map(({ use }) => use).concat(query.map(([, value]) => value))
  const asked = templates.map(paramsIn)
  if (bodies.length === 0 || asked.includes('all')) return 'all'
  return new Set([
    ...asked.flatMap(each => [...each]),
    ...path.flatMap(part => (typeof part === 'string' ? [] : paramsRead(part))),
    ...[...bodies, ...workflow].flatMap(({ when }) => [
      ...(when?.given ?? []),
      ...Object.keys(when?.is ?? {}),
    ]),
  ])
}

function exampleOf(
  profile: Profile,
  model: Model,
  params: JsonObject = requiredParams(model),
): ExampleRequest | Lost {
  const asked = { model: model.id, params }
  const mode = modeOf(profile, asked) ?? usualMode(model)
  const workflow = workflowOf(profile, model.id, params)
  const request = requestFor(profile, new URL('https://base.invalid/'), { ...asked, mode, workflow, key: '' })
  if ('problem' in request) return { model: model.id, problem: request.problem }
  const { method, url, as, body } = request
  return { model: model.id, mode, workflow, method, path: `${url.pathname}${url.search}`, as, body }
}

function requiredParams(model: Model): JsonObject {
  return Object.fromEntries(
    Object.entries(model.params).flatMap(([name, param]) =>
      param.required ? [[name, exampleValue(name, param)] as const] : [],
    ),
  )
}

function exampleValue(name: string, param: Param): Json {
  switch (param.type) {
    case 'text':
      return `<${name}>`
    case 'enum':
      return param.default ?? param.values[0] ?? ''
    case 'boolean':
    case 'integer':
    case 'number':
      return param.default ?? ('minimum' in param ? (param.minimum ?? 1) : 1)
    case 'file':
      return param.maxItems === undefined ? `<${param.media}>` : [`<${param.media}>`]
    case 'object':
      return {}
    case 'text[]':
      return [`<${name}>`]
    case 'object[]':
      return [Object.fromEntries(param.members.map(member => [member, `<${member}>`]))]
  }
}
