import { type Checked, type Diagnostic, error, hasErrors, sortProblems } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import type { Model } from '../catalog/index.ts'
import { builtIn, shelfOf } from '../catalog/shelf.ts'
import { readYaml } from '../text/yaml.ts'
import { fold } from './fields.ts'
import {
  choice,
  flag,
  json,
  listOf,
  mapOf,
  type Read,
  readFields,
  record,
  recordSchema,
  type Tell,
  text,
  timespan,
  whole,
} from './form.ts'
import type {
  Idempotency,
  Profile,
  Proof,
  RequestRules,
  ResponseRules,
  StatusWords,
  UploadRules,
} from './profile.ts'
import { headers, pattern, perModel, perParam, place, proofs, status, valueRule } from './profile-forms.ts'
import { template, textTemplate } from './template-form.ts'

const places = listOf(place)
const words = listOf(text())
const MiB = 1024 * 1024

const request = {
  envelope: { about: 'keys around the parameters, outermost first; [] for none', form: words },
  model: { about: 'the key beside the parameters that names the model; none for no such key', form: text() },
  case: { about: 'how names are written', form: choice(['camel', 'snake', 'kebab']) },
  rename: { about: 'names as they are sent', form: perParam(text()) },
  values: { about: 'values as they are sent: other words, text, or single', form: perParam(valueRule) },
  defaults: {
    about: 'whether defaults of the catalog are sent for what a job does not say',
    form: choice(['omit', 'send']),
  },
  constants: { about: 'sent beside the envelope, as they are', form: mapOf(json) },
  body: { about: 'whole bodies by model, with ${{ params.x }}', form: perModel(template) },
  files: {
    about: 'how files travel inside a body',
    form: record({
      as: { about: 'a data URI, or base64 and nothing else', form: choice(['data-uri', 'base64']) },
      upTo: { about: 'larger ones are uploaded; 0 uploads all; in bytes', form: whole(0, 50 * MiB) },
      made: {
        about: 'what the service itself has made: as its own link while that is young, or as the bytes',
        form: choice(['link', 'bytes']),
      },
    }),
  },
} as const

const upload = {
  url: {
    about: 'relative to the base address, or at an origin that the user allows',
    form: text(/^\S+$/, 'is an address without blanks'),
  },
  field: { about: "the form's field that holds the file", form: text() },
  fields: { about: 'further fields', form: mapOf(text()) },
  urlAt: { about: 'where the answer holds what is sent for the file', form: places },
} as const

const response = {
  id: { about: 'where the id of a run stands', form: places },
  identity: { about: 'places whose id must be the one asked for', form: places },
  status: { about: 'where status words stand', form: places },
  running: { about: 'words for a run that goes on', form: words },
  succeeded: { about: 'words for a run that has its result', form: words },
  failed: { about: 'words for a run that failed', form: words },
  canceled: { about: 'words for a run that was given up', form: words },
  pending: { about: 'statuses of a result request that mean "not finished"', form: listOf(status) },
  outputs: { about: 'where outputs stand, tried before the search', form: places },
  search: {
    about: 'keys by which outputs are found',
    form: record({
      wrappers: { about: 'objects around everything', form: words },
      outputs: { about: 'hold outputs', form: words },
      links: { about: 'hold the link to one output', form: words },
      base64: { about: "hold one output's bytes", form: words },
      skip: { about: 'never looked into', form: words },
    }),
  },
  progress: { about: 'where progress stands, as a fraction or in percent', form: places },
  credits: { about: 'where the cost stands', form: places },
  error: { about: "where an error's words stand", form: places },
  failure: { about: 'places that hold something only when the work failed', form: places },
  rejectedContent: { about: 'what an error says when the content was refused', form: listOf(pattern) },
} as const

const idempotency = {
  header: {
    about: 'the header it is sent in; none for no such header',
    form: text(/^[A-Za-z0-9-]+$/, 'is the name of a header'),
  },
  honoured: { about: 'whether the service promises not to take an order twice', form: flag },
  ttl: { about: 'for how long it promises so', form: timespan },
} as const

/** Keys of a profile. */
const profileFields = {
  $schema: { about: 'the schema, for editors', form: text() },
  name: { about: "the profile's name", form: text(/^[\w.-]{1,64}$/, 'is one word') },
  description: { about: 'for readers; it changes nothing', form: text() },
  workflow: { about: 'workflows that are not called by the model id', form: perModel(textTemplate) },
  mode: { about: 'how models go over the wire', form: perModel(choice(['execute', 'submit'])) },
  request: { about: 'how parameters become a body', form: record(request) },
  upload: { about: 'where files go that do not fit into a body', form: record(upload) },
  response: { about: 'how answers are read', form: record(response) },
  refused: { about: 'statuses of a paid request that prove that nothing was billed', form: proofs },
  idempotency: { about: 'the key that marks a repeated order', form: record(idempotency) },
  headers: { about: 'sent with every request; never a key', form: headers },
} as const

/**
 * Reads a profile. What it leaves out is as in `base`; there is no value where there is an error. `own` are models that
 * the user declares: a profile may speak of them and of their parameters.
 */
export function readProfile(
  file: SourceFile,
  base: Profile = blank,
  own: readonly Model[] = [],
): Checked<Profile> {
  const { value: tree, problems: found } = readYaml(file)
  if (!tree) return { value: undefined, problems: found }
  const problems: Diagnostic[] = [...found]
  const shelf = own.length > 0 ? shelfOf(own) : builtIn
  const tell: Tell = Object.assign((problem: Diagnostic) => void problems.push(problem), { shelf })
  if (tree.kind !== 'map') tell(error('bad-profile', tree, 'a profile is a mapping'))
  const read = readFields(profileFields, tree.kind === 'map' ? tree.entries : [], 'a profile', tell)
  const value = merge(read, base, message => tell(error('bad-profile', headOf(file), message)))
  const sorted = sortProblems(problems)
  const whole = own.length > 0 ? { ...value, own } : value
  return { value: hasErrors(sorted) ? undefined : whole, problems: sorted }
}

/** A schema for editors. */
export function profileSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'genrun profile',
    description:
      'What the specification leaves open about a service. What is left out is as in the profile gw-v2.',
    ...recordSchema(profileFields),
  }
}

type Say = (message: string) => void

function merge(read: Read<typeof profileFields>, base: Profile, say: Say): Profile {
  return {
    name: read.name ?? base.name,
    workflow: read.workflow ?? base.workflow,
    mode: read.mode ?? base.mode,
    request: mergeRequest(read.request ?? {}, base.request),
    upload: read.upload ? mergeUpload(read.upload, say) : base.upload,
    response: mergeResponse(read.response ?? {}, base.response, say),
    refused: mergeProofs(read.refused ?? {}, base.refused),
    idempotency: mergeIdempotency(read.idempotency ?? {}, base.idempotency),
    headers: read.headers ?? base.headers,
  }
}

function mergeRequest(read: Read<typeof request>, base: RequestRules): RequestRules {
  const { model, files, ...rest } = read
  return {
    ...base,
    ...defined(rest),
    model: model === undefined ? base.model : noneOr(model),
    files: { ...base.files, ...defined(files ?? {}) },
  }
}

function mergeUpload(read: Read<typeof upload>, say: Say): UploadRules {
  if (read.url === undefined) say('`upload` needs a `url`')
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
  }
}

function mergeResponse(read: Read<typeof response>, base: ResponseRules, say: Say): ResponseRules {
  const { running, succeeded, failed, canceled, search, id, identity, ...rest } = read
  return {
    ...base,
    ...defined(rest),
    words: mergeWords(defined({ running, succeeded, failed, canceled }), base.words, say),
    search: { ...base.search, ...defined(search ?? {}) },
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

function mergeIdempotency(read: Read<typeof idempotency>, base: Idempotency): Idempotency {
  const ttlMs = read.ttl ?? base.ttlMs
  return {
    header: read.header === undefined ? base.header : noneOr(read.header),
    honoured: read.honoured ?? base.honoured,
    ...(ttlMs !== undefined && { ttlMs }),
  }
}

function noneOr(word: string): string | undefined {
  return word === 'none' ? undefined : word
}

/** Without members that are undefined: spread, they would hide what is there. */
function defined<T extends object>(of: T): { [key in keyof T]: Exclude<T[key], undefined> } {
  // The filter is what the type says.
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as never
}

const blank: Profile = {
  name: 'profile',
  workflow: [],
  mode: [],
  request: {
    envelope: [],
    model: undefined,
    case: 'camel',
    rename: {},
    values: {},
    defaults: 'omit',
    constants: {},
    body: [],
    files: { as: 'data-uri', upTo: 10 * MiB, made: 'link' },
  },
  upload: undefined,
  response: {
    id: [],
    identity: [],
    status: [],
    words: { running: [], succeeded: [], failed: [], canceled: [] },
    pending: [],
    outputs: [],
    search: { wrappers: [], outputs: [], links: [], base64: [], skip: [] },
    progress: [],
    credits: [],
    error: [],
    failure: [],
    rejectedContent: [],
  },
  refused: {},
  idempotency: { header: undefined, honoured: false },
  headers: {},
}
