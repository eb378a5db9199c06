import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { isEmpty, type TextEntry, type TextNode, toJson, valueSpan } from '../../text/tree.ts'

/** Takes problems, and says which models and parameters there are to be named. */
export interface ProfileReport {
  (problem: Diagnostic): void
  readonly modelSet: ModelSet
}

/** What can stand at a key of a profile: how it is read, and how it is described to an editor. */
export interface Form<T> {
  /** Undefined when it is not of this form, which is told. */
  read(entry: TextEntry, report: ProfileReport): T | undefined
  readonly schema: JsonObject
}

/** One key of a mapping. `about` has no full stop. */
interface Field<T = unknown> {
  readonly about: string
  readonly form: Form<T>
}

type ValueOf<F> = F extends Field<infer T> ? T : never

/** What was written of a mapping; nothing is filled in. */
export type Read<Fields extends { readonly [key: string]: Field }> = {
  readonly [key in keyof Fields]?: ValueOf<Fields[key]>
}

export function wrong(entry: TextEntry, message: string, hint?: string): Diagnostic {
  return error('bad-profile', valueSpan(entry), `\`${entry.key.source}\` ${message}`, hint)
}

/** Text that `isGood`, if anything is asked of it. */
export function text(isGood?: RegExp, told = '', hint?: string): Form<string> {
  return {
    schema: { type: 'string', ...(isGood && { pattern: isGood.source }) },
    read(entry, report) {
      const value = scalarOf(entry, report, 'string')
      if (typeof value !== 'string') return undefined
      if (!isGood || isGood.test(value)) return value
      report(wrong(entry, told, hint))
      return undefined
    },
  }
}

export function choice<const Word extends string>(words: readonly Word[]): Form<Word> {
  return {
    schema: { enum: words },
    read(entry, report) {
      const { value } = entry
      const found = words.find(word => value.kind === 'scalar' && value.source === word)
      if (found !== undefined) return found
      const near = value.kind === 'scalar' ? nearest(value.source, words) : undefined
      report(wrong(entry, `is ${listed(words, 'or')}`, near && `did you mean ${near}`))
      return undefined
    },
  }
}

export const flag: Form<boolean> = {
  schema: { type: 'boolean' },
  read(entry, report) {
    const value = scalarOf(entry, report, 'boolean')
    return typeof value === 'boolean' ? value : undefined
  },
}

export function whole(minimum: number, maximum: number): Form<number> {
  return {
    schema: { type: 'integer', minimum, maximum },
    read(entry, report) {
      const value = scalarOf(entry, report, 'number')
      if (typeof value !== 'number') return undefined
      if (Number.isInteger(value) && value >= minimum && value <= maximum) return value
      report(wrong(entry, `is a whole number from ${minimum} to ${maximum}`))
      return undefined
    },
  }
}

/** `90s`, `15m`, `24h`, `7d`, in milliseconds. */
export const timespan: Form<number> = {
  schema: { type: 'string', pattern: '^\\d+(s|m|h|d)$' },
  read(entry, report) {
    const { value } = entry
    const found = /^(\d{1,6})(s|m|h|d)$/.exec(value.kind === 'scalar' ? value.source : '')
    const unit = found && { s: 1, m: 60, h: 3600, d: 86_400 }[found[2] ?? '']
    if (found && unit) return Number(found[1]) * unit * 1000
    report(wrong(entry, 'is a length of time', 'write it like 90s, 15m, 24h or 7d'))
    return undefined
  },
}

/** Any JSON, as it is written. */
export const json: Form<Json> = { schema: {}, read: ({ value }) => toJson(value) }

/** A list of these; one alone may stand without brackets. */
export function listOf<T>(form: Form<T>): Form<readonly T[]> {
  return {
    schema: { anyOf: [form.schema, { type: 'array', items: form.schema }] },
    read({ key, value }, report) {
      const items = value.kind === 'list' ? value.items : [value]
      return items.flatMap(item => {
        const read = form.read({ key, value: item }, report)
        return read === undefined ? [] : [read]
      })
    },
  }
}

/** A mapping whose keys are the user's; `check` tells a key that will not do. */
export function mapOf<T>(
  form: Form<T>,
  check: (entry: TextEntry, report: ProfileReport) => boolean = () => true,
): Form<{ readonly [key: string]: T }> {
  return {
    schema: { type: 'object', additionalProperties: form.schema },
    read(entry, report) {
      const entries = entriesOf(entry, report) ?? []
      return Object.fromEntries(
        entries.flatMap(inner => {
          if (!check(inner, report)) return []
          const read = form.read(inner, report)
          return read === undefined ? [] : [[inner.key.source, read]]
        }),
      )
    },
  }
}

/** A mapping of known keys, some of which it `needs`. Keys that begin with `x-` are free. */
export function record<const Fields extends { readonly [key: string]: Field }>(
  fields: Fields,
  needs: readonly (keyof Fields & string)[] = [],
): Form<Read<Fields>> {
  const schema = recordSchema(fields)
  return {
    schema: needs.length > 0 ? { ...schema, required: needs } : schema,
    read(entry, report) {
      const entries = entriesOf(entry, report)
      const of = `\`${entry.key.source}\``
      for (const name of entries ? needs : [])
        if (!entries?.some(({ key }) => key.source === name))
          report(
            error('bad-profile', entry.value, `${of} needs \`${name}\``, `${name}: ${fields[name]?.about}`),
          )
      return readFields(fields, entries ?? [], of, report)
    },
  }
}

export function recordSchema(fields: { readonly [key: string]: Field }): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, { about, form }]) => [key, { description: about, ...form.schema }]),
    ),
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
}

/** Reads known keys and tells the others, with the nearest word. `of` names the mapping. */
export function readFields<const Fields extends { readonly [key: string]: Field }>(
  fields: Fields,
  entries: readonly TextEntry[],
  of: string,
  report: ProfileReport,
): Read<Fields> {
  const read: { [key: string]: unknown } = {}
  for (const entry of entries) {
    const name = entry.key.source
    if (name.startsWith('x-')) continue
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) {
      const near = nearest(name, Object.keys(fields))
      const hint = near ? `did you mean ${near}` : `there are ${listed(Object.keys(fields))}`
      report(error('unknown-key', entry.key, `\`${name}\` is no key of ${of}`, hint))
    } else if (isEmpty(entry.value)) report(wrong(entry, 'has no value', 'write one, or remove the key'))
    else read[name] = field.form.read(entry, report)
  }
  // Each value was read by the form that stands beside its key.
  return read as Read<Fields>
}

/** The entries of a mapping; undefined for anything else, which is told. */
export function entriesOf(entry: TextEntry, report: ProfileReport): readonly TextEntry[] | undefined {
  const { value } = entry
  if (value.kind === 'map') return value.entries
  report(wrong(entry, 'is a mapping from names to values'))
  return undefined
}

const typeWords = { string: 'text', number: 'a number', boolean: 'true or false' } as const

function scalarOf(
  entry: TextEntry,
  report: ProfileReport,
  type: keyof typeof typeWords,
): TextScalarValue | undefined {
  const { value } = entry
  // `typeof` is right: a plain scalar of YAML has one of these types.
  if (value.kind === 'scalar' && typeof value.value === type) return value.value
  const hint = type === 'string' && isPlainScalar(value) ? `put it in quotes: '${value.source}'` : undefined
  report(wrong(entry, `is ${typeWords[type]}`, hint))
  return undefined
}

type TextScalarValue = null | boolean | number | string

function isPlainScalar(node: TextNode): node is TextNode & { kind: 'scalar' } {
  return node.kind === 'scalar' && node.value !== null
}
