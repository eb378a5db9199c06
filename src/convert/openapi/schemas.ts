import type { Json, JsonObject } from '../../base/names.ts'

/** A JSON Schema of an OpenAPI document, as far as it matters here, with what it refers to in its place. */
export interface Schema {
  readonly types: readonly string[]
  readonly properties: { readonly [name: string]: JsonObject }
  readonly required: readonly string[]
  /** Values, where only some are taken. */
  readonly values: readonly Json[] | undefined
  readonly own: JsonObject
}

/** Something in a document that may become a model. */
export interface Source {
  /** `components/schemas/PaintInput`, `POST /v1/images`. */
  readonly name: string
  /** The word that a person names it by. */
  readonly word: string
  readonly schema: JsonObject
  /** How its body is written, when that is not as JSON. */
  readonly as?: 'form' | 'multipart'
  /** What says what it is about, in words. */
  readonly about: string
}

/** Components that are objects, and operations that take a body. */
export function sourcesIn(document: JsonObject): readonly Source[] {
  return [...componentsIn(document), ...operationsIn(document)]
}

function componentsIn(document: JsonObject): Source[] {
  const schemas = objectAt(objectAt(document, 'components'), 'schemas')
  return Object.entries(schemas).flatMap(([word, schema]) =>
    isJsonObject(schema)
      ? [{ name: `components/schemas/${word}`, word, schema, about: textsOf(schema, 'title', 'description') }]
      : [],
  )
}

const methods = ['post', 'put']

function operationsIn(document: JsonObject): Source[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = objectAt(item, method)
      const body = bodyOf(operation, document)
      if (!body) return []
      const name = `${method.toUpperCase()} ${path}`
      const word = typeof operation.operationId === 'string' ? operation.operationId : name
      return [{ name, word, ...body, about: `${path} ${textsOf(operation, 'summary', 'description')}` }]
    }),
  )
}

function bodyOf(operation: JsonObject, document: JsonObject): Pick<Source, 'schema' | 'as'> | undefined {
  const body = followed(objectAt(operation, 'requestBody'), document)
  const content = objectAt(body, 'content')
  const type = Object.keys(content).find(each => /json|form/.test(each))
  const schema = type === undefined ? {} : objectAt(objectAt(content, type), 'schema')
  if (Object.keys(schema).length === 0) return undefined
  const as = type?.startsWith('multipart/') ? 'multipart' : type?.includes('form') ? 'form' : undefined
  return { schema, ...(as && { as }) }
}

/** A schema with what it refers to, and what it is made of (`allOf`); nullable counts for nothing: what is not given is not sent. */
export function resolved(schema: JsonObject, document: JsonObject, depth = 0): Schema {
  const here = followed(schema, document)
  const parts = depth > 8 ? [] : schemasIn(here, 'allOf').map(each => resolved(each, document, depth + 1))
  const options = depth > 8 ? [] : [...schemasIn(here, 'anyOf'), ...schemasIn(here, 'oneOf')]
  const choices = options.map(each => resolved(each, document, depth + 1)).filter(each => !isNull(each))
  const only = choices.length === 1 ? choices : []
  const all = [...parts, ...only]
  const types = typesOf(here).filter(type => type !== 'null')
  return {
    types: types.length > 0 ? types : [...new Set([...all, ...choices].flatMap(each => each.types))],
    properties: Object.assign({}, ...all.map(each => each.properties), propertiesOf(here)),
    required: [...new Set([...all.flatMap(each => each.required), ...stringsAt(here, 'required')])],
    values: valuesOf(here) ?? all.find(each => each.values)?.values,
    own: Object.assign({}, ...all.map(each => each.own), here),
  }
}

function isNull({ types, own, values }: Schema): boolean {
  return (
    types.length === 0 && (typesOf(own).includes('null') || values?.every(each => each === null) === true)
  )
}

function typesOf({ type, properties, enum: values }: JsonObject): string[] {
  if (Array.isArray(type)) return type.filter(each => typeof each === 'string')
  if (typeof type === 'string') return [type]
  if (isJsonObject(properties)) return ['object']
  return Array.isArray(values) && values.every(each => typeof each === 'string') ? ['string'] : []
}

function valuesOf({ enum: values, const: only }: JsonObject): readonly Json[] | undefined {
  if (Array.isArray(values)) return values.filter(each => each !== null)
  return only === undefined ? undefined : [only]
}

function propertiesOf({ properties }: JsonObject): { readonly [name: string]: JsonObject } {
  if (!isJsonObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).filter((each): each is [string, JsonObject] => isJsonObject(each[1])),
  )
}

/** What stands behind `$ref`, inside the document alone: nothing is fetched. */
function followed(schema: JsonObject, document: JsonObject): JsonObject {
  let here = schema
  for (let hops = 0; hops < 20; hops++) {
    const { $ref: reference, ...beside } = here
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return here
    const steps = reference
      .slice(2)
      .split('/')
      .map(step => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    const found = steps.reduce<Json | undefined>(
      (at, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      document,
    )
    if (!isJsonObject(found)) return beside
    here = { ...found, ...beside }
  }
  return here
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function schemasIn(schema: JsonObject, key: string): JsonObject[] {
  const value = schema[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function stringsAt(schema: JsonObject, key: string): string[] {
  const value = schema[key]
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}

function textsOf(of: JsonObject, ...keys: readonly string[]): string {
  return keys.flatMap(key => (typeof of[key] === 'string' ? [of[key]] : [])).join(' ')
}

function objectAt(of: Json | undefined, key: string): JsonObject {
  const value = isJsonObject(of) && Object.hasOwn(of, key) ? of[key] : undefined
  return isJsonObject(value) ? value : {}
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
