import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { listed, nearest } from '../base/nearest.ts'
import { isEmpty, type TextEntry, type TextNode, type TextScalar, valueSpan } from '../text/tree.ts'
import { type Model, paramOf, type Rate, type Unit, units } from './model.ts'

type Report = (problem: Diagnostic) => void

type Priced = Pick<Model, 'id' | 'params'>

/** One rate, or a list of which the first that fits counts. `meant` are the models that it is the price of, where they are known. */
export function readRates(
  { key, value }: Pick<TextEntry, 'key' | 'value'>,
  meant: readonly Priced[],
  report: Report,
): Rate[] {
  const rows = value.kind === 'list' ? value.items : [value]
  return rows.flatMap(row => rateOf(row, key, meant, report) ?? [])
}

function rateOf(row: TextNode, key: TextScalar, meant: readonly Priced[], report: Report): Rate | undefined {
  if (row.kind !== 'map') {
    const hint = 'for instance { perSecond: 0.05 }'
    report(
      error(
        'wrong-type',
        isEmpty(row) ? key : row,
        `the price of ${key.source} is a mapping or a list of mappings`,
        hint,
      ),
    )
    return undefined
  }
  const amounts: { [unit in Unit]?: number } = {}
  let when: Rate['when'] = {}
  for (const entry of row.entries) {
    const unit = units.find(each => each === entry.key.source)
    if (unit) amounts[unit] = amountOf(entry, report)
    else if (entry.key.source === 'when') when = whenOf(entry, meant, report)
    else report(unknownPriceKey(entry.key))
  }
  if (Object.keys(amounts).length === 0)
    report(error('no-prices', row, 'this price names no amount', `there are ${listed(units)}`))
  return { when, amounts }
}

function unknownPriceKey(key: TextScalar): Diagnostic {
  const near = nearest(key.source, [...units, 'when'])
  const keys = near ? `did you mean ${near}` : `there are when, ${listed(units)}`
  // `{ perRun: 0,2 }` is, to YAML, two keys.
  const hint = /^\d+$/.test(key.source) ? 'decimals are written with a point, as in 0.2' : keys
  return error('unknown-key', key, `\`${key.source}\` is no key of a price`, hint)
}

function amountOf(entry: TextEntry, report: Report): number {
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'number' && value.value >= 0) return value.value
  const comma = value.kind === 'scalar' ? /^(\d+),(\d+)$/.exec(value.source) : undefined
  const hint = comma ? `write ${comma[1]}.${comma[2]}, with a point` : undefined
  report(error('wrong-type', valueSpan(entry), `\`${entry.key.source}\` is a number from 0`, hint))
  return 0
}

function whenOf(entry: TextEntry, meant: readonly Priced[], report: Report): Rate['when'] {
  if (entry.value.kind !== 'map') {
    const hint = 'for instance { renderingSpeed: pro }'
    report(error('wrong-type', valueSpan(entry), '`when` is a mapping from parameters to values', hint))
    return {}
  }
  return Object.fromEntries(
    entry.value.entries.map(each => [each.key.source, valuesOf(each, meant, report)] as const),
  )
}

function valuesOf(entry: TextEntry, meant: readonly Priced[], report: Report): (string | number | boolean)[] {
  const name = entry.key.source
  const params = meant.flatMap(model => paramOf(model, name) ?? [])
  if (meant.length > 0 && params.length === 0) report(unknownParam(entry.key, meant))
  const known = params.flatMap((param): (string | number | boolean)[] => {
    if (param.type === 'boolean') return [true, false]
    return param.type === 'enum' ? [...param.values] : []
  })
  const items = entry.value.kind === 'list' ? entry.value.items : [entry.value]
  return items.flatMap(item => {
    const value = item.kind === 'scalar' ? item.value : null
    if (value !== null && (params.length === 0 || known.includes(value))) return [value]
    const near = item.kind === 'scalar' ? nearest(item.source, known.map(String)) : undefined
    const hint = near
      ? `did you mean ${near}`
      : known.length > 0
        ? `there are ${listed(known.map(String))}`
        : undefined
    const message = known.length > 0 ? `this is no value of ${name}` : `a price cannot depend on ${name}`
    report(error('bad-value', isEmpty(item) ? entry.key : item, message, hint))
    return []
  })
}

function unknownParam(key: TextScalar, meant: readonly Priced[]): Diagnostic {
  const near = nearest(
    key.source,
    meant.flatMap(model => Object.keys(model.params)),
  )
  const [only] = meant
  const whose = meant.length === 1 && only ? only.id : 'any of these models'
  return error(
    'unknown-param',
    key,
    `${key.source} is no parameter of ${whose}`,
    near ? `did you mean ${near}` : undefined,
  )
}

/** What a currency is called: a short word that is only ever shown. Undefined when it is none, which is told. */
export function readCurrency(entry: TextEntry, report: Report): string | undefined {
  const { value } = entry
  const isWord =
    value.kind === 'scalar' && typeof value.value === 'string' && /^[\p{L}\p{Sc}]{1,12}$/u.test(value.value)
  if (isWord) return value.value
  report(
    error('bad-value', valueSpan(entry), '`currency` is a short word', 'for instance USD, EUR or credits'),
  )
  return undefined
}

const value = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] }

const rateSchema = {
  description: 'an amount for each unit that is charged; several add up',
  type: 'object',
  properties: {
    when: {
      description: 'values that parameters must have, one or several',
      type: 'object',
      additionalProperties: { anyOf: [value, { type: 'array', items: value }] },
    },
    ...Object.fromEntries(units.map(unit => [unit, { type: 'number', minimum: 0 }])),
  },
  additionalProperties: false,
}

/** What `readRates` takes, for editors. */
export const ratesSchema: JsonObject = {
  anyOf: [rateSchema, { type: 'array', minItems: 1, items: rateSchema }],
}
