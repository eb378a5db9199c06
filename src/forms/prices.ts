import {
  type Checked,
  type Diagnostic,
  error,
  hasErrors,
  sortProblems,
  upToMostErrors,
} from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { listed, nearest } from '../base/nearest.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { fitsStars } from '../base/wildcard.ts'
import { type Model, modelIds, models, paramOf } from '../catalog/index.ts'
import {
  entryOf,
  isEmpty,
  type TextEntry,
  type TextMap,
  type TextNode,
  type TextScalar,
  valueSpan,
} from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import { type Prices, type Rate, type Unit, units } from './cost.ts'
import { draft } from './schema.ts'

type Report = (problem: Diagnostic) => void

const example = 'for instance `currency: USD` and `models: { fama-imagine-image: { perImage: 0.02 } }`'

/**
 * Reads a file of prices:
 *
 *     currency: USD
 *     models:
 *       fama-imagine-image: { perImage: 0.02 }
 *       famc-v3:
 *         - { when: { renderingSpeed: std, generateAudio: false }, perSecond: 0.08 }
 *         - { perSecond: 0.12 }
 *     workflows:
 *       hero-flow: { perRun: 0.4 }
 *
 * All problems together; there is no value where there is an error.
 */
export function readPrices(file: SourceFile): Checked<Prices> {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems }
  const problems = [...read.problems]
  const { value: tree } = read
  const value = tree.kind === 'map' ? upToMostErrors(problems, report => pricesOf(tree, report)) : undefined
  if (tree.kind !== 'map') problems.push(error('not-prices', headOf(file), 'prices are a mapping', example))
  const sorted = sortProblems(problems)
  return { value: hasErrors(sorted) ? undefined : value, problems: sorted }
}

/** Prices as a section of a larger text. */
function pricesOf(tree: TextMap, report: Report): Prices {
  for (const { key } of tree.entries) {
    if (sections.includes(key.source) || key.source.startsWith('x-')) continue
    const near = nearest(key.source, sections)
    const hint = near ? `did you mean ${near}` : `there are ${listed(sections)}`
    report(error('unknown-key', key, `\`${key.source}\` is no key of prices`, hint))
  }
  const [models, workflows] = [entryOf(tree, 'models'), entryOf(tree, 'workflows')]
  if (!models && !workflows) report(error('no-prices', tree, 'there are no `models`', example))
  const named = entriesOf(workflows, 'names', report)
  return {
    currency: currencyOf(entryOf(tree, 'currency'), report),
    models: entriesOf(models, 'model ids', report).map(each => modelPrices(each, report)),
    ...(named.length > 0 && { workflows: named.map(each => workflowPrices(each, report)) }),
  }
}

const sections = ['currency', 'models', 'workflows']

function entriesOf(section: TextEntry | undefined, names: string, report: Report): readonly TextEntry[] {
  if (section?.value.kind === 'map') return section.value.entries
  const message = `\`${section?.key.source}\` is a mapping from ${names} to prices`
  if (section) report(error('wrong-type', valueSpan(section), message, example))
  return []
}

function currencyOf(entry: TextEntry | undefined, report: Report): string {
  if (!entry) return 'credits'
  const { value } = entry
  const isWord =
    value.kind === 'scalar' && typeof value.value === 'string' && /^[\p{L}\p{Sc}]{1,12}$/u.test(value.value)
  if (isWord) return value.value
  report(
    error('bad-value', valueSpan(entry), '`currency` is a short word', 'for instance USD, EUR or credits'),
  )
  return 'credits'
}

function modelPrices({ key, value }: TextEntry, report: Report): Prices['models'][number] {
  const match = key.source
  const meant = modelIds.filter(id => fitsStars(match, id)).map((id): Model => models[id])
  if (meant.length === 0) {
    const near = nearest(match, modelIds)
    const message = match.includes('*') ? `no model is called like ${match}` : `there is no model ${match}`
    report(error('unknown-model', key, message, near ? `did you mean ${near}` : '`genrun models` lists them'))
  }
  return { match, rates: ratesOf({ key, value }, meant, report) }
}

/** Of what a job is sent to by its own word. Its parameters are the service's: nothing is known of them here. */
function workflowPrices(entry: TextEntry, report: Report): { readonly name: string; readonly rates: Rate[] } {
  return { name: entry.key.source, rates: ratesOf(entry, [], report) }
}

function ratesOf(
  { key, value }: Pick<TextEntry, 'key' | 'value'>,
  meant: readonly Model[],
  report: Report,
): Rate[] {
  const rows = value.kind === 'list' ? value.items : [value]
  return rows.flatMap(row => rateOf(row, key, meant, report) ?? [])
}

function rateOf(row: TextNode, key: TextScalar, meant: readonly Model[], report: Report): Rate | undefined {
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
  const hint = near ? `did you mean ${near}` : `there are when, ${listed(units)}`
  return error('unknown-key', key, `\`${key.source}\` is no key of a price`, hint)
}

function amountOf(entry: TextEntry, report: Report): number {
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'number' && value.value >= 0) return value.value
  report(error('wrong-type', valueSpan(entry), `\`${entry.key.source}\` is a number from 0`))
  return 0
}

function whenOf(entry: TextEntry, meant: readonly Model[], report: Report): Rate['when'] {
  if (entry.value.kind !== 'map') {
    const hint = 'for instance { renderingSpeed: pro }'
    report(error('wrong-type', valueSpan(entry), '`when` is a mapping from parameters to values', hint))
    return {}
  }
  return Object.fromEntries(
    entry.value.entries.map(each => [each.key.source, valuesOf(each, meant, report)] as const),
  )
}

function valuesOf(entry: TextEntry, meant: readonly Model[], report: Report): (string | number | boolean)[] {
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

function unknownParam(key: TextScalar, meant: readonly Model[]): Diagnostic {
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

/** The schema of a file of prices, for editors. */
export function pricesSchema(): JsonObject {
  const rate = {
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
  const rates = { anyOf: [rate, { type: 'array', minItems: 1, items: rate }] }
  return {
    $schema: draft,
    title: 'genrun prices',
    description:
      'What a service charges, as you know it. A model without a price is told as unknown, never as free.',
    type: 'object',
    properties: {
      currency: { description: 'as it is shown: USD, credits', type: 'string' },
      models: {
        description: 'by model id or pattern; the first rate whose `when` holds counts',
        type: 'object',
        additionalProperties: rates,
      },
      workflows: {
        description: 'by the name of a workflow that jobs name themselves, and for models of your own',
        type: 'object',
        additionalProperties: rates,
      },
    },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
}

const value = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] }
