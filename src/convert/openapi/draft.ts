import type { Json, JsonObject } from '../../base/names.ts'
import type { InputType } from '../../catalog/model.ts'
import { isJsonObject, resolved, type Schema, type Source } from './schemas.ts'

/** A model as a document has it: to be read by a person before anything is ordered by it. */
export interface ModelDraft {
  readonly id: string
  readonly name: string
  readonly inputType: InputType
  /** Rows of the catalog by their names. */
  readonly params: { readonly [name: string]: JsonObject }
  /** What a profile has to say: where parameters stand, and other names. */
  readonly toProfile: readonly string[]
  /** What could not be read, each with why. */
  readonly lost: readonly string[]
}

/** Keys under which services put the parameters of a model. */
const wrappers = ['input', 'parameters', 'params', 'arguments']

/** `reserved`: names that no parameter may have. */
export function draftOf(source: Source, document: JsonObject, reserved: ReadonlySet<string>): ModelDraft {
  const outer = resolved(source.schema, document)
  const wrapper = wrappers.find(key => Object.keys(propertiesAt(outer, key, document)).length > 0)
  const schema = wrapper === undefined ? outer : resolved(outer.properties[wrapper] ?? {}, document)
  const rows = Object.entries(schema.properties).map(([name, each]) =>
    rowOf(name, resolved(each, document), { schema, document, reserved }),
  )
  const beside = wrapper === undefined ? [] : Object.keys(outer.properties).filter(key => key !== wrapper)
  const params = Object.fromEntries(rows.flatMap(({ row, called }) => (row ? [[called, row]] : [])))
  return {
    id: idOf(source.word),
    name: typeof schema.own.title === 'string' ? schema.own.title : source.word,
    inputType: inputTypeOf(`${source.word} ${source.about}`, params),
    params,
    toProfile: [
      ...(wrapper === undefined ? [] : [`\`request.envelope: ${wrapper}\`: parameters stand there`]),
      ...beside.map(
        key =>
          `\`${key}\` stands beside them: \`request.constants\`, or \`request.model\` where it names the model`,
      ),
      ...rows.flatMap(({ told }) => (told === undefined ? [] : [told])),
    ],
    lost: rows.flatMap(({ lost }) => (lost === undefined ? [] : [lost])),
  }
}

function propertiesAt(schema: Schema, key: string, document: JsonObject): Schema['properties'] {
  const inner = schema.properties[key]
  return inner ? resolved(inner, document).properties : {}
}

interface Row {
  readonly called: string
  readonly row?: JsonObject
  readonly told?: string
  readonly lost?: string
}

interface Around {
  readonly schema: Schema
  readonly document: JsonObject
  readonly reserved: ReadonlySet<string>
}

function rowOf(name: string, schema: Schema, { schema: of, document, reserved }: Around): Row {
  const called = camel(name)
  if (name === 'model') return { called, told: '`model` names the model: `request.model: model`' }
  if (schema.values?.length === 1)
    return {
      called,
      told: `\`${name}\` is always ${JSON.stringify(schema.values[0])}: \`request.constants\``,
    }
  // No mapping of ours has keys that every object has.
  if (!/^[a-z][A-Za-z0-9]*$/.test(called) || called in {})
    return { called, lost: `${name}: it cannot be the name of a parameter` }
  if (reserved.has(called))
    return {
      called,
      lost: `${name}: \`${called}\` is a key of a job; give it another name, and \`request.rename\``,
    }
  const read = typeOf(name, schema, document)
  if ('lost' in read) return { called, lost: `${name}: ${read.lost}` }
  const row = { ...read.row, ...(of.required.includes(name) && { required: true }), ...noteOf(schema) }
  const isUsual = snake(called) === name || called === name
  return { called, row, ...(!isUsual && { told: `\`request.rename: { ${called}: ${name} }\`` }) }
}

function noteOf({ own: { description } }: Schema): JsonObject {
  if (typeof description !== 'string' || description.trim() === '') return {}
  const [first = ''] = description.trim().split(/(?<=\.)\s|\n/)
  return { note: first.length > 160 ? `${first.slice(0, 157)}…` : first }
}

type Read = { readonly row: JsonObject } | { readonly lost: string }

function typeOf(name: string, schema: Schema, document: JsonObject): Read {
  const { types, values, own } = schema
  if (types.length > 1 && !(types.length === 2 && types.includes('integer') && types.includes('number')))
    return { lost: `it may be ${types.join(' or ')}` }
  if (values) return enumOf(values, own)
  const type = types.includes('number') ? 'number' : types[0]
  switch (type) {
    case 'string':
      return textOf(name, own)
    case 'integer':
    case 'number':
      return { row: { type, ...rangeOf(own), ...defaultOf(own, 'number') } }
    case 'boolean':
      return { row: { type, ...defaultOf(own, 'boolean') } }
    case 'array':
      return listOf(name, own, document)
    case 'object':
      return { row: { type: 'object' } }
    default:
      return { lost: type === undefined ? 'nothing says what it is' : `it is ${type}` }
  }
}

function enumOf(values: readonly Json[], own: JsonObject): Read {
  const plain = values.filter(each => typeof each === 'string' || typeof each === 'number')
  if (plain.length < values.length || plain.length === 0)
    return { lost: 'its values are no texts or numbers' }
  return {
    row: {
      type: 'enum',
      values: [...new Set(plain)],
      ...(plain.includes(own.default as string) && { default: own.default as Json }),
    },
  }
}

/** A file is told by its format, or by its name; of what kind, by its name alone. */
function textOf(name: string, own: JsonObject): Read {
  const isBytes = ['binary', 'byte', 'base64'].includes(String(own.format ?? own.contentEncoding))
  const media = mediaIn(`${name} ${typeof own.description === 'string' ? own.description.slice(0, 80) : ''}`)
  const isFileName = /(^|_)(image|video|audio|photo|picture|frame|file|mask)s?(_?(url|uri|file))?$/i.test(
    name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'),
  )
  const isLink = ['uri', 'url'].includes(String(own.format)) || /ur[il]$/i.test(name)
  if (/callback|webhook|notif/i.test(name)) return { lost: 'genrun asks for results, and is not called back' }
  if (isBytes || isFileName || (isLink && media))
    return media
      ? { row: { type: 'file', media } }
      : { lost: 'a file of a kind that is not told: `{ type: file, media: … }`' }
  return { row: { type: 'text', ...(isCount(own.maxLength) && { maxLength: own.maxLength }) } }
}

function mediaIn(words: string): 'image' | 'video' | 'audio' | undefined {
  if (/image|photo|picture|frame|mask|logo/i.test(words)) return 'image'
  if (/video|clip|movie/i.test(words)) return 'video'
  return /audio|voice|sound|speech|music/i.test(words) ? 'audio' : undefined
}

function listOf(name: string, own: JsonObject, document: JsonObject): Read {
  const items = isJsonObject(own.items) ? own.items : {}
  const item = resolved(items, document)
  const most = isCount(own.maxItems) ? { maxItems: own.maxItems } : {}
  if (item.types.includes('string') && !item.values) {
    const one = textOf(name, item.own)
    if ('lost' in one) return one
    if (one.row.type === 'file') return { row: { ...one.row, maxItems: own.maxItems ?? 16 } }
    return { row: { type: 'text[]', ...most } }
  }
  if (item.types.includes('string')) return { row: { type: 'text[]', ...most } }
  const members = Object.keys(item.properties)
  if (item.types.includes('object') && members.length > 0)
    return { row: { type: 'object[]', maxItems: isCount(own.maxItems) ? own.maxItems : 16, members } }
  return { lost: `a list of ${item.types[0] ?? 'what is not told'}` }
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}

function rangeOf({
  minimum,
  maximum,
  multipleOf,
  exclusiveMinimum,
  exclusiveMaximum,
}: JsonObject): JsonObject {
  // A bound that is not taken itself is as near as a catalog comes: the service refuses the rest, which costs nothing.
  const [least, most] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum]
  return {
    ...(typeof least === 'number' && { minimum: least }),
    ...(typeof most === 'number' && { maximum: most }),
    ...(typeof multipleOf === 'number' &&
      typeof least === 'number' &&
      multipleOf > 0 && { step: multipleOf }),
  }
}

function defaultOf(own: JsonObject, type: 'number' | 'boolean'): JsonObject {
  return typeof own.default === type ? { default: own.default as Json } : {}
}

/** Guessed by words and by the files that are required; a person puts it right. */
function inputTypeOf(words: string, params: ModelDraft['params']): InputType {
  const files = Object.values(params).flatMap(({ type, media, required }) =>
    type === 'file' && required ? [media] : [],
  )
  if (/speech|tts|voice/i.test(words)) return 'tts'
  if (/audio|music|sound/i.test(words)) return files.includes('video') ? 'v2a' : 't2a'
  if (/video|film|motion|animat/i.test(words))
    return files.includes('video') ? 'v2v' : files.includes('image') ? 'i2v' : 't2v'
  return files.includes('image') ? 'i2i' : 't2i'
}

function idOf(word: string): string {
  const id = word
    .replace(/^(POST|PUT) /, '')
    .replace(/(Request|Input|Params|Body|Args)$/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._/-]+/g, '-')
    .replaceAll(/\/+/g, '/')
    .replaceAll(/(^|\/)[^a-z0-9]+|[^a-z0-9]+($|\/)/g, '$1$2')
    .replaceAll(/^\/+|\/+$/g, '')
  return id === '' ? 'model' : id
}

function camel(name: string): string {
  const [first = '', ...more] = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const head =
    first === first.toUpperCase() ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1)
  return head + more.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function snake(name: string): string {
  return name.replaceAll(/([A-Z])/g, '_$1').toLowerCase()
}
