import { defined } from '../../base/defined.ts'
import type { AuthRule } from './auth.ts'
import type { EndpointRules } from './endpoints.ts'
import { fold } from './fold.ts'
import type { Read } from './form.ts'
import { gwV2 } from './gw-v2.ts'
import type {
  BodyRules,
  Idempotency,
  Profile,
  ProfileExample,
  Proof,
  RefusalRule,
  RequestRules,
  ResponseRules,
  StatusWords,
  TicketRules,
  UploadRules,
} from './profile.ts'
import type {
  authFields,
  bodyFields,
  endpointFields,
  exampleFields,
  idempotencyFields,
  profileFields,
  refusalFields,
  requestFields,
  responseFields,
  sourceFields,
  ticketFields,
  uploadFields,
} from './profile-fields.ts'

type Say = (message: string) => void

/** What a profile says, and what `base` says where it says nothing. `say` is told what does not go together. */
export function mergeProfile(read: Read<typeof profileFields>, base: Profile, say: Say): Profile {
  return {
    name: read.name ?? base.name,
    endpoints: read.endpoints ? mergeEndpoints(read.endpoints) : base.endpoints,
    auth: read.auth ? read.auth.map(authRule) : base.auth,
    workflow: read.workflow ?? base.workflow,
    mode: read.mode ?? base.mode,
    request: mergeRequest(read.request ?? {}, base.request),
    upload: read.upload ? mergeUpload(read.upload) : base.upload,
    response: withLocation(mergeResponse(read.response ?? {}, base.response, say), read),
    refused: mergeProofs(read.refused ?? {}, base.refused),
    refusedWhen: read.refusedWhen ? mergeRefusals(read.refusedWhen) : base.refusedWhen,
    idempotency: mergeIdempotency(read.idempotency ?? {}, base.idempotency),
    headers: read.headers ?? base.headers,
    source: read.source && mergeSource(read.source),
    examples: (read.examples ?? []).map(exampleOf),
  }
}

/**
 * Where nothing but the address in an answer says where to ask, that of the Location header is one (RFC 9110, 15.3.3): its last part
 * alone could never be asked for.
 */
function withLocation(response: ResponseRules, { endpoints }: Read<typeof profileFields>): ResponseRules {
  const isByAddress = response.poll.length > 0 && endpoints !== undefined && endpoints.result === undefined
  if (!isByAddress || response.poll.some(place => place.toLowerCase() === 'location')) return response
  return { ...response, poll: [...response.poll, 'Location'] }
}

/** A service of other addresses has none of the built-in ones. */
function mergeEndpoints(read: Read<typeof endpointFields>): EndpointRules {
  return {
    order: read.order ?? gwV2.endpoints.order,
    result: read.result,
    content: read.content,
    cancel: read.cancel,
    list: read.list,
  }
}

function authRule({ query, header = 'authorization', scheme }: Read<typeof authFields>): AuthRule {
  if (query !== undefined) return { query }
  const usual = header.toLowerCase() === 'authorization' ? 'Bearer' : 'none'
  return { header, scheme: noneOr(scheme ?? usual) }
}

function mergeRefusals(read: readonly Read<typeof refusalFields>[]): readonly RefusalRule[] {
  return read.flatMap(({ status, at, is = [], means = 'refused' }) =>
    at === undefined ? [] : [{ ...defined({ status }), at, is, means }],
  )
}

function mergeRequest(read: Read<typeof requestFields>, base: RequestRules): RequestRules {
  const { files, models, body, ...rest } = read
  const own = (models ?? []).map(rule => ({ ...rule, use: mergeBody(rule.use) }))
  return {
    ...base,
    ...mergeBody(rest),
    ...defined({ body }),
    models: own,
    files: { ...base.files, ...defined(files ?? {}) },
  }
}

/** What is said of a body. `model` may say that there is none, which is another thing than saying nothing. */
function mergeBody({ model, ...rest }: Read<typeof bodyFields>): Partial<BodyRules> {
  return { ...defined(rest), ...(model !== undefined && { model: noneOr(model) }) }
}

function mergeUpload(read: Read<typeof uploadFields>): UploadRules {
  const usual = [
    '/url',
    '/data/url',
    '/file/url',
    '/download_url',
    '/file_url',
    '/response/url',
    '/uri',
    '/link',
  ]
  return {
    url: read.url ?? '',
    field: read.field ?? 'file',
    fields: read.fields ?? {},
    urlAt: read.urlAt ?? usual,
    ticket: read.ticket && mergeTicket(read.ticket),
  }
}

function mergeTicket({ body, putAt = [], headers = {} }: Read<typeof ticketFields>): TicketRules {
  return { body: body ?? { is: 'map', entries: [] }, putAt, headers }
}

function mergeResponse(read: Read<typeof responseFields>, base: ResponseRules, say: Say): ResponseRules {
  const { running, succeeded, failed, canceled, search, runs, linksLast, id, identity, ...rest } = read
  return {
    ...base,
    ...defined(rest),
    words: mergeWords(defined({ running, succeeded, failed, canceled }), base.words, say),
    search: { ...base.search, ...defined(search ?? {}) },
    ...defined({ linksLastMs: linksLast ?? base.linksLastMs }),
    runs: { ...base.runs, ...defined(runs ?? {}) },
    id: id ?? base.id,
    // A place that is named for the id is the run's own.
    identity: identity ?? id ?? base.identity,
  }
}

/** Words are added; a word stands in one list, so that naming it moves it. */
function mergeWords(read: Partial<StatusWords>, base: StatusWords, say: Say): StatusWords {
  const states = ['running', 'succeeded', 'failed', 'canceled'] as const
  const named = new Map<string, string>()
  for (const state of states) {
    for (const word of read[state] ?? []) {
      const other = named.get(fold(word))
      if (other !== undefined && other !== state) say(`the word ${word} is both ${other} and ${state}`)
      named.set(fold(word), state)
    }
  }
  const of = (state: keyof StatusWords) => [
    ...base[state].filter(word => !named.has(fold(word))),
    ...(read[state] ?? []),
  ]
  return {
    running: of('running'),
    succeeded: of('succeeded'),
    failed: of('failed'),
    canceled: of('canceled'),
  }
}

function mergeProofs(
  read: { readonly [status: string]: Proof },
  base: Profile['refused'],
): Profile['refused'] {
  return { ...base, ...read }
}

function mergeIdempotency(read: Read<typeof idempotencyFields>, base: Idempotency): Idempotency {
  const ttlMs = read.ttl ?? base.ttlMs
  return {
    header: read.header === undefined ? base.header : noneOr(read.header),
    honoured: read.honoured ?? base.honoured,
    ...defined({ ttlMs }),
  }
}

function mergeSource({ documentation, date, money, tried }: Read<typeof sourceFields>): Profile['source'] {
  return { documentation, date, money, tried }
}

function exampleOf({
  model = '',
  params = {},
  order,
  body = {},
}: Read<typeof exampleFields>): ProfileExample {
  return { model, params, order, body }
}

function noneOr(word: string): string | undefined {
  return word === 'none' ? undefined : word
}
