import { endpoint } from './endpoint-form.ts'
import { choice, flag, json, listOf, mapOf, record, text, timespan, whole, wrong } from './form.ts'
import { bodyForms, refusalMeanings, triedAgainst } from './profile.ts'
import {
  answerPlace,
  authHeader,
  headers,
  pattern,
  place,
  proofs,
  scheme,
  statusCode,
  word,
} from './profile-forms.ts'
import { perModel, perParam, valueRule } from './rule-forms.ts'
import { template, templateOf, textTemplate } from './template-form.ts'

const places = listOf(place)
const words = listOf(text())
const MiB = 1024 * 1024

/** Where orders go, and where their results are asked for. Below the base address. */
export const endpointFields = {
  order: {
    about: 'where orders go',
    form: endpoint({
      methods: ['POST', 'PUT'],
      names: ['workflow', 'model', 'mode', 'params'],
      example: "order: 'POST /v1/${{ workflow }}'",
    }),
  },
  result: {
    about: 'where the result of a run is asked for',
    form: endpoint({
      methods: ['GET'],
      names: ['id', 'workflow'],
      example: "result: 'GET /v1/runs/${{ id }}'",
    }),
  },
  content: {
    about: 'where the files of a finished run are fetched, when the result only says that it is finished',
    form: endpoint({
      methods: ['GET'],
      names: ['id', 'workflow'],
      example: "content: 'GET /v1/runs/${{ id }}/content'",
      mayBeginWithId: true,
    }),
  },
  cancel: {
    about: 'where a run is given up, when a person says so',
    form: endpoint({
      methods: ['POST', 'PUT', 'DELETE'],
      names: ['id', 'workflow'],
      example: "cancel: 'POST /v1/runs/${{ id }}/cancel'",
      mayBeginWithId: true,
      needsId: true,
    }),
  },
  list: {
    about: 'where the latest runs are listed, to find one whose answer was lost',
    form: endpoint({ methods: ['GET'], names: [], example: "list: 'GET /v1/runs?limit=50'" }),
  },
} as const

/** How the key travels. */
export const authFields = {
  header: { about: 'the header that carries the key', form: authHeader },
  scheme: {
    about: 'the word before the key; none for the key alone. Bearer in Authorization, else none',
    form: scheme,
  },
  query: {
    about: 'the name in the query that carries the key, in place of a header; only where the user allows it',
    form: text(/^[A-Za-z][\w.-]{0,63}$/, 'is a name in a query', 'for instance key'),
  },
} as const

const authRecord = record(authFields)

/** One place for the key: a header, or the query. */
const authPart: typeof authRecord = {
  ...authRecord,
  read(entry, report) {
    const read = authRecord.read(entry, report)
    const isBoth = read?.query !== undefined && (read.header ?? read.scheme) !== undefined
    if (isBoth) report(wrong(entry, 'names a header and the query in one part', 'write a list of two parts'))
    return read
  },
}

/** How parameters become a body, as far as it may differ from model to model. */
export const bodyFields = {
  as: {
    about: 'how a body is written; files stand in the parts of a multipart one',
    form: choice(bodyForms),
  },
  envelope: { about: 'keys around the parameters, outermost first; [] for none', form: words },
  model: { about: 'the key beside the parameters that names the model; none for no such key', form: text() },
  case: { about: 'how names are written', form: choice(['camel', 'snake', 'kebab']) },
  rename: { about: 'names as they are sent; none is not sent', form: perParam(text()) },
  values: {
    about: 'values as they are sent: other words, text, number, or single',
    form: perParam(valueRule),
  },
  defaults: {
    about: 'whether defaults of the catalog are sent for what a job does not say',
    form: choice(['omit', 'send']),
  },
  constants: { about: 'sent beside the envelope, as they are', form: mapOf(json) },
} as const

/** How parameters become a body. */
export const requestFields = {
  ...bodyFields,
  models: { about: 'what of this holds otherwise for some models', form: perModel(record(bodyFields)) },
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

/** How an address for a file is asked for, and the file put there. */
export const ticketFields = {
  body: {
    about: 'what the question says, with ${{ file.name }}, ${{ file.type }} and ${{ file.bytes }}',
    form: templateOf(['file']),
  },
  putAt: { about: 'where the answer holds the address that takes the bytes', form: places },
  headers: { about: 'sent with the bytes, beside their type', form: headers },
} as const

/** Where files go. */
export const uploadFields = {
  url: {
    about: 'where files are sent: relative to the base address, or at an origin that the user allows',
    form: text(/^\S+$/, 'is an address without blanks'),
  },
  field: { about: "the form's field that holds the file", form: text() },
  fields: { about: 'further fields', form: mapOf(text()) },
  urlAt: { about: 'where the answer holds what is sent for the file', form: places },
  ticket: {
    about: 'an upload in two steps: an address is asked for, and the bytes are put there',
    form: record(ticketFields, ['putAt']),
  },
} as const

/** How answers are read. */
export const responseFields = {
  id: { about: 'where the id of a run stands', form: places },
  poll: {
    about: 'where the address stands at which the result is asked for: places, or names of headers',
    form: listOf(answerPlace),
  },
  content: { about: 'where a finished answer holds the address of its files', form: places },
  identity: { about: 'places whose id must be the one asked for', form: places },
  status: { about: 'where status words stand', form: places },
  running: { about: 'words for a run that goes on', form: listOf(word) },
  succeeded: { about: 'words for a run that has its result', form: listOf(word) },
  failed: { about: 'words for a run that failed', form: listOf(word) },
  canceled: { about: 'words for a run that was given up', form: listOf(word) },
  pending: { about: 'statuses of a result request that mean "not finished"', form: listOf(statusCode) },
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
  linksLast: { about: 'for how long links to files work', form: timespan },
  runs: {
    about: 'how a list of runs is read: its items are read as single answers are',
    form: record({
      at: { about: 'where the list stands', form: places },
      time: { about: 'where an item says when it was ordered', form: places },
    }),
  },
  progress: { about: 'where progress stands, as a fraction or in percent', form: places },
  credits: { about: 'where the cost stands', form: places },
  error: { about: "where an error's words stand", form: places },
  failure: { about: 'places that hold something only when the work failed', form: places },
  rejectedContent: { about: 'what an error says when the content was refused', form: listOf(pattern) },
} as const

/** What an answer says when nothing was billed. */
export const refusalFields = {
  status: { about: 'of the answer; any when left out', form: statusCode },
  at: { about: 'where the word stands', form: place },
  is: { about: 'words of which one stands there', form: listOf(word) },
  means: { about: 'what it means; busy is tried again', form: choice(refusalMeanings) },
} as const

/** What a profile was written from. */
export const sourceFields = {
  documentation: { about: 'the documentation', form: text() },
  date: {
    about: 'when it was read',
    form: text(/^\d{4}-\d{2}-\d{2}$/, 'is a date', 'for instance 2026-01-31'),
  },
  money: { about: 'which answers it takes for proof that nothing was billed, and why', form: text() },
  tried: { about: 'what the profile was tried against', form: choice(triedAgainst) },
} as const

/** One order, and the request that it makes. */
export const exampleFields = {
  model: { about: 'the model that is ordered', form: text() },
  // Compared by `profile check`: a run with other models at hand has no use for them, and is not stopped by them.
  params: { about: 'what is ordered, by the names of the catalog', form: mapOf(json) },
  order: { about: 'where the request goes, below the base address: POST /v1/images', form: text() },
  body: { about: 'what it says: JSON with its keys in order, or text, byte for byte', form: json },
} as const

/** The key that marks a repeated order. */
export const idempotencyFields = {
  header: {
    about: 'the header it is sent in; none for no such header',
    form: text(/^[A-Za-z0-9-]+$/, 'is the name of a header'),
  },
  honoured: { about: 'whether the service promises not to take an order twice', form: flag },
  ttl: { about: 'for how long it promises so', form: timespan },
} as const

/** Keys of a profile, in the order in which they are told. */
export const profileFields = {
  $schema: { about: 'the schema, for editors', form: text() },
  name: { about: "the profile's name", form: text(/^[\w.-]{1,64}$/, 'is one word') },
  description: { about: 'for readers; it changes nothing', form: text() },
  endpoints: {
    about: 'where orders go, and where results are asked for',
    form: record(endpointFields, ['order']),
  },
  auth: {
    about: 'how the key travels; several where several headers carry it',
    form: listOf(authPart),
  },
  workflow: { about: 'workflows that are not called by the model id', form: perModel(textTemplate) },
  mode: { about: 'how models go over the wire', form: perModel(choice(['execute', 'submit'])) },
  request: { about: 'how parameters become a body', form: record(requestFields) },
  upload: { about: 'where files go that do not fit into a body', form: record(uploadFields, ['url']) },
  response: { about: 'how answers are read', form: record(responseFields) },
  refused: { about: 'statuses of a paid request that prove that nothing was billed', form: proofs },
  refusedWhen: {
    about: 'words in an answer that prove that nothing was billed, whatever its status',
    form: listOf(record(refusalFields, ['at', 'is'])),
  },
  idempotency: { about: 'the key that marks a repeated order', form: record(idempotencyFields) },
  headers: { about: 'sent with every request; never a key', form: headers },
  source: { about: 'what it was written from; for readers', form: record(sourceFields) },
  examples: {
    about: "requests of the service's documentation: `profile check` compares what is sent with them",
    form: listOf(record(exampleFields, ['model', 'body'])),
  },
} as const
