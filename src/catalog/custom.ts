import { defined } from '../base/defined.ts'
import { type Diagnostic, error, withNotes } from '../base/diagnostic.ts'
import { isServiceName, serviceNameForm } from '../base/names.ts'
import { listed, nearest } from '../base/nearest.ts'
import { entryOf, isEmpty, type TextEntry, type TextMap, type TextNode } from '../text/tree.ts'
import { readParam } from './custom-param.ts'
import { findModel, type InputType, inputTypes, type Model, ownInputTypes, type Param } from './index.ts'
import { readCurrency, readRates } from './rates.ts'

type Report = (problem: Diagnostic) => void

/**
 * Models that a user declares, in the words of the catalog:
 *
 *     models:
 *       acme-paint:
 *         inputType: t2i
 *         params:
 *           prompt: { type: text, required: true, maxLength: 500 }
 *           aspectRatio: { type: enum, flag: --ar, values: ['1:1', '16:9'], default: '1:1' }
 *
 * `reserved` are names that no parameter may have: they are keys of a job. A model with an error is left out.
 */
export function readCustomModels(
  tree: TextNode,
  reserved: ReadonlySet<string>,
  report: Report,
): CustomModel[] {
  const entry = tree.kind === 'map' ? entryOf(tree, 'models') : undefined
  if (tree.kind !== 'map' || !entry) {
    report(
      error(
        'not-a-catalog',
        tree,
        'this file declares no models',
        'write them under `models:`, by their ids',
      ),
    )
    return []
  }
  for (const { key } of tree.entries)
    if (!fileKeys.includes(key.source) && !key.source.startsWith('x-'))
      report(unknownKey(key, fileKeys, 'a catalog file'))
  const currencyEntry = entryOf(tree, 'currency')
  const currency = currencyEntry && readCurrency(currencyEntry, report)
  if (entry.value.kind !== 'map' || entry.value.entries.length === 0) {
    const at = isEmpty(entry.value) ? entry.key : entry.value
    report(error('wrong-type', at, '`models` is a mapping from model ids to models'))
    return []
  }
  return entry.value.entries.flatMap(each => readModel(each, { reserved, currency, report }) ?? [])
}

/** A declared model and where its id stands. */
export interface CustomModel {
  readonly model: Model
  readonly at: TextEntry['key']
}

/** Adds a declaration to those `known`: one id may be declared once for each service that has it. A second one is told. */
export function addDeclared(known: Map<string, CustomModel>, custom: CustomModel, report: Report): void {
  const { id, service } = custom.model
  const key = `${id} ${service ?? ''}`
  const first = known.get(key)
  if (!first) known.set(key, custom)
  else {
    const message =
      service === undefined ? `two models are called ${id}` : `two models of ${service} are called ${id}`
    const hint = 'rename one of them, or name the service that has it'
    const notes = [{ message: 'the first of them', at: first.at }]
    report(withNotes(error('duplicate-id', custom.at, message, hint), notes))
  }
}

const fileKeys = ['models', 'currency']

const modelKeys = ['name', 'family', 'inputType', 'modes', 'note', 'sound', 'service', 'price', 'params']

interface Reading {
  readonly reserved: ReadonlySet<string>
  readonly currency: string | undefined
  readonly report: Report
}

function readModel(
  { key, value }: TextEntry,
  { reserved, currency, report }: Reading,
): CustomModel | undefined {
  const id = key.source
  const before = countErrors(report)
  if (!/^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*(:[a-z0-9][a-z0-9._-]*)?$/.test(id)) {
    const hint = 'lower case letters, digits, `.`, `_`, `-`, `/` between words, and `:` before a version'
    before.report(error('bad-id', key, `${id} cannot be the id of a model`, hint))
  }
  if (findModel(id))
    before.report(error('duplicate-id', key, `there is a built-in model ${id}`, 'choose another id'))
  if (value.kind !== 'map') {
    before.report(
      error(
        'wrong-type',
        isEmpty(value) ? key : value,
        `the model ${id} is a mapping`,
        'it needs at least `inputType` and `params`',
      ),
    )
    return undefined
  }
  for (const { key: word } of value.entries)
    if (!modelKeys.includes(word.source)) before.report(unknownKey(word, modelKeys, 'a model'))
  const inputType = readInputType(value, key, before.report)
  const modes = readModes(value, inputType, before.report)
  const params = readParams(value, key, reserved, before.report)
  const sound = textOf(value, 'sound', before.report)
  if (sound !== undefined && sound !== 'native')
    before.report(error('bad-value', entryOf(value, 'sound')?.value ?? key, '`sound` is native, or left out'))
  const note = textOf(value, 'note', before.report)
  const family = textOf(value, 'family', before.report) ?? 'custom'
  const name = textOf(value, 'name', before.report) ?? id
  const service = textOf(value, 'service', before.report)
  if (service !== undefined && !isServiceName(service))
    before.report(
      error('bad-value', entryOf(value, 'service')?.value ?? key, `\`service\` is ${serviceNameForm}`),
    )
  const priceEntry = entryOf(value, 'price')
  const rates = priceEntry && readRates(priceEntry, [{ id, params }], before.report)
  if (before.found() || !inputType) return undefined
  const model = {
    id,
    name,
    family,
    inputType,
    modes,
    ...defined({ note, service }),
    ...(sound === 'native' && { sound: 'native' as const }),
    ...(rates && { price: { rates, from: key.file, ...defined({ currency }) } }),
    params,
  }
  return { model, at: key }
}

/** Whether something was told on the way. */
function countErrors(report: Report): { readonly report: Report; readonly found: () => boolean } {
  let count = 0
  return {
    report: problem => {
      count++
      report(problem)
    },
    found: () => count > 0,
  }
}

function readInputType(model: TextMap, at: TextEntry['key'], report: Report): InputType | undefined {
  const entry = entryOf(model, 'inputType')
  if (!entry) {
    report(
      error(
        'missing-key',
        at,
        `the model ${at.source} has no \`inputType\``,
        `it is one of ${listed(inputTypes, 'or')}; ${beyond}`,
      ),
    )
    return undefined
  }
  return readMode(entry.value, 'inputType', report)
}

const beyond =
  'other work is written alike, with t, i, v, a, and f for a file of any kind: i2f makes one of an image'

function readMode(value: TextNode, name: string, report: Report): InputType | undefined {
  const word = value.kind === 'scalar' ? value.source : undefined
  const known = ownInputTypes.find(type => type === word)
  if (!known) {
    const near = word && nearest(word, ownInputTypes)
    report(
      error(
        'bad-value',
        value,
        `\`${name}\` is one of ${listed(inputTypes, 'or')}`,
        near ? `did you mean ${near}` : beyond,
      ),
    )
  }
  return known
}

function readModes(
  model: TextMap,
  inputType: InputType | undefined,
  report: Report,
): [InputType, ...InputType[]] {
  const first = inputType ?? 't2i'
  const entry = entryOf(model, 'modes')
  if (!entry) return [first]
  if (entry.value.kind !== 'list') {
    report(error('wrong-type', entry.value, '`modes` is a list of input types', `for instance [${first}]`))
    return [first]
  }
  const modes = entry.value.items.flatMap(item => readMode(item, 'modes', report) ?? [])
  return [first, ...modes.filter(mode => mode !== first)]
}

function readParams(
  model: TextMap,
  at: TextEntry['key'],
  reserved: ReadonlySet<string>,
  report: Report,
): { [name: string]: Param } {
  const entry = entryOf(model, 'params')
  if (!entry || entry.value.kind !== 'map') {
    const hint = 'for instance `params: { prompt: { type: text, required: true } }`'
    report(error('missing-key', entry?.key ?? at, `the model ${at.source} has no parameters`, hint))
    return {}
  }
  const params: { [name: string]: Param } = {}
  const flags = new Map<string, TextEntry['key']>()
  for (const each of entry.value.entries) {
    const name = each.key.source
    if (!/^[a-z][A-Za-z0-9]*$/.test(name)) report(badName(each.key))
    if (reserved.has(name)) {
      report(
        error(
          'bad-name',
          each.key,
          `\`${name}\` is a key of a job, and so no parameter`,
          'choose another name',
        ),
      )
      continue
    }
    const param = readParam(each, report)
    if (!param) continue
    const known = flags.get(param.flag)
    if (known) {
      const notes = [{ message: 'it is first used here', at: known }]
      report(
        withNotes(
          error(
            'duplicate-key',
            each.key,
            `two parameters have the flag ${param.flag}`,
            'write another `flag:`',
          ),
          notes,
        ),
      )
    }
    flags.set(param.flag, each.key)
    params[name] = param
  }
  return params
}

function badName(key: TextEntry['key']): Diagnostic {
  const words = key.source.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const camel = words
    .map(
      (word, index) =>
        (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1),
    )
    .join('')
  const hint = camel === key.source || camel === '' ? undefined : `write ${camel}`
  return error('bad-name', key, 'a parameter is called in camelCase: letters and digits', hint)
}

function textOf(model: TextMap, name: string, report: Report): string | undefined {
  const entry = entryOf(model, name)
  if (!entry) return undefined
  if (entry.value.kind === 'scalar' && entry.value.source.trim() !== '') return entry.value.source.trim()
  report(error('wrong-type', isEmpty(entry.value) ? entry.key : entry.value, `\`${name}\` takes text`))
  return undefined
}

function unknownKey(key: TextEntry['key'], known: readonly string[], what: string): Diagnostic {
  const near = nearest(key.source, known)
  const hint = near ? `did you mean ${near}` : `there ${known.length === 1 ? 'is' : 'are'} ${listed(known)}`
  return error('unknown-key', key, `\`${key.source}\` is no key of ${what}`, hint)
}
