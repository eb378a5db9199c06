import { defined } from '../base/defined.ts'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import { listed, nearest } from '../base/nearest.ts'
import { wordTable } from '../base/word-table.ts'
import {
  entryOf,
  isEmpty,
  type TextEntry,
  type TextMap,
  type TextNode,
  type TextScalar,
} from '../text/tree.ts'
import type { InputMedia, Param } from './param.ts'

type Report = (problem: Diagnostic) => void

/** What each type takes beside `type`, `flag`, `required` and `note`; what begins with `!` must be there. */
const typeKeys = {
  text: ['maxLength'],
  enum: ['!values', 'default', 'labels'],
  boolean: ['default'],
  integer: ['minimum', 'maximum', 'step', 'default'],
  number: ['minimum', 'maximum', 'step', 'default'],
  file: ['!media', 'maxItems'],
  'object[]': ['!maxItems', '!members'],
  object: [],
  'text[]': ['maxItems'],
} as const

/** How what must be there is written. */
const instances: { readonly [key: string]: string | undefined } = wordTable({
  values: 'values: [small, large]',
  media: 'media: image',
  maxItems: 'maxItems: 4',
  members: 'members: [index, prompt]',
})

type Type = keyof typeof typeKeys

const types = Object.keys(typeKeys) as readonly Type[] // The keys of the record above.
const mediaKinds: readonly InputMedia[] = ['image', 'video', 'audio', 'file']

/** One parameter: `{ type: enum, values: [5, 10], default: 5 }`. Undefined when it is wrong, which is told. */
export function readParam(entry: TextEntry, report: Report): Param | undefined {
  const { key, value } = entry
  if (value.kind !== 'map') {
    const hint = 'for instance { type: text, required: true }'
    report(
      error('wrong-type', isEmpty(value) ? key : value, `the parameter ${key.source} is a mapping`, hint),
    )
    return undefined
  }
  let errors = 0
  const reading: Reading = {
    key,
    map: value,
    report: problem => {
      errors++
      report(problem)
    },
  }
  const type = readType(reading)
  if (!type) return undefined
  checkKeys(reading, type)
  const param = paramOf(reading, type)
  return errors === 0 ? param : undefined
}

interface Reading {
  readonly key: TextScalar
  readonly map: TextMap
  readonly report: Report
}

function readType({ key, map, report }: Reading): Type | undefined {
  const entry = entryOf(map, 'type')
  if (!entry) {
    report(
      error(
        'missing-key',
        key,
        `the parameter ${key.source} has no \`type\``,
        `it is one of ${listed(types, 'or')}`,
      ),
    )
    return undefined
  }
  const word = entry.value.kind === 'scalar' ? entry.value.source : ''
  const known = types.find(type => type === word)
  if (known) return known
  const near = nearest(word, types)
  const at = isEmpty(entry.value) ? entry.key : entry.value
  report(error('bad-value', at, `\`type\` is one of ${listed(types, 'or')}`, near && `did you mean ${near}`))
  return undefined
}

function checkKeys({ key, map, report }: Reading, type: Type): void {
  const keys: readonly string[] = typeKeys[type]
  const known = ['type', 'flag', 'required', 'note', ...keys.map(name => name.replace('!', ''))]
  for (const { key: name } of map.entries) {
    if (known.includes(name.source)) continue
    const near = nearest(name.source, known)
    const hint = near ? `did you mean ${near}` : `there are ${listed(known)}`
    report(error('unknown-key', name, `\`${name.source}\` is no key of a parameter of type ${type}`, hint))
  }
  for (const name of keys) {
    if (!name.startsWith('!') || entryOf(map, name.slice(1))) continue
    report(
      error(
        'missing-key',
        key,
        `the parameter ${key.source} of type ${type} has no \`${name.slice(1)}\``,
        `for instance ${instances[name.slice(1)]}`,
      ),
    )
  }
}

function paramOf(reading: Reading, type: Type): Param {
  const row = rowOf(reading)
  switch (type) {
    case 'text': {
      const maxLength = wholeOf(reading, 'maxLength')
      return { type, ...row, ...defined({ maxLength }) }
    }
    case 'enum':
      return { type, ...row, ...choiceOf(reading) }
    case 'boolean':
      return { type, ...row, ...defaultOf(truthOf(reading, 'default')) }
    case 'integer':
    case 'number':
      return { type, ...row, ...rangeOf(reading, type) }
    case 'file': {
      const maxItems = wholeOf(reading, 'maxItems')
      return { type, ...row, media: mediaOf(reading), ...defined({ maxItems }) }
    }
    case 'object[]':
      return { type, ...row, maxItems: wholeOf(reading, 'maxItems') ?? 1, members: membersOf(reading) }
    case 'object':
      return { type, ...row }
    case 'text[]': {
      const maxItems = wholeOf(reading, 'maxItems')
      return { type, ...row, ...defined({ maxItems }) }
    }
  }
}

function rowOf(reading: Reading): { flag: string; required?: true; note?: string } {
  const { key, map, report } = reading
  const flag = entryOf(map, 'flag')
  const kebab = `--${key.source.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
  const written = flag?.value.kind === 'scalar' ? flag.value.source : undefined
  if (flag && !/^(-[a-zA-Z]|--[a-z0-9]+(-[a-z0-9]+)*)$/.test(written ?? ''))
    report(error('bad-value', flag.value, '`flag` is a flag of the command line', `for instance ${kebab}`))
  const note = entryOf(map, 'note')?.value
  return {
    flag: written ?? kebab,
    ...(truthOf(reading, 'required') && { required: true as const }),
    ...(note?.kind === 'scalar' && note.source !== '' && { note: note.source }),
  }
}

function choiceOf({ map, report }: Reading) {
  const entry = entryOf(map, 'values')
  const values =
    entry?.value.kind === 'list' ? entry.value.items.flatMap(item => choiceValue(item, report) ?? []) : []
  if (entry && values.length === 0)
    report(
      error(
        'wrong-type',
        isEmpty(entry.value) ? entry.key : entry.value,
        '`values` is a list of texts or numbers',
      ),
    )
  const standard = entryOf(map, 'default')?.value
  const chosen = standard && choiceValue(standard, report)
  if (standard && chosen !== undefined && !values.includes(chosen))
    report(
      error(
        'bad-value',
        standard,
        `the default ${chosen} is not among the values`,
        `they are ${listed(values.map(String))}`,
      ),
    )
  const labels = labelsOf(map, values, report)
  return { values, ...defined({ default: chosen, labels }) }
}

function choiceValue(node: TextNode, report: Report): string | number | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined
  if (typeof value === 'string' || typeof value === 'number') return value
  const hint =
    node.kind === 'scalar' && typeof value === 'boolean' ? `write '${node.source}' in quotes` : undefined
  report(error('wrong-type', node, 'a value of an enum is text or a number', hint))
  return undefined
}

function labelsOf(
  map: TextMap,
  values: readonly (string | number)[],
  report: Report,
): Record<string, string> | undefined {
  const entry = entryOf(map, 'labels')
  if (!entry) return undefined
  if (entry.value.kind !== 'map') {
    report(error('wrong-type', entry.value, '`labels` is a mapping from values to words'))
    return undefined
  }
  const labels: Record<string, string> = {}
  for (const { key, value } of entry.value.entries) {
    if (!values.some(known => String(known) === key.source))
      report(error('bad-value', key, `${key.source} is not among the values`))
    if (value.kind === 'scalar') labels[key.source] = value.source
  }
  return labels
}

function rangeOf(reading: Reading, type: 'integer' | 'number') {
  const minimum = numberOf(reading, 'minimum')
  const maximum = numberOf(reading, 'maximum')
  const step = numberOf(reading, 'step') ?? (type === 'integer' ? 1 : undefined)
  const standard = numberOf(reading, 'default')
  const { map, report } = reading
  const at = (name: string) => entryOf(map, name)?.value ?? reading.key
  const [least, most] = [minimum ?? Number.NEGATIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY]
  if (least > most)
    report(error('out-of-range', at('maximum'), 'the maximum is below the minimum', 'change them round'))
  if (step !== undefined && (step <= 0 || (type === 'integer' && !Number.isInteger(step))))
    report(
      error(
        'out-of-range',
        at('step'),
        type === 'integer' ? '`step` is a whole number from 1' : '`step` is above 0',
      ),
    )
  if (standard !== undefined && (standard < least || standard > most))
    report(
      error(
        'out-of-range',
        at('default'),
        `the default lies outside ${least} to ${most}`,
        'it must be a value that the model takes',
      ),
    )
  return {
    ...defined({ minimum, maximum, step }),
    ...defaultOf(standard),
  }
}

function defaultOf<T>(value: T | undefined): { readonly default?: T } {
  return value === undefined ? {} : { default: value }
}

function mediaOf({ map, key, report }: Reading): InputMedia {
  const node = entryOf(map, 'media')?.value
  const known = node?.kind === 'scalar' ? mediaKinds.find(kind => kind === node.source) : undefined
  if (node && !known)
    report(error('bad-value', isEmpty(node) ? key : node, '`media` is image, video, audio or file'))
  return known ?? 'image'
}

function membersOf({ map, report }: Reading): string[] {
  const entry = entryOf(map, 'members')
  const items = entry?.value.kind === 'list' ? entry.value.items : []
  const members = items.flatMap(item => (item.kind === 'scalar' && item.source !== '' ? [item.source] : []))
  if (entry && (members.length === 0 || members.length < items.length))
    report(
      error('wrong-type', isEmpty(entry.value) ? entry.key : entry.value, '`members` is a list of names'),
    )
  return members
}

function wholeOf(reading: Reading, name: string): number | undefined {
  const number = numberOf(reading, name)
  if (number === undefined || (Number.isInteger(number) && number >= 1)) return number
  reading.report(
    error(
      'out-of-range',
      entryOf(reading.map, name)?.value ?? reading.key,
      `\`${name}\` is a whole number from 1`,
    ),
  )
  return undefined
}

function numberOf({ map, report }: Reading, name: string): number | undefined {
  const entry = entryOf(map, name)
  if (!entry) return undefined
  if (entry.value.kind === 'scalar' && typeof entry.value.value === 'number') return entry.value.value
  report(error('wrong-type', isEmpty(entry.value) ? entry.key : entry.value, `\`${name}\` is a number`))
  return undefined
}

function truthOf({ map, report }: Reading, name: string): boolean | undefined {
  const entry = entryOf(map, name)
  if (!entry) return undefined
  if (entry.value.kind === 'scalar' && typeof entry.value.value === 'boolean') return entry.value.value
  report(error('wrong-type', isEmpty(entry.value) ? entry.key : entry.value, `\`${name}\` is true or false`))
  return undefined
}
